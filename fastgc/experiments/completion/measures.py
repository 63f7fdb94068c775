"""The measures of a completion experiment: what each tallies, and the rows it becomes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fastgc.experiments import measures, pooled
from fastgc.experiments.pooled import LARGEST, Bins, Cells, Row
from fastgc.statistics import estimates
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram
from fastgc_kernels.tally import sums as kernel

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """What the measures need to know of an experiment.

    ``finite_moments``: moments of the time below it are finite. ``may_fail``: whether some
    rounds may never be done. ``load``, ``messages``: the measures, where known beforehand.
    ``least``: no time is less, and what is tallied is how much longer a round takes; so a spread
    that is small beside the time keeps its digits. ``busy``: seconds that the master's port
    receives, where known.
    """

    iterations: int
    quantiles: tuple[float, ...]
    thresholds: tuple[float, ...]
    finite_moments: float
    may_fail: bool
    load: float
    messages: int | None = None
    least: float = 0.0
    busy: float | None = None
    margin: float = 0.0

    def above(self, offset: float) -> Setting:
        """Return the setting of a value that is tallied less an offset."""
        return replace(self, thresholds=tuple(t - offset for t in self.thresholds))


@dataclass
class Block:
    """The rounds of one block: when each was done, (L, T), and what the ports had received."""

    done: Values
    messages: Values | None = None
    waiting: Values | None = None

    @cached_property
    def decodable(self) -> NDArray[np.bool_]:
        """Which rounds were ever done, (L, T)."""
        return np.isfinite(self.done)


class Measure(measures.Measure[Block], Protocol):
    """What every measure offers."""

    def each(self, block: Block) -> Values:
        """Each trial's value, (T,), for ratios and differences; see `fastgc.engine.units.Unit`."""


class Spread:
    """Distribution of a value that every round has."""

    histograms = 1

    def __init__(self, setting: Setting, value: Value) -> None:
        self._setting = setting
        self._value = value
        self._own = setting.above(value.least)
        self.cells = pooled.cells_needed(setting)

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """As every pooled value is tallied; a round that is never done has none."""
        values = self._value.excess(block)
        if not block.decodable.all():
            values = np.where(block.decodable, values, np.inf)
        pooled.add(values, self._own, cells, bins[0], extremes[0])

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """Mean, variance, extremes, quantiles and exceedances."""
        found = pooled.rows(self._own, trials, sums, histograms[0])
        yield from self._value.rows(_named(found, self._setting))

    def each(self, block: Block) -> Values:
        """Each trial's mean over its rounds."""
        values = self._value.of(block)
        return values[0] if len(values) == 1 else np.asarray(values.mean(axis=0))


class SpreadOfDone:
    """Distribution of a value that only rounds have that are ever done: given that they are."""

    histograms = 1

    def __init__(self, setting: Setting, value: Value) -> None:
        self._setting = setting
        self._value = value
        self._own = setting.above(value.least)
        self.cells = 9 + 3 * len(setting.thresholds)

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """Cells: Σa, Σa², Σb, Σb², Σc, Σc², Σab, Σac, Σbc; a threshold: Σe, Σe², Σec.

        Of a trial's rounds that were done: a sums the values, b their squares, c counts them, and
        e counts those above the threshold. Of a trial with a value that is too large to average
        only c and e are kept.
        """
        done = block.decodable
        values = np.where(done, self._value.excess(block), 0.0)
        summed = values
        if not values.max() < LARGEST / len(values):
            large = (values >= LARGEST / len(values)).any(axis=0)
            extremes[0][3] += np.count_nonzero(large)
            summed = np.where(large, 0.0, values)
        a, b = summed.sum(axis=0), (summed * summed).sum(axis=0)
        c = done.sum(axis=0).astype(float)
        for place, sums in enumerate((a, b, c)):
            kernel.powers(sums, cells[2 * place : 2 * place + 2])
        for place, (one, other) in enumerate(((a, b), (a, c), (b, c))):
            cells[6 + place] = kernel.product(one, other)
        for place, threshold in enumerate(self._own.thresholds):
            own = cells[9 + 3 * place : 12 + 3 * place]
            above = (done & (values > threshold)).sum(axis=0).astype(float)
            kernel.powers(above, own[:2])
            own[2] = kernel.product(above, c)
        if done.any():
            kernel.histogram(np.ascontiguousarray(values[done]), bins[0], extremes[0])

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """Mean, variance, extremes, quantiles and exceedances of the rounds that were done."""
        found = pooled.without(self._rows(trials, sums, histograms[0]), histograms[0])
        yield from self._value.rows(_named(found, self._setting))

    def _rows(self, trials: int, sums: Sequence[Fraction], seen: Histogram) -> Iterator[Row]:
        a, aa, b, bb, c, cc, ab, ac, bc = sums[:9]
        mean = estimates.ratio(trials, (a, aa, c, cc, ac))
        yield "mean", None, estimates.within(mean)
        spread = estimates.conditional_variance(trials, (a, aa, b, bb, c, cc, ab, ac, bc))
        yield "variance", None, spread
        if not seen.counts:
            return
        yield "minimum", None, Estimate(seen.low, None, trials)
        yield "maximum", None, Estimate(seen.high, None, trials)
        worth = max(1, math.floor(c * c / cc))
        for level in self._own.quantiles:
            yield (
                f"quantile({level!r})",
                None,
                estimates.within(estimates.quantile(seen, level, worth)),
            )
        for place, threshold in enumerate(self._own.thresholds):
            e, ee, ec = sums[9 + 3 * place : 12 + 3 * place]
            above = estimates.ratio(trials, (e, ee, c, cc, ec))
            yield f"P(>{threshold!r})", None, replace(above, proportion=True)

    def each(self, block: Block) -> Values:
        """Each trial's sum over the rounds that were done, and their number, (2, T)."""
        values = np.where(block.decodable, self._value.of(block), 0.0)
        return np.array([values.sum(axis=0), block.decodable.sum(axis=0)], float)


class Known:
    """A value that is the same in every round."""

    cells = 0
    histograms = 0

    def __init__(self, value: float) -> None:
        self._known = value

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """Nothing."""

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """The value."""
        yield "mean", None, Estimate(self._known, 0.0)

    def each(self, block: Block) -> Values:
        """The value, for every trial."""
        return np.full(block.done.shape[1], self._known)


class Decodable:
    """Whether a round is ever done."""

    cells = 2
    histograms = 0

    def __init__(self, setting: Setting) -> None:
        self._iterations = setting.iterations

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """Cells: rounds of a trial that were done, and their square."""
        kernel.powers(block.decodable.sum(axis=0).astype(float), cells)

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """Probability that a round is ever done."""
        length = self._iterations
        first, second = sums[0] / length, sums[1] / length**2
        yield "mean", None, estimates.mean(trials, first, second, proportion=True)

    def each(self, block: Block) -> Values:
        """Each trial's share of rounds that were done."""
        return np.asarray(block.decodable.mean(axis=0))


def make(name: str, setting: Setting) -> Measure:
    """Return the measure of that name."""
    if name == "load":
        return Known(setting.load)
    if name == "decodable":
        return Decodable(setting)
    if name == "messages":
        if setting.messages is not None and not setting.may_fail:
            return Known(setting.messages)
        value = Value(_messages, 0.0, math.inf)
    elif name == "waiting":
        least = 0.0 if setting.busy is None else max(0.0, setting.least - setting.busy)
        value = Value(_waiting, least, setting.finite_moments)
    else:
        value = Value(_done, setting.least, setting.finite_moments)
    return (SpreadOfDone if setting.may_fail else Spread)(setting, value)


@dataclass(frozen=True)
class Value:
    """A value of every round: what it is, its least value, and which of its moments are finite."""

    of: Callable[[Block], Values]
    least: float
    moments: float

    def excess(self, block: Block) -> Values:
        """By how much each round's value exceeds the least."""
        if self.least == 0:
            return self.of(block)
        return np.asarray(np.maximum(self.of(block) - self.least, 0.0))

    def rows(self, found: Iterator[Row]) -> Iterator[Row]:
        """Rows of the value from those of its excess."""
        for statistic, index, estimate in found:
            moves = statistic != "variance" and not statistic.startswith("P(")
            own = estimates.shifted(estimate, self.least) if moves else estimate
            yield statistic, index, pooled.as_far_as_finite(statistic, own, self.moments)


def _named(found: Iterator[Row], setting: Setting) -> Iterator[Row]:
    """Name exceedances by the thresholds that were asked for."""
    names = iter([f"P(>{threshold!r})" for threshold in setting.thresholds])
    for statistic, index, estimate in found:
        yield next(names) if statistic.startswith("P(") else statistic, index, estimate


def _done(block: Block) -> Values:
    return block.done


def _messages(block: Block) -> Values:
    assert block.messages is not None
    return block.messages


def _waiting(block: Block) -> Values:
    assert block.waiting is not None
    return block.waiting
