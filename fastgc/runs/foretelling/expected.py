"""Numbers that a dry run expects, with the range in which they most likely lie."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: Ranges are meant to hold the number in 19 of 20 cases.
SPREADS = 2.0
#: Of a rate, what a pilot of a second does not see: other caches, a warmer processor. The packaged
#: studies took .8 to 1.25 times what their pilots told (`bench.dry_run`).
UNSEEN = 0.25


@dataclass(frozen=True)
class Expected:
    """A number between ``low`` and ``high``, most likely ``value``.

    Examples
    --------
    >>> Expected(2.0, 1.5, 3.0) + Expected.exactly(1.0)
    Expected(value=3.0, low=2.5, high=4.0)
    >>> Expected(2.0, 1.5, 3.0) * Expected(10.0, 10.0, 20.0)
    Expected(value=20.0, low=15.0, high=60.0)
    """

    value: float
    low: float
    high: float

    @classmethod
    def exactly(cls, value: float) -> Expected:
        """Return a number that is known."""
        return cls(value, value, value)

    @classmethod
    def of_parts(cls, seconds: Sequence[float], trials: Sequence[int]) -> Expected:
        """Return the seconds that a trial takes, from those of several parts of a pilot.

        The range is that of a single part: what slows a machine down for a while may last for as
        long as the run, and what no pilot sees. Of one part alone it is half to twice the rate.
        """
        whole = sum(seconds) / sum(trials)
        if len(seconds) < 2:
            return cls(whole, whole / 2, 2 * whole)
        shares = [count / sum(trials) for count in trials]
        rates = [took / count / whole for took, count in zip(seconds, trials, strict=True)]
        width = SPREADS * spread(
            [math.sqrt(share) * (rate - 1) for share, rate in zip(shares, rates, strict=True)]
        )
        width = math.hypot(width, UNSEEN)
        return cls(whole, whole / (1 + width), whole * (1 + width))

    def __add__(self, other: Expected) -> Expected:
        """Return the sum of numbers that are high together."""
        return Expected(self.value + other.value, self.low + other.low, self.high + other.high)

    def __mul__(self, other: Expected) -> Expected:
        """Return the product of numbers that are high together."""
        return Expected(self.value * other.value, self.low * other.low, self.high * other.high)

    def times(self, factor: float) -> Expected:
        """Return so many times the number."""
        return Expected(self.value * factor, self.low * factor, self.high * factor)

    def at_most(self, bound: float) -> Expected:
        """Return the number where something keeps it from exceeding a bound."""
        return Expected(min(self.value, bound), min(self.low, bound), min(self.high, bound))

    def as_dict(self) -> dict[str, float]:
        """Return it as JSON has it."""
        return {"value": self.value, "low": self.low, "high": self.high}


def spread(deviations: Sequence[float]) -> float:
    """Return the root of a sum of squares, as one of them is known from the others."""
    count = len(deviations)
    return math.sqrt(sum(each * each for each in deviations) * count / (count - 1))
