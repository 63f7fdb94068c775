"""The measure ``lost``: the share of the work whose gradient is missing when a round is done."""

import math

import numpy as np

from fastgc.arrays import Values
from fastgc.experiments.completion.scenario import Scenario
from fastgc.experiments.enumerated import reaching
from fastgc.stragglers.counts import convolved
from fastgc.systems.timing.evaluator import lacking
from fastgc.systems.timing.structure import Capped, Chunks, Flat, Patient, Replicated


def same_share(scenario: Scenario) -> float | None:
    """Return the share that is lost, where it is the same in all rounds that are done."""
    structure = scenario.structure
    if isinstance(structure, Replicated):
        return (structure.n - structure.need * structure.size) / structure.n
    if isinstance(structure, Patient) and isinstance(structure.part, Replicated):
        part = structure.part
        return 0.0 if part.need * part.size == part.n else None
    if isinstance(structure, Capped) and isinstance(structure.part, Chunks):
        return None
    if scenario.system.GRADIENT != "lost":
        return 0.0
    n = scenario.n
    return (n - structure.need) / n if isinstance(structure, Flat) else None


def lost_share(scenario: Scenario, times: Values, done: Values) -> Values:
    """Return the share of workers, groups or chunks without an answer when rounds are done, (T,).

    ``times`` (n, T), or (n, d, T) of chunks, are those of a system that `same_share` knows none of.
    """
    structure = scenario.structure
    if isinstance(structure, Capped) and isinstance(structure.part, Chunks):
        return lacking(structure.part, times, done) / len(structure.part.holders)
    there = scenario.answered(times, done)
    if isinstance(structure, Patient) and isinstance(structure.part, Replicated):
        there = np.asarray(there.reshape(-1, structure.part.size, done.size).any(axis=1))
    return np.asarray((len(there) - there.sum(axis=0)) / len(there))


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
