"""The completion times of one system: sampled, or their exact law; here, or where it is sent."""

import math
import pickle
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from fastgc.arrays import Values
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
from fastgc.systems.timing.laws.nature import law_key

#: Steps of a dynamic programme, about a nanosecond each, beyond which a system is sampled.
_MOST_STEPS = 4e9
#: Times at which the quadrature of a mean evaluates a distribution, about.
_POINTS = 600
#: Trials over which messages are counted where their number differs from trial to trial.
_COUNTED = 1024
#: Rounds of a trial of a law where late workers finish, by default.
_ROUNDS = 100
#: Rows of a recording for each round of a period, at least.
_ROWS_A_PERIOD = 10
#: Systems that a process to which they are sent keeps ready.
_KEPT = 64


class Setting:
    """What all systems of a search have in common; it can be sent to other processes."""

    def __init__(self, table: DesignTable) -> None:
        self.table = table
        #: Return the scenario of a system that another process has pickled.
        self.restored = lru_cache(_KEPT)(lambda pickled: table.scenario(restored(pickled)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Everything but the systems that came to this process."""
        return Setting, (self.table,)


class TimedSystem:
    """One system on the workers of a design table; it can be sent to other processes.

    All systems see the same workers: their times in a trial are drawn from the same numbers. A
    FastgcError says if the system cannot be timed.
    """

    def __init__(self, setting: Payload[Setting], system: System) -> None:
        self.setting = setting
        self._scenario: Scenario | None = setting.content.table.scenario(system)
        self._scenario.settle()
        rows, period = None, self._scenario.tasks
        if self._scenario.structure.OF_ROUNDS:
            rows = self._done_in_rows
        if rows is not None and period > rows.size // _ROWS_A_PERIOD:
            raise FastgcError(
                f"a period of {period} rounds is too long for this recording; "
                f"record {_ROWS_A_PERIOD * period} rows"
            )

    def __getstate__(self) -> dict[str, Any]:
        """The setting and the system, its rule settled; the rest is made where it is needed."""
        return {"setting": self.setting, "_pickled": self._pickled}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the setting and the system; they are restored when they are asked for."""
        self._scenario = None
        self.__dict__.update(state)

    @cached_property
    def _pickled(self) -> bytes:
        return pickle.dumps(self.scenario.system)

    @property
    def scenario(self) -> Scenario:
        """The system, and the times of its workers."""
        if self._scenario is None:
            self._scenario = self.setting.content.restored(self._pickled)
        return self._scenario

    @property
    def table(self) -> DesignTable:
        """What is asked."""
        return self.setting.content.table

    # ---- by sampling

    @property
    def block(self) -> int:
        """Trials that are drawn together."""
        return block_trials(self.draws, 1)

    @property
    def draws(self) -> int:
        """Times that are drawn for a trial."""
        return self.scenario.n * self.scenario.tasks * self.rounds

    @cached_property
    def rounds(self) -> int:
        """Rounds of a trial that is sampled."""
        return (self.table.iterations or _ROUNDS) if self.scenario.carries else 1

    @property
    def is_sequence(self) -> bool:
        """Whether a time is the mean of rounds whose late workers finish."""
        return self.scenario.carries and self.done_in_rows() is None

    def times(self, first: int, groups: int) -> Values:
        """Return the completion times (64 · groups,) of trials from ``first`` on.

        Of trials with several rounds they are the mean of these.
        """
        answers, _ = self._drawn(first, groups)
        total = np.zeros(answers.shape[-1])
        for each in answers:  # in one order
            total += self.scenario.evaluator.done(each)
        return np.asarray(total / len(answers))

    def costs(self) -> tuple[float, float, float]:
        """Return what a round costs until the system is done: messages, and seconds of work.

        Messages are those that all ports receive; seconds are added up over all workers, each of
        which works until it has done what it was given, or the master is done. Both are means over
        the rows of a recording, or over some trials where they differ from trial to trial. Last
        the standard error of these seconds, 0 over rows.
        """
        found = rows = self._answers_of_rows()
        if found is None:
            drawn, late = self._drawn(0, max(1, _COUNTED // WORD // self.rounds))
            found = np.concatenate(list(drawn), axis=-1), late
        answers, late = found
        done, messages, _ = self.scenario.evaluator.counted(answers)
        if late is not None:
            messages = messages + late.reshape(-1)
        constant = self.scenario.messages
        received = math.fsum(messages) / messages.size if constant is None else float(constant)
        worked = self.scenario.structure.worked(answers, done)
        mean, error = moments(worked)
        return received, mean, error if rows is None else 0.0

    def _drawn(self, first: int, groups: int) -> tuple[Values, Values | None]:
        """Return when workers answer, (rounds, n, …, T), and late answers; see `Scenario`."""
        batch = Batch(self.table.seed, "design", first, groups, self.rounds)
        return self.scenario.carried(self.scenario.draws.times(batch))

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
        if times is None or self.scenario.carries:
            return math.inf
        structure, alike = self.scenario.structure, Counter(map(law_key, times))
        sizes = list(alike.values()) if len(times) > 1 else [structure.workers]
        return structure.steps(sizes, len(times) > 1, self.table.port.receive)

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

    def done_in_rows(self, more: float = 0.0) -> Values | None:
        """Return when the system is done in each row of a recording, (rows,), read-only.

        None where times do not come from single rows alone. ``more`` seconds a unit of load are
        added to the recording's own rate. Where late workers finish, all are free at first.
        """
        return self._done_of(self._answers_of_rows(more)) if more else self._done_in_rows

    def done_if_slow(self, workers: Sequence[int], factor: float) -> list[Values] | None:
        """Return the same for each of some workers, if that one takes so many times as long."""
        found: list[Values] = []
        for some in [workers] if self.scenario.carries else [[j] for j in workers]:
            done = self._done_of(self._answers_of_rows(slow=[(j, factor) for j in some]))
            if done is None:
                return None
            found += list(done.reshape(len(some), -1))
        return found

    def late_in_rows(self) -> Values:
        """Return in what share of a recording's rows each worker is late, (n,)."""
        found, done = self._answers_of_rows(), self._done_in_rows
        assert found is not None and done is not None  # or it has no rows
        return np.asarray((found[0] > done).mean(axis=-1))

    @cached_property
    def _done_in_rows(self) -> Values | None:
        return self._done_of(self._answers_of_rows())

    def _done_of(self, found: tuple[Values, Values | None] | None) -> Values | None:
        return None if found is None else self.scenario.evaluator.done(found[0])

    def _answers_of_rows(
        self, more: float = 0.0, slow: Sequence[tuple[int, float]] = ((0, 1.0),)
    ) -> tuple[Values, Values | None] | None:
        """Return when workers answer in each row, (n, …, rows), and late answers (rows,).

        They do for each pair of a slow worker and its factor; all rows of one, then of the next.
        """
        if self.scenario.rows is None:
            return None
        try:
            several = np.stack([self.scenario.times_of_rows(more, each) for each in slow])
        except FastgcError:
            return None
        if not self.scenario.carries:
            return np.concatenate(list(several), axis=-1), None
        answers, late = self.scenario.carried(np.ascontiguousarray(several.transpose(2, 1, 0)))
        assert late is not None
        return answers.transpose(1, 2, 0).reshape(several.shape[1], -1), late.T.reshape(-1)


def moments(samples: Values) -> tuple[float, float]:
    """Return the mean and its standard error, the same bits on every machine."""
    size = samples.size
    mean = math.fsum(samples) / size
    if size < 2:
        return mean, math.inf
    off = samples - mean
    return mean, math.sqrt(math.fsum(off * off) / (size - 1) / size)
