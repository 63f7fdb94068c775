"""Measures that count: survivors, errors by survivors, partitions not accessed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from fastgc.experiments.decoding.measures.base import Block, Setting
from fastgc.experiments.pooled import Bins, Cells, Row
from fastgc.statistics import estimates
from fastgc.statistics.tallies import Histogram
from fastgc_kernels.tally import sums as kernel


class Survivors:
    """Distribution of the number of survivors."""

    unit = "1"
    histograms = 0
    levels = False

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.cells = 2 * (setting.code.n + 1)

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """Cells: for each r, iterations with r survivors and their squares over trials."""
        kernel.survivor_counts(block.survivors, cells.reshape(-1, 2))

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """Probability of every number of survivors."""
        length = self.setting.iterations
        for r in range(self.setting.code.n + 1):
            first, second = sums[2 * r] / length, sums[2 * r + 1] / length**2
            yield "mean", r, estimates.mean(trials, first, second, proportion=True)


class ErrorBySurvivors:
    """Mean error given the number of survivors."""

    unit = "partitions"
    histograms = 0
    levels = False

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.cells = 5 * (setting.code.n + 1)

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """Cells: for each r, Σa, Σa², Σc, Σc², Σac (a: errors summed, c: iterations)."""
        assert block.errors is not None
        kernel.by_survivors(
            block.errors, block.survivors, self.setting.code.n, cells.reshape(-1, 5)
        )

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """Mean error for every number of survivors."""
        for r in range(self.setting.code.n + 1):
            a, aa, c, cc, ac = sums[5 * r : 5 * r + 5]
            mean = estimates.ratio(trials, (a, aa, c, cc, ac))
            yield "mean", r, estimates.within(mean, most=self.setting.most)


class NotAccessed:
    """Iterations in which no survivor holds partition i."""

    unit = "iterations"
    histograms = 0
    levels = False

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.cells = 4 * setting.code.k
        held = setting.code.B != 0
        self._holders = np.nonzero(held)[1].astype(np.int64)
        self._offsets = np.concatenate([[0], np.cumsum(held.sum(axis=1))]).astype(np.int64)

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """Cells: power sums to the fourth for each partition."""
        kernel.not_accessed(
            block.patterns.planes,
            self._holders,
            self._offsets,
            self.setting.iterations,
            block.trials,
            cells.reshape(-1, 4),
        )

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """Mean and variance of every partition's count."""
        for i in range(self.setting.code.k):
            s1, s2, s3, s4 = sums[4 * i : 4 * i + 4]
            mean = estimates.mean(trials, s1, s2)
            yield "mean", i, estimates.within(mean, most=self.setting.iterations)
            yield "variance", i, estimates.variance(trials, (s1, s2, s3, s4))
