"""The measures of a sequence experiment: what each tallies, and the rows it becomes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.experiments import measures
from fastgc.experiments.accumulators import (
    Cells,
    Distribution,
    EveryValue,
    Exceedances,
    Pooled,
    Row,
    Share,
    Shift,
    Sums,
    as_far_as_finite,
    typical,
)
from fastgc.experiments.completion.measures import Known
from fastgc.statistics.tallies import Histogram
from fastgc_kernels.complete import sequences as kernel


@dataclass(frozen=True)
class Block:
    """The rounds of one block, (R, T): their seconds and states; when jobs are decoded, (J, T).

    ``delay``: a job must be decoded so many rounds after the one in which it begins.
    """

    seconds: Values
    state: NDArray[np.int64]
    done: NDArray[np.int64]
    delay: int

    def values(self, name: str) -> Values:
        """A measure's values, (m, T): one a trial; of the delay one a job."""
        if name == "delay":
            return self._delays()
        if name == "waits":
            found = (self.state == kernel.WAITED).sum(axis=0)
        elif name == "rounds":
            found = (self.state != kernel.FREE).sum(axis=0)
        else:
            found = np.zeros(self.seconds.shape[1])
            for own in self.seconds:  # in one order
                found += own
            if name == "seconds_per_job":
                found /= len(self.done)
        return np.asarray(found, float)[np.newaxis]

    def _delays(self) -> Values:
        """From the beginning of the round in which a job begins to the end of its last one."""
        jobs = len(self.done)
        last = self.done - np.arange(jobs)[:, np.newaxis]
        found = np.zeros(self.done.shape)
        for later in range(self.delay + 1):
            found += np.where(last >= later, self.seconds[later : later + jobs], 0.0)
        return found


@dataclass(frozen=True)
class Setting:
    """What the measures need to know of an experiment.

    Of seconds moments below ``moments`` are finite. ``first`` returns some trials, always the same.
    """

    quantiles: tuple[float, ...]
    thresholds: tuple[float, ...]
    moments: float
    first: Callable[[], Block]


class Spread(measures.Spread[Block]):
    """Distribution of a value that every trial has, or every job."""

    def __init__(self, name: str, setting: Setting, *, timed: bool) -> None:
        self._name = name
        self._moments = setting.moments if timed else np.inf
        self._own = Shift(lambda: typical(setting.first().values(name)))
        above = Exceedances(setting.thresholds)
        super().__init__(Pooled(), setting.quantiles, above, None, self._own)

    def _values(self, block: Block) -> Distribution:
        return EveryValue(block.values(self._name), self._own.value)

    def rows(self, trials: int, sums: Sums, histograms: Sequence[Histogram]) -> Iterator[Row]:
        """Mean, variance, extremes, quantiles and exceedances."""
        for statistic, index, estimate in super().rows(trials, sums, histograms):
            yield statistic, index, as_far_as_finite(statistic, estimate, self._moments)

    def each(self, block: Block) -> Values:
        """Each trial's value, or mean over its jobs."""
        values = block.values(self._name)
        return values[0] if len(values) == 1 else np.asarray(values.mean(axis=0))


class Decoded(measures.Indexed[Block]):
    """The share of the jobs that are decoded in time."""

    def __init__(self, jobs: int) -> None:
        self._share = Share(jobs)
        super().__init__(self._share)

    def _fill(self, block: Block, each: Cells, shared: Cells) -> None:
        self._share.add((block.done >= 0).sum(axis=0).astype(float), each[0])

    def each(self, block: Block) -> Values:
        """Each trial's share."""
        return np.asarray((block.done >= 0).mean(axis=0))


__all__ = ["Block", "Decoded", "Known", "Setting", "Spread"]
