"""The range of a swept key: its ends, how many values, and on which scale."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fastgc.registry import Table

_End = Annotated[int, Field()] | Annotated[float, Field(allow_inf_nan=False)]


class Range(Table):
    """Values of a swept key from one end to the other, in place of a list.

    Values are rounded to 6 digits, so that they are the same on every machine; between ends that
    are written as whole numbers they are whole numbers, each once.

    Parameters
    ----------
    from : number
        The first value.
    to : number
        The last one.
    count : int
        How many values, 2 to 100 000.
    scale : {"linear", "log"}
        Whether neighbours have equal differences (the default) or equal ratios.
    """

    first: Annotated[_End, Field(alias="from")]
    to: _End
    count: Annotated[int, Field(ge=2, le=100_000)]
    scale: Literal["linear", "log"] = "linear"

    def cross_field_errors(self) -> list[tuple[str, str]]:
        """Return (key, sentence) for ends that do not go together."""
        if self.first == self.to:
            return [("to", f"must differ from the other end (got {self.to} twice)")]
        if self.scale == "log" and min(self.first, self.to) <= 0:
            return [("scale", '"log" needs ends above 0; take "linear"')]
        return []

    def values(self) -> list[int | float]:
        """Return the values.

        Examples
        --------
        >>> Range(**{"from": 0.01, "to": 1, "count": 3, "scale": "log"}).values()
        [0.01, 0.1, 1.0]
        >>> Range(**{"from": 4, "to": 32, "count": 4, "scale": "log"}).values()
        [4, 8, 16, 32]
        """
        spaced = np.geomspace if self.scale == "log" else np.linspace
        inner = spaced(self.first, self.to, self.count)[1:-1].tolist()
        found = [self.first, *(float(f"{value:.6g}") for value in inner), self.to]
        if isinstance(self.first, int) and isinstance(self.to, int):
            return list(dict.fromkeys(round(value) for value in found))
        return [float(value) for value in found]
