"""The measures of a training experiment: what each tallies, and the rows it becomes.

A run that diverges is counted, and left out of every other number; so is, of what a run takes to
reach a loss, a run that never gets there. Values are tallied as what they exceed those of one of
the first runs by: its own excess is 0, so that the mean excess is at most about √T standard
deviations of T runs. Small spreads keep their digits, and what is always the same has none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fastgc.experiments import measures
from fastgc.experiments.pooled import (
    LARGEST,
    Bins,
    Cells,
    Row,
    as_far_as_finite,
    distribution_rows,
)
from fastgc.experiments.training.quantities import CURVES, TO_LOSS
from fastgc.statistics import estimates
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram
from fastgc_kernels.tally import sums as kernel

Values = NDArray[np.float64]

#: Cells of power sums to the fourth.
POWERS = 4


@dataclass(frozen=True)
class Setting:
    """What the measures need to know of an experiment.

    Of the seconds that an iteration takes moments below ``moments`` are finite; of the curves
    named in ``certain`` nothing is left to chance.
    """

    iterations: int
    quantiles: tuple[float, ...] = ()
    thresholds: tuple[float, ...] = ()
    target_loss: float | None = None
    moments: float = math.inf
    certain: frozenset[str] = frozenset()
    margin: float = 0.0


@dataclass
class Block:
    """The runs of one block.

    ``curves`` has, by measure, values (m, T): L + 1 after 0 … L iterations, or L of what happens
    in each. ``diverged`` (T,) says which runs did. ``reference`` has, by measure, what values are
    tallied less: the same in all blocks; 0 where it is not there.
    """

    curves: Mapping[str, Values]
    diverged: NDArray[np.bool_]
    reference: Mapping[str, Values] = field(default_factory=dict)

    def reached(self, target: float) -> NDArray[np.int64]:
        """First iteration with a loss ≤ target, (T,); −1 where there is none."""
        return np.where(self.diverged, -1, first_below(self.curves["loss"], target))


def first_below(losses: Values, target: float) -> NDArray[np.int64]:
    """First row of losses (m, T) that is ≤ target, (T,); −1 where there is none."""
    below = losses <= target  # NaN is not
    return np.where(below.any(axis=0), np.argmax(below, axis=0), -1)


class Measure(measures.Measure[Block], Protocol):
    """What every measure offers."""

    def usual(self, block: Block) -> Values:
        """Values of the first of a block's runs that has any, to be subtracted from all."""

    def each(self, block: Block) -> Values:
        """Each trial's value, (T,), for ratios and differences; NaN for one that is left out."""


class Curve:
    """Mean and variance of a value at every iteration."""

    histograms = 0

    def __init__(self, name: str, setting: Setting) -> None:
        self._name = name
        # what happens in an iteration is seen before each of L; what is left of it also after
        self._iterations = setting.iterations
        self._length = setting.iterations + (name != "gradient_error")
        self._certain = name in setting.certain
        self._moments = setting.moments if name == "time" else math.inf
        self.cells = 2 + (2 + POWERS) * self._length

    def usual(self, block: Block) -> Values:
        """At every iteration, (m,), the value of the first run that went well and has one."""
        values = block.curves[self._name]
        well = ~block.diverged | block.diverged.all()
        there = well & (values < LARGEST)
        first = np.argmax(there, axis=1)
        return np.where(there.any(axis=1), values[np.arange(len(values)), first], 0.0)

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """Cells: blocks, runs that went well; each iteration's reference, finite values, sums."""
        well = ~block.diverged
        cells[:2] = 1.0, np.count_nonzero(well)
        own = cells[2:].reshape(self._length, 2 + POWERS)
        own[:, 0] = block.reference.get(self._name, 0.0)
        values = block.curves[self._name]
        there = well & (values < LARGEST)
        own[:, 1] = np.count_nonzero(there, axis=1)
        excess = np.where(there, values - own[:, :1], 0.0)
        kernel.powers_of_rows(excess, own[:, 2:])

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """Mean and variance over the runs that went well."""
        blocks, well = sums[0], int(sums[1])
        for index in range(self._length):
            first = 2 + (2 + POWERS) * index
            reference, count, *own = sums[first : first + 2 + POWERS]
            start = index == 0 and self._length > self._iterations  # where all runs begin
            moments = math.inf if start else self._moments
            left_out = {"diverged": trials - well, "had no finite value": well - int(count)}
            usual = _quotient(reference, blocks)
            for statistic, estimate in _averages(int(count), own, usual, self._certain or start):
                finite = as_far_as_finite(statistic, estimate, moments)
                yield statistic, index, _without(finite, left_out)

    def each(self, block: Block) -> Values:
        """The value at the end of each run."""
        last = block.curves[self._name][-1]
        return np.where(block.diverged | ~(last < LARGEST), np.nan, last)


class ToLoss:
    """What a run takes until its loss is at most the target."""

    histograms = 1

    def __init__(self, name: str, setting: Setting) -> None:
        assert setting.target_loss is not None
        self._name, self._curve = name, name.removesuffix("_to_loss")
        self._setting = setting
        self._certain = {"loss", self._curve} <= setting.certain
        self._target = setting.target_loss
        self._moments = setting.moments if self._curve == "time" else math.inf
        self.cells = 3 + POWERS + 2 * len(setting.thresholds)

    def usual(self, block: Block) -> Values:
        """What the first run takes that gets there, (1,); where none does, a whole run."""
        values = self.each(block)
        got = ~np.isnan(values)
        if got.any():
            return values[got][:1]
        return Curve(self._curve, self._setting).usual(block)[-1:]

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """Cells: blocks, reference, runs that got there, power sums over them, thresholds."""
        values = self.each(block)
        got = ~np.isnan(values)
        usual = float(block.reference.get(self._name, np.zeros(1))[0])
        cells[:3] = 1.0, usual, np.count_nonzero(got)
        kernel.powers(np.where(got, values - usual, 0.0), cells[3 : 3 + POWERS])
        for place, threshold in enumerate(self._setting.thresholds):
            own = 3 + POWERS + 2 * place
            cells[own : own + 2] = np.count_nonzero(values > threshold)  # NaN is not
        if got.any():
            kernel.histogram(values[got], bins[0], extremes[0])

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """Mean, variance, extremes, quantiles and exceedances over the runs that got there."""
        blocks, reference, count, *own = sums[: 3 + POWERS]
        got = int(count)
        left_out = {"never got there": trials - got}
        usual = _quotient(reference, blocks)
        for statistic, estimate in _averages(got, own, usual, self._certain):
            finite = as_far_as_finite(statistic, estimate, self._moments)
            yield statistic, None, _without(finite, left_out)
        if got:
            yield from distribution_rows(self._setting, got, sums[3 + POWERS :], histograms[0])

    def each(self, block: Block) -> Values:
        """What each run takes."""
        first = block.reached(self._target)
        values = block.curves[self._curve][first, np.arange(first.size)]
        return np.where((first >= 0) & (values < LARGEST), values, np.nan)


class Share:
    """How many runs something happens to: reaching the target, or diverging."""

    cells = 1
    histograms = 0

    def __init__(self, name: str, setting: Setting) -> None:
        self._target = setting.target_loss if name == "reached" else None

    def usual(self, block: Block) -> Values:
        """Nothing: counts are exact."""
        return np.zeros(0)

    def _happened(self, block: Block) -> NDArray[np.bool_]:
        if self._target is None:
            return block.diverged
        return np.asarray(block.reached(self._target) >= 0)

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """Cells: runs that it happened to."""
        cells[0] = np.count_nonzero(self._happened(block))

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """Its probability."""
        yield "mean", None, estimates.mean(trials, sums[0], sums[0], proportion=True)

    def each(self, block: Block) -> Values:
        """1 where it happened, else 0."""
        return self._happened(block).astype(float)


def make(name: str, setting: Setting) -> Measure:
    """Return the measure of that name."""
    if name in CURVES:
        return Curve(name, setting)
    return ToLoss(name, setting) if name in TO_LOSS else Share(name, setting)


def _quotient(references: Fraction, blocks: Fraction) -> float:
    """What values were tallied less: every block says it, so that it is known without data."""
    return references.numerator / (references.denominator * int(blocks)) if blocks else 0.0


def _averages(
    count: int, sums: Sequence[Fraction], usual: float, certain: bool
) -> Iterator[tuple[str, Estimate]]:
    """Mean and variance from power sums of what values exceed the usual one by.

    Where chance could have had a part, but no value differed, this is said: what is rare may just
    not have come yet.
    """
    mean = estimates.shifted(estimates.mean(count, sums[0], sums[1]), usual)
    if count > 1 and sums[0] == sums[1] == 0 and not certain:
        mean = replace(mean, note="alike in all runs")
    elif not certain:
        mean = estimates.within(mean)
    yield "mean", mean
    yield "variance", estimates.variance(count, (sums[0], sums[1], sums[2], sums[3]))


def _without(estimate: Estimate, left_out: Mapping[str, int]) -> Estimate:
    """Say how many runs were left out, and why."""
    said = [f"{runs} of the runs {why}" for why, runs in left_out.items() if runs]
    if estimate.note is not None:
        said.insert(0, estimate.note)
    return replace(estimate, note="; ".join(said)) if said else estimate
