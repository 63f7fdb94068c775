"""A unit of sampling: the points that are evaluated together, on one stream of trials.

Usually one point; with common random numbers all points of a study, whose products are tallied
too, so that ratios and differences know how their parts vary together.
"""

import hashlib
import json
import pickle
import threading
import zlib
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.draws.streams import WORD, Trials
from fastgc.errors import FastgcError
from fastgc.experiments.accumulators import (
    LARGEST,
    AllBins,
    Cells,
    Extremes,
    Layout,
    Sums,
    as_far_as_finite,
)
from fastgc.experiments.experiment import Experiment, Samples, Shared
from fastgc.experiments.methods import Statistic
from fastgc.experiments.table import Point
from fastgc.registry.cached import cached_property
from fastgc.results.stored import StoredUnit
from fastgc.statistics import estimates
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import CellRange, Histogram, Tally
from fastgc.version import STREAM_VERSION, __version__
from fastgc_kernels._sources import source_digest
from fastgc_kernels.tally import sums as kernel

#: A block's part of a tally: cells (filled), bins and extremes of histograms (added to).
Filled = tuple[Cells, AllBins, Extremes]
#: Blocks whose sums are added up at once.
ROWS = 64


PairSums = tuple[Fraction, Fraction, Fraction, Fraction, Fraction]


class Products:
    """Sums over trials of members' values and of products of each two: Σa of each, then Σab.

    Every trial has a value of every member, (T,).
    """

    def __init__(self, members: int) -> None:
        self._pairs = list(combinations_with_replacement(range(members), 2))
        self._layout = self._laid_out(members)
        self.cells = self._layout.size

    def _laid_out(self, members: int) -> Layout[Hashable]:
        return Layout(dict.fromkeys([*range(members), *self._pairs], 1))

    def add(self, values: Sequence[Values | None], cells: Values) -> None:
        """Fill the cells for one block, from each member's values; None where it has none."""
        for member, value in enumerate(values):
            if value is not None:
                kernel.powers(value, cells[self._layout[member]])
        for i, j in self._pairs:
            a, b = values[i], values[j]
            if a is not None and b is not None:
                cells[self._layout[i, j]] = kernel.product(a, b)

    def pair_sums(self, trials: int, sums: Sums, a: int, b: int) -> tuple[int, PairSums]:
        """Trials that have values of both members, and Σa, Σa², Σb, Σb² and Σab over them."""

        def total(name: Hashable) -> Fraction:
            (found,) = sums[self._layout[name]]
            return found

        both = min(a, b), max(a, b)
        return trials, (total(a), total((a, a)), total(b), total((b, b)), total(both))


class PartialProducts(Products):
    """Trials may have no value of a member; sums are over those that have one of both.

    A member's values are (T,), NaN where a trial has none; or (2, T), sums and how many values each
    is of. For each two members, with values a of number c and b of number d, the cells are Σcd,
    Σad, Σ(ad)², Σbc, Σ(bc)² and Σab; of a member with itself Σc, Σa and Σa² come first.
    """

    def _laid_out(self, members: int) -> Layout[Hashable]:
        return Layout(dict.fromkeys(self._pairs, 6))

    def add(self, values: Sequence[Values | None], cells: Values) -> None:
        for i, j in self._pairs:
            one, other = values[i], values[j]
            if one is None or other is None:
                continue
            (a, c), (b, d) = _weighed(one), _weighed(other)
            if i == j:
                d = np.ones_like(d)
            out = cells[self._layout[i, j]]
            out[0] = kernel.product(c, d)
            for weighed, powers in zip((a * d, b * c), out[1:5].reshape(2, 2), strict=True):
                kernel.powers(weighed, powers)
            out[5] = kernel.product(a, b)

    def pair_sums(self, trials: int, sums: Sums, a: int, b: int) -> tuple[int, PairSums]:
        """Σcd, which is how many trials have both; and Σad, Σ(ad)², Σbc, Σ(bc)² and Σab."""
        count, i, ii, j, jj, ij = sums[self._layout[min(a, b), max(a, b)]]
        return int(count), (i, ii, j, jj, ij) if a <= b else (j, jj, i, ii, ij)


def _weighed(values: Values) -> tuple[Values, Values]:
    if values.ndim == 2:
        return values[0], values[1]
    there = ~np.isnan(values)
    return np.where(there, values, 0.0), there.astype(float)


#: Units' points that a process keeps: it is sent the same few over and over.
KEPT = 32


@cache
def build_fingerprint() -> str:
    """Return a fingerprint of everything that affects results; workers must have the same."""
    return f"fastgc {__version__}, stream version {STREAM_VERSION}, kernels {source_digest()}"


_restoring = threading.Lock()


@lru_cache(KEPT)
def restored(packed: bytes) -> Any:
    """Restore what another process has packed: once, with whichever tasks it is sent.

    Raises FastgcError if it has a plug-in that is not here.
    """
    try:
        return pickle.loads(zlib.decompress(packed))
    except (AttributeError, ImportError) as problem:
        raise FastgcError(
            f"executor: a worker lacks a plug-in ({problem}); put it into a module that workers "
            "can import"
        ) from None


@dataclass
class BlockRun:
    """What blocks amount to: their tally, and a digest of each one's sums.

    ``samples`` are raw samples by block and point; empty unless kept.
    """

    tally: Tally
    digests: NDArray[np.uint64]
    samples: list[list[Samples]]
    seconds: float = 0.0  #: That they took, where that was measured.


class Unit:
    """Points that share trials; can be sent to other processes.

    ``seed``: the study's seed; ``stream``: names the stream of random numbers; ``together``:
    whether each trial's values are multiplied across points.
    """

    def __init__(
        self, points: Sequence[Point], seed: int, stream: str, *, together: bool = False
    ) -> None:
        self._points: tuple[Point, ...] | None = tuple(points)
        self.seed, self.stream, self.together = seed, stream, together
        self._fingerprint = build_fingerprint()

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what is made where it is needed; the points as bytes, packed once."""
        kept = {key: self.__dict__[key] for key in ("seed", "stream", "together", "_fingerprint")}
        return kept | {"_points": None, "_packed": self._packed}

    @cached_property
    def _packed(self) -> bytes:
        return zlib.compress(pickle.dumps(self.points), 1)

    @property
    def points(self) -> tuple[Point, ...]:
        """The points; those that came to this process before, with another task, are compiled.

        Raises FastgcError if another fastgc has sent them, or they have a plug-in that is not here.
        """
        if self._points is None:
            if self._fingerprint != build_fingerprint():
                raise FastgcError(
                    f"executor: a worker has {build_fingerprint()}, and was sent "
                    f"{self._fingerprint}; install the same one everywhere"
                )
            with _restoring:
                self._points = restored(self._packed)
        assert self._points is not None
        return self._points

    @property
    def compiled(self) -> list[Experiment[Any]]:
        """What answers questions about each point."""
        return [point.compiled for point in self.points]

    @property
    def key(self) -> str:
        """Names the tally: the draws, and what is measured of them.

        Points that differ only in their thresholds have the same draws, but tallies of their own.
        """
        wanted = [point.table.wanted for point in self.points]
        return f"{self.stream} {json.dumps(wanted)}"

    @property
    def block(self) -> int:
        """Trials in a block: what the most demanding point allows."""
        return min(experiment.block for experiment in self.compiled)

    @cached_property
    def _products(self) -> Products:
        leaves_out = any(experiment.leaves_out for experiment in self.compiled)
        return (PartialProducts if leaves_out else Products)(len(self.points) * self.together)

    @cached_property
    def _cells(self) -> Layout[int | str]:
        own: dict[int | str, int] = {i: each.measures.cells for i, each in enumerate(self.compiled)}
        return Layout({**own, "products": self._products.cells})

    @cached_property
    def _histograms(self) -> Layout[int]:
        return Layout({i: each.measures.histograms for i, each in enumerate(self.compiled)})

    @property
    def shape(self) -> tuple[int, int]:
        """Cells and histograms of the unit's tally."""
        return self._cells.size, self._histograms.size

    def fresh(self) -> StoredUnit:
        """Return the unit with no trials yet."""
        return StoredUnit.fresh(self.key, self.block, self.shape)

    def among(self, known: Mapping[str, StoredUnit]) -> StoredUnit:
        """Return the unit as a file has it; with no trials yet where the file has none.

        Raises FastgcError if the file's tally of it is of another form.
        """
        found = known.get(self.key) or self.fresh()
        if found.tally.shape != self.shape:
            raise FastgcError("the file's study and its tallies do not fit; sample it again")
        return found

    def run(self, blocks: Sequence[int], trials: int, keep: bool = False) -> BlockRun:
        """Sample blocks by number, ``trials`` each: fewer than a block only in a partial one.

        ``keep`` hands back the raw samples as well.
        """
        for experiment in self.compiled:
            experiment.prepare()
        cells, histograms = self.shape
        tally = Tally.empty(cells, histograms)
        digests = np.empty(len(blocks), np.uint64)
        bins = [np.zeros(kernel.HISTOGRAM_BINS, np.int64) for _ in range(histograms)]
        extremes = [np.array([np.inf, -np.inf, 0.0, 0.0]) for _ in range(histograms)]
        samples: list[list[Samples]] = []
        for start in range(0, len(blocks), ROWS):
            some = blocks[start : start + ROWS]
            filled = np.zeros((len(some), cells))
            if keep or self.together:
                for row, number in zip(filled, some, strict=True):
                    kept: list[Samples] | None = [] if keep else None
                    self._block(number, trials, (row, bins, extremes), kept)
                    if kept is not None:
                        samples.append(kept)
            else:  # they share nothing, and nothing is kept of them
                for place, experiment in enumerate(self.compiled):
                    batches = [self._batch(experiment, number, trials) for number in some]
                    found = experiment.evaluate_several(batches, trials)
                    seen, own = self._histograms[place], filled[:, self._cells[place]]
                    for block, row in zip(found, own, strict=True):
                        experiment.measures.add(block, (row, bins[seen], extremes[seen]))
            for place, row in enumerate(filled):
                digest = hashlib.blake2b(row.tobytes(), digest_size=8).digest()
                digests[start + place] = int.from_bytes(digest, "little")
            tally.sums.add(filled)
        tally.trials = trials * len(blocks)
        tally.histograms = []
        for counts, (low, high, not_finite, too_large) in zip(bins, extremes, strict=True):
            places = np.flatnonzero(counts != 0)  # of booleans it is many times as fast
            seen_in = dict(zip(places.tolist(), counts[places].tolist(), strict=True))
            ends = float(low), float(high)
            tally.histograms.append(Histogram(seen_in, *ends, int(not_finite), int(too_large)))
        return BlockRun(tally, digests, samples)

    def _batch(self, experiment: Experiment[Any], number: int, trials: int) -> Trials:
        first, groups = number * self.block, -(-trials // WORD)
        return Trials(self.seed, self.stream, first, groups, experiment.iterations)

    def _block(self, number: int, trials: int, tally: Filled, kept: list[Samples] | None) -> None:
        cells, bins, extremes = tally
        shared: Shared | None = {} if self.together else None
        values = []
        for place, experiment in enumerate(self.compiled):
            batch = self._batch(experiment, number, trials)
            block = experiment.evaluate(batch, trials, shared, keep=kept is not None)
            if kept is not None:
                kept.append(experiment.samples(block))
            seen = self._histograms[place]
            own = cells[self._cells[place]], bins[seen], extremes[seen]
            experiment.measures.add(block, own)
            if self.together:
                values.append(experiment.firsts(block))
        if not self.together:
            return
        for point, value in zip(self.points, values, strict=True):
            if value is None or np.fmax.reduce(value, axis=None) < LARGEST:
                continue
            if not np.isnan(value).all():  # NaN stands for no value
                raise FastgcError(
                    f"common_random_numbers: {point.table.measure[0]} of {point.table.name} is "
                    "infinite or too large to average in some trials; sample it without"
                )
        self._products.add(values, cells[self._cells["products"]])

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

    def _rows(self, tally: Tally) -> Iterator[tuple[Point, Iterator[Statistic]]]:
        for place, point in enumerate(self.points):
            seen = tally.histograms[self._histograms[place]]
            yield point, point.compiled.rows(tally.trials, self._part(tally, place), seen)

    def _part(self, tally: Tally, name: int | str) -> CellRange:
        own = self._cells[name]
        return CellRange(tally.sums, own.start, own.stop)

    def compare(self, tally: Tally, a: int, b: int, how: str) -> Estimate:
        """Ratio or difference of the first measure's means of two points, on common trials."""
        pair = [self.points[place].compiled for place in (a, b)]
        if any(experiment.firsts(experiment.reference) is None for experiment in pair):
            said = f"{self.points[a].table.measure[0]} has no number that one trial alone gives"
            return Estimate(None, None, 0, note=said)
        if any(experiment.conditional for experiment in pair):
            return self._compare_conditional(tally, a, b, how)
        products = self._part(tally, "products")
        trials, sums = self._products.pair_sums(tally.trials, products, a, b)
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
        # means that each point takes over its own values: Σ (a − m c)(b − m' c'), with c the number
        # of a trial's values that a is the sum of, and m the mean, says how they vary together
        of_points = [rows for _, rows in self._rows(tally)]
        upper, lower = (
            next(estimate for _, statistic, _, estimate in of_points[place] if statistic == "mean")
            for place in (a, b)
        )
        products, counts, averages = self._part(tally, "products"), [], []
        for place in (a, b):
            count, (total, *_) = self._products.pair_sums(tally.trials, products, place, place)
            if not count:
                return Estimate(None, None, 0, note="never happened")
            counts.append(count)
            averages.append(total / count)
        both, (i, _, j, _, ij) = self._products.pair_sums(tally.trials, products, a, b)
        together = ij - averages[1] * i - averages[0] * j + averages[0] * averages[1] * both
        found = estimates.compared(upper, lower, float(together / (counts[0] * counts[1])), how)
        return found.noting("each mean over its own decodable rounds")
