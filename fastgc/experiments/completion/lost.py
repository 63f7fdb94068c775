"""The measure ``lost``: the share of the work whose gradient is missing when a round is done."""

import math

import numpy as np

from fastgc.arrays import Values
from fastgc.experiments.enumerated import reaching
from fastgc.stragglers.counts import convolved


class LawOfShare:
    """The share j/k of k things to which something happens, with the probability ``law[j]``."""

    def __init__(self, law: Values) -> None:
        self._law = law
        self._share = np.arange(law.size) / (law.size - 1)

    def mean(self) -> float:
        """Return the mean."""
        return math.fsum(self._law * self._share)

    def variance(self) -> float:
        """Return the variance."""
        return math.fsum(self._law * (self._share - self.mean()) ** 2)

    @property
    def minimum(self) -> float:
        """The smallest share that can be."""
        return float(self._share[self._law > 0][0])

    @property
    def maximum(self) -> float:
        """The largest share that can be."""
        return float(self._share[self._law > 0][-1])

    def quantile(self, level: float) -> float:
        """Return the smallest share that is not exceeded with this probability."""
        return float(self._share[reaching(self._law, level)])

    def survival(self, t: float) -> float:
        """Return the probability of a larger share."""
        return min(1.0, math.fsum(self._law[self._share > t + 1e-12]))

    def cdf(self, t: float) -> float:
        """Return the probability of no larger share."""
        return min(1.0, math.fsum(self._law[self._share <= t + 1e-12]))


class LawOfCounts(LawOfShare):
    """The share of n independent workers to whom something happens, each with a probability."""

    def __init__(self, probabilities: Values) -> None:
        law = np.ones(1)
        for p in probabilities.tolist():  # of j of the workers so far
            law = convolved(law, np.array([1.0 - p, p]))
        super().__init__(law)
        self._p = probabilities

    def mean(self) -> float:
        return math.fsum(self._p) / self._p.size

    def variance(self) -> float:
        return math.fsum(self._p * (1.0 - self._p)) / self._p.size**2
