"""One system to choose from: its completion time, exact where that is quick, else sampled."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fastgc.draws.streams import WORD, Batch, block_trials
from fastgc.errors import FastgcError, StoppedError
from fastgc.latency.empirical import Empirical, SampleTime
from fastgc.latency.time import Time
from fastgc.statistics.estimates import normal_quantile
from fastgc.study.design import DesignTable
from fastgc.systems.system import System
from fastgc.systems.timing.evaluator import Evaluator
from fastgc.systems.timing.laws import CompletionLaw, distribution
from fastgc.systems.timing.laws.nature import key as law_key
from fastgc.systems.timing.laws.nature import tail_index
from fastgc.systems.timing.structure import Flat, Layers, Replicated, Ring, Structure, Tree

Values = NDArray[np.float64]

#: Steps of a dynamic programme, about a nanosecond each, beyond which a candidate is sampled.
_MOST_STEPS = 4e9
#: Times at which the quadrature of a mean evaluates a distribution, about.
_POINTS = 600
#: Trials over which messages are counted where their number differs from trial to trial.
_COUNTED = 1024


class Candidate:
    """A system, and what is known of its goal: the mean or a quantile of its completion time.

    All candidates see the same workers: their times in a trial are drawn from the same numbers.

    Parameters
    ----------
    table : DesignTable
    system : System
    interrupted : callable
        Asked between blocks of trials; a text it returns stops everything.

    Attributes
    ----------
    system : System
        With its rule settled.
    load : float
        Largest share of the work that a worker is given.
    idle : int
        Workers without any work.
    known : float or None
        The exact value, once found; infinite where the mean is.
    dropped : bool
        Whether another one is certainly better.
    """

    def __init__(
        self, table: DesignTable, system: System, interrupted: Callable[[], str | None]
    ) -> None:
        self._table = table
        self._scenario = table.scenario(system)
        self._scenario.settle()
        self._interrupted = interrupted
        self._tried = False
        self._samples: Values = np.empty(0)
        self.rule = system.settling_rule()
        self.system = self._scenario.system
        self.load = self.system.burden()
        self.idle = table.workers - self._scenario.n
        self.known: float | None = None
        self.dropped = False
        if table.level is None and self._moments <= 1:
            self.known = math.inf

    @cached_property
    def identity(self) -> Hashable:
        """Equal for two candidates whose completion times have the same law."""
        structure: Structure = self._scenario.structure
        if isinstance(structure, Replicated) and structure.size == 1:
            structure = Flat(structure.n, structure.need)
        elif isinstance(structure, Replicated) and structure.size == structure.n:
            structure = Flat(structure.n, 1)
        elif isinstance(structure, Layers) and len(structure.k) == 1:
            structure = Flat(structure.n, structure.k[0])
        return structure, self._scenario.load

    @property
    def heavy(self) -> bool:
        """Whether the goal is a mean, and samples say little of it: the variance is infinite."""
        return self._table.level is None and self._moments <= 2

    @cached_property
    def _moments(self) -> float:
        """Order below which the moments of the completion time are finite."""
        times = self._scenario.times or ()
        if all(tail_index(time) == math.inf for time in times):
            return math.inf
        return self._scenario.finite_moments

    @cached_property
    def _evaluator(self) -> Evaluator:
        return self._scenario.evaluator

    @cached_property
    def quick(self) -> bool:
        """Whether the exact value takes some milliseconds only."""
        structure = self._scenario.structure
        times = self._scenario.times
        alone = isinstance(structure, Ring) or self._table.port.receive == 0
        alike = times is not None and len(times) == 1
        return alone and alike and not isinstance(structure, Layers)

    # ---- exactly

    def solve(self) -> bool:
        """Find the exact value where that takes not too long; return whether it is known."""
        if self.known is None and not self._tried:
            self._tried = True
            self._stop_if_asked()
            law = self._law()
            if law is not None:
                level = self._table.level
                self.known = law.mean() if level is None else float(law.quantile(level))
        return self.known is not None

    def _law(self) -> Time | None:
        scenario, port = self._scenario, self._table.port
        if scenario.rows is not None:
            return self._law_of_rows()
        if scenario.times is None or _steps(scenario.structure, scenario.times, port.receive) > (
            _MOST_STEPS / _POINTS
        ):
            return None
        try:
            law = distribution(scenario.structure, scenario.times, port.receive, port.opens)
        except FastgcError:
            return None
        return law if self._short(law) else None

    def _short(self, law: CompletionLaw) -> bool:
        """Whether the law is quick to evaluate at all points where it may jump."""
        scenario, port = self._scenario, self._table.port
        assert scenario.times is not None
        steps = _steps(scenario.structure, scenario.times, port.receive)
        return law.breaks.size * steps <= _MOST_STEPS

    def _law_of_rows(self) -> Time | None:
        """Return the law of a trace's equally likely rows, where times come from rows alone."""
        [law] = self._scenario.latency
        if not isinstance(law, Empirical) or self._table.scaling != "server-dependent":
            return None
        rows = law.trace.rows[:, : self._scenario.n]
        times = np.ascontiguousarray(self._scenario.load * rows.T)
        return SampleTime(self._evaluator.done(times))

    # ---- by sampling

    def sample(self, trials: int) -> Values:
        """Return the completion times of the first trials, (trials,)."""
        block = block_trials(self._scenario.n * self._scenario.tasks, 1)
        parts = [self._samples]
        first = self._samples.size
        while first < trials:
            self._stop_if_asked()
            groups = -(-min(block, trials - first) // WORD)
            parts.append(self._done(first, groups))
            first += WORD * groups
        if len(parts) > 1:
            self._samples = np.concatenate(parts)[:trials]
        return self._samples[:trials]

    def _done(self, first: int, groups: int) -> Values:
        batch = Batch(self._table.seed, "design", first, groups, 1)
        return self._evaluator.done(self._scenario.draws.times(batch)[0])

    @property
    def trials(self) -> int:
        """Number of trials that were sampled."""
        return self._samples.size

    def _stop_if_asked(self) -> None:
        reason = self._interrupted()
        if reason is not None:
            raise StoppedError(f"stopped early by {reason}: nothing was chosen yet")

    @property
    def value(self) -> float:
        """The exact value, or the estimate from the trials so far."""
        if self.known is not None:
            return self.known
        level = self._table.level
        if level is None:
            return math.fsum(self._samples) / self._samples.size
        place = min(self.trials - 1, math.ceil(level * self.trials) - 1)
        return float(np.partition(self._samples, place)[place])

    def interval(self, z: float | None = None) -> tuple[float, float]:
        """Return the interval of the value, z standard errors to each side; without z, of 95 %."""
        if self.known is not None:
            return self.known, self.known
        half = normal_quantile(0.95) if z is None else z
        level = self._table.level
        if level is None:
            mean, error = moments(self._samples)
            return mean - half * error, mean + half * error
        # the count of values below a quantile is binomial
        spread = half * math.sqrt(level * (1 - level) / self.trials) * self.trials
        low = math.floor(level * self.trials - spread) - 1
        high = math.ceil(level * self.trials + spread)
        if low >= 0 and high < self.trials:
            ordered = np.partition(self._samples, [low, high])
            return float(ordered[low]), float(ordered[high])
        ordered = np.sort(self._samples)
        return (
            float(ordered[low]) if low >= 0 else 0.0,
            float(ordered[high]) if high < self.trials else math.inf,
        )

    @cached_property
    def messages(self) -> float:
        """Messages received until the system is done, or their mean over some trials."""
        constant = self._scenario.messages
        if constant is not None:
            return float(constant)
        batch = Batch(self._table.seed, "design", 0, _COUNTED // WORD, 1)
        _, messages, _ = self._evaluator.counted(self._scenario.draws.times(batch)[0])
        return math.fsum(messages) / messages.size


def moments(samples: Values) -> tuple[float, float]:
    """Return the mean and its standard error, the same bits on every machine."""
    size = samples.size
    mean = math.fsum(samples) / size
    if size < 2:
        return mean, math.inf
    off = samples - mean
    return mean, math.sqrt(math.fsum(off * off) / (size - 1) / size)


def _steps(structure: Structure, times: list[Time], receive: float) -> float:
    """Return about how many steps one evaluation of the distribution function takes."""
    classes: dict[object, int] = {}
    for time in times:
        classes[law_key(time)] = classes.get(law_key(time), 0) + 1
    n = structure.workers
    states = math.prod(count + 1.0 for count in classes.values()) if len(times) > 1 else n + 1.0
    if isinstance(structure, Layers):
        return states * n * len(structure.k) / 4
    if receive == 0 or isinstance(structure, Ring):
        return float(n * n)
    if not isinstance(structure, Tree):
        return states * n * structure.need / 4
    if len(times) > 1:
        return math.inf
    # a node is evaluated for every message that its parent still waits for
    need = max(structure.need)
    fan = float(max(structure.children[0][1:] - structure.children[0][:-1]))
    return fan * fan * need / 4 * need
