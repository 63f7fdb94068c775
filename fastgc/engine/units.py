"""A unit of sampling: the points that are evaluated together, on one stream of trials.

Usually one point; with common random numbers all points of a study, whose products are tallied
too, so that ratios and differences know how their parts vary together.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc import experiments
from fastgc.errors import FastgcError
from fastgc.experiments.pooled import LARGEST, as_far_as_finite
from fastgc.results.stored import StoredUnit
from fastgc.statistics import estimates
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram, Part, Tally
from fastgc_kernels.tally import sums as kernel

Named = tuple[str, str, int | str | None, Estimate]
PairSums = tuple[Fraction, Fraction, Fraction, Fraction, Fraction]

#: Cells of two members where trials may have no value, see `_fill_pair`.
PAIR = 6


@dataclass(frozen=True)
class Member:
    """One point: the experiment's name, the swept keys, and the table with them applied."""

    experiment: str
    sweep: dict[str, Any]
    table: Any


@dataclass
class BlockRun:
    """What a run of consecutive blocks amounts to."""

    trials: int
    cells: NDArray[np.float64]
    digests: NDArray[np.uint64]
    histograms: list[Histogram]
    samples: list[list[dict[str, NDArray[Any]]]]  # by block and member; empty unless kept

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
    members : sequence of Member
        The points.
    seed : int
        The study's seed.
    stream : str
        Names the stream of random numbers.
    together : bool
        Whether each trial's values are multiplied across points.
    """

    def __init__(
        self, members: Sequence[Member], seed: int, stream: str, *, together: bool = False
    ) -> None:
        self.members = tuple(members)
        self.seed = seed
        self.stream = stream
        self.together = together
        self._lock = threading.Lock()
        self._samplers: list[Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what is rebuilt where it is needed."""
        return {
            "members": self.members,
            "seed": self.seed,
            "stream": self.stream,
            "together": self.together,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore, to be compiled again when first used."""
        self.__dict__.update(state, _lock=threading.Lock(), _samplers=None)

    @property
    def samplers(self) -> list[Any]:
        """One sampler a member, built once."""
        with self._lock:
            if self._samplers is None:
                self._samplers = [
                    experiments.kind_of(member.table).Sampler(member.table)
                    for member in self.members
                ]
            return self._samplers

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Members whose products are tallied, each with itself first."""
        if not self.together:
            return []
        return list(itertools.combinations_with_replacement(range(len(self.members)), 2))

    @property
    def key(self) -> str:
        """Names the tally: the draws, and what is measured of them.

        Points that differ only in their thresholds have the same draws, but tallies of their own.
        """
        wanted = [
            [getattr(member.table, name) for name in ("measure", "quantiles", "thresholds")]
            for member in self.members
        ]
        return f"{self.stream} {json.dumps(wanted)}"

    @property
    def block(self) -> int:
        """Trials in a block: what the most demanding member allows."""
        return min(int(sampler.block) for sampler in self.samplers)

    @property
    def _leaves_out(self) -> bool:
        """Whether trials of some member may have no value."""
        return any(getattr(sampler, "leaves_out", False) for sampler in self.samplers)

    @property
    def shape(self) -> tuple[int, int]:
        """Cells and histograms of the unit's tally."""
        cells = sum(sampler.cells for sampler in self.samplers)
        if self.together:
            whole = len(self.members) + len(self.pairs)
            cells += PAIR * len(self.pairs) if self._leaves_out else whole
        return cells, sum(sampler.histograms for sampler in self.samplers)

    def fresh(self) -> StoredUnit:
        """Return the unit with no trials yet."""
        return StoredUnit.fresh(self.key, self.block, self.shape)

    def run(self, blocks: Sequence[int], trials: int, keep: bool = False) -> BlockRun:
        """Sample blocks by number, ``trials`` each: fewer than a block only in a partial one.

        ``keep`` hands back the raw samples as well.
        """
        cells, histograms = self.shape
        filled = np.zeros((len(blocks), cells))
        digests = np.empty(len(blocks), np.uint64)
        bins = [np.zeros(kernel.HISTOGRAM_BINS, np.int64) for _ in range(histograms)]
        extremes = [np.array([np.inf, -np.inf, 0.0, 0.0]) for _ in range(histograms)]
        samples: list[list[dict[str, NDArray[Any]]]] = []
        for row, number in enumerate(blocks):
            kept: list[dict[str, NDArray[Any]]] | None = [] if keep else None
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
        samples: list[dict[str, NDArray[Any]]] | None,
    ) -> None:
        shared: dict[Any, Any] | None = {} if self.together else None
        values = []
        cell = histogram = 0
        for sampler in self.samplers:
            tally = (
                cells[cell : cell + sampler.cells],
                bins[histogram : histogram + sampler.histograms],
                extremes[histogram : histogram + sampler.histograms],
            )
            values.append(
                sampler.sample(self.seed, self.stream, first, trials, tally, shared, samples)
            )
            cell += sampler.cells
            histogram += sampler.histograms
        if self.together:
            self._multiply(values, cells[cell:])

    def _multiply(
        self, values: list[NDArray[np.float64] | None], cells: NDArray[np.float64]
    ) -> None:
        """Tally members' values, and products of each two; a pair needs trials that have both.

        A member's values are (T,), NaN where a trial has none; or (2, T), sums and how many values
        each is of.
        """
        if not self._leaves_out:
            products = len(self.members)
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
            table = self.members[place].table
            raise FastgcError(
                f"common_random_numbers: {table.measure[0]} of {table.name} is infinite or too "
                "large to average in some trials; sample it without"
            )

    def rows(self, tally: Tally) -> Iterator[tuple[Member, str, str, int | str | None, Estimate]]:
        """(member, quantity, statistic, index, estimate) of everything measured."""
        for member, rows in self._rows(tally):
            for row in rows:
                yield member, *row

    def firsts(self, tally: Tally) -> Iterator[Estimate]:
        """Means of every member's first measure, of each of its entries; nothing else is made."""
        for member, rows in self._rows(tally):
            for quantity, statistic, _, estimate in rows:
                if quantity != member.table.measure[0]:
                    break  # rows come in the order of measures
                if statistic == "mean":
                    yield estimate

    def _rows(self, tally: Tally) -> Iterator[tuple[Member, Iterator[Named]]]:
        """Each member with its rows, made one by one."""
        cell = histogram = 0
        for member, sampler in zip(self.members, self.samplers, strict=True):
            own = Part(tally.sums, cell, cell + sampler.cells)
            seen = tally.histograms[histogram : histogram + sampler.histograms]
            yield member, sampler.rows(tally.trials, own, seen)
            cell += sampler.cells
            histogram += sampler.histograms

    def compare(self, tally: Tally, a: int, b: int, how: str) -> Estimate:
        """Ratio or difference of the first measure's means of two members, on common trials."""
        if any(getattr(self.samplers[place], "conditional", False) for place in (a, b)):
            return self._compare_conditional(tally, a, b, how)
        trials, sums = self._of_pair(tally, a, b)
        estimate = (estimates.ratio if how == "ratio" else estimates.difference)(trials, sums)
        if estimate.value is not None:
            finite = min(getattr(self.samplers[place], "moments", math.inf) for place in (a, b))
            estimate = as_far_as_finite("mean", replace(estimate, trials=trials), finite)
            if how == "ratio":
                estimate = estimates.within(estimate)
        if trials < tally.trials:
            said = f"{tally.trials - trials} of the trials left out, in which one has no value"
            estimate = estimate.noting(said)
        remark = getattr(self.samplers[a], "remark", None)
        return estimate if remark is None else estimate.noting(remark)

    def _compare_conditional(self, tally: Tally, a: int, b: int, how: str) -> Estimate:
        """Ratio or difference of means that each member takes over its own values.

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
        """Cells of two members, i ≤ j, where trials may have no value."""
        pairs = self.pairs
        start = self.shape[0] - PAIR * (len(pairs) - pairs.index((i, j)))
        return [tally.sums.value(start + cell) for cell in range(PAIR)]

    def _of_pair(self, tally: Tally, a: int, b: int) -> tuple[int, PairSums]:
        """Trials that have values of both members, and Σa, Σa², Σb, Σb² and Σab over them."""
        pairs = self.pairs
        if self._leaves_out:
            count, i, ii, j, jj, ij = self._cells_of_pair(tally, min(a, b), max(a, b))
            return int(count), (i, ii, j, jj, ij) if a <= b else (j, jj, i, ii, ij)
        start = self.shape[0] - len(self.members) - len(pairs)
        totals = [tally.sums.value(start + i) for i in range(len(self.members))]
        products = start + len(self.members)

        def product(i: int, j: int) -> Fraction:
            return tally.sums.value(products + pairs.index((min(i, j), max(i, j))))

        return tally.trials, (totals[a], product(a, a), totals[b], product(b, b), product(a, b))


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
    """Fill the cells of two members from each one's sums a, b and their numbers c, d.

    Σcd, Σad, Σ(ad)², Σbc, Σ(bc)² and Σab; of a member with itself Σc, Σa and Σa² come first.
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


def _first_mean(rows: Iterator[Named]) -> Estimate:
    """Mean of the first measure, whose rows come first."""
    return next(estimate for _, statistic, _, estimate in rows if statistic == "mean")
