"""Seconds that an iteration with coded gradients takes."""

import math

import numpy as np

from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import Batch
from fastgc.experiments.completion.scenario import Scenario
from fastgc.experiments.training.table import TrainingTable
from fastgc.latency import Law
from fastgc.latency.draws import Draws
from fastgc.latency.empirical import Empirical
from fastgc.registry.cached import cached_property
from fastgc.stragglers.deadline import Deadline
from fastgc.stragglers.trace import Trace
from fastgc.systems.timing.laws.nature import tail_index


class Durations:
    """The deadline; else the completion time of a system; else the last survivor's time.

    A worker's time is one for its own load, ``work`` times the share of the partitions that it
    holds. An iteration without survivors takes no time. ``code`` is None with a selection.
    """

    def __init__(self, table: TrainingTable, code: Code | None) -> None:
        self._table = table
        self.code = code

    @property
    def kind(self) -> str:
        """What an iteration's time is."""
        if self.deadline is not None:
            return "deadline"
        if self._table.system is not None:
            return "system"
        return "last survivor" if self._table.selection is None else "last selected"

    @cached_property
    def drawn(self) -> int:
        """Times that an iteration draws."""
        if self._table.latency is None or self.deadline is not None:
            return 0
        if self.scenario is not None:
            return self.scenario.n * self.scenario.tasks
        return self.workers

    @property
    def workers(self) -> int:
        """Workers of the selection, or of the code."""
        if self.code is not None:
            return self.code.n
        assert self._table.selection is not None
        return self._table.selection.workers

    @property
    def deadline(self) -> float | None:
        """What an iteration takes, where stragglers are those that miss a deadline."""
        stragglers = self._table.stragglers
        return stragglers.deadline if isinstance(stragglers, Deadline) else None

    @cached_property
    def scenario(self) -> Scenario | None:
        """The system's rounds, all of whose workers answer."""
        table = self._table
        if table.system is None:
            return None
        assert table.latency is not None  # or the study is refused
        return Scenario(table.system, table.latency, table.work, table.scaling, table.port)

    @cached_property
    def _draws(self) -> Draws:
        table, code = self._table, self.code
        assert code is not None and table.latency is not None
        loads = [table.work * load / code.k for load in code.loads.tolist()]
        return Draws(table.latency, code.n, loads, table.scaling)

    # ---- who answers

    @cached_property
    def decides(self) -> bool:
        """Whether the system's rounds decide whose gradients are in: those that it waits for."""
        scenario, code = self.scenario, self.code
        if scenario is None or code is None or scenario.n != code.n or code.n == 1:
            return False
        return scenario.structure.BY_WORKER and scenario.structure.leaves_out

    @cached_property
    def recorded(self) -> Draws | None:
        """What draws the rows that decide who straggles, where times are of the same rows."""
        table = self._table
        stragglers, laws = table.stragglers, table.latency
        if not isinstance(stragglers, Trace) or laws is None or len(laws) != 1:
            return None
        [law] = laws
        if not isinstance(law, Empirical) or law.trace.digest != stragglers.trace.digest:
            return None
        if law.order != stragglers.order or stragglers.order == "pooled":
            return None
        return Draws(laws, stragglers.trace.n)

    def survivors(self, batch: Batch, times: Values | None) -> Patterns | None:
        """Whose gradients are in, where the times decide it; None where they do not.

        ``times`` are those of the batch, as `times` gives them.
        """
        if self.recorded is not None:
            assert isinstance(self._table.stragglers, Trace)
            alive = self.recorded.times(batch) <= self._table.stragglers.limit
        elif self.decides:
            scenario = self.scenario
            assert scenario is not None and times is not None
            alive = np.array(
                [scenario.answered(own, scenario.evaluator.done(own)) for own in times]
            )
        else:
            return None
        words = np.packbits(alive, axis=-1, bitorder="little").view(np.uint64)
        n = alive.shape[1]
        planes = np.ascontiguousarray(words.swapaxes(0, 1)).reshape(n, -1)
        return Patterns(n, batch, planes=planes)

    @cached_property
    def finite_moments(self) -> float:
        """Tail index of an iteration's time: moments below it are finite."""
        table = self._table
        if self.deadline is not None or table.latency is None:
            return math.inf
        if self.scenario is not None:
            return self.scenario.finite_moments
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
        if self.deadline is None and self.scenario is not None:
            _ = self.scenario.fused, self.scenario.draws, self.scenario.evaluator
        elif self.deadline is None:
            _ = self._draws

    def times(self, batch: Batch) -> Values:
        """Draw every worker's time of a batch, (L, n, T), or (L, n, tasks, T) for several tasks."""
        return (self._draws if self.scenario is None else self.scenario.draws).times(batch)

    def needs_times(self, wanted: set[str], *, common: bool) -> bool:
        """Whether workers' times must be drawn for the curves ``wanted``.

        ``common`` draws every worker's time, the same for all systems that have the worker.
        """
        if self.decides or "worker_seconds" in wanted:
            return True
        if self.deadline is not None or not wanted & {"time", "messages"}:
            return False
        if self.scenario is None:
            return "time" in wanted
        return common or "messages" in wanted or self.scenario.fused is None

    def rounds(
        self, batch: Batch, workers: Patterns, times: Values | None, wanted: set[str]
    ) -> dict[str, Values]:
        """What every iteration costs by curve, (L, T), from the times that `needs_times` wants."""
        shape = batch.iterations, batch.trials
        if times is None:
            untimed = np.zeros(shape)
            if self.deadline is not None:
                untimed[:] = self.deadline
            elif self.scenario is not None and self.scenario.fused is not None:
                untimed[:] = self.scenario.fused(batch)
            received = workers.survivors.reshape(shape).astype(float)
            return {"time": untimed, "messages": received}
        seconds, messages, worked = (np.empty(shape) for _ in range(3))
        scenario, alive = self.scenario, workers.alive
        for iteration, own in enumerate(times):
            if scenario is None:
                np.max(own, axis=0, initial=0.0, where=alive[iteration], out=seconds[iteration])
                messages[iteration] = alive[iteration].sum(axis=0)
                worked[iteration] = np.minimum(own, seconds[iteration]).sum(axis=0)
                continue
            if "messages" in wanted:
                seconds[iteration], messages[iteration], _ = scenario.evaluator.counted(own)
            else:
                seconds[iteration] = scenario.evaluator.done(own)
            if "worker_seconds" in wanted:
                worked[iteration] = scenario.structure.worked(own, seconds[iteration])
        return {"time": seconds, "messages": messages, "worker_seconds": worked}
