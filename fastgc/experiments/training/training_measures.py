"""The measures of a training experiment: what each tallies, and the rows it becomes.

A run that diverges is counted, and left out of every other number; so is, of what a run takes to
reach a loss, a run that never gets there. Values are tallied as what they exceed those of one of
the first runs by: its own excess is 0, so that the mean excess is at most about √T standard
deviations of T runs. Small spreads keep their digits, and what is always the same has none.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.experiments import measures
from fastgc.experiments.accumulators import (
    LARGEST,
    Accumulator,
    AllBins,
    Cells,
    Count,
    Estimates,
    EveryValue,
    Exceedances,
    Extremes,
    Layout,
    PowerSums,
    Row,
    Shift,
    Sums,
    as_far_as_finite,
    distribution_rows,
)
from fastgc.experiments.training.training_table import CURVES, TO_LOSS, TrainingTable
from fastgc.statistics import estimates
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram
from fastgc_kernels.tally import sums as kernel


@dataclass
class RunBlock:
    """The runs of one block.

    ``curves`` has, by measure, values (m, T): L + 1 after 0 … L iterations, or L of what happens
    in each. ``diverged`` (T,) says which runs did. ``reference`` has, by measure, what values are
    tallied less: the same in all blocks; 0 where it is not there.
    """

    curves: Mapping[str, Values]
    diverged: Mask
    reference: Mapping[str, Values] = field(default_factory=dict)

    def reached(self, target: float) -> NDArray[np.int64]:
        """First iteration with a loss ≤ target, (T,); −1 where there is none."""
        below = self.curves["loss"] <= target  # NaN is not
        return np.where(~self.diverged & below.any(axis=0), np.argmax(below, axis=0), -1)


class RunMeasure(measures.Measure[RunBlock], Protocol):
    """What every measure offers."""

    def usual(self, block: RunBlock) -> Values:
        """Values of the first of a block's runs that has any, to be subtracted from all."""


class Excess(Accumulator):
    """Power sums of what values exceed one of the first runs' by, and how many values there are.

    Sums: blocks; what each subtracts, always the same; runs that have a value; Σx … Σx⁴ over them.
    The first is one for all accumulators of a measure. ``certain`` values have no randomness.
    """

    cells = 6

    def __init__(self, *, certain: bool) -> None:
        self.certain = certain

    def add(self, values: Values, there: Mask, reference: Values | float, cells: Cells) -> None:
        """Fill the own cells (m, 6) of m values for one block, from those (m, T) that are there."""
        cells[:, 0] = reference
        cells[:, 1] = np.count_nonzero(there, axis=1)
        powers = np.empty((len(values), 4))
        kernel.powers_of_rows(np.where(there, values - cells[:, :1], 0.0), powers)
        cells[:, 2:] = powers

    def estimates(self, trials: int, sums: Sums) -> Estimates:
        """Mean and variance over the runs that have a value.

        Where values are random and none differed, this is said, and ends are open: what is rare may
        just not have come yet.
        """
        blocks, reference, count, s1, s2, s3, s4 = sums
        runs = int(count)
        usual = Shift.read((blocks, reference))
        if not self.certain:
            yield from PowerSums().estimates(runs, (s1, s2, s3, s4), usual)
            return
        yield "mean", estimates.shifted(estimates.mean(runs, s1, s2), usual)
        yield "variance", estimates.variance(runs, (s1, s2, s3, s4))


class Curve(measures.IndexedMeasure[RunBlock], RunMeasure):
    """Mean and variance of a value at every iteration, over the runs that went well."""

    def __init__(self, name: str, experiment: Any) -> None:
        self._name = name
        # what happens in an iteration is seen before each of L; what is left of it also after
        self._starts = name != "gradient_error"
        self._moments = experiment.durations.finite_moments if name == "time" else math.inf
        self._excess = Excess(certain=name in experiment.durations.certain)
        super().__init__(self._excess, range(experiment.iterations + self._starts), shared=2)

    def usual(self, block: RunBlock) -> Values:
        """At every iteration, (m,), the value of the first run that went well and has one."""
        values = block.curves[self._name]
        well = ~block.diverged | block.diverged.all()
        there = well & (values < LARGEST)
        first = np.argmax(there, axis=1)
        return np.where(there.any(axis=1), values[np.arange(len(values)), first], 0.0)

    def _fill(self, block: RunBlock, each: Cells, shared: Cells) -> None:
        well = ~block.diverged
        shared[:] = 1.0, np.count_nonzero(well)
        values = block.curves[self._name]
        reference = block.reference.get(self._name, 0.0)
        self._excess.add(values, well & (values < LARGEST), reference, each)

    def _estimates(self, trials: int, sums: Sums, index: measures.Index) -> Estimates:
        blocks, well, reference, count, *powers = sums
        left_out = {"diverged": trials - int(well), "had no finite value": int(well - count)}
        excess, moments = self._excess, self._moments
        if index == 0 and self._starts:  # where all runs begin
            excess, moments = Excess(certain=True), math.inf
        found = excess.estimates(trials, (blocks, reference, count, *powers))
        for statistic, estimate in found:
            yield statistic, _without(as_far_as_finite(statistic, estimate, moments), left_out)

    def each(self, block: RunBlock) -> Values:
        last = block.curves[self._name][-1]
        return np.where(block.diverged | ~(last < LARGEST), np.nan, last)


class CostToLoss(RunMeasure):
    """What a run takes until its loss is at most the target."""

    histograms = 1

    def __init__(self, name: str, experiment: Any) -> None:
        table: TrainingTable = experiment.table
        assert table.target_loss is not None
        self._name, self._curve = name, name.removesuffix("_to_loss")
        self._target, self._quantiles = table.target_loss, table.quantiles
        self._moments = experiment.durations.finite_moments if self._curve == "time" else math.inf
        self._excess = Excess(certain={"loss", self._curve} <= experiment.durations.certain)
        self._above = Exceedances(table.thresholds)
        self._whole = Curve(self._curve, experiment)
        self._layout = Layout({"blocks": 1, "excess": Excess.cells, "above": self._above.cells})
        self.cells = self._layout.size

    def usual(self, block: RunBlock) -> Values:
        """What the first run takes that gets there, (1,); where none does, a whole run."""
        values = self.each(block)
        got = ~np.isnan(values)
        if got.any():
            return values[got][:1]
        return self._whole.usual(block)[-1:]

    def add(self, block: RunBlock, cells: Cells, bins: AllBins, extremes: Extremes) -> None:
        values = self.each(block)
        got = ~np.isnan(values)
        cells[self._layout["blocks"]] = 1.0  # a block counts itself, for the reference
        own = cells[self._layout["excess"]][np.newaxis]
        reference = block.reference.get(self._name, 0.0)
        self._excess.add(values[np.newaxis], got[np.newaxis], reference, own)
        if got.any():
            seen = EveryValue(values[got][np.newaxis])
            seen.histogram(bins[0], extremes[0])
            self._above.add(seen, cells[self._layout["above"]])

    def rows(self, trials: int, sums: Sums, histograms: Sequence[Histogram]) -> Iterator[Row]:
        own = *sums[self._layout["blocks"]], *sums[self._layout["excess"]]
        _, _, count, *_ = own
        got = int(count)
        left_out = {"did not reach the target": trials - got}
        found = self._excess.estimates(trials, own)
        if got and not self._excess.certain:
            found = iter(measures.beside_modes(found, histograms[0]).items())
        for statistic, estimate in found:
            finite = as_far_as_finite(statistic, estimate, self._moments)
            yield statistic, None, _without(finite, left_out)
        above = self._above.estimates(got, sums[self._layout["above"]])
        yield from distribution_rows(histograms[0], got, self._quantiles, above)

    def each(self, block: RunBlock) -> Values:
        first = block.reached(self._target)
        values = block.curves[self._curve][first, np.arange(first.size)]
        return np.where((first >= 0) & (values < LARGEST), values, np.nan)


class RunShare(measures.IndexedMeasure[RunBlock], RunMeasure):
    """How many runs something happens to: reaching the target, or diverging."""

    def __init__(self, target: float | None) -> None:
        self._target = target
        super().__init__(Count())

    def usual(self, block: RunBlock) -> Values:
        return np.zeros(0)  # counts are exact

    def _happened(self, block: RunBlock) -> Mask:
        if self._target is None:
            return block.diverged
        return np.asarray(block.reached(self._target) >= 0)

    def _fill(self, block: RunBlock, each: Cells, shared: Cells) -> None:
        each[0] = np.count_nonzero(self._happened(block))

    def each(self, block: RunBlock) -> Values:
        return self._happened(block).astype(float)


def make(name: str, experiment: Any) -> RunMeasure:
    """Return an experiment's measure of that name."""
    if name in CURVES or name in TO_LOSS:
        return (Curve if name in CURVES else CostToLoss)(name, experiment)
    return RunShare(experiment.table.target_loss if name == "reached" else None)


def _without(estimate: Estimate, left_out: Mapping[str, int]) -> Estimate:
    said = [f"{runs} of the runs {why}" for why, runs in left_out.items() if runs]
    if estimate.note is not None:
        said.insert(0, estimate.note)
    return replace(estimate, note="; ".join(said)) if said else estimate
