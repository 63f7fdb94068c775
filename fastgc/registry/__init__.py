"""Members of each room, the bases of their classes, and complaints about what a study says of them.

`register` makes a class of one's own a member; see `fastgc.registry.rooms`.
"""

from fastgc.registry.rooms import (
    ROOMS,
    ExperimentTable,
    Member,
    PluginGroup,
    Table,
    members,
    register,
)
from fastgc.registry.rooms import made_once as made_once
from fastgc.registry.rooms import union as union

#: What users call or subclass; the rest is for fastgc's own tables.
__all__ = ["ROOMS", "ExperimentTable", "Member", "PluginGroup", "Table", "members", "register"]
