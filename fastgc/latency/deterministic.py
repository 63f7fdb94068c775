"""Times that never vary."""

from __future__ import annotations

from typing import Literal

from fastgc.latency.law import Law, NotNegative
from fastgc.latency.time import Certain, Time
from fastgc.registry import register


@register("latency")
class Deterministic(Law):
    """A time that never varies.

    Parameters
    ----------
    value : float
        Seconds, 0 or more.

    Examples
    --------
    >>> Deterministic(value=2.0).time(3.0).mean()
    6.0
    """

    distribution: Literal["deterministic"] = "deterministic"
    value: NotNegative

    def rest(self) -> Time:
        """Return the time ``value``, which is certain."""
        return Certain(self.value)

    def total(self, count: int) -> Time:
        """Return ``count`` times as much."""
        return Certain(count * self.value)
