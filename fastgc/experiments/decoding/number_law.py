"""The law of one iteration's stragglers: how many there are, which, and which groups they lose."""

import math
from dataclasses import dataclass

import numpy as np

from fastgc.arrays import Values
from fastgc.codes.structure import Groups
from fastgc.stragglers.iid import Iid, Markov
from fastgc.stragglers.pattern_law import PatternLaw
from fastgc.stragglers.two_class import TwoClass
from fastgc.stragglers.uniform import Uniform

#: Laws of the number of stragglers grow with the square of the workers.
MOST_WORKERS = 4096
#: Additions of a convolution over the groups of more workers: some seconds.
MOST_ADDITIONS = 1 << 31


@dataclass(frozen=True, eq=False)
class NumberLaw:
    """Who straggles in one iteration: so many, then a set in proportion to its odds' product."""

    #: (n + 1,): of s = 0 … n stragglers; empty for more than `MOST_WORKERS`.
    probabilities: Values
    #: (n,): of each worker to straggle; all 1 where all sets of s stragglers are alike.
    odds: Values
    #: (n,): each worker's own probability, where they straggle independently.
    straggle: Values | None = None

    @property
    def n(self) -> int:
        """Number of workers."""
        return self.odds.size

    @property
    def most(self) -> int:
        """Most stragglers that there can be."""
        return int(np.count_nonzero(self.odds if self.straggle is None else self.straggle))


def sum_law(straggle: Values) -> Values:
    """Probabilities of 0 … n stragglers among independent ones: sums of positive terms only."""
    probabilities = np.zeros(straggle.size + 1)
    probabilities[0] = 1.0
    for q in straggle:
        probabilities[1:] = probabilities[1:] * (1.0 - q) + probabilities[:-1] * q
        probabilities[0] *= 1.0 - q
    return probabilities


def number_law(law: PatternLaw, n: int, shuffle: str) -> NumberLaw | None:
    """Law of one iteration's stragglers on B's columns; None where it is not one of these.

    Of more than `MOST_WORKERS` only that of independent ones.
    """
    is_small = n <= MOST_WORKERS
    if isinstance(law, Uniform) and is_small:
        probabilities = np.zeros(n + 1)
        probabilities[law.stragglers] = 1.0
        return NumberLaw(probabilities, np.ones(n))
    if isinstance(law, TwoClass) and isinstance(law.slow, int) and is_small:
        classes = np.full(n, law.p_straggle_active)
        classes[: law.slow] = law.p_straggle_slow
        return NumberLaw(sum_law(classes), np.ones(n))
    straggle = law.independent(n) if isinstance(law, Iid | Markov | TwoClass) else None
    if straggle is None:
        return None
    probabilities = sum_law(straggle) if is_small else np.empty(0)
    alike = straggle if np.all(straggle == straggle[0]) else None
    if alike is not None or (shuffle == "random" and is_small):
        return NumberLaw(probabilities, np.ones(n), alike)
    if shuffle != "none" or straggle.max() == 1.0:
        return None
    return NumberLaw(probabilities, straggle / (1.0 - straggle), straggle)


def is_convolved(structure: Groups, limit: float) -> bool:
    """Whether `by_products` takes some seconds at most."""
    if structure.labels.size <= MOST_WORKERS:
        return True
    return max(0.0, limit - structure.uncovered) * len(structure.weights) <= MOST_ADDITIONS


def by_products(structure: Groups, straggle: Values, limit: float) -> float:
    """Return the probability that lost groups weigh more than a limit, by convolution.

    Sums of positive terms only, so all digits are right however small it is. Of more than
    `MOST_WORKERS` whatever exceeds the limit is one sum.
    """
    probabilities = np.ones(len(structure.weights))  # of each group to be lost
    held = structure.labels >= 0
    np.multiply.at(probabilities, structure.labels[held], straggle[held])  # in order of workers
    groups = zip(structure.weights.tolist(), probabilities.tolist(), strict=True)
    total = int(structure.weights.sum())
    if straggle.size <= MOST_WORKERS:
        lost = np.zeros(total + 1)
        lost[0] = 1.0
        for weight, probability in groups:
            with_it = np.zeros(lost.size)
            with_it[weight:] = lost[: lost.size - weight] * probability
            lost = lost * (1.0 - probability) + with_it
        above = np.arange(lost.size) + structure.uncovered > limit
        return float(lost[above].sum())
    most = min(math.floor(limit - structure.uncovered), total)
    if most < 0:
        return 1.0
    lost = np.zeros(most + 1)
    lost[0], beyond = 1.0, 0.0
    for weight, probability in groups:
        with_it = lost * probability
        left = max(0, lost.size - weight)
        beyond += float(with_it[left:].sum())
        lost *= 1.0 - probability
        lost[lost.size - left :] += with_it[:left]
    return beyond
