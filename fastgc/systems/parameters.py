"""Parameters that systems share."""

from __future__ import annotations

from typing import Annotated

import pydantic

#: The times of the 64 trials that a block never falls below take 51 MB for so many workers.
LARGEST = 100_000

#: Workers of systems whose time is an order statistic, for which not every time is drawn.
MOST = 1_000_000

#: Layered tasks: n · layers.
MOST_TASKS = 1_000_000

Workers = Annotated[int, pydantic.Field(ge=1, le=LARGEST)]
Count = Annotated[int, pydantic.Field(ge=0, le=LARGEST)]
Many = Annotated[int, pydantic.Field(ge=1, le=MOST)]
ManyOrNone = Annotated[int, pydantic.Field(ge=0, le=MOST)]
