"""Seconds that an iteration with coded gradients takes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import WORD, Batch
from fastgc.errors import FastgcError
from fastgc.experiments.completion.scenario import Scenario
from fastgc.experiments.completion.table import CompletionTable
from fastgc.latency import Law
from fastgc.latency.draws import Draws
from fastgc.stragglers.deadline import Deadline
from fastgc.systems.system import System
from fastgc.systems.timing.laws.nature import tail_index
from fastgc.systems.uncoded import Uncoded

if TYPE_CHECKING:
    from fastgc.experiments.training.table import TrainingTable

Values = NDArray[np.float64]


class Durations:
    """The deadline; else the completion time of a system; else the last survivor's time.

    A worker's time is one for its own load, ``work`` times the share of the partitions that it
    holds. An iteration that nobody survives takes no time.

    Parameters
    ----------
    table : TrainingTable

    Attributes
    ----------
    drawn : int
        Times that an iteration draws.

    Raises
    ------
    FastgcError
        If the law cannot give times for the workers' loads.
    """

    def __init__(self, table: TrainingTable) -> None:
        self._deadline = None
        self._fused = None
        self._scenario = None
        if isinstance(table.stragglers, Deadline):
            self.drawn = 0
            self._deadline = table.stragglers.deadline
        elif table.system is not None:
            self._scenario = scenario = _scenario(table)
            self._fused = scenario.fused
            self.drawn = scenario.n * scenario.tasks
        else:
            self._draws = _of_workers(table)
            self.drawn = self._draws.n

    def each(self, batch: Batch, workers: Patterns, *, common: bool) -> Values:
        """Seconds (L, T) of every iteration.

        ``common`` draws every worker's time, the same for all systems that have the worker.
        """
        out = np.empty((batch.iterations, batch.trials))
        if self._deadline is not None:
            out[:] = self._deadline
        elif self._fused is not None and not common:
            out[:] = self._fused(batch)
        elif self._scenario is not None:
            evaluator = self._scenario.evaluator
            for iteration, times in enumerate(self._scenario.draws.times(batch)):
                out[iteration] = evaluator.done(times)
        else:
            n = workers.n
            planes = workers.planes.reshape(n, batch.iterations, batch.groups)
            for iteration, times in enumerate(self._draws.times(batch)):
                words = np.ascontiguousarray(planes[:, iteration])
                alive = np.unpackbits(words.view(np.uint8), bitorder="little", axis=-1)
                alive = alive.reshape(n, batch.groups * WORD)
                np.max(times, axis=0, initial=0.0, where=alive.astype(bool), out=out[iteration])
        return out


def kind(table: TrainingTable) -> str:
    """What an iteration's time is."""
    if isinstance(table.stragglers, Deadline):
        return "deadline"
    if table.system is not None:
        return "system"
    return "last survivor" if table.selection is None else "last selected"


def drawn(table: TrainingTable) -> int:
    """Times that are drawn in an iteration."""
    if table.latency is None or isinstance(table.stragglers, Deadline):
        return 0
    if table.selection is not None:
        return int(table.selection.workers)
    if table.system is None:
        return int(table.code.build().n)
    scenario = _scenario(table)
    return scenario.n * scenario.tasks


def misfits(table: TrainingTable) -> list[tuple[str, str]]:
    """Return (key path, sentence) for what does not fit of the times that workers take."""
    if table.latency is None or isinstance(table.stragglers, Deadline):
        return []
    if table.system is not None:
        return _completion(table, table.system).misfits()
    alike = _completion(table, Uncoded(n=drawn(table), load=1.0))
    if table.selection is None:  # each load is tried below
        alike = alike.model_copy(update={"scaling": "server-dependent"})
    found = [(key if key == "latency" else "scaling", text) for key, text in alike.misfits()]
    if found or table.selection is not None:
        return found
    code = table.code.build()
    if table.shuffle != "none" and len(set(code.loads.tolist())) > 1:
        sentence = "must be left out when columns are shuffled whose loads, and so times, differ"
        return [("latency", sentence)]
    try:
        _of_workers(table)
    except FastgcError as problem:
        return [("scaling", str(problem))]
    return []


def _of_workers(table: TrainingTable) -> Draws:
    """Times of the code's workers, each for its own load."""
    code = table.code.build()
    loads = [table.work * load / code.k for load in code.loads.tolist()]
    return Draws(table.latency, code.n, loads, table.scaling)


def finite_moments(table: TrainingTable) -> float:
    """Tail index of an iteration's time: moments below it are finite."""
    if isinstance(table.stragglers, Deadline) or table.latency is None:
        return math.inf
    if table.system is not None:
        return _scenario(table).finite_moments
    tails = [
        tail_index(law.time(1.0)) if isinstance(law, Law) else math.inf for law in table.latency
    ]
    if table.selection is None:
        return min(tails)
    # of each group the fastest counts, and all groups are waited for at first
    each = np.resize(tails, table.selection.workers).reshape(-1, table.selection.holders)
    return float(each.sum(axis=1).min())


def _scenario(table: TrainingTable) -> Scenario:
    """The system's rounds, all of whose workers answer."""
    return Scenario(_completion(table, table.system))


def _completion(table: TrainingTable, system: System) -> CompletionTable:
    own = ("work", "latency", "scaling", "port", "iterations")
    keys = {key: getattr(table, key) for key in own}
    return CompletionTable.model_construct(system=system, **keys)
