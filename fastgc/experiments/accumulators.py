"""Ways to sum trials' values, and the estimates that the sums give.

An accumulator has so many ``cells`` of a tally. ``add`` fills them for one block, unless a kernel
fills those of many accumulators at once; ``estimates`` gives (statistic, estimate) from their sums
over all blocks. Of values a and c of a trial, Σac is the sum over trials of their products.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fastgc.experiments.pooled import Cells, Distribution, Found, Layout, Sums
from fastgc.statistics import estimates, modes
from fastgc.statistics.estimates import Estimate
from fastgc_kernels.tally import sums as kernel

Values = NDArray[np.float64]


class Accumulator(Protocol):
    """What every accumulator offers."""

    @property
    def cells(self) -> int:
        """How many cells it has."""

    def estimates(self, trials: int, sums: Sums) -> Found:
        """(statistic, estimate) of everything that is summed."""


class PowerSums:
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

    def estimates(self, trials: int, sums: Sums, reference: float = 0.0) -> Found:
        """Mean and variance."""
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
        """Fill the cells for one block."""
        values.pooled(cells)

    def _variance(self, trials: int, sums: Sums) -> Estimate:
        a, aa, _, _, b, bb, ab = sums
        return estimates.pooled_variance(trials, (a, aa, b, bb, ab))


class Share:
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

    def estimates(self, trials: int, sums: Sums) -> Found:
        """The probability."""
        first, second = sums[0] / self._of, sums[1] / self._of**2
        if self._otherwise:
            first, second = trials - first, trials - 2 * first + second
        yield "mean", estimates.mean(trials, first, second, proportion=True)


class Count:
    """How many trials something happens to: its probability."""

    cells = 1

    def estimates(self, trials: int, sums: Sums) -> Found:
        """The probability; 0 and 1 are their own squares."""
        yield "mean", estimates.mean(trials, sums[0], sums[0], proportion=True)


class _AboveThresholds:
    """Cells for each threshold t; what is compared with it is t + ``shift``."""

    def __init__(self, thresholds: Sequence[float], shift: float, cells: int) -> None:
        self._layout = Layout(dict.fromkeys(range(len(thresholds)), cells))
        self._names = [f"P(>{threshold!r})" for threshold in thresholds]
        self._limits = [threshold + shift for threshold in thresholds]
        self.cells = self._layout.size

    def _each(self, cells: Any) -> Iterator[tuple[str, float, Any]]:
        """Statistic, limit and own part of some cells of each threshold."""
        for place, own in self._layout:
            yield self._names[place], self._limits[place], cells[own]


class Exceedances(_AboveThresholds):
    """For each threshold t the share of a trial's iterations whose value exceeds t + ``shift``."""

    def __init__(self, thresholds: Sequence[float], shift: float = 0.0) -> None:
        super().__init__(thresholds, shift, Share.cells)

    def add(self, values: Distribution, cells: Cells) -> None:
        """Fill the cells for one block."""
        for _, limit, own in self._each(cells):
            values.above(limit, own)

    def estimates(self, trials: int, sums: Sums) -> Found:
        """The probability of exceeding each threshold."""
        for statistic, _, own in self._each(sums):
            for _, share in Share().estimates(trials, own):
                yield statistic, share


class Beside:
    """Σc, Σc², and of a value a beside c Σa, Σa², Σac.

    The first two sums are those of the accumulators of all values a that are beside the same c.
    """

    shared = 2
    cells = 3

    def add(self, a: Values, c: Values, cells: Cells) -> None:
        """Fill the own cells for one block, from each trial's values, (T,)."""
        kernel.powers(a, cells[:2])
        cells[2] = kernel.product(a, c)


class Ratio(Beside):
    """The mean of a over that of c."""

    def estimates(self, trials: int, sums: Sums) -> Found:
        """The ratio."""
        c, cc, a, aa, ac = sums
        yield "mean", estimates.within(estimates.ratio(trials, (a, aa, c, cc, ac)))


class Lag(Beside):
    """Autocovariance: a is a trial's mean product of two iterations' values, c its mean value.

    No value exceeds ``most``.
    """

    def __init__(self, most: float = math.inf) -> None:
        self._most = most

    def estimates(self, trials: int, sums: Sums) -> Found:
        """The autocovariance."""
        c, cc, a, aa, ac = sums
        found = estimates.autocovariance(trials, (c, cc, a, aa, ac))
        yield "mean", modes.constant_product(found, self._most**2)


class MeanOfSome:
    """Σa, Σa², Σc, Σc², Σac of the sum a and the number c of a trial's values of some kind.

    No value exceeds ``most``.
    """

    cells = 5

    def __init__(self, most: float = math.inf) -> None:
        self._most = most

    def estimates(self, trials: int, sums: Sums) -> Found:
        """The mean of the values that there are."""
        a, aa, c, cc, ac = sums
        mean = estimates.ratio(trials, (a, aa, c, cc, ac))
        yield "mean", modes.beside_mode(estimates.within(mean, most=self._most))


class GivenDone:
    """Σa, Σa², Σb, Σb², Σc, Σc², Σab, Σac, Σbc of a value that only some iterations have.

    Of a trial's values a is the sum, b the sum of squares, and c the number. Mean and variance are
    those of the values that there are. Where these were summed less a reference, estimates are
    given it.
    """

    cells = 9

    def add(self, a: Values, b: Values, c: Values, cells: Cells) -> None:
        """Fill the cells for one block."""
        own, products = cells[:6].reshape(3, 2), cells[6:]
        for value, powers in zip((a, b, c), own, strict=True):
            kernel.powers(value, powers)
        products[:] = kernel.product(a, b), kernel.product(a, c), kernel.product(b, c)

    def estimates(self, trials: int, sums: Sums, reference: float = 0.0) -> Found:
        """Mean and variance of the values that there are."""
        a, aa, b, bb, c, cc, ab, ac, bc = sums
        mean = estimates.shifted(estimates.ratio(trials, (a, aa, c, cc, ac)), reference)
        mean = estimates.within(mean)
        yield "mean", modes.beside_mode(mean)
        variance = estimates.conditional_variance(trials, (a, aa, b, bb, c, cc, ab, ac, bc))
        yield "variance", modes.variance_beside_mode(variance, mean)

    @staticmethod
    def number(sums: Sums) -> tuple[Fraction, Fraction]:
        """Σc and Σc²."""
        *_, c, cc, _, _, _ = sums
        return c, cc


class ExceedancesGivenDone(_AboveThresholds):
    """For each threshold Σe, Σe², Σec: of a trial's values e exceed it; see `GivenDone` for c."""

    def __init__(self, thresholds: Sequence[float], shift: float = 0.0) -> None:
        super().__init__(thresholds, shift, Beside.cells)

    def add(self, values: Values, done: NDArray[np.bool_], c: Values, cells: Cells) -> None:
        """Fill the cells for one block, from the values (L, T) that are ``done``."""
        for _, limit, own in self._each(cells):
            Beside().add((done & (values > limit)).sum(axis=0).astype(float), c, own)

    def estimates(self, trials: int, sums: Sums, number: tuple[Fraction, Fraction]) -> Found:
        """The share of the values that exceeds each threshold; ``number`` is Σc and Σc²."""
        for statistic, _, (e, ee, ec) in self._each(sums):
            share = estimates.ratio(trials, (e, ee, *number, ec))
            yield statistic, replace(share, proportion=True)
