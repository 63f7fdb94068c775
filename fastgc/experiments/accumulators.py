"""Ways to sum what trials give, and the estimates that the sums give.

Values that every iteration has are pooled over iterations; intervals are over trials, for
iterations of one trial depend on each other. An accumulator has so many ``cells`` of a tally:
``add`` fills them for one block, unless a kernel fills those of many at once; ``estimates`` gives
(statistic, estimate) from their sums over all blocks. Of values a and c of a trial, Σac is the sum
over trials of their products.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.registry.cached import cached_property
from fastgc.statistics import estimates, modes
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram
from fastgc_kernels.tally import sums as kernel

Cells = NDArray[np.float64]
Bins = NDArray[np.int64]
#: Bins, and extremes, of several histograms.
AllBins = Sequence[Bins]
Extremes = Sequence[Cells]
Sums = Sequence[Fraction]
Estimates = Iterator[tuple[str, Estimate]]
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
    """Values (L, T) of which each is known, by iteration and trial.

    ``reference`` is subtracted before values are averaged, not where they are counted or compared;
    ``less`` are the values less the reference, where all are known to be small enough for the sums.
    A trial with a value that is not finite is left out and counted in ``extremes[2]``, one with a
    value too large for the sums is left out of them and counted in ``extremes[3]``.
    """

    def __init__(self, values: Cells, reference: float = 0.0, *, less: Cells | None = None) -> None:
        self.each = values  #: (L, T), as they are compared with thresholds.
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
            self.each = np.where(finite, values, -np.inf)  # above no threshold
            self._counted = np.ascontiguousarray(values[:, finite]).reshape(-1)
            self._averaged = np.where(small, self._averaged, 0.0)

    @cached_property
    def averages(self) -> tuple[Cells, Cells]:
        """Each trial's mean value and mean square, (T,)."""
        trials = self._averaged.shape[1]
        first, second = np.empty(trials), np.empty(trials)
        kernel.averages(self._averaged, first, second)
        return first, second

    @property
    def means(self) -> Cells:
        """Each trial's mean value, (T,); one value is its own."""
        return self._averaged[0] if len(self._averaged) == 1 else self.averages[0]

    def powers(self, out: Cells) -> None:
        kernel.powers(self.means, out)

    def pooled(self, out: Cells) -> None:
        if len(self._averaged) == 1:
            super().pooled(out)
            return
        first, second = self.averages
        kernel.powers(first, out[:4])
        kernel.powers(second, out[4:6])
        out[6] = kernel.product(first, second)

    def histogram(self, bins: Bins, extremes: Cells) -> None:
        extremes[2] += self._not_finite
        extremes[3] += self._too_large
        kernel.histogram(self._counted, bins, extremes)

    def above(self, threshold: float, out: Cells) -> None:
        share = np.empty(self.each.shape[1])
        kernel.exceedances(self.each, threshold, share)
        kernel.powers(share, out)


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
    yield "minimum", None, Estimate(histogram.low, None, trials, least=0.0)
    largest = Estimate(histogram.high, None, trials, histogram=histogram, least=0.0, most=most)
    yield "maximum", None, largest
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
    """Named runs of given sizes one after another, in a tally's cells or its histograms."""

    def __init__(self, sizes: Mapping[K, int]) -> None:
        ends = accumulate(sizes.values())
        self._runs = {
            name: slice(end - size, end)
            for (name, size), end in zip(sizes.items(), ends, strict=True)
        }
        self.size = sum(sizes.values())

    def __getitem__(self, name: K) -> slice:
        return self._runs[name]


def typical(values: Cells) -> float:
    """Return the middle one of the finite values; 0 where none is."""
    finite = np.sort(values[np.isfinite(values)])
    return float(finite[finite.size // 2]) if finite.size else 0.0


class Shift:
    """A value that others are tallied less, kept in cells; ``find`` returns it, always the same.

    Of values whose standard deviation is 1e-9 of their mean, sums of squares hold no digit of it;
    sums of squares of their differences from one of them hold nearly all.
    """

    cells = 2

    def __init__(self, find: Callable[[], float]) -> None:
        self._find = find

    @cached_property
    def value(self) -> float:
        """The value."""
        return self._find()

    def add(self, cells: Cells) -> None:
        """Fill the cells for one block, which counts itself."""
        cells[:] = 1.0, self.value

    @staticmethod
    def read(sums: Sums) -> float:
        """Return the value from sums over blocks; 0 where there is none."""
        blocks, total = sums
        return total.numerator / (total.denominator * int(blocks)) if blocks else 0.0


class Accumulator(Protocol):
    """What every accumulator offers: so many cells, and the estimates that their sums give."""

    cells: int

    def estimates(self, trials: int, sums: Sums) -> Estimates:
        """(statistic, estimate) of everything that is summed."""


class PowerSums(Accumulator):
    """Σa, Σa², Σa³, Σa⁴ of a trial's value a: its mean and its variance over trials.

    No value exceeds ``most``; a mean up to ``noise`` is rounding. Where values were summed less a
    reference, estimates are given it.
    """

    cells = 4

    def __init__(self, most: float = math.inf, noise: float = 0.0) -> None:
        self.most = most
        self._noise = noise

    def add(self, values: Distribution, cells: Cells) -> None:
        """Fill the cells for one block, a being a trial's mean value."""
        values.powers(cells)

    def estimates(self, trials: int, sums: Sums, reference: float = 0.0) -> Estimates:
        mean = estimates.shifted(estimates.mean(trials, sums[0], sums[1]), reference)
        mean = estimates.within(mean, most=self.most, noise=self._noise)
        yield "mean", modes.beside_mode(mean)
        yield "variance", modes.variance_beside_mode(self._variance(trials, sums), mean)

    def _variance(self, trials: int, sums: Sums) -> Estimate:
        a, aa, aaa, aaaa = sums
        return estimates.variance(trials, (a, aa, aaa, aaaa))


class Pooled(PowerSums):
    """And Σb, Σb², Σab, b being a trial's mean square: the variance is over all iterations."""

    cells = 7

    def add(self, values: Distribution, cells: Cells) -> None:
        values.pooled(cells)

    def _variance(self, trials: int, sums: Sums) -> Estimate:
        a, aa, _, _, b, bb, ab = sums
        return estimates.pooled_variance(trials, (a, aa, b, bb, ab))


class Portion(Accumulator):
    """Σx, Σx² of how many of a trial's ``of`` iterations something happens in: its probability.

    ``otherwise`` asks for the probability that it does not.
    """

    cells = 2

    def __init__(self, of: int = 1, *, otherwise: bool = False) -> None:
        self._of = of
        self._otherwise = otherwise

    def add(self, counts: Values, cells: Cells) -> None:
        """Fill the cells for one block, from each trial's count, (T,)."""
        kernel.powers(counts, cells)

    def estimates(self, trials: int, sums: Sums) -> Estimates:
        first, second = sums[0] / self._of, sums[1] / self._of**2
        if self._otherwise:
            first, second = trials - first, trials - 2 * first + second
        yield "mean", estimates.mean(trials, first, second, proportion=True)


class Count(Accumulator):
    """How many trials something happens to: its probability."""

    cells = 1

    def estimates(self, trials: int, sums: Sums) -> Estimates:
        # 0 and 1 are their own squares
        yield "mean", estimates.mean(trials, sums[0], sums[0], proportion=True)


class _AboveThresholds:
    """Cells for each threshold t; what is compared with it is t + ``shift``."""

    _size: ClassVar[int]

    def __init__(self, thresholds: Sequence[float], shift: float = 0.0) -> None:
        self._thresholds, self._shift = thresholds, shift
        self.cells = len(thresholds) * self._size

    def _each(self, cells: Any) -> Iterator[tuple[str, float, Any]]:
        for place, threshold in enumerate(self._thresholds):
            own = cells[place * self._size : (place + 1) * self._size]
            yield f"P(>{threshold!r})", threshold + self._shift, own


class Exceedances(_AboveThresholds, Accumulator):
    """For each threshold t the share of a trial's iterations whose value exceeds t + ``shift``."""

    _size = Portion.cells

    def add(self, values: Distribution, cells: Cells) -> None:
        """Fill the cells for one block."""
        for _, limit, own in self._each(cells):
            values.above(limit, own)

    def estimates(self, trials: int, sums: Sums) -> Estimates:
        for statistic, _, own in self._each(sums):
            for _, share in Portion().estimates(trials, own):
                yield statistic, share


class CrossSums:
    """Σc, Σc², and of a value a beside c Σa, Σa², Σac.

    The first two sums are those of the accumulators of all values a that are beside the same c.
    """

    shared = 2
    cells = 3

    def add(self, a: Values, c: Values, cells: Cells) -> None:
        """Fill the own cells for one block, from each trial's values, (T,)."""
        kernel.powers(a, cells[:2])
        cells[2] = kernel.product(a, c)


class Ratio(CrossSums, Accumulator):
    """The mean of a over that of c."""

    def estimates(self, trials: int, sums: Sums) -> Estimates:
        c, cc, a, aa, ac = sums
        yield "mean", estimates.within(estimates.ratio(trials, (a, aa, c, cc, ac)))


class Lag(CrossSums, Accumulator):
    """Autocovariance: a is a trial's mean product of two iterations' values, c its mean value.

    No value exceeds ``most``.
    """

    def __init__(self, most: float = math.inf) -> None:
        self._most = most

    def estimates(self, trials: int, sums: Sums) -> Estimates:
        c, cc, a, aa, ac = sums
        found = estimates.autocovariance(trials, (c, cc, a, aa, ac))
        yield "mean", modes.constant_product(found, self._most**2)


class PartMean(Accumulator):
    """Σa, Σa², Σc, Σc², Σac of the sum a and the number c of a trial's values of some kind.

    No value exceeds ``most``.
    """

    cells = 5

    def __init__(self, most: float = math.inf) -> None:
        self._most = most

    def estimates(self, trials: int, sums: Sums) -> Estimates:
        a, aa, c, cc, ac = sums
        mean = estimates.ratio(trials, (a, aa, c, cc, ac))
        yield "mean", modes.beside_mode(estimates.within(mean, most=self._most))


class DoneMoments(Accumulator):
    """Σa, Σa², Σb, Σb², Σc, Σc², Σab, Σac, Σbc of a value that only some iterations have.

    Of a trial's values a is the sum, b the sum of squares, and c the number. Mean and variance are
    those of the values that there are. If summed less a reference, estimates are given it.
    """

    cells = 9

    def add(self, a: Values, b: Values, c: Values, cells: Cells) -> None:
        """Fill the cells for one block."""
        own, products = cells[:6].reshape(3, 2), cells[6:]
        for value, powers in zip((a, b, c), own, strict=True):
            kernel.powers(value, powers)
        products[:] = kernel.product(a, b), kernel.product(a, c), kernel.product(b, c)

    def estimates(self, trials: int, sums: Sums, reference: float = 0.0) -> Estimates:
        a, aa, b, bb, c, cc, ab, ac, bc = sums
        mean = estimates.shifted(estimates.ratio(trials, (a, aa, c, cc, ac)), reference)
        mean = estimates.within(mean)
        yield "mean", modes.beside_mode(mean)
        variance = estimates.conditional_variance(trials, (a, aa, b, bb, c, cc, ab, ac, bc))
        yield "variance", modes.variance_beside_mode(variance, mean)


class DoneExceedances(_AboveThresholds):
    """For each threshold Σe, Σe², Σec: of a trial's values e exceed it; see `DoneMoments` for c."""

    _size = CrossSums.cells

    def add(self, values: Values, done: Mask, c: Values, cells: Cells) -> None:
        """Fill the cells for one block, from the values (L, T) that are ``done``."""
        for _, limit, own in self._each(cells):
            CrossSums().add((done & (values > limit)).sum(axis=0).astype(float), c, own)

    def estimates(self, trials: int, sums: Sums, number: tuple[Fraction, Fraction]) -> Estimates:
        """The share of the values that exceeds each threshold; ``number`` is Σc and Σc²."""
        for statistic, _, (e, ee, ec) in self._each(sums):
            share = estimates.ratio(trials, (e, ee, *number, ec))
            yield statistic, replace(share, proportion=True)
