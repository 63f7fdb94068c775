"""Estimates of numbers that are known to lie between two bounds."""

from __future__ import annotations

from dataclasses import dataclass

from fastgc.statistics.estimates import Estimate, normal_quantile


@dataclass(frozen=True, repr=False)
class Bounded(Estimate):
    """An estimate of a number that is certain to lie from ``floor`` to ``ceiling``.

    Examples
    --------
    >>> Bounded(0.5, 0.1, 1000, floor=0.4, ceiling=1.0).interval()[0]
    0.4
    """

    floor: float = 0.0
    ceiling: float = 1.0

    def interval(self, confidence: float = 0.95) -> tuple[float | None, float | None]:
        """Return the normal confidence interval, within the bounds."""
        if self.value is None or self.standard_error is None or self.trials is None:
            return super().interval(confidence)
        half = normal_quantile(confidence) * self.standard_error
        return max(self.floor, self.value - half), min(self.ceiling, self.value + half)
