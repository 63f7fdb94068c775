"""Rounds that go by those before: the master of a sequence, and what is predicted of its rounds.

Who was late, and what for, is kept by the kernel that simulates sequences.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.draws.streams import Batch
from fastgc.experiments.completion.scenario import Scenario
from fastgc.experiments.sequence.experiment import SequenceExperiment
from fastgc.experiments.sequence.table import SequenceTable
from fastgc.measuring.rule import Rule
from fastgc.systems.sequential import MSgc
from fastgc.systems.uncoded import Uncoded
from fastgc_kernels._jit import FALLBACKS
from fastgc_kernels.complete import sequences as kernel

Integers = NDArray[np.int64]


class Master:
    """What the master of one sequence knows before each of its rounds.

    ``round`` is the next one; ``done`` (jobs,) the rounds in which jobs were decoded, −1 for none.
    A job has ``kinds`` of tasks, for all workers each, and a worker does one in each of its
    ``slots`` in a round.
    """

    def __init__(self, table: SequenceTable, experiment: SequenceExperiment) -> None:
        self._system, self._jobs, self._n = table.system, table.jobs, experiment.n
        self._delay = table.delay
        self._code, self._how = experiment.code, (experiment.factor, experiment.then)
        self._kept = _asked(kernel.memory, self._n, self._code)
        self.round, self.done = 0, np.full(table.jobs, -1)
        self.kinds, self.slots = shape(table)
        self._again = _asked(kernel.begin, 0, self._code, self._kept)

    @property
    def is_free(self) -> bool:
        """Whether there is nothing to do in the round."""
        return bool(self._again < 0)

    def over(self, times: Values) -> float:
        """Return when the round is over whose answers come after ``times`` (n,).

        Infinite where it cannot be, with infinite ones for answers that have not come.
        """
        if self.is_free:
            return 0.0
        return float(_asked(kernel.last, times, self._again, self._code, *self._how, self._kept)[0])

    def end(self, late: Mask) -> None:
        """End the round with these workers late, and begin the next one."""
        before = self.round, self._again, late, int(late.sum())
        _asked(kernel.end, *before, self._code, self._kept, self.done)
        self.round += 1
        self._again = _asked(kernel.begin, self.round, self._code, self._kept)

    def tasks(self) -> Integers:
        """Return job · kinds + kind of what each worker does, (n, slots); −1 for nothing."""
        found = np.full((self._n, self.slots), -1)
        _, _, repeats, missing, _ = self._kept
        for slot in range(self.slots):
            job = np.full(self._n, self.round - slot)
            kind = np.zeros(self._n, np.int64)
            if isinstance(self._system, MSgc):
                own = self._system.window - 1
                left = missing[job[0] % self.slots] if slot else np.full(self._n, own)
                kind = np.where(left > 0, own - left, slot)
            elif self._again > 0:
                job -= np.where(repeats, self._delay, 0)
            known = (job >= 0) & (job < self._jobs) & (kind < self.kinds) & (not self.is_free)
            found[known, slot] = (job * self.kinds + kind)[known]
        return found


def _asked(function: Any, *arguments: Any) -> Any:
    """Ask a kernel as it is written: a round is too little for what compiling takes."""
    return FALLBACKS.run(function.py_func, arguments)


def shape(table: SequenceTable) -> tuple[int, int]:
    """Return how many kinds of tasks a job has, and how many tasks a worker does in a round.

    With M-SGC the first kinds are the workers' own chunks, the others coded groups.
    """
    system = table.system
    if not isinstance(system, MSgc):
        return 1, 1
    slots = system.window - 1 + system.burst
    return system.window - 1 if system.distinct == system.n else slots, slots


class SequenceRule(Rule):
    """When rounds of sequences are over; after ``period`` rounds a new sequence begins."""

    def __init__(self, table: SequenceTable) -> None:
        alike = Uncoded(n=table.system.workers(), load=table.system.share())
        super().__init__(alike)
        self.table, self.experiment = table, SequenceExperiment(table)
        self.system, self.period, self.has_law = table.system, table.rounds, True
        if table.latency is not None:
            self.real = self.simulated = Scenario(alike, table.latency, table.work, table.scaling)

    @property
    def remembers(self) -> bool:
        return self.table.latency is None or super().remembers

    def masters(self, used: Mask) -> Iterator[Master]:
        """Yield the master before each of the rounds that had these answers, (rounds, n)."""
        for number, came in enumerate(used):
            if number % self.period == 0:
                master = Master(self.table, self.experiment)
            yield master
            master.end(~came.astype(np.bool_))

    def decoded(self, used: Mask) -> Integers:
        """Return in which round of each sequence its jobs were decoded, (sequences, jobs).

        −1 of those that were not. ``used`` are the answers of rounds, (rounds, n).
        """
        found = [master.done for master in self.masters(used) if master.round == 0]
        return np.reshape(found, (-1, self.table.jobs))

    def used(self, arrived: Values, over: float) -> Mask:
        return np.isfinite(arrived) & (arrived <= over)

    def predicted(self, began: Values, own: Values, used: Mask) -> tuple[Values, Mask]:
        """Return when rounds are over, and with which answers, by the workers' own seconds.

        Each by who really was late in those before.
        """
        times = self._ready(began, own)
        pairs = zip(self.masters(used), times, strict=True)
        over = np.array([master.over(row) for master, row in pairs], float)
        return over, np.isfinite(times) & (times <= over[:, np.newaxis])

    def durations(self, times: Values) -> Values:
        """Return how long rounds (L, T) last, by the simulation, whose workers take ``times``."""
        found = np.empty((len(times), times.shape[2]))
        for first in range(0, len(times), self.period):
            own = times[first : first + self.period].transpose(2, 0, 1)
            found[first : first + self.period] = self.experiment.play(own.copy()).seconds
        return found

    def drawn(self, scenario: Scenario, batch: Batch, shares: Values | None = None) -> Values:
        """Return seconds that are drawn by the study, (L, n, T), a sequence after the other."""
        count = -(-batch.iterations // self.period)
        own = (
            Batch(batch.seed, batch.stream, place * batch.trials, batch.groups, self.period)
            for place in range(count)
        )
        found = np.concatenate([self.experiment.times(each) for each in own])
        return np.asarray(found[: batch.iterations])
