"""Measures of one iteration's value, pooled over iterations, intervals over trials."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fastgc.experiments import pooled
from fastgc.experiments.decoding.measures.base import Block, Setting, add_above
from fastgc.experiments.pooled import Bins, Cells, Row
from fastgc.statistics.tallies import Histogram


class Pooled(ABC):
    """Mean, variance and distribution of a value that every iteration has."""

    unit = "1"
    histograms = 1
    levels = False

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.cells = pooled.cells_needed(setting)

    @property
    def most(self) -> float:
        """The largest value that there can be."""
        return math.inf

    @property
    def noise(self) -> float:
        """What rounding can make of 0."""
        return 0.0

    @abstractmethod
    def values(self, block: Block) -> NDArray[np.float64]:
        """The value of every (iteration, trial), (L, T), at least 0."""

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """As every pooled value is tallied."""
        pooled.add(self.values(block), self.setting, cells, bins[0], extremes[0])

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """Mean, variance, extremes, quantiles and exceedances of one iteration's value."""
        yield from pooled.rows(self.setting, trials, sums, histograms[0], self.most, self.noise)


class Error(Pooled):
    """The decoding error of one iteration."""

    unit = "partitions"
    levels = True

    @property
    def most(self) -> float:
        """The largest error."""
        return self.setting.most

    @property
    def noise(self) -> float:
        """Errors that count as 0."""
        return self.setting.exact_threshold

    def values(self, block: Block) -> NDArray[np.float64]:
        """The errors."""
        assert block.errors is not None
        return block.errors

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """As for any value; counts of the error's values are enough."""
        if block.levels is None:
            super().add(block, cells, bins, extremes)
            return
        powers = block.levels.powers(4)
        cells[:4] = powers
        cells[4:7] = powers[1], powers[3], powers[2]
        block.levels.histogram(bins[0], extremes[0])
        add_above(block, self.setting, None, cells[7:])


class Norm(Pooled):
    """Square root of the error: the distance that some papers report unsquared."""

    @property
    def most(self) -> float:
        """Root of the largest error."""
        return math.sqrt(self.setting.most)

    @property
    def noise(self) -> float:
        """Root of the errors that count as 0."""
        return math.sqrt(self.setting.exact_threshold)

    def values(self, block: Block) -> NDArray[np.float64]:
        """Roots of the errors."""
        assert block.errors is not None
        return np.sqrt(block.errors)


class Amplification(Pooled):
    """‖x‖² of the decoding vector: how much independent noise in the answers grows."""

    def values(self, block: Block) -> NDArray[np.float64]:
        """Squared lengths of the decoding vectors, summed worker by worker."""
        vectors = block.vectors
        total = np.zeros(len(vectors))
        for worker in range(vectors.shape[1]):
            total += vectors[:, worker] ** 2
        return total.reshape(self.setting.iterations, block.trials)
