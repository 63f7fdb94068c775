"""A unit of sampling: the points that are evaluated together, on one stream of trials.

Usually one point; with common random numbers all points of a study, whose products are tallied
too, so that ratios and differences know how their parts vary together.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.experiments.experiment import Experiment, Found, Samples, Shared
from fastgc.experiments.point import Point
from fastgc.experiments.pooled import LARGEST, as_far_as_finite
from fastgc.results.stored import StoredUnit
from fastgc.statistics import estimates
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram, Part, Tally
from fastgc_kernels.tally import sums as kernel

PairSums = tuple[Fraction, Fraction, Fraction, Fraction, Fraction]

#: Units whose points a process keeps compiled: it is sent the same few over and over.
KEPT = 32
#: Cells of two points where trials may have no value, see `_fill_pair`.
PAIR = 6


@dataclass
class BlockRun:
    """What a run of consecutive blocks amounts to."""

    trials: int
    cells: NDArray[np.float64]
    digests: NDArray[np.uint64]
    histograms: list[Histogram]
    samples: list[list[Samples]]  # by block and point; empty unless kept

    def tally_into(self, tally: Tally) -> None:
        """Add to a tally."""
        tally.trials += self.trials
        tally.sums.add(self.cells)
        for mine, new in zip(tally.histograms, self.histograms, strict=True):
            mine.merge(new)


class Unit:
    """Points that share trials; can be sent to other processes.

    Parameters
    ----------
    points : sequence of Point
    seed : int
        The study's seed.
    stream : str
        Names the stream of random numbers.
    together : bool
        Whether each trial's values are multiplied across points.
    """

    def __init__(
        self, points: Sequence[Point], seed: int, stream: str, *, together: bool = False
    ) -> None:
        self.points = tuple(points)
        self.seed = seed
        self.stream = stream
        self.together = together

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what is made where it is needed."""
        return {
            "points": self._pickled,
            "seed": self.seed,
            "stream": self.stream,
            "together": self.together,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore; points that came before, with another task, are compiled already."""
        self.__dict__.update(state, points=_restored(state["points"]), _pickled=state["points"])

    @cached_property
    def _pickled(self) -> bytes:
        """The points, as other processes are told of them."""
        return pickle.dumps(self.points)

    @property
    def compiled(self) -> list[Experiment[Any]]:
        """What answers questions about each point."""
        return [point.compiled for point in self.points]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Points whose products are tallied, each with itself first."""
        if not self.together:
            return []
        return list(itertools.combinations_with_replacement(range(len(self.points)), 2))

    @property
    def key(self) -> str:
        """Names the tally: the draws, and what is measured of them.

        Points that differ only in their thresholds have the same draws, but tallies of their own.
        """
        tables = [point.table for point in self.points]
        wanted = [[table.measure, table.quantiles, table.thresholds] for table in tables]
        return f"{self.stream} {json.dumps(wanted)}"

    @property
    def block(self) -> int:
        """Trials in a block: what the most demanding point allows."""
        return min(experiment.block for experiment in self.compiled)

    @property
    def _leaves_out(self) -> bool:
        """Whether trials of some point may have no value."""
        return any(experiment.leaves_out for experiment in self.compiled)

    @property
    def shape(self) -> tuple[int, int]:
        """Cells and histograms of the unit's tally."""
        cells = sum(experiment.cells for experiment in self.compiled)
        if self.together:
            whole = len(self.points) + len(self.pairs)
            cells += PAIR * len(self.pairs) if self._leaves_out else whole
        return cells, sum(experiment.histograms for experiment in self.compiled)

    def fresh(self) -> StoredUnit:
        """Return the unit with no trials yet."""
        return StoredUnit.fresh(self.key, self.block, self.shape)

    def run(self, blocks: Sequence[int], trials: int, keep: bool = False) -> BlockRun:
        """Sample blocks by number, ``trials`` each: fewer than a block only in a partial one.

        ``keep`` hands back the raw samples as well.
        """
        for experiment in self.compiled:
            experiment.prepare()
        cells, histograms = self.shape
        filled = np.zeros((len(blocks), cells))
        digests = np.empty(len(blocks), np.uint64)
        bins = [np.zeros(kernel.HISTOGRAM_BINS, np.int64) for _ in range(histograms)]
        extremes = [np.array([np.inf, -np.inf, 0.0, 0.0]) for _ in range(histograms)]
        samples: list[list[Samples]] = []
        for row, number in enumerate(blocks):
            kept: list[Samples] | None = [] if keep else None
            self._run_block(number * self.block, trials, filled[row], bins, extremes, kept)
            if kept is not None:
                samples.append(kept)
            digest = hashlib.blake2b(filled[row].tobytes(), digest_size=8).digest()
            digests[row] = int.from_bytes(digest, "little")
        counted = []
        for own, edge in zip(bins, extremes, strict=True):
            seen = np.flatnonzero(own)
            counts = dict(zip(seen.tolist(), own[seen].tolist(), strict=True))
            low, high, not_finite, too_large = edge.tolist()
            counted.append(Histogram(counts, low, high, int(not_finite), int(too_large)))
        return BlockRun(trials * len(blocks), filled, digests, counted, samples)

    def _run_block(
        self,
        first: int,
        trials: int,
        cells: NDArray[np.float64],
        bins: list[NDArray[np.int64]],
        extremes: list[NDArray[np.float64]],
        samples: list[Samples] | None,
    ) -> None:
        shared: Shared | None = {} if self.together else None
        values = []
        cell = histogram = 0
        for experiment in self.compiled:
            tally = (
                cells[cell : cell + experiment.cells],
                bins[histogram : histogram + experiment.histograms],
                extremes[histogram : histogram + experiment.histograms],
            )
            values.append(
                experiment.sample(self.seed, self.stream, first, trials, tally, shared, samples)
            )
            cell += experiment.cells
            histogram += experiment.histograms
        if self.together:
            self._multiply(values, cells[cell:])

    def _multiply(
        self, values: list[NDArray[np.float64] | None], cells: NDArray[np.float64]
    ) -> None:
        """Tally points' values, and products of each two; a pair needs trials that have both.

        A point's values are (T,), NaN where a trial has none; or (2, T), sums and how many values
        each is of.
        """
        if not self._leaves_out:
            products = len(self.points)
            for i, value in enumerate(values):
                if value is not None:
                    self._check_range(i, value)
                    kernel.powers(value, cells[i : i + 1])
            for place, (i, j) in enumerate(self.pairs):
                a, b = values[i], values[j]
                if a is not None and b is not None:
                    cells[products + place] = kernel.product(a, b)
            return
        for place, (i, j) in enumerate(self.pairs):
            a, b = values[i], values[j]
            if a is None or b is None:
                continue
            self._check_range(i, a)
            self._check_range(j, b)
            _fill_pair(_weighed(a), _weighed(b), i == j, cells[PAIR * place : PAIR * (place + 1)])

    def _check_range(self, place: int, values: NDArray[np.float64]) -> None:
        """Refuse values of which no product can be summed; NaN stands for no value."""
        if not np.fmax.reduce(values, axis=None) < LARGEST and not np.isnan(values).all():
            table = self.points[place].table
            raise FastgcError(
                f"common_random_numbers: {table.measure[0]} of {table.name} is infinite or too "
                "large to average in some trials; sample it without"
            )

    def rows(self, tally: Tally) -> Iterator[tuple[Point, str, str, int | str | None, Estimate]]:
        """(point, quantity, statistic, index, estimate) of everything measured."""
        for point, rows in self._rows(tally):
            for row in rows:
                yield point, *row

    def firsts(self, tally: Tally) -> Iterator[Estimate]:
        """Means of every point's first measure, of each of its entries; nothing else is made."""
        for point, rows in self._rows(tally):
            for quantity, statistic, _, estimate in rows:
                if quantity != point.table.measure[0]:
                    break  # rows come in the order of measures
                if statistic == "mean":
                    yield estimate

    def _rows(self, tally: Tally) -> Iterator[tuple[Point, Iterator[Found]]]:
        """Each point with its rows, made one by one."""
        cell = histogram = 0
        for point in self.points:
            experiment = point.compiled
            own = Part(tally.sums, cell, cell + experiment.cells)
            seen = tally.histograms[histogram : histogram + experiment.histograms]
            yield point, experiment.rows(tally.trials, own, seen)
            cell += experiment.cells
            histogram += experiment.histograms

    def compare(self, tally: Tally, a: int, b: int, how: str) -> Estimate:
        """Ratio or difference of the first measure's means of two points, on common trials."""
        pair = [self.points[place].compiled for place in (a, b)]
        if any(experiment.conditional for experiment in pair):
            return self._compare_conditional(tally, a, b, how)
        trials, sums = self._of_pair(tally, a, b)
        estimate = (estimates.ratio if how == "ratio" else estimates.difference)(trials, sums)
        if estimate.value is not None:
            finite = min(experiment.moments for experiment in pair)
            estimate = as_far_as_finite("mean", replace(estimate, trials=trials), finite)
            if how == "ratio":
                estimate = estimates.within(estimate)
        if trials < tally.trials:
            said = f"{tally.trials - trials} of the trials left out, in which one has no value"
            estimate = estimate.noting(said)
        remark = pair[0].remark
        return estimate if remark is None else estimate.noting(remark)

    def _compare_conditional(self, tally: Tally, a: int, b: int, how: str) -> Estimate:
        """Ratio or difference of means that each point takes over its own values.

        Σ (a − m c)(b − m' c'), with c the number of a trial's values that a is the sum of, and m
        the mean, says how the means vary together.
        """
        means = [rows for _, rows in self._rows(tally)]
        upper, lower = (_first_mean(means[place]) for place in (a, b))
        counts, averages = [], []
        for place in (a, b):
            count, total = self._cells_of_pair(tally, place, place)[:2]
            if not count:
                return Estimate(None, None, 0, note="never happened")
            counts.append(count)
            averages.append(total / count)
        both, i, _, j, _, ij = self._cells_of_pair(tally, min(a, b), max(a, b))
        if a > b:
            i, j = j, i
        together = ij - averages[1] * i - averages[0] * j + averages[0] * averages[1] * both
        found = estimates.compared(upper, lower, float(together / (counts[0] * counts[1])), how)
        return found.noting("each mean over its own decodable rounds")

    def _cells_of_pair(self, tally: Tally, i: int, j: int) -> list[Fraction]:
        """Cells of two points, i ≤ j, where trials may have no value."""
        pairs = self.pairs
        start = self.shape[0] - PAIR * (len(pairs) - pairs.index((i, j)))
        return [tally.sums.value(start + cell) for cell in range(PAIR)]

    def _of_pair(self, tally: Tally, a: int, b: int) -> tuple[int, PairSums]:
        """Trials that have values of both points, and Σa, Σa², Σb, Σb² and Σab over them."""
        pairs = self.pairs
        if self._leaves_out:
            count, i, ii, j, jj, ij = self._cells_of_pair(tally, min(a, b), max(a, b))
            return int(count), (i, ii, j, jj, ij) if a <= b else (j, jj, i, ii, ij)
        start = self.shape[0] - len(self.points) - len(pairs)
        totals = [tally.sums.value(start + i) for i in range(len(self.points))]
        products = start + len(self.points)

        def product(i: int, j: int) -> Fraction:
            return tally.sums.value(products + pairs.index((min(i, j), max(i, j))))

        return tally.trials, (totals[a], product(a, a), totals[b], product(b, b), product(a, b))


@lru_cache(KEPT)
def _restored(pickled: bytes) -> tuple[Point, ...]:
    """Points from a pickle, the same objects for the same bytes."""
    points: tuple[Point, ...] = pickle.loads(pickled)
    return points


def _weighed(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Each trial's sum of values, and their number."""
    if values.ndim == 2:
        return values[0], values[1]
    there = ~np.isnan(values)
    return np.where(there, values, 0.0), there.astype(float)


def _fill_pair(
    one: tuple[NDArray[np.float64], NDArray[np.float64]],
    other: tuple[NDArray[np.float64], NDArray[np.float64]],
    same: bool,
    out: NDArray[np.float64],
) -> None:
    """Fill the cells of two points from each one's sums a, b and their numbers c, d.

    Σcd, Σad, Σ(ad)², Σbc, Σ(bc)² and Σab; of a point with itself Σc, Σa and Σa² come first.
    """
    (a, c), (b, d) = one, other
    if same:
        kernel.powers(c, out[:1])
        kernel.powers(a, out[1:3])
    else:
        out[0] = kernel.product(c, d)
        kernel.powers(a * d, out[1:3])
    kernel.powers(b * c, out[3:5])
    out[5] = kernel.product(a, b)


def _first_mean(rows: Iterator[Found]) -> Estimate:
    """Mean of the first measure, whose rows come first."""
    return next(estimate for _, statistic, _, estimate in rows if statistic == "mean")
