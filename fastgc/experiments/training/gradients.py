"""Runs of descent, with the gradients that a code decodes or with those of selected workers."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code
from fastgc.codes.structure import CycleGaps, Groups, Structure
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.rule import DecodingRule
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import Batch
from fastgc.experiments.table import rho_of
from fastgc.experiments.training.durations import Durations
from fastgc.experiments.training.table import TrainingTable, trials_of_block
from fastgc.latency.draws import Draws
from fastgc.stragglers.deadline import Deadline
from fastgc.stragglers.stragglers import drawing
from fastgc.training.coded import Descent
from fastgc.training.data import Data, bounds
from fastgc.training.selected import Selecting
from fastgc.training.selections import All, Selection
from fastgc_kernels.decode import circulants

#: Curves of what rounds cost.
TIMED = frozenset({"time", "messages", "worker_seconds"})


class Coded:
    """Training with the gradients that decoding makes of the survivors' answers.

    An iteration of a run draws ``drawn`` numbers; ``wanted`` names the curves to be computed.
    """

    def __init__(
        self, table: TrainingTable, wanted: set[str], code: Code, data: Data, durations: Durations
    ) -> None:
        self._table = table
        self._wanted = wanted
        self._n = code.n
        self._weights = Weights(code, table.decoder, rho_of(table, code))
        self._descent = Descent(table.problem, data, code.k, table.optimizer, table.iterations)
        sizes = np.diff(bounds(data.samples, code.k))
        self._held = float((sizes * np.diff(code.holders[0])).sum())
        self._durations = durations
        self._decides = durations.decides or durations.recorded is not None
        self.drawn: int = code.n
        if self._decides or wanted & TIMED:
            durations.prepare()
            self.drawn = max(code.n, durations.drawn)
        self._stragglers = None
        if table.stragglers is not None and not self._decides:
            block = trials_of_block(table, data, self.drawn)
            self._stragglers = drawing(table.stragglers, code, code.n, table.iterations, block)

    def curves(self, batch: Batch, *, common: bool) -> Mapping[str, Values]:
        """Curves (L + 1, T) of a batch's runs; ``gradient_error`` (L, T)."""
        durations = self._durations
        needed = durations.needs_times(self._wanted, common=common)
        times = durations.times(batch) if needed else None
        workers = self._patterns(batch, times)
        shape = batch.iterations, batch.trials
        weights, index = self._weights.rows(workers.shuffled(self._table.shuffle))
        found = self._descent.run(weights, index.reshape(shape), self._wanted)
        # every worker downloads and computes every time
        costs = {"downloads": float(self._n), "gradients": self._held}
        done = np.arange(self._table.iterations + 1.0)[:, np.newaxis]
        curves = {"loss": found.loss} | {
            name: np.repeat(cost * done, batch.trials, axis=1)
            for name, cost in costs.items()
            if name in self._wanted
        }
        if "gradient_error" in self._wanted:
            assert found.gradient_error is not None
            curves["gradient_error"] = found.gradient_error
        if found.distance is not None:
            curves["distance"] = found.distance
        if "uploads" in self._wanted:
            curves["uploads"] = cumulative(workers.survivors.reshape(shape))
        if self._wanted & TIMED:
            rounds = durations.rounds(batch, workers, times, self._wanted)
            curves |= {name: cumulative(rounds[name]) for name in rounds if name in self._wanted}
        return curves

    def answering(self, batch: Batch) -> tuple[Mask, Mask]:
        """Which workers, and which columns of B, have an answer, each (L, n, T)."""
        times = self._durations.times(batch) if self._durations.decides else None
        workers = self._patterns(batch, times)
        return workers.alive, workers.shuffled(self._table.shuffle).alive

    def _patterns(self, batch: Batch, times: Values | None) -> Patterns:
        found = self._durations.survivors(batch, times)
        if found is not None:
            return found
        if self._stragglers is not None:
            return self._stragglers.draw(self._n, batch)
        everyone = np.full((self._n, batch.iterations * batch.groups), ~np.uint64(0))
        return Patterns(self._n, batch, planes=everyone)


def certain(table: TrainingTable, durations: Durations) -> frozenset[str]:
    """Curves without randomness."""
    selection = table.selection
    if selection is not None:
        found = {"downloads", "uploads", "gradients"}
        is_random = selection.batch is not None and selection.batch_order == "random"
        if is_random or selection.needs_times:
            return frozenset(found if isinstance(selection, All) else ())
        return frozenset(found | {"loss"})
    found = {"downloads", "gradients"}
    if table.stragglers is None and not durations.decides:
        found |= {"loss", "gradient_error", "distance", "uploads"}
        if table.system is None:
            found.add("messages")
    if isinstance(table.stragglers, Deadline):
        found.add("time")
    return frozenset(found)


def cumulative(each: Values | NDArray[np.int64]) -> Values:
    """Sums (L + 1, T) of what iterations (L, T) cost, from 0 on."""
    total = np.zeros((len(each) + 1, each.shape[1]))
    np.cumsum(each, axis=0, dtype=float, out=total[1:])
    return total


class Selected:
    """Training in which only some workers, or groups of them, compute a gradient; see `Coded`."""

    def __init__(
        self, table: TrainingTable, selection: Selection, wanted: set[str], data: Data
    ) -> None:
        self._wanted = wanted
        self.drawn = selection.workers
        self._training = Selecting(
            table.problem, data, table.optimizer, selection, table.iterations
        )
        self._draws = None
        if "time" in wanted or selection.needs_times:
            assert table.latency is not None  # or the study is refused
            self._draws = Draws(table.latency, self.drawn, table.work, table.scaling)

    def curves(self, batch: Batch, *, common: bool) -> Mapping[str, Values]:
        """Curves (L + 1, T) of a batch's runs."""
        times = None if self._draws is None else self._draws.times(batch)
        runs = self._training.run(times, batch)
        names = ("loss", "downloads", "uploads", "gradients", "time")
        curves = {name: getattr(runs, name) for name in names if name in self._wanted}
        return {name: curve for name, curve in curves.items() if curve is not None}


Words = NDArray[np.uint64]
Index = NDArray[np.int64]

#: Up to so many workers, or groups of them, the weights of all patterns are tabulated once.
TABULATED = 14


class Weights:
    """Weights w = B x of the partitions under the decoding vector x of a pattern.

    Where optimal decoding knows a code's structure, weights follow from it; elsewhere each distinct
    pattern of a batch is decoded once.
    """

    def __init__(
        self, code: Code, decoder: str | DecodingRule = "optimal", rho: float | None = None
    ) -> None:
        self._code = code
        self._decoder = Decoder(code, decoder=decoder, rho=rho)
        self._structure: Structure | None = code.structure if decoder == "optimal" else None
        self._table: Values | None = None
        if self._bits <= TABULATED:
            self._table = self._decoded(np.arange(1 << self._bits, dtype=np.uint64).reshape(-1, 1))

    def rows(self, columns: Patterns) -> tuple[Values, Index]:
        """Weights (m, k), and the row of them that each pattern decodes with, iteration-major."""
        if isinstance(self._structure, Groups):
            planes = np.zeros((self._bits, columns.planes.shape[1]), np.uint64)
            for worker, group in enumerate(self._structure.labels):
                if group >= 0:
                    planes[group] |= columns.planes[worker]
            columns = Patterns(self._bits, columns.batch, planes=planes)
        packed = columns.packed
        if self._table is not None:
            return self._table, packed[:, 0].astype(np.int64)
        if isinstance(self._structure, CycleGaps):
            return self._decoded(packed), np.arange(len(packed))
        if packed.shape[1] > 1:
            distinct, index = np.unique(packed, axis=0, return_inverse=True)
            return self._decoded(distinct), index.reshape(-1)
        distinct = np.unique(packed)  # two sorts are faster than one that remembers places
        return self._decoded(distinct.reshape(-1, 1)), np.searchsorted(distinct, packed[:, 0])

    @property
    def _bits(self) -> int:
        if isinstance(self._structure, Groups):
            return max(1, len(self._structure.weights))
        return self._code.n

    def _decoded(self, packed: Words) -> Values:
        code = self._code
        if isinstance(self._structure, Groups):
            bits = np.unpackbits(packed.view(np.uint8), axis=1, bitorder="little")
            weights = np.zeros((len(packed), code.k))
            for worker, group in enumerate(self._structure.labels):
                if group >= 0:
                    weights[:, code.columns[worker][0]] = bits[:, group, np.newaxis]
            return weights
        if isinstance(self._structure, CycleGaps):
            weights = np.empty((len(packed), code.k))
            circulants.gap_weights(packed, code.n, weights)
            return weights
        vectors = self._decoder.vectors(packed)
        weights = np.zeros((len(packed), code.k))
        for worker in range(code.n):  # in one order, on every machine
            places, values = code.columns[worker]
            weights[:, places] += vectors[:, worker, np.newaxis] * values
        return weights
