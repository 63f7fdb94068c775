"""Runs of descent, with the gradients that a code decodes or with those of selected workers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import Batch
from fastgc.experiments.table import rho_of
from fastgc.experiments.training.durations import Durations
from fastgc.experiments.training.table import TrainingTable, trials_of_block
from fastgc.experiments.training.weights import Weights
from fastgc.latency.draws import Draws
from fastgc.stragglers.deadline import Deadline
from fastgc.stragglers.drawing import drawing
from fastgc.training.coded import Descent
from fastgc.training.data.data import Data
from fastgc.training.partitions import bounds
from fastgc.training.selected import Selecting
from fastgc.training.selections import All, Selection

Values = NDArray[np.float64]


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
        curves = {"loss": found.loss} | self._fixed(batch.trials)
        if found.gradient_error is not None:
            curves["gradient_error"] = found.gradient_error
        if found.distance is not None:
            curves["distance"] = found.distance
        if "uploads" in self._wanted:
            curves["uploads"] = cumulative(workers.survivors.reshape(shape))
        if self._wanted & TIMED:
            rounds = durations.rounds(batch, workers, times, self._wanted)
            costs = {
                "time": rounds.seconds,
                "messages": rounds.messages,
                "worker_seconds": rounds.worked,
            }
            for name, each in costs.items():
                if name in self._wanted:
                    assert each is not None
                    curves[name] = cumulative(each)
        return curves

    def answering(self, batch: Batch) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which workers, and which columns of B, have an answer, each (L, n, T)."""
        times = self._durations.times(batch) if self._durations.decides else None
        workers = self._patterns(batch, times)
        columns = workers.shuffled(self._table.shuffle)
        return self._alive(workers), self._alive(columns)

    def _alive(self, patterns: Patterns) -> NDArray[np.bool_]:
        batch, planes = patterns.batch, np.ascontiguousarray(patterns.planes)
        bits = np.unpackbits(planes.view(np.uint8), bitorder="little", axis=-1)
        shape = self._n, batch.iterations, batch.trials
        return bits.reshape(shape).transpose(1, 0, 2).astype(bool)

    def _fixed(self, trials: int) -> dict[str, Values]:
        """Curves without randomness: every worker downloads and computes every time."""
        costs = {"downloads": float(self._n), "gradients": self._held}
        done = np.arange(self._table.iterations + 1.0)[:, np.newaxis]
        return {
            name: np.repeat(cost * done, trials, axis=1)
            for name, cost in costs.items()
            if name in self._wanted
        }

    def _patterns(self, batch: Batch, times: Values | None) -> Patterns:
        """Whose gradients are in: by the times, by the stragglers, else everybody's."""
        found = self._durations.survivors(batch, times)
        if found is not None:
            return found
        if self._stragglers is not None:
            return self._stragglers.draw(self._n, batch)
        everybody = np.full((self._n, batch.iterations * batch.groups), ~np.uint64(0))
        return Patterns(self._n, batch, planes=everybody)


def certain_of_code(table: TrainingTable, durations: Durations) -> frozenset[str]:
    """Curves without randomness."""
    found = {"downloads", "gradients"}
    if table.stragglers is None and not durations.decides:
        found |= {"loss", "gradient_error", "distance", "uploads"}
        if table.system is None:
            found.add("messages")
    if isinstance(table.stragglers, Deadline):
        found.add("time")
    return frozenset(found)


def cumulative(each: NDArray[np.float64] | NDArray[np.int64]) -> Values:
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
        curves = {
            "loss": runs.loss,
            "downloads": runs.downloads,
            "uploads": runs.uploads,
            "gradients": runs.gradients,
        }
        if runs.time is not None:
            curves["time"] = runs.time
        return {name: curve for name, curve in curves.items() if name in self._wanted}


def certain_of_selection(selection: Selection) -> frozenset[str]:
    """Curves without randomness."""
    found = {"downloads", "uploads", "gradients"}
    if (selection.batch is not None and selection.batch_order == "random") or selection.needs_times:
        return frozenset(found if isinstance(selection, All) else ())
    return frozenset(found | {"loss"})
