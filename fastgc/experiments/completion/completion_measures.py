"""The measures of a completion experiment: what each tallies, and the rows it becomes."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fastgc.arrays import Mask, Values
from fastgc.experiments import measures
from fastgc.experiments.accumulators import (
    LARGEST,
    AllBins,
    Cells,
    Distribution,
    DoneExceedances,
    DoneMoments,
    EveryValue,
    Exceedances,
    Extremes,
    Pooled,
    Portion,
    Row,
    Shift,
    Sums,
    as_far_as_finite,
    distribution_rows,
    typical,
)
from fastgc.experiments.completion.completion_table import CompletionTable
from fastgc.experiments.completion.scenario import Scenario, least_of_rows
from fastgc.experiments.measures import ControlSums, Measure
from fastgc.registry.cached import cached_property
from fastgc.statistics import estimates
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram
from fastgc_kernels.tally import sums as kernel


@dataclass
class Rounds:
    """The rounds of one block: when each was done, (L, T), and what the ports had received.

    ``worker_seconds``: how long all workers worked until then. ``lost``: the share of the work that
    had no answer. ``control`` is that of each round, (L, T), where there is one.
    """

    done: Values
    control: Values | None = None
    messages: Values | None = None
    waiting: Values | None = None
    worker_seconds: Values | None = None
    lost: Values | None = None

    @cached_property
    def decodable(self) -> Mask:
        """Which rounds were ever done, (L, T)."""
        return np.isfinite(self.done)


class RoundDistribution(measures.DistributionMeasure[Rounds]):
    """Distribution of a value that every round has, less the least that it can be.

    So a spread that is small beside it keeps its digits. Only ``moments`` below this are finite;
    no mean is less than ``bound``, for no value is, in rows of a recording too, whose spread keeps
    no more digits.
    """

    AVERAGES: ClassVar[type] = Pooled
    ABOVE: ClassVar[type] = Exceedances

    def __init__(
        self,
        name: str,
        experiment: Any,
        least: float,
        moments: float,
        bound: float,
        control: ControlSums | None = None,
    ) -> None:
        self._name, self._least, self._moments, self._bound = name, least, moments, bound
        self._own = Shift(lambda: typical(self._excess(experiment.reference)))
        table: CompletionTable = experiment.table
        above = self.ABOVE(table.thresholds, -least)
        super().__init__(self.AVERAGES(), table.quantiles, above, control, self._own)

    def _each(self, block: Rounds) -> Values:
        values = getattr(block, self._name)
        assert values is not None
        return values  # type: ignore[no-any-return]

    def _excess(self, block: Rounds) -> Values:
        if self._least == 0:
            return self._each(block)
        found = self._each(block) - self._least
        return np.maximum(found, 0.0, out=found)

    def _values(self, block: Rounds) -> Distribution:
        done = self._each(block)
        if done is block.done:
            out, less = np.empty_like(done), np.empty_like(done)
            if not kernel.excesses(done, self._least, self._own.value, LARGEST, out, less):
                return EveryValue(out, less=less)
        values = self._excess(block)
        if not block.done.max() < math.inf:
            values = np.where(block.decodable, values, np.inf)
        return EveryValue(values, self._own.value)

    def rows(self, trials: int, sums: Sums, histograms: Sequence[Histogram]) -> Iterator[Row]:
        for statistic, index, estimate in super().rows(trials, sums, histograms):
            if statistic != "variance" and not statistic.startswith("P("):
                estimate = estimates.shifted(estimate, self._least)
            if statistic == "mean":
                estimate = replace(estimate, least=max(estimate.least, self._bound))
            yield statistic, index, as_far_as_finite(statistic, estimate, self._moments)

    def each(self, block: Rounds) -> Values:
        values = self._each(block)
        return values[0] if len(values) == 1 else np.asarray(values.mean(axis=0))


class DoneDistribution(RoundDistribution):
    """Distribution of a value that only rounds have that are ever done: given that they are."""

    AVERAGES, ABOVE = DoneMoments, DoneExceedances

    def add(self, block: Rounds, cells: Cells, bins: AllBins, extremes: Extremes) -> None:
        """Tally the rounds that were done: how many, their values, how many above thresholds.

        Of a trial with a value that is too large to average only numbers of rounds are kept.
        """
        done = block.decodable
        values = np.where(done, self._excess(block), 0.0)
        self._own.add(cells[self._layout["shift"]])
        summed = np.where(done, values - self._own.value, 0.0)
        if not values.max() < LARGEST / len(values):
            large = (values >= LARGEST / len(values)).any(axis=0)
            extremes[0][3] += np.count_nonzero(large)
            summed = np.where(large, 0.0, summed)
        squares, number = (summed * summed).sum(axis=0), done.sum(axis=0).astype(float)
        self._averages.add(summed.sum(axis=0), squares, number, cells[self._layout["averages"]])
        self._above.add(values, done, number, cells[self._layout["above"]])
        if done.any():
            kernel.histogram(np.ascontiguousarray(values[done]), bins[0], extremes[0])

    def _rows(self, trials: int, sums: Sums, seen: Histogram) -> Iterator[Row]:
        own = sums[self._layout["averages"]]
        less = self._own.read(sums[self._layout["shift"]])
        averages = measures.beside_modes(self._averages.estimates(trials, own, less), seen)
        for statistic, estimate in averages.items():
            yield statistic, None, estimate
        if seen.counts:
            _, _, _, _, c, cc, *_ = own
            above = self._above.estimates(trials, sums[self._layout["above"]], (c, cc))
            worth = max(1, math.floor(c * c / cc))
            yield from distribution_rows(seen, trials, self._quantiles, above, worth=worth)

    def each(self, block: Rounds) -> Values:
        """Each trial's sum over the rounds that were done, and their number, (2, T)."""
        values = np.where(block.decodable, self._each(block), 0.0)
        return np.array([values.sum(axis=0), block.decodable.sum(axis=0)], float)


class Constant(Measure[Rounds]):
    """A value that is the same in every round."""

    cells = 0
    histograms = 0

    def __init__(self, value: float) -> None:
        self._value = value

    def add(self, block: Rounds, cells: Cells, bins: AllBins, extremes: Extremes) -> None:
        pass

    def rows(self, trials: int, sums: Sums, histograms: Sequence[Histogram]) -> Iterator[Row]:
        yield "mean", None, Estimate(self._value, 0.0)

    def each(self, block: Rounds) -> Values:
        return np.full(block.done.shape[1], self._value)


class Decodable(measures.IndexedMeasure[Rounds]):
    """Whether a round is ever done."""

    def __init__(self, iterations: int) -> None:
        self._share = Portion(iterations)
        super().__init__(self._share)

    def _fill(self, block: Rounds, each: Cells, shared: Cells) -> None:
        self._share.add(block.decodable.sum(axis=0).astype(float), each[0])

    def each(self, block: Rounds) -> Values:
        return np.asarray(block.decodable.mean(axis=0))


def make(name: str, experiment: Any) -> Measure[Rounds]:
    """Return an experiment's measure of that name."""
    scenario: Scenario = experiment.scenario
    if name == "decodable":
        return Decodable(experiment.iterations)
    known = None
    if name == "load":
        known = scenario.burden
    elif name == "messages" and not scenario.may_fail:
        known = scenario.messages
    elif name == "lost":
        known = scenario.same_lost
    if known is not None:
        return Constant(known)
    least = bound = 0.0
    if name == "time":
        least, bound = scenario.least, least_of_rows(scenario)
    elif name == "waiting" and scenario.busy is not None:
        least = max(0.0, scenario.least - scenario.busy)
    # of worker_seconds as many workers are late as keep the round from being done
    is_timed = name in ("time", "waiting", "worker_seconds")
    moments = scenario.finite_moments if is_timed else math.inf
    own = "done" if name == "time" else name, experiment, least, moments, bound
    if scenario.may_fail:
        return DoneDistribution(*own)
    return RoundDistribution(*own, experiment.control if name in ("time", "waiting") else None)
