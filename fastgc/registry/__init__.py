"""Members of each room, the bases of their classes, and complaints about what a study says of them.

`register` makes a class of one's own a member; see `fastgc.registry.rooms`.
"""

from fastgc.registry.rooms import (
    ROOMS,
    ExperimentTable,
    Member,
    PluginGroup,
    Table,
    discriminator,
    made_once,
    members,
    register,
    union,
)

__all__ = [
    "ROOMS",
    "ExperimentTable",
    "Member",
    "PluginGroup",
    "Table",
    "discriminator",
    "made_once",
    "members",
    "register",
    "union",
]
