"""A value that every iteration of a trial has: how it is tallied, and the rows it becomes.

Values are pooled over iterations; intervals are over trials, for iterations of one trial depend on
each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fastgc import estimates
from fastgc.estimates import Estimate
from fastgc.tallies import Histogram
from fastgc_kernels import sums as kernel

Cells = NDArray[np.float64]
Bins = NDArray[np.int64]
Row = tuple[str, int | str | None, Estimate]

CELLS = 7


class Reporting(Protocol):
    """What is to be said of a value's distribution.

    ``margin`` is added to thresholds, so that rounding does not decide at an attained value.
    """

    @property
    def iterations(self) -> int:
        """Iterations of a trial."""

    @property
    def quantiles(self) -> tuple[float, ...]:
        """Levels of quantiles."""

    @property
    def thresholds(self) -> tuple[float, ...]:
        """Values whose exceedance is counted."""

    @property
    def margin(self) -> float:
        """What is added to thresholds."""


def cells_needed(reporting: Reporting) -> int:
    """Cells that a pooled value fills."""
    return CELLS + 2 * len(reporting.thresholds)


def add(
    values: NDArray[np.float64],
    reporting: Reporting,
    cells: Cells,
    bins: Bins,
    extremes: Cells,
) -> None:
    """Tally values (L, T) ≥ 0 of one block.

    Cells: Σa … Σa⁴, Σb, Σb², Σab (a: trial's mean value, b: its mean square), thresholds.
    """
    trials = values.shape[1]
    first, second = np.empty(trials), np.empty(trials)
    kernel.averages(values, first, second)
    kernel.powers(first, cells[:4])
    if reporting.iterations == 1:
        cells[4:7] = cells[1], cells[3], cells[2]
    else:
        kernel.powers(second, cells[4:6])
        cells[6] = kernel.product(first, second)
    kernel.histogram(values.reshape(-1), bins, extremes)
    add_above(values, reporting, cells[CELLS:])


def add_above(values: NDArray[np.float64], reporting: Reporting, out: Cells) -> None:
    """Fill two cells a threshold: fraction of iterations above it, and its square."""
    fraction = np.empty(values.shape[1])
    for place, threshold in enumerate(reporting.thresholds):
        kernel.exceedances(values, threshold + reporting.margin, fraction)
        kernel.powers(fraction, out[2 * place : 2 * place + 2])


def rows(
    reporting: Reporting,
    trials: int,
    sums: Sequence[Fraction],
    histogram: Histogram,
    most: float = math.inf,
) -> Iterator[Row]:
    """Mean, variance, extremes, quantiles and exceedances of one iteration's value ≤ ``most``."""
    mean = estimates.mean(trials, sums[0], sums[1])
    yield "mean", None, estimates.within(mean, most=most)
    spread = (sums[0], sums[1], sums[4], sums[5], sums[6])
    yield "variance", None, estimates.pooled_variance(trials, spread)
    yield from distribution_rows(reporting, trials, sums[CELLS:], histogram, most)


def distribution_rows(
    reporting: Reporting,
    trials: int,
    above: Sequence[Fraction],
    histogram: Histogram,
    most: float = math.inf,
) -> Iterator[Row]:
    """Extremes, quantiles and exceedance probabilities of values from 0 to ``most``."""
    yield "minimum", None, Estimate(histogram.low, None, trials)
    yield "maximum", None, Estimate(histogram.high, None, trials)
    for level in reporting.quantiles:
        quantile = estimates.quantile(histogram, level, trials)
        yield f"quantile({level!r})", None, estimates.within(quantile, most=most)
    for place, threshold in enumerate(reporting.thresholds):
        first, second = above[2 * place : 2 * place + 2]
        yield (
            f"P(>{threshold!r})",
            None,
            estimates.mean(trials, first, second, proportion=True),
        )


def as_far_as_finite(statistic: str, estimate: Estimate, moments: float) -> Estimate:
    """An average of what has no mean says nothing; without a variance it has no interval.

    Of the value only moments below ``moments`` are finite.
    """
    order = {"mean": 1, "variance": 2}.get(statistic)
    if order is None:
        return estimate
    if moments <= order:
        return Estimate(None, None, estimate.trials, note="infinite")
    if moments <= 2 * order:
        note = "no interval: its own variance is infinite"
        return replace(estimate, standard_error=None, note=note)
    return estimate
