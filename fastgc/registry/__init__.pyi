from fastgc.registry.plugin_groups import GROUPS as GROUPS
from fastgc.registry.plugin_groups import ExperimentTable as ExperimentTable
from fastgc.registry.plugin_groups import Member as Member
from fastgc.registry.plugin_groups import PluginGroup as PluginGroup
from fastgc.registry.plugin_groups import Table as Table
from fastgc.registry.plugin_groups import members as members
from fastgc.registry.plugin_groups import register as register
from fastgc.registry.plugin_groups import union as union
