"""Measures of the errors of a trial: their average, their correlation, how many are zero."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from fastgc.experiments.decoding.measures.base import Block, Setting, add_above
from fastgc.experiments.pooled import Bins, Cells, Row, distribution_rows
from fastgc.statistics import estimates
from fastgc.statistics.tallies import Histogram
from fastgc_kernels.tally import sums as kernel


class MeanError:
    """A trial's error averaged over its iterations; its variance is what shuffling changes."""

    unit = "partitions"
    histograms = 1
    levels = True

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.cells = 4 + 2 * len(setting.thresholds)

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """Cells: power sums of the trial's mean error to the fourth, thresholds."""
        if block.levels is not None:
            cells[:4] = block.levels.powers(4)
            block.levels.histogram(bins[0], extremes[0])
            add_above(block, self.setting, None, cells[4:])
        else:
            first = block.averages[0]
            kernel.powers(first, cells[:4])
            kernel.histogram(first, bins[0], extremes[0])
            add_above(block, self.setting, first.reshape(1, -1), cells[4:])

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """Mean, variance, extremes, quantiles and exceedances of the trial's mean error."""
        mean = estimates.mean(trials, sums[0], sums[1])
        yield (
            "mean",
            None,
            estimates.within(mean, most=self.setting.most, noise=self.setting.exact_threshold),
        )
        yield "variance", None, estimates.variance(trials, (sums[0], sums[1], sums[2], sums[3]))
        yield from distribution_rows(
            self.setting, trials, sums[4:], histograms[0], self.setting.most
        )


class Exact:
    """Whether the gradient is recovered exactly."""

    unit = "1"
    cells = 2
    histograms = 0
    levels = True

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """Cells: fraction of inexact iterations and its square."""
        if block.levels is not None:
            cells[:] = block.levels.above(self.setting.exact_threshold)
        else:
            assert block.errors is not None
            fraction = np.empty(block.trials)
            kernel.exceedances(block.errors, self.setting.exact_threshold, fraction)
            kernel.powers(fraction, cells)

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """Probability of exact recovery."""
        first, second = sums
        exact = trials - first, trials - 2 * first + second
        yield "mean", None, estimates.mean(trials, *exact, proportion=True)


class ErrorLag:
    """Autocovariance of the error, h iterations apart."""

    unit = "partitions^2"
    histograms = 0
    levels = False

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.cells = 2 + 3 * setting.iterations

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """Cells: Σa, Σa² of the trial's mean error a; for each h, Σc, Σc², Σac.

        c is the trial's average of e_l e_(l+h) over l.
        """
        assert block.errors is not None
        first = block.averages[0]
        kernel.powers(first, cells[:2])
        products = np.empty(block.trials)
        for lag in range(self.setting.iterations):
            own = cells[2 + 3 * lag : 5 + 3 * lag]
            kernel.lag_products(block.errors, lag, products)
            kernel.powers(products, own[:2])
            own[2] = kernel.product(first, products)

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """Autocovariance at every lag; at lag 0 the variance."""
        a, aa = sums[:2]
        for lag in range(self.setting.iterations):
            c, cc, ac = sums[2 + 3 * lag : 5 + 3 * lag]
            yield "mean", lag, estimates.autocovariance(trials, (a, aa, c, cc, ac))
