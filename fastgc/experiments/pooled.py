"""A value that every iteration of a trial has: how it is tallied, and the rows it becomes.

Values are pooled over iterations; intervals are over trials, for iterations of one trial depend on
each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fastgc.statistics import estimates
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram
from fastgc_kernels.tally import sums as kernel

Cells = NDArray[np.float64]
Bins = NDArray[np.int64]
Row = tuple[str, int | str | None, Estimate]

CELLS = 7
#: Larger values are in no sum: sums of fourth powers must be finite, over however many trials.
LARGEST = 1e72


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

    Cells: Σa … Σa⁴, Σb, Σb², Σab (a: trial's mean value, b: its mean square), thresholds. A trial
    with a value that is not finite is left out and counted in ``extremes[2]``, one with a value
    that is too large for the sums is left out of them and counted in ``extremes[3]``.
    """
    trials = values.shape[1]
    seen = values
    counted = values.reshape(-1)
    if not values.max() < LARGEST:  # or not a number
        finite, small = np.isfinite(values).all(axis=0), (values < LARGEST).all(axis=0)
        extremes[2] += np.count_nonzero(~finite)
        extremes[3] += np.count_nonzero(finite & ~small)
        seen = np.where(finite, values, -np.inf)  # above no threshold
        counted = np.ascontiguousarray(values[:, finite]).reshape(-1)
        values = np.where(small, values, 0.0)
    first, second = np.empty(trials), np.empty(trials)
    kernel.averages(values, first, second)
    kernel.powers(first, cells[:4])
    if reporting.iterations == 1:
        cells[4:7] = cells[1], cells[3], cells[2]
    else:
        kernel.powers(second, cells[4:6])
        cells[6] = kernel.product(first, second)
    kernel.histogram(counted, bins, extremes)
    add_above(seen, reporting, cells[CELLS:])


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
    noise: float = 0.0,
) -> Iterator[Row]:
    """Mean, variance, extremes, quantiles and exceedances of one iteration's value ≤ ``most``.

    Values up to ``noise`` are rounding.
    """
    known = trials - histogram.not_finite
    mean = estimates.mean(known, sums[0], sums[1])
    spread = (sums[0], sums[1], sums[4], sums[5], sums[6])
    found = [
        ("mean", None, estimates.within(mean, most=most, noise=noise)),
        ("variance", None, estimates.pooled_variance(known, spread)),
        *distribution_rows(reporting, known, sums[CELLS:], histogram, most),
    ]
    yield from without(found, histogram)


def without(rows: Iterable[Row], histogram: Histogram) -> Iterator[Row]:
    """Rows of a value that say what was left out; of too large values there are no averages."""
    for statistic, index, estimate in rows:
        if histogram.too_large and statistic in ("mean", "variance"):
            note = f"too large to average in {histogram.too_large} of the trials"
            estimate = Estimate(None, None, estimate.trials, note=note)
        if histogram.not_finite:
            said = f"{histogram.not_finite} of the trials left out, in which it is not finite"
            estimate = estimate.noting(said)
        yield statistic, index, estimate


def distribution_rows(
    reporting: Reporting,
    trials: int,
    above: Sequence[Fraction],
    histogram: Histogram,
    most: float = math.inf,
) -> Iterator[Row]:
    """Extremes, quantiles and exceedance probabilities of values from 0 to ``most``, if any."""
    if not histogram.counts:
        return
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
