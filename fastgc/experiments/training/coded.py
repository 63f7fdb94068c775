"""Runs with coded gradients: patterns → weights of partitions → descent; and what it costs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import Batch
from fastgc.experiments.training.blocks import trials_of_block
from fastgc.experiments.training.durations import Durations
from fastgc.experiments.training.table import TrainingTable
from fastgc.experiments.training.weights import Weights
from fastgc.stragglers.deadline import Deadline
from fastgc.stragglers.drawing import drawing
from fastgc.training.coded import Descent
from fastgc.training.data.data import Data
from fastgc.training.partitions import bounds

Values = NDArray[np.float64]


class Coded:
    """Training with the gradients that decoding makes of the survivors' answers.

    Parameters
    ----------
    table : TrainingTable
    wanted : set of str
        Curves to be computed.
    code : Code
    data : Data
    durations : Durations
        What an iteration takes, where the time is wanted.

    Attributes
    ----------
    drawn : int
        Numbers that an iteration of a run draws.
    """

    def __init__(
        self, table: TrainingTable, wanted: set[str], code: Code, data: Data, durations: Durations
    ) -> None:
        self._table = table
        self._wanted = wanted
        self._n = code.n
        self._weights = Weights(code, table.decoder, table.rho)
        self._descent = Descent(table.problem, data, code.k, table.optimizer, table.iterations)
        sizes = np.diff(bounds(data.samples, code.k))
        self._held = float((sizes * np.diff(code.holders[0])).sum())
        self._durations = durations if "time" in wanted else None
        self.drawn: int = code.n
        if self._durations is not None:
            self._durations.prepare()
            self.drawn = max(code.n, self._durations.drawn)
        self._stragglers = None
        if table.stragglers is not None:
            block = trials_of_block(table, data, self.drawn)
            self._stragglers = drawing(table.stragglers, code, code.n, table.iterations, block)

    def curves(self, batch: Batch, *, common: bool) -> Mapping[str, Values]:
        """Curves (L + 1, T) of a batch's runs; ``gradient_error`` (L, T)."""
        workers = self._patterns(batch)
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
        if self._durations is not None:
            each = self._durations.each(batch, workers, common=common)
            curves["time"] = cumulative(each)
        return curves

    def answering(self, batch: Batch) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which workers, and which columns of B, have an answer, each (L, n, T)."""
        workers = self._patterns(batch)
        columns = workers.shuffled(self._table.shuffle)
        return self._alive(workers), self._alive(columns)

    def _alive(self, patterns: Patterns) -> NDArray[np.bool_]:
        batch, planes = patterns.batch, np.ascontiguousarray(patterns.planes)
        bits = np.unpackbits(planes.view(np.uint8), bitorder="little", axis=-1)
        shape = self._n, batch.iterations, batch.trials
        return bits.reshape(shape).transpose(1, 0, 2).astype(bool)

    def _fixed(self, trials: int) -> dict[str, Values]:
        """Curves that chance has no part in: everybody downloads and computes every time."""
        costs = {"downloads": float(self._n), "gradients": self._held}
        done = np.arange(self._table.iterations + 1.0)[:, np.newaxis]
        return {
            name: np.repeat(cost * done, trials, axis=1)
            for name, cost in costs.items()
            if name in self._wanted
        }

    def _patterns(self, batch: Batch) -> Patterns:
        """Who survives; everybody where there are no stragglers."""
        if self._stragglers is not None:
            return self._stragglers.draw(self._n, batch)
        everybody = np.full((self._n, batch.iterations * batch.groups), ~np.uint64(0))
        return Patterns(self._n, batch, planes=everybody)


def certain(table: TrainingTable) -> frozenset[str]:
    """Curves that chance has no part in."""
    found = {"downloads", "gradients"}
    if table.stragglers is None:
        found |= {"loss", "gradient_error", "distance", "uploads"}
    if isinstance(table.stragglers, Deadline):
        found.add("time")
    return frozenset(found)


def cumulative(each: NDArray[np.float64] | NDArray[np.int64]) -> Values:
    """Sums (L + 1, T) of what iterations (L, T) cost, from 0 on."""
    total = np.zeros((len(each) + 1, each.shape[1]))
    np.cumsum(each, axis=0, dtype=float, out=total[1:])
    return total
