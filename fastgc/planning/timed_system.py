"""The completion times of one system: sampled, or their exact law; here, or where it is sent."""

from __future__ import annotations

import math
import pickle
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.draws.streams import WORD, Batch, block_trials
from fastgc.engine.payloads import Payload, restored
from fastgc.errors import FastgcError
from fastgc.experiments.completion.scenario import Scenario
from fastgc.latency.empirical import SampleTime
from fastgc.latency.time import Time
from fastgc.registry.cached import cached_property
from fastgc.study.design import DesignTable
from fastgc.systems.system import System
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.laws.evaluation import unhurried
from fastgc.systems.timing.laws.nature import law_key
from fastgc.systems.timing.structure import (
    Capped,
    Delayed,
    Flat,
    Layers,
    Own,
    Patient,
    Replicated,
    Ring,
    Structure,
    Summed,
    Tree,
)

Values = NDArray[np.float64]

#: Steps of a dynamic programme, about a nanosecond each, beyond which a system is sampled.
_MOST_STEPS = 4e9
#: Times at which the quadrature of a mean evaluates a distribution, about.
_POINTS = 600
#: Trials over which messages are counted where their number differs from trial to trial.
_COUNTED = 1024
#: Rows of a recording for each round of a period, at least.
_ROWS_A_PERIOD = 10
#: Systems that a process to which they are sent keeps ready.
_KEPT = 64


class Setting:
    """What all systems of a search have in common; it can be sent to other processes."""

    def __init__(self, table: DesignTable) -> None:
        self.table = table
        self._restored = lru_cache(_KEPT)(self._restore)

    def __reduce__(self) -> tuple[Any, ...]:
        """Everything but the systems that came to this process."""
        return Setting, (self.table,)

    def restored(self, pickled: bytes) -> Scenario:
        """Return the scenario of a system that another process has pickled."""
        return self._restored(pickled)

    def _restore(self, pickled: bytes) -> Scenario:
        return self.table.scenario(restored(pickled))


class TimedSystem:
    """One system on the workers of a design table; it can be sent to other processes.

    All systems see the same workers: their times in a trial are drawn from the same numbers. A
    FastgcError says if the system cannot be timed.
    """

    def __init__(self, setting: Payload[Setting], system: System) -> None:
        self._setting = setting
        self._scenario: Scenario | None = setting.content.table.scenario(system)
        self._scenario.settle()
        structure = self._scenario.structure
        if isinstance(structure, Summed):
            self._require_rows(structure.period)

    def __getstate__(self) -> dict[str, Any]:
        """The setting and the system, its rule settled; the rest is made where it is needed."""
        return {"_setting": self._setting, "_pickled": self._pickled}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the setting and the system; they are restored when they are asked for."""
        self._scenario = None
        self.__dict__.update(state)

    def _require_rows(self, period: int) -> None:
        """Refuse a period that is too long for a recording's rows."""
        rows = self._times_of_rows()
        if rows is not None and period > rows.shape[-1] // _ROWS_A_PERIOD:
            raise FastgcError(
                f"a period of {period} rounds is too long for this recording; "
                f"record {_ROWS_A_PERIOD * period} rows"
            )

    @cached_property
    def _pickled(self) -> bytes:
        return pickle.dumps(self.scenario.system)

    @property
    def scenario(self) -> Scenario:
        """The system, and the times of its workers."""
        if self._scenario is None:
            self._scenario = self._setting.content.restored(self._pickled)
        return self._scenario

    @property
    def table(self) -> DesignTable:
        """What is asked."""
        return self._setting.content.table

    # ---- by sampling

    @property
    def block(self) -> int:
        """Trials that are drawn together."""
        return block_trials(self.draws, 1)

    @property
    def draws(self) -> int:
        """Times that are drawn for a trial."""
        return self.scenario.n * self.scenario.tasks

    def times(self, first: int, groups: int) -> Values:
        """Return the completion times (64 · groups,) of trials from ``first`` on."""
        return self.scenario.evaluator.done(self._drawn(first, groups))

    def costs(self) -> tuple[float, float]:
        """Return what a round costs until the system is done: messages, and seconds of work.

        Messages are those that all ports receive; seconds are added up over all workers, each of
        which works until it has done what it was given, or the master is done. Both are means over
        the rows of a recording, or over some trials where they differ from trial to trial.
        """
        times = self._times_of_rows()
        if times is None:
            times = self._drawn(0, _COUNTED // WORD)
        done, messages, _ = self.scenario.evaluator.counted(times)
        constant = self.scenario.messages
        received = math.fsum(messages) / messages.size if constant is None else float(constant)
        worked = self.scenario.worked(times, done)
        return received, math.fsum(worked) / worked.size

    def _drawn(self, first: int, groups: int) -> Values:
        batch = Batch(self.table.seed, "design", first, groups, 1)
        drawn: Values = self.scenario.draws.times(batch)[0]
        return drawn

    # ---- exactly

    def exact(self) -> float | None:
        """Return the exact value of the goal; None where there is none, or it takes too long."""
        law = self._law()
        if law is None:
            return None
        level = self.table.level
        return law.mean() if level is None else float(law.quantile(level))

    @cached_property
    def steps(self) -> float:
        """Steps that one evaluation of the distribution function takes, about; infinite without."""
        times = self.scenario.times
        if times is None:
            return math.inf
        return _steps(self.scenario.structure, times, self.table.port.receive)

    @property
    def is_short(self) -> bool:
        """Whether the distribution function is quick enough to be integrated."""
        return self.steps <= _MOST_STEPS / _POINTS

    def _law(self) -> Time | None:
        scenario, port = self.scenario, self.table.port
        if scenario.rows is not None:  # of a trace's equally likely rows
            done = self.done_in_rows()
            return None if done is None else SampleTime(done)
        if scenario.times is None or not self.is_short:
            return None
        try:
            law = distribution(scenario.structure, scenario.times, port.receive, port.opens)
        except FastgcError:
            return None
        # quick to evaluate at all points where it may jump
        return law if law.breaks.size * self.steps <= _MOST_STEPS else None

    # ---- row by row

    def done_in_rows(
        self, more: float = 0.0, slower: tuple[int, float] | None = None
    ) -> Values | None:
        """Return when the system is done in each row of a recording, (rows,).

        None where times do not come from single rows alone. ``more`` seconds a unit of load are
        added to the recording's own rate; ``slower`` is a worker, and how many times as long it
        takes.
        """
        times = self._times_of_rows(more)
        if times is not None and slower is not None:
            times[slower[0]] *= slower[1]
        return None if times is None else self.scenario.evaluator.done(times)

    def late_in_rows(self) -> Values:
        """Return in what share of a recording's rows each worker is late, (n,)."""
        times, done = self._times_of_rows(), self.done_in_rows()
        assert times is not None and done is not None  # or it has no rows
        return np.asarray((times > done).mean(axis=-1))

    def _times_of_rows(self, more: float = 0.0) -> Values | None:
        if self.scenario.rows is None:
            return None
        try:
            return self.scenario.times_of_rows(more)
        except FastgcError:
            return None


def _steps(structure: Structure, times: list[Time], receive: float) -> float:
    if isinstance(structure, Own):
        return math.inf
    if isinstance(structure, Capped | Delayed | Summed):
        structure = unhurried(structure)
    classes: dict[object, int] = {}
    for time in times:
        classes[law_key(time)] = classes.get(law_key(time), 0) + 1
    n = structure.workers
    states = math.prod(count + 1.0 for count in classes.values()) if len(times) > 1 else n + 1.0
    if isinstance(structure, Layers):
        return states * n * len(structure.k) / 4
    if receive == 0 or isinstance(structure, Ring):
        return float(n * n)
    if isinstance(structure, Patient):
        return math.inf
    if isinstance(structure, Flat | Replicated):
        return states * n * structure.need / 4
    assert isinstance(structure, Tree)
    if len(times) > 1:
        return math.inf
    # a node is evaluated for every message that its parent still waits for
    need = max(structure.need)
    fan = float(max(structure.children[0][1:] - structure.children[0][:-1]))
    return fan * fan * need / 4 * need
