"""Measures of one iteration's value, pooled over iterations, intervals over trials."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fastgc import estimates
from fastgc.experiments.decoding.measures.base import (
    Bins,
    Block,
    Cells,
    Row,
    Setting,
    add_above,
    distribution_rows,
)
from fastgc.tallies import Histogram
from fastgc_kernels import sums as kernel


class Pooled(ABC):
    """Mean, variance and distribution of a value that every iteration has."""

    histograms = 1
    levels = False

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.cells = 7 + 2 * len(setting.thresholds)

    @abstractmethod
    def values(self, block: Block) -> NDArray[np.float64]:
        """The value of every (iteration, trial), (L, T), at least 0."""

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """Cells: Σa … Σa⁴, Σb, Σb², Σab (a: trial's mean value, b: its mean square), thresholds."""
        values = self.values(block)
        first, second = np.empty(block.trials), np.empty(block.trials)
        kernel.averages(values, first, second)
        kernel.powers(first, cells[:4])
        if self.setting.iterations == 1:
            cells[4:7] = cells[1], cells[3], cells[2]
        else:
            kernel.powers(second, cells[4:6])
            cells[6] = kernel.product(first, second)
        kernel.histogram(values.reshape(-1), bins[0], extremes[0])
        add_above(block, self.setting, values, cells[7:])

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """Mean, variance, extremes, quantiles and exceedances of one iteration's value."""
        yield "mean", None, estimates.mean(trials, sums[0], sums[1])
        pooled = (sums[0], sums[1], sums[4], sums[5], sums[6])
        yield "variance", None, estimates.pooled_variance(trials, pooled)
        yield from distribution_rows(self.setting, trials, sums[7:], histograms[0])


class Error(Pooled):
    """The decoding error of one iteration."""

    levels = True

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
