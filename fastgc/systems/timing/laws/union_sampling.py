"""Chances that many unlike arrivals are late, by union sampling (Karp, Luby 1983).

Completion is late where one of several requirements fails. The chance of each failure alone is
known exactly, so one is chosen in proportion to it, made to happen, and the rest drawn; where V
requirements fail, the mean of 1/V is the chance that any does, as a share of the sum of all. It
lies between 1 over the number of requirements and 1, however rare failures are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fastgc.latency.time import Values
from fastgc.registry.cached import cached_property
from fastgc.statistics.bounded import Bounded
from fastgc.statistics.estimates import Estimate
from fastgc.systems.timing.laws.crossing import Arrivals, completing
from fastgc_kernels.complete import unions

#: Samples that show how many are needed, and the most that are drawn.
_PILOT, _MOST = 1 << 11, 1 << 18
#: Standard error aimed at, as a share of the chance.
PRECISION = 0.0025
#: Numbers in a table of chances, at most: 160 MB.
_MOST_CHANCES = 2e7
#: Bounds closer than this factor are one number but for rounding.
_CLOSE = 1.0 + 1e-13
#: What is added at either end of the range of 1/V, so that samples that are all alike do not look
#: certain: as many as Agresti and Coull (1998) add to outcomes.
_ADDED = 4.0


def fits(workers: int, complete: int, totals: Sequence[float]) -> bool:
    """Return whether the tables of so many arrivals, of which ``complete`` must come, fit."""
    absent = workers - complete if any(total < 1.0 for total in totals) else 0
    return (workers + 1.0) ** 2 * (absent + 1.0) <= _MOST_CHANCES


class Union:
    """The failures of several requirements at one t.

    Parameters
    ----------
    arrivals : sequence of Arrivals
        Of one time.
    required : sequence of int
        Arrivals by each threshold, rising.
    """

    def __init__(self, arrivals: Sequence[Arrivals], required: Sequence[int]) -> None:
        sizes = [a.size for a in arrivals]
        self._cdf = np.repeat(np.stack([a.cdf[:, 0] for a in arrivals]), sizes, axis=0)
        self._late = np.repeat(np.stack([a.late[:, 0] for a in arrivals]), sizes, axis=0)
        self._never = np.repeat([1.0 - a.total for a in arrivals], sizes)
        self._required = np.asarray(required, np.int64)
        self._need = max(required)
        self._absent = len(self._never) - self._need if self._never.any() else 0

    @cached_property
    def complete(self) -> float:
        """Chance that enough arrive in the end."""
        return completing([(1, 1.0 - never) for never in self._never.tolist()], self._need)

    @cached_property
    def chances(self) -> Values:
        """P(requirement i fails, though enough arrive in the end), exactly."""
        return np.array([self._table(i)[1][-1] for i in range(self._required.size)])

    def _table(self, i: int) -> tuple[Values, Values]:
        """Return the table of `unions.fill`, and running sums over what lets requirement i fail."""
        n = len(self._never)
        table = np.empty((n + 1, n + 1, self._absent + 1))
        at, beyond = np.ascontiguousarray(self._cdf[:, i]), np.ascontiguousarray(self._late[:, i])
        unions.fill(at, beyond, self._never, table)
        missing = np.add.outer(np.arange(n + 1), np.arange(self._absent + 1))
        fails = np.where(missing > n - self._required[i], table[0], 0.0)
        return table, np.cumsum(fails.ravel())

    def chance(self, key: np.uint64, precision: float = PRECISION) -> Estimate:
        """Return the chance that any requirement fails, though enough arrive in the end.

        Parameters
        ----------
        key : np.uint64
            The generator's.
        precision : float
            Standard error aimed at, as a share of the chance: a first run of samples says how many
            it takes, and those of another run count.
        """
        floor, ceiling = float(self.chances.max()), min(1.0, float(self.chances.sum()))
        if ceiling <= floor * _CLOSE:
            return Estimate(floor, 0.0)
        pilot = self._failing(key, 0, _PILOT)
        share, spread = _moments(pilot)
        wanted = spread / (share * precision) ** 2
        samples = min(_MOST, max(_PILOT, math.ceil(wanted)))
        share, spread = _moments(self._failing(key, _PILOT, samples))
        total = float(self.chances.sum())
        error = total * math.sqrt(spread / samples)
        value = min(max(total * share, floor), ceiling)
        return Bounded(value, error, samples, floor=floor, ceiling=ceiling)

    def _failing(self, key: np.uint64, first: int, samples: int) -> NDArray[np.int64]:
        """Return how many of the samples from ``first`` on have so many failing requirements."""
        n, steps = self._cdf.shape
        chosen = np.empty(samples, np.int64)
        unions.choose(key, first, n, np.cumsum(self.chances), chosen)
        order = np.argsort(chosen, kind="stable")
        ends = np.searchsorted(chosen[order], np.arange(steps + 1))
        failing = np.zeros(steps + 1, np.int64)
        for i in np.unique(chosen).tolist():
            table, rising = self._table(i)
            unions.sample(
                key,
                first + order[ends[i] : ends[i + 1]],
                i,
                table,
                rising,
                self._cdf,
                self._late,
                self._never,
                self._required,
                failing,
            )
        return failing


def _moments(failing: NDArray[np.int64]) -> tuple[float, float]:
    """Return the mean and the variance of 1/V, of which there are ``failing[V]`` samples."""
    shares = 1.0 / np.arange(1, failing.size)
    times = failing[1:].astype(np.float64)
    mean = float(times @ shares / times.sum())
    added = (1.0 - mean) ** 2 + (mean - float(shares[-1])) ** 2
    spread = float(times @ (shares - mean) ** 2) + _ADDED * added
    return mean, spread / (float(times.sum()) - 1.0)
