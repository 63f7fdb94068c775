"""Members of plug-in groups, the bases of their classes, and complaints about what a study says.

`register` makes a class of one's own a member; see `fastgc.registry.plugin_groups`.
"""

from fastgc.registry.plugin_groups import (
    GROUPS,
    ExperimentTable,
    Member,
    PluginGroup,
    Table,
    members,
    register,
)
from fastgc.registry.plugin_groups import union as union

#: What users call or subclass; the rest is for fastgc's own tables.
__all__ = ["GROUPS", "ExperimentTable", "Member", "PluginGroup", "Table", "members", "register"]
