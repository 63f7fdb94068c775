"""Union sampling of the loss of any group (Karp and Luby, FOCS 1983).

The event is the union of the causes "all workers of group g straggle", with probabilities Q_g. A
cause is drawn in proportion to its probability, its workers straggle, the rest is drawn given that;
ΣQ_g times the mean of 1/#{groups lost} is unbiased, and its relative variance is bounded however
rare the event is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.structure import Groups
from fastgc.draws import streams
from fastgc.experiments.decoding.rare.number_law import NumberLaw
from fastgc.registry.cached import cached_property
from fastgc_kernels.decode import chain_sets

Values = NDArray[np.float64]

#: Draws of an island.
DRAWS = 512


@dataclass(frozen=True, eq=False)
class LostGroup:
    """The event that any group is lost, for workers that straggle independently."""

    structure: Groups
    law: NumberLaw  #: With each worker's own probability.
    #: Address the draws.
    seed: int
    stream: str

    @cached_property
    def causes(self) -> Values:
        """Each group's probability to be lost."""
        labels, straggle = self.structure.labels, self.law.straggle
        assert straggle is not None
        probabilities = np.ones(len(self.structure.weights))
        for label, q in zip(labels.tolist(), straggle.tolist(), strict=True):
            if label >= 0:
                probabilities[label] *= q
        return probabilities

    @property
    def bounds(self) -> tuple[float, float]:
        """Bonferroni's: sums over causes, and over pairs of them, which are independent."""
        total = float(self.causes.sum())
        pairs = 0.5 * (total * total - float((self.causes**2).sum()))
        return max(float(self.causes.max()), total - pairs), min(1.0, total)

    def islands(self, first: int, islands: int) -> Values:
        """Unbiased estimates of the event's probability, independent of each other, (islands,)."""
        labels, straggle = self.structure.labels, self.law.straggle
        assert straggle is not None
        order = np.argsort(labels, kind="stable")[np.count_nonzero(labels < 0) :]
        offsets = np.searchsorted(labels[order], np.arange(self.causes.size))
        reached = np.cumsum(self.causes)
        key = streams.key(self.seed, self.stream, "rare union")
        numbers = np.empty((DRAWS, labels.size + 1))
        found = np.empty(islands)
        for island in range(islands):
            chain_sets.uniforms(key, (first + island) * DRAWS, 0, numbers)
            chosen = np.searchsorted(reached, numbers[:, 0] * reached[-1], side="right")
            late = numbers[:, 1:] < straggle
            late |= labels == np.minimum(chosen, self.causes.size - 1)[:, np.newaxis]
            lost = np.logical_and.reduceat(late[:, order], offsets, axis=1).sum(axis=1)
            found[island] = reached[-1] * (1.0 / lost).mean()
        return found


def by_products(structure: Groups, straggle: Values, limit: float) -> float:
    """Return the probability that lost groups weigh more than a limit, by convolution.

    Sums of positive terms only, so all digits are right however small it is.
    """
    probabilities = np.ones(len(structure.weights))
    for label, q in zip(structure.labels.tolist(), straggle.tolist(), strict=True):
        if label >= 0:
            probabilities[label] *= q
    lost = np.zeros(int(structure.weights.sum()) + 1)
    lost[0] = 1.0
    for weight, probability in zip(structure.weights.tolist(), probabilities.tolist(), strict=True):
        with_it = np.zeros(lost.size)
        with_it[weight:] = lost[: lost.size - weight] * probability
        lost = lost * (1.0 - probability) + with_it
    above = np.arange(lost.size) + structure.uncovered > limit
    return float(lost[above].sum())
