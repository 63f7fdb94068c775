"""Values that every iteration of a trial has: what is summed of them, and what their rows say.

Values are pooled over iterations; intervals are over trials, for iterations of one trial depend on
each other.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastgc.registry.cached import cached_property
from fastgc.statistics import estimates
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram
from fastgc_kernels.tally import sums as kernel

Cells = NDArray[np.float64]
Bins = NDArray[np.int64]
Sums = Sequence[Fraction]
Found = Iterator[tuple[str, Estimate]]
Row = tuple[str, int | str | None, Estimate]

#: Larger values are in no sum: sums of fourth powers must be finite, over however many trials.
LARGEST = 1e72


class Distribution(ABC):
    """Values ≥ 0 of a block's trials, one or several a trial, as far as tallies need them."""

    @abstractmethod
    def powers(self, out: Cells) -> None:
        """Fill Σa, Σa², … over trials, where a is a trial's mean value."""

    @abstractmethod
    def histogram(self, bins: Bins, extremes: Cells) -> None:
        """Count all values in bins, and widen the extremes to them."""

    @abstractmethod
    def above(self, threshold: float, out: Cells) -> None:
        """Fill Σx and Σx² over trials, where x is the share of a trial's values that exceed it."""

    def pooled(self, out: Cells) -> None:
        """Fill Σa … Σa⁴, Σb, Σb² and Σab, where b is a trial's mean square.

        Of one value a trial b is a², and powers are enough.
        """
        self.powers(out[:4])
        out[4:] = out[1], out[3], out[2]


class EveryValue(Distribution):
    """Values of which each is known.

    A trial with a value that is not finite is left out and counted in ``extremes[2]``, one with a
    value that is too large for the sums is left out of them and counted in ``extremes[3]``.

    Parameters
    ----------
    values : (L, T) array
        Of each iteration and trial.
    reference : float
        What is subtracted before values are averaged; not where they are counted or compared.
    less : (L, T) array, optional
        The values less the reference, by whom all are known to be small enough for the sums.
    """

    def __init__(
        self,
        values: NDArray[np.float64],
        reference: float = 0.0,
        *,
        less: NDArray[np.float64] | None = None,
    ) -> None:
        self._compared = values
        self._counted = values.reshape(-1)
        self._not_finite = self._too_large = 0
        if less is not None:
            self._averaged = less
            return
        self._averaged = values - reference if reference else values
        if not values.max() < LARGEST:  # or not a number
            finite, small = np.isfinite(values).all(axis=0), (values < LARGEST).all(axis=0)
            self._not_finite = int(np.count_nonzero(~finite))
            self._too_large = int(np.count_nonzero(finite & ~small))
            self._compared = np.where(finite, values, -np.inf)  # above no threshold
            self._counted = np.ascontiguousarray(values[:, finite]).reshape(-1)
            self._averaged = np.where(small, self._averaged, 0.0)

    @property
    def each(self) -> NDArray[np.float64]:
        """Every value, (L, T), as it is compared with thresholds."""
        return self._compared

    @cached_property
    def averages(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Each trial's mean value and mean square, (T,)."""
        trials = self._averaged.shape[1]
        first, second = np.empty(trials), np.empty(trials)
        kernel.averages(self._averaged, first, second)
        return first, second

    @property
    def means(self) -> NDArray[np.float64]:
        """Each trial's mean value, (T,); one value is its own."""
        return self._averaged[0] if len(self._averaged) == 1 else self.averages[0]

    def powers(self, out: Cells) -> None:
        """Fill Σa, Σa², … over trials, where a is a trial's mean value."""
        kernel.powers(self.means, out)

    def pooled(self, out: Cells) -> None:
        """Fill Σa … Σa⁴, Σb, Σb² and Σab, where b is a trial's mean square."""
        if len(self._averaged) == 1:
            super().pooled(out)
            return
        first, second = self.averages
        kernel.powers(first, out[:4])
        kernel.powers(second, out[4:6])
        out[6] = kernel.product(first, second)

    def histogram(self, bins: Bins, extremes: Cells) -> None:
        """Count all finite values in bins, and widen the extremes to them."""
        extremes[2] += self._not_finite
        extremes[3] += self._too_large
        kernel.histogram(self._counted, bins, extremes)

    def above(self, threshold: float, out: Cells) -> None:
        """Fill Σx and Σx² over trials, where x is the share of a trial's values that exceed it."""
        share = np.empty(self._compared.shape[1])
        kernel.exceedances(self._compared, threshold, share)
        kernel.powers(share, out)


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
    histogram: Histogram,
    trials: int,
    quantiles: Sequence[float],
    above: Iterable[tuple[str, Estimate]],
    *,
    worth: int | None = None,
    most: float = math.inf,
) -> Iterator[Row]:
    """Extremes, quantiles and exceedance probabilities of values from 0 to ``most``, if any.

    Quantiles are as uncertain as those of ``worth`` trials, by default all. The maximum has the
    histogram, too, so that the distribution is at hand where no quantile is asked for.
    """
    if not histogram.counts:
        return
    yield "minimum", None, Estimate(histogram.low, None, trials)
    yield "maximum", None, Estimate(histogram.high, None, trials, histogram=histogram)
    for level in quantiles:
        quantile = estimates.quantile(histogram, level, trials if worth is None else worth)
        yield f"quantile({level!r})", None, estimates.within(quantile, most=most)
    for statistic, estimate in above:
        yield statistic, None, estimate


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


# ---- Where each part of a tally lies


K = TypeVar("K", bound=Hashable)


class Layout(Generic[K]):
    """Named runs one after another, in a tally's cells or its histograms; nothing else counts them.

    Parameters
    ----------
    sizes : mapping of name to int
        How long each run is, in their order.

    Attributes
    ----------
    size : int
        How long all are together.

    Examples
    --------
    >>> layout = Layout({"mean": 4, "above": 2})
    >>> layout.size
    6
    >>> "abcdef"[layout["above"]]
    'ef'
    """

    def __init__(self, sizes: Mapping[K, int]) -> None:
        ends = accumulate(sizes.values())
        self._runs = {
            name: slice(end - size, end)
            for (name, size), end in zip(sizes.items(), ends, strict=True)
        }
        self.size = sum(sizes.values())

    def __getitem__(self, name: K) -> slice:
        return self._runs[name]

    def __iter__(self) -> Iterator[tuple[K, slice]]:
        return iter(self._runs.items())
