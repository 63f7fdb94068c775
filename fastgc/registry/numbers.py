"""Parameters that codes share."""

from __future__ import annotations

from typing import Annotated

import pydantic

#: B is made as a dense matrix: 16 384 × 16 384 float64 are 2 GiB.
LARGEST = 16_384
#: Workers, or partitions, of codes that are known by their columns.
MOST = 1 << 22

Size = Annotated[int, pydantic.Field(ge=1, le=LARGEST)]
Many = Annotated[int, pydantic.Field(ge=1, le=MOST)]
Seed = Annotated[int, pydantic.Field(ge=0, lt=2**64)]
