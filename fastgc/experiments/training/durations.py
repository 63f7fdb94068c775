"""Seconds that an iteration with coded gradients takes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import WORD, Batch
from fastgc.errors import FastgcError
from fastgc.experiments.completion.scenario import Scenario
from fastgc.experiments.training.table import TrainingTable
from fastgc.latency import Law
from fastgc.latency.draws import Draws
from fastgc.registry.cached import cached_property
from fastgc.stragglers.deadline import Deadline
from fastgc.systems.timing.laws.nature import tail_index
from fastgc.systems.uncoded import Uncoded

Values = NDArray[np.float64]


class Durations:
    """The deadline; else the completion time of a system; else the last survivor's time.

    A worker's time is one for its own load, ``work`` times the share of the partitions that it
    holds. An iteration that nobody survives takes no time.

    Parameters
    ----------
    table : TrainingTable
    code : Code or None
        None with a selection, which has workers itself.
    """

    def __init__(self, table: TrainingTable, code: Code | None) -> None:
        self._table = table
        self._code = code

    @property
    def kind(self) -> str:
        """What an iteration's time is."""
        if self._deadline is not None:
            return "deadline"
        if self._table.system is not None:
            return "system"
        return "last survivor" if self._table.selection is None else "last selected"

    @cached_property
    def drawn(self) -> int:
        """Times that an iteration draws."""
        if self._table.latency is None or self._deadline is not None:
            return 0
        if self._scenario is not None:
            return self._scenario.n * self._scenario.tasks
        return self._workers

    @property
    def _workers(self) -> int:
        """Workers of the selection, or of the code."""
        if self._code is not None:
            return self._code.n
        assert self._table.selection is not None
        return self._table.selection.workers

    @property
    def _deadline(self) -> float | None:
        stragglers = self._table.stragglers
        return stragglers.deadline if isinstance(stragglers, Deadline) else None

    @cached_property
    def _scenario(self) -> Scenario | None:
        """The system's rounds, all of whose workers answer."""
        table = self._table
        if table.system is None:
            return None
        assert table.latency is not None  # or the study is refused
        return Scenario(table.system, table.latency, table.work, table.scaling, table.port)

    @cached_property
    def _draws(self) -> Draws:
        """Times of the code's workers, each for its own load."""
        table, code = self._table, self._code
        assert code is not None and table.latency is not None
        loads = [table.work * load / code.k for load in code.loads.tolist()]
        return Draws(table.latency, code.n, loads, table.scaling)

    def misfits(self) -> list[tuple[str, str]]:
        """Return (key path, sentence) for what does not fit of the times that workers take."""
        table, code = self._table, self._code
        if table.latency is None or self._deadline is not None:
            return []
        if self._scenario is not None:
            return self._scenario.misfits()
        # of a code's workers each load is tried below
        kept = code is None or table.scaling == "recorded"
        scaling = table.scaling if kept else "server-dependent"
        alike = Uncoded(n=self._workers, load=1.0)
        misfits = Scenario(alike, table.latency, table.work, scaling, table.port).misfits()
        found = [(key if key == "latency" else "scaling", text) for key, text in misfits]
        if found or code is None:
            return found
        if table.shuffle != "none" and len(set(code.loads.tolist())) > 1:
            sentence = (
                "must be left out when columns are shuffled whose loads, and so times, differ"
            )
            return [("latency", sentence)]
        try:
            _ = self._draws
        except FastgcError as problem:
            return [("scaling", str(problem))]
        return []

    @cached_property
    def finite_moments(self) -> float:
        """Tail index of an iteration's time: moments below it are finite."""
        table = self._table
        if self._deadline is not None or table.latency is None:
            return math.inf
        if self._scenario is not None:
            return self._scenario.finite_moments
        tails = [
            tail_index(law.time(1.0)) if isinstance(law, Law) else math.inf for law in table.latency
        ]
        if table.selection is None:
            return min(tails)
        # of each group the fastest counts, and all groups are waited for at first
        each = np.resize(tails, table.selection.workers).reshape(-1, table.selection.holders)
        return float(each.sum(axis=1).min())

    def prepare(self) -> None:
        """Make what draws the times."""
        if self._deadline is None and self._scenario is not None:
            _ = self._scenario.fused, self._scenario.draws, self._scenario.evaluator
        elif self._deadline is None:
            _ = self._draws

    def each(self, batch: Batch, workers: Patterns, *, common: bool) -> Values:
        """Seconds (L, T) of every iteration.

        ``common`` draws every worker's time, the same for all systems that have the worker.
        """
        out = np.empty((batch.iterations, batch.trials))
        scenario = self._scenario
        if self._deadline is not None:
            out[:] = self._deadline
        elif scenario is not None and scenario.fused is not None and not common:
            out[:] = scenario.fused(batch)
        elif scenario is not None:
            for iteration, times in enumerate(scenario.draws.times(batch)):
                out[iteration] = scenario.evaluator.done(times)
        else:
            n = workers.n
            planes = workers.planes.reshape(n, batch.iterations, batch.groups)
            for iteration, times in enumerate(self._draws.times(batch)):
                words = np.ascontiguousarray(planes[:, iteration])
                alive = np.unpackbits(words.view(np.uint8), bitorder="little", axis=-1)
                alive = alive.reshape(n, batch.groups * WORD)
                np.max(times, axis=0, initial=0.0, where=alive.astype(bool), out=out[iteration])
        return out
