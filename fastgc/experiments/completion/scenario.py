"""A completion experiment with everything settled that its parts make of each other."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property

import numpy as np

from fastgc.errors import FastgcError
from fastgc.experiments.completion.table import CompletionTable
from fastgc.latency import Law, listed
from fastgc.latency.draws import Draws
from fastgc.latency.time import Time
from fastgc.systems.system import System
from fastgc.systems.timing.evaluator import Evaluator
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.order_statistics import Draw, fused
from fastgc.systems.timing.structure import Flat, Layers, Replicated, Ring, Structure, Tree


class Scenario:
    """One point of a study: a system whose rule is settled, and the times of its workers.

    Parameters
    ----------
    table : CompletionTable
        The experiment with its sweep applied.

    Attributes
    ----------
    system : System
    structure : Structure
    load : float
        What a time of the latency law is for: ℓ = share · work.
    draws : Draws
        Draws the workers' times.
    """

    def __init__(self, table: CompletionTable) -> None:
        self._table = table
        self.n: int = table.system.workers()
        self.load: float = table.system.share() * table.work
        times = self.times
        common = times[0] if times is not None and len(times) == 1 else None
        self.system: System = table.system.for_time(common)
        self.structure: Structure = self.system.structure()
        tasks = 1
        if isinstance(self.structure, Layers) and self.structure.fresh:
            tasks = len(self.structure.k)
        self.tasks = tasks
        self.draws = Draws(table.latency, self.n, self.load, table.scaling, tasks)

    @cached_property
    def times(self) -> list[Time] | None:
        """Laws of the workers' times, one for all or one each; None where they are not known.

        They are not where workers depend on each other, a law is a user's that only draws, or
        sums of a law are only drawn.
        """
        table = self._table
        if self.rows is not None or not all(isinstance(law, Law) for law in table.latency):
            return None
        laws = listed.of_workers(table.latency, self.n)
        try:
            return [law.time(self.load, table.scaling) for law in laws]
        except FastgcError:
            return None

    @property
    def rows(self) -> str | None:
        """How rows of a recorded trace are taken, where they are: "rows" or "replay"."""
        found = listed.recorded(self._table.latency[0])
        return found[0].order if found and found[0].order in ("rows", "replay") else None

    @property
    def evaluator(self) -> Evaluator:
        """What turns workers' times into completion times."""
        return Evaluator(self.structure, self._table.port.receive, self._table.port.opens)

    @cached_property
    def fused(self) -> Draw | None:
        """What draws completion times without workers' times; None where those must be drawn."""
        common = self.draws.common
        if common is None:
            return None
        port = self._table.port
        return fused(self.structure, common, port.receive, port.opens)

    @property
    def may_fail(self) -> bool:
        """Whether some workers may never answer."""
        return self._table.stragglers is not None

    @cached_property
    def least(self) -> float:
        """A time that no round falls below: that with every worker as fast as can be."""
        if self.times is None:
            return 0.0
        fastest = np.array([float(time.quantile(0.0)) for time in self.times])
        times = np.broadcast_to(fastest[:, np.newaxis], (self.n, 1))
        if self.tasks > 1:
            times = np.broadcast_to(times[:, np.newaxis], (self.n, self.tasks, 1))
        evaluator = self.evaluator
        if isinstance(self.structure, Layers | Replicated):
            # there equal times are not the best: what nobody needs any more keeps the port busy
            evaluator = Evaluator(self.structure)
        return float(evaluator.done(np.ascontiguousarray(times))[0])

    @cached_property
    def finite_moments(self) -> float:
        """Tail index of the completion time: moments below it are finite."""
        if self.times is None:
            return math.inf
        structure = self.structure
        if isinstance(structure, Layers):  # a sum has the tail of its parts
            structure = replace(structure, fresh=False)
        answers = 0.5 if self.may_fail else 1.0
        return distribution(structure, self.times, answers=answers).tail_index

    @cached_property
    def messages(self) -> int | None:
        """Messages received until done, where that is always the same number."""
        structure = self.structure
        if isinstance(structure, Ring):
            return 2 * (self.n - 1) * self.n
        return structure.need if isinstance(structure, Flat) else None

    @cached_property
    def busy(self) -> float | None:
        """Seconds that the master's port receives until done, where that is always the same."""
        receive: float = self._table.port.receive
        if receive == 0:
            return 0.0
        if isinstance(self.structure, Ring):
            return 2 * (self.n - 1) * receive / self.n
        structure = self.structure
        if isinstance(structure, Flat):
            return receive * structure.need
        return receive * structure.need[0] if isinstance(structure, Tree) else None
