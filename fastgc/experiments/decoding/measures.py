"""The measures of a decoding experiment: what each tallies, and the rows it becomes.

A measure owns a run of cells in the tally. ``add`` fills them for one block, ``rows`` turns the
sums over all blocks into estimates.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fastgc import estimates
from fastgc.codes.code import Code
from fastgc.estimates import Estimate
from fastgc.stragglers.patterns import Patterns
from fastgc.tallies import Histogram
from fastgc_kernels import sums as kernel

Cells = NDArray[np.float64]
Bins = NDArray[np.int64]


@dataclass(frozen=True)
class Setting:
    """What the measures need to know of an experiment."""

    code: Code
    iterations: int
    quantiles: tuple[float, ...]
    thresholds: tuple[float, ...]
    exact_threshold: float

    @property
    def margin(self) -> float:
        """What is added to thresholds, so that rounding does not decide at an attained value."""
        return threshold_margin(self.code, self.exact_threshold)


def threshold_margin(code: Code, exact_threshold: float) -> float:
    """Margin of P(error > t): that within which errors count as 0, and at least 1e-9·k."""
    return max(exact_threshold, 1e-9 * code.k)


class Levels:
    """Errors of a block of one-iteration trials that take few values: how often each one came."""

    def __init__(self, values: NDArray[np.float64], counts: NDArray[np.int64]) -> None:
        self.values = values
        self.counts = counts

    def powers(self, degree: int) -> list[float]:
        """Sums of the first powers over trials, correctly rounded."""
        return [
            math.fsum(
                float(c) * float(v) ** p for v, c in zip(self.values, self.counts, strict=True)
            )
            for p in range(1, degree + 1)
        ]

    def above(self, threshold: float) -> int:
        """Trials whose error exceeds a threshold."""
        return int(self.counts[self.values > threshold].sum())

    def histogram(self, bins: Bins, extremes: NDArray[np.float64]) -> None:
        """Add to histogram bins, and widen the extremes."""
        seen = self.values[self.counts > 0]
        np.add.at(bins, (self.values.view(np.uint64) >> np.uint64(45)).astype(int), self.counts)
        extremes[0] = min(extremes[0], seen.min())
        extremes[1] = max(extremes[1], seen.max())


@dataclass
class Block:
    """The trials of one block: the patterns on B's columns and the errors.

    ``errors`` is (L, T), or ``levels`` where only the counts of the error's values are known.
    """

    trials: int
    patterns: Patterns
    errors: NDArray[np.float64] | None
    levels: Levels | None

    @cached_property
    def averages(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Each trial's mean error and mean squared error, (T,)."""
        assert self.errors is not None
        first, second = np.empty(self.trials), np.empty(self.trials)
        kernel.averages(self.errors, first, second)
        return first, second

    @cached_property
    def survivors(self) -> NDArray[np.int64]:
        """Number of survivors, (L, T)."""
        batch = self.patterns.batch
        counts = self.patterns.survivors.reshape(batch.iterations, batch.trials)
        return np.ascontiguousarray(counts[:, : self.trials])


Row = tuple[str, int | None, Estimate]


class Measure(Protocol):
    """What every measure offers."""

    cells: int
    histograms: int
    levels: bool  # whether counts of the error's values are enough

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """Fill this measure's cells, and add to its histograms, for one block."""

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """(statistic, index, estimate) of everything measured."""


def _distribution_rows(
    setting: Setting,
    trials: int,
    above: Sequence[Fraction],
    histogram: Histogram,
) -> Iterator[Row]:
    """Extremes, quantiles and exceedance probabilities."""
    yield "minimum", None, Estimate(histogram.low, None, trials)
    yield "maximum", None, Estimate(histogram.high, None, trials)
    for level in setting.quantiles:
        yield f"quantile({level!r})", None, estimates.quantile(histogram, level, trials)
    for place, threshold in enumerate(setting.thresholds):
        first, second = above[2 * place : 2 * place + 2]
        yield (
            f"P(>{threshold!r})",
            None,
            estimates.mean(trials, first, second, proportion=True),
        )


def _add_above(
    block: Block, setting: Setting, values: NDArray[np.float64] | None, out: Cells
) -> None:
    """Fill two cells a threshold: fraction of iterations above it, and its square.

    Thresholds have a margin, so that an attained value is not a coin toss of rounding.
    """
    for place, threshold in enumerate(setting.thresholds):
        edge = threshold + setting.margin
        if values is None:
            assert block.levels is not None
            out[2 * place : 2 * place + 2] = block.levels.above(edge)
        else:
            fraction = np.empty(block.trials)
            kernel.exceedances(values, edge, fraction)
            kernel.powers(fraction, out[2 * place : 2 * place + 2])


class Error:
    """One iteration's error, pooled over iterations; DESIGN's ``error``."""

    histograms = 1
    levels = True

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.cells = 7 + 2 * len(setting.thresholds)

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """Cells: Σa … Σa⁴, Σb, Σb², Σab (a: trial's mean error, b: its mean square), thresholds."""
        if block.levels is not None:
            powers = block.levels.powers(4)
            cells[:4] = powers
            cells[4:7] = powers[1], powers[3], powers[2]
            block.levels.histogram(bins[0], extremes[0])
        else:
            assert block.errors is not None
            first, second = block.averages
            kernel.powers(first, cells[:4])
            if self.setting.iterations == 1:
                cells[4:7] = cells[1], cells[3], cells[2]
            else:
                kernel.powers(second, cells[4:6])
                cells[6] = kernel.product(first, second)
            kernel.histogram(block.errors.reshape(-1), bins[0], extremes[0])
        _add_above(block, self.setting, block.errors, cells[7:])

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """Mean, variance, extremes, quantiles and exceedances of one iteration's error."""
        yield "mean", None, estimates.mean(trials, sums[0], sums[1])
        pooled = (sums[0], sums[1], sums[4], sums[5], sums[6])
        yield "variance", None, estimates.pooled_variance(trials, pooled)
        yield from _distribution_rows(self.setting, trials, sums[7:], histograms[0])


class MeanError:
    """A trial's error averaged over its iterations; its variance is what shuffling changes."""

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
            _add_above(block, self.setting, None, cells[4:])
        else:
            first = block.averages[0]
            kernel.powers(first, cells[:4])
            kernel.histogram(first, bins[0], extremes[0])
            _add_above(block, self.setting, first.reshape(1, -1), cells[4:])

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """Mean, variance, extremes, quantiles and exceedances of the trial's mean error."""
        yield "mean", None, estimates.mean(trials, sums[0], sums[1])
        yield "variance", None, estimates.variance(trials, (sums[0], sums[1], sums[2], sums[3]))
        yield from _distribution_rows(self.setting, trials, sums[4:], histograms[0])


class Exact:
    """Whether the gradient is recovered exactly."""

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


class Survivors:
    """Distribution of the number of survivors."""

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
            yield "mean", r, estimates.ratio(trials, (a, aa, c, cc, ac))


class NotAccessed:
    """Iterations in which no survivor holds partition i."""

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
            yield "mean", i, estimates.mean(trials, s1, s2)
            yield "variance", i, estimates.variance(trials, (s1, s2, s3, s4))


MEASURES: dict[str, type] = {
    "error": Error,
    "mean_error": MeanError,
    "error_by_survivors": ErrorBySurvivors,
    "exact": Exact,
    "survivors": Survivors,
    "not_accessed": NotAccessed,
}
