"""The law of a completion time that takes one of finitely many values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.latency.time import Values
from fastgc.registry.cached import cached_property
from fastgc.systems.timing.laws.completion_law import CompletionLaw

#: Chances at either end that are too small to change a sum.
_NEGLIGIBLE = 1e-20
#: Breaks that are closer than this factor are one.
_ROUNDED = 1.0 + 1e-13


@dataclass(frozen=True, eq=False)
class DiscreteLaw(CompletionLaw):
    """A law with all its probability on ``breaks``: moments are sums over them."""

    @cached_property
    def _middles(self) -> Values:
        """A time between each break and the next, safe from rounding to the wrong side."""
        after = np.append(self.breaks[1:], 2.0 * self.breaks[-1] + 1.0)
        return self.breaks + 0.5 * (after - self.breaks)

    @cached_property
    def _steps(self) -> tuple[Values, Values]:
        """P(C ≤ t) and P(C > t) between each break and the next.

        Breaks at which one of them is negligible are found by bisection; there they are 0 and 1.
        """
        first = self._first(lambda cdf, survival: cdf > _NEGLIGIBLE)
        last = self._first(lambda cdf, survival: survival <= _NEGLIGIBLE)
        cdf, survival = np.zeros(self.breaks.size), np.ones(self.breaks.size)
        cdf[first:last], survival[first:last] = CompletionLaw._tails(
            self, self._middles[first:last]
        )
        cdf[last:], survival[last:] = 1.0, 0.0
        return cdf, survival

    def _first(self, reached: Callable[[Values, Values], NDArray[np.bool_]]) -> int:
        """Return the number of breaks before the first from which a condition holds."""
        low, high = 0, self.breaks.size
        while low < high:
            middle = (low + high) // 2
            if reached(*CompletionLaw._tails(self, self._middles[middle])):
                high = middle
            else:
                low = middle + 1
        return low

    def _tails(self, t: ArrayLike) -> tuple[Values, Values]:
        # what is a break but for rounding is one
        points = np.asarray(t, float) * _ROUNDED
        place = np.searchsorted(self.breaks, points, "right")
        before = place == 0
        cdf, survival = CompletionLaw._tails(self, self._middles[np.maximum(place - 1, 0)])
        return np.where(before, 0.0, cdf), np.where(before, 1.0, survival)

    def quantile(self, u: ArrayLike) -> Values:
        """Return the smallest t with P(C ≤ t) ≥ u; the minimum for u = 0."""
        level = np.asarray(u, float)
        cdf, survival = self._steps
        low = np.searchsorted(cdf, level, "left")
        high = np.searchsorted(-survival, level - 1.0, "left")
        place = np.where(level < 0.5, low, high)
        found = self.breaks[np.clip(place, 0, self.breaks.size - 1)]
        return np.asarray(np.maximum(found, self.minimum))

    def upper_quantile(self, v: ArrayLike) -> Values:
        """Return the smallest t with P(C > t) ≤ v."""
        level = np.asarray(v, float)
        place = np.array(np.searchsorted(-self._steps[1], -level, "left"))
        for small in np.argwhere((level > 0.0) & (level < _NEGLIGIBLE)):
            place[tuple(small)] = self._first(_at_most(level[tuple(small)]))
        found = self.breaks[np.clip(place, 0, self.breaks.size - 1)]
        return np.asarray(np.maximum(found, self.minimum))

    def mean(self) -> float:
        """Return E[C]."""
        return self._moments[0]

    def variance(self) -> float:
        """Return Var[C]."""
        return self._moments[1]

    @cached_property
    def _moments(self) -> tuple[float, float]:
        cdf, survival = self._steps
        # a break itself: what is rounded to it would be on the wrong side
        place = min(int(np.searchsorted(cdf, 0.5)), self.breaks.size - 1)
        centre = float(self.breaks[place])
        width = np.diff(self.breaks)
        above = np.arange(width.size) >= place
        first = np.where(above, survival[:-1], -cdf[:-1]) * width
        ends = (self.breaks - centre) ** 2
        second = np.where(above, survival[:-1], -cdf[:-1]) * np.diff(ends)
        off = math.fsum(first)
        return centre + off, max(0.0, math.fsum(second) - off**2)


def _at_most(level: float) -> Callable[[Values, Values], NDArray[np.bool_]]:
    """Return whether P(C > t) is no more than ``level``."""
    return lambda cdf, survival: survival <= level
