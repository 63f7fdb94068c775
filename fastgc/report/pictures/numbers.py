"""What is drawn of a row: where it stands, its value and its interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

from fastgc.results.rows import CONFIDENCE, Row
from fastgc.statistics.estimates import Estimate

INTERVAL = f"{100 * CONFIDENCE:g} % intervals"


__all__ = ["CONFIDENCE", "INTERVAL", "Number", "is_infinite", "of_estimate", "of_rows"]


class Number(NamedTuple):
    """A value at a place, with the ends of its interval; the value itself where one is not known.

    A value that is infinite stands at its place all the same.
    """

    x: float
    value: float
    low: float
    high: float

    @property
    def is_uncertain(self) -> bool:
        """Whether its interval has a width."""
        return self.low != self.high


def of_estimate(estimate: Estimate, x: float = 0.0) -> Number | None:
    """Return the number of an estimate; None where there is nothing to be drawn."""
    value = estimate.value
    if value is None:
        return Number(x, math.inf, math.inf, math.inf) if is_infinite(estimate) else None
    low, high = estimate.interval(CONFIDENCE)
    return Number(x, value, value if low is None else low, value if high is None else high)


def is_infinite(estimate: Estimate) -> bool:
    """Return whether an estimate says that the number is infinite."""
    return estimate.value is None and (estimate.note or "").startswith("infinite")


def of_rows(rows: Iterable[Row], place: Callable[[Row], float]) -> list[Number]:
    """Return the numbers of rows, each at its place, from left to right."""
    found = [of_estimate(row.estimate, place(row)) for row in rows]
    return sorted((each for each in found if each is not None), key=lambda number: number.x)
