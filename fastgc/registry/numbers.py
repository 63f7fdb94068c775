"""Parameters that codes share."""

from __future__ import annotations

from typing import Annotated

import pydantic

#: B is kept as a dense matrix: 16 384 × 16 384 float64 are 2 GiB.
LARGEST = 16_384

Size = Annotated[int, pydantic.Field(ge=1, le=LARGEST)]
Seed = Annotated[int, pydantic.Field(ge=0, lt=2**64)]
