"""A unit of sampling: the points that are evaluated together, on one stream of trials.

Usually one point; with common random numbers all points of a study, whose products are tallied
too, so that ratios and differences know how their parts vary together.
"""

from __future__ import annotations

import hashlib
import json
import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc import experiments
from fastgc.engine.products import OfAllTrials, OfSomeTrials, Products
from fastgc.errors import FastgcError
from fastgc.experiments.layout import Layout
from fastgc.experiments.pooled import LARGEST, as_far_as_finite
from fastgc.results.stored import StoredUnit
from fastgc.statistics import estimates
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram, Part, Tally
from fastgc_kernels.tally import sums as kernel

Named = tuple[str, str, int | str | None, Estimate]


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

    @cached_property
    def _products(self) -> Products:
        """How members' values are multiplied, if they are."""
        members = len(self.members) if self.together else 0
        if any(getattr(sampler, "leaves_out", False) for sampler in self.samplers):
            return OfSomeTrials(members)
        return OfAllTrials(members)

    @cached_property
    def _cells(self) -> Layout[int | str]:
        """Which cells are each member's, and which are for products."""
        own: dict[int | str, int] = {i: sampler.cells for i, sampler in enumerate(self.samplers)}
        return Layout({**own, "products": self._products.cells})

    @cached_property
    def _histograms(self) -> Layout[int]:
        """Which histograms are each member's."""
        return Layout({i: sampler.histograms for i, sampler in enumerate(self.samplers)})

    @property
    def shape(self) -> tuple[int, int]:
        """Cells and histograms of the unit's tally."""
        return self._cells.size, self._histograms.size

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
        for place, sampler in enumerate(self.samplers):
            seen = self._histograms[place]
            tally = cells[self._cells[place]], bins[seen], extremes[seen]
            values.append(
                sampler.sample(self.seed, self.stream, first, trials, tally, shared, samples)
            )
        if self.together:
            self._multiply(values, cells[self._cells["products"]])

    def _multiply(
        self, values: list[NDArray[np.float64] | None], cells: NDArray[np.float64]
    ) -> None:
        """Tally members' values, and products of each two."""
        for place, value in enumerate(values):
            if value is not None:
                self._check_range(place, value)
        self._products.add(values, cells)

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
        for place, (member, sampler) in enumerate(zip(self.members, self.samplers, strict=True)):
            seen = tally.histograms[self._histograms[place]]
            yield member, sampler.rows(tally.trials, self._part(tally, place), seen)

    def _part(self, tally: Tally, name: int | str) -> Part:
        """Sums of a member's cells, or of the products'."""
        own = self._cells[name]
        return Part(tally.sums, own.start, own.stop)

    def compare(self, tally: Tally, a: int, b: int, how: str) -> Estimate:
        """Ratio or difference of the first measure's means of two members, on common trials."""
        if any(getattr(self.samplers[place], "conditional", False) for place in (a, b)):
            return self._compare_conditional(tally, a, b, how)
        products = self._part(tally, "products")
        trials, sums = self._products.of_pair(tally.trials, products, a, b)
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
        products, counts, averages = self._part(tally, "products"), [], []
        for place in (a, b):
            count, (total, *_) = self._products.of_pair(tally.trials, products, place, place)
            if not count:
                return Estimate(None, None, 0, note="never happened")
            counts.append(count)
            averages.append(total / count)
        both, (i, _, j, _, ij) = self._products.of_pair(tally.trials, products, a, b)
        together = ij - averages[1] * i - averages[0] * j + averages[0] * averages[1] * both
        found = estimates.compared(upper, lower, float(together / (counts[0] * counts[1])), how)
        return found.noting("each mean over its own decodable rounds")


def _first_mean(rows: Iterator[Named]) -> Estimate:
    """Mean of the first measure, whose rows come first."""
    return next(estimate for _, statistic, _, estimate in rows if statistic == "mean")
