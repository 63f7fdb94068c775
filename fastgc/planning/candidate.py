"""Systems to choose from: their completion times, exact where that is quick, else sampled."""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from operator import attrgetter

import numpy as np

from fastgc.arrays import Values
from fastgc.draws.streams import WORD, Trials, block_trials
from fastgc.errors import FastgcError
from fastgc.latency.empirical import SampleTime
from fastgc.latency.time import Time
from fastgc.registry.cached import cached_property
from fastgc.study.design import DesignTable
from fastgc.systems.system import Candidates, System
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.laws.structure_law import LawRequest

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


class Candidate:
    """A system, and what is known of its goal: the mean or a quantile of its completion time.

    All systems see the same workers: their times in a trial are drawn from the same numbers.
    ``system`` has its rule settled; ``load`` is the largest share of the work that a worker is
    given, ``idle`` the number of workers without any, ``places`` the worker of each place, None
    where workers keep their order; ``gradient`` is what the master has when it is done, see
    `fastgc.systems.System`; a trial that is sampled has so many ``rounds``. ``known`` is the exact
    value, once found, infinite where the
    mean is; ``tried`` says that it was looked for, ``dropped`` that another system is certainly
    better. A FastgcError says if the system cannot be timed.
    """

    def __init__(self, table: DesignTable, system: System) -> None:
        self.table = table
        self.scenario = table.scenario(system)
        self.scenario.settle()
        self._samples: Values = np.empty(0)
        self._done: Values | None = None  # in rows, once it is known
        self.rule = system.settling_rule()
        self.system = self.scenario.system
        self.load = self.scenario.burden
        self.idle = table.workers - self.scenario.n
        self.places = table.placement.places(self.system)
        self.family = str(self.system.settings()["family"])
        self.gradient = self.system.GRADIENT
        self.rounds = (table.iterations or _ROUNDS) if self.scenario.carries else 1
        self.known: float | None = None
        self.tried = self.dropped = False
        period, done = self.scenario.tasks, None
        if self.scenario.structure.OF_ROUNDS:
            done = self.done_in_rows()
        if done is not None and period > done.size // _ROWS_A_PERIOD:
            raise FastgcError(
                f"a period of {period} rounds is too long for this recording; "
                f"record {_ROWS_A_PERIOD * period} rows"
            )
        if table.level is None and self._moments <= 1:
            self.known = math.inf

    @cached_property
    def identity(self) -> Hashable:
        """Equal for two candidates whose completion times have the same law."""
        own = self.system if self.system.rows_before() else None
        return self.scenario.structure.plain, self.scenario.load, own

    @property
    def heavy(self) -> bool:
        """Whether the goal is a mean, and samples say little of it: the variance is infinite."""
        return self.table.level is None and self._moments <= 2

    @cached_property
    def _moments(self) -> float:
        if all(time.tail_exponent() == math.inf for time in self.scenario.times or ()):
            return math.inf
        return self.scenario.finite_moments

    @cached_property
    def quick(self) -> bool:
        """Whether the exact value takes some milliseconds only."""
        structure, times = self.scenario.structure, self.scenario.times
        alone = self.table.port.receive == 0 or not structure.QUEUES
        return alone and times is not None and len(times) == 1 and structure.QUICK

    # ---- by sampling

    def times(self, first: int, groups: int) -> Values:
        """Return the completion times (64 · groups,) of trials from ``first`` on."""
        answers, _ = self._drawn(first, groups)
        total = np.zeros(answers.shape[-1])
        for each in answers:  # in one order
            total += self.scenario.evaluator.done(each)
        return np.asarray(total / len(answers))

    def missing(self, trials: int) -> Iterator[tuple[int, int]]:
        """Blocks of the first trials that were not sampled yet: the first trial, groups of 64."""
        first = self.trials
        block = block_trials(self.scenario.n * self.scenario.tasks * self.rounds, 1)
        while first < trials:
            groups = -(-min(block, trials - first) // WORD)
            yield first, groups
            first += WORD * groups

    def take(self, blocks: Sequence[Values], trials: int) -> None:
        """Take the completion times of the blocks that were missing of the first trials."""
        self._samples = np.concatenate([self._samples, *blocks])[:trials]

    def sample(self, trials: int) -> Values:
        """Return the first trials' completion times, (trials,); sample here what is missing."""
        if self.trials < trials:
            self.take([self.times(*block) for block in self.missing(trials)], trials)
        return self._samples[:trials]

    @property
    def trials(self) -> int:
        """Number of trials that were sampled."""
        return self._samples.size

    @property
    def value(self) -> float:
        """The exact value, or the estimate from the trials so far."""
        if self.known is not None:
            return self.known
        level = self.table.level
        if level is None:
            return math.fsum(self._samples) / self._samples.size
        place = min(self.trials - 1, math.ceil(level * self.trials) - 1)
        return float(np.partition(self._samples, place)[place])

    def interval(self, z: float) -> tuple[float, float]:
        """Return the interval of the value, z standard errors to each side."""
        if self.known is not None:
            return self.known, self.known
        level = self.table.level
        if level is None:
            mean, error = moments(self._samples)
            return max(0.0, mean - z * error), mean + z * error
        # the count of values below a quantile is binomial
        spread = z * math.sqrt(level * (1 - level) / self.trials) * self.trials
        low = math.floor(level * self.trials - spread) - 1
        high = math.ceil(level * self.trials + spread)
        ends = [place for place in (low, high) if 0 <= place < self.trials]
        ordered = np.partition(self._samples, ends) if ends else self._samples
        return (
            float(ordered[low]) if low >= 0 else 0.0,
            float(ordered[high]) if high < self.trials else math.inf,
        )

    @cached_property
    def costs(self) -> tuple[float, float]:
        """Messages that all ports receive until it is done, and seconds of all workers; means."""
        found = self.answers_of_rows()
        if found is None:
            found = self._drawn(0, max(1, _COUNTED // WORD // self.rounds))
            found = np.concatenate(list(found[0]), axis=-1), found[1]
        answers, late = found
        done, messages, _ = self.scenario.evaluator.counted(answers)
        if late is not None:
            messages = messages + late.reshape(-1)
        constant = self.scenario.messages
        received = math.fsum(messages) / messages.size if constant is None else float(constant)
        worked, _ = moments(self.scenario.structure.worked(answers, done))
        return received, worked

    def _drawn(self, first: int, groups: int) -> tuple[Values, Values | None]:
        """Return when workers answer, (rounds, n, …, T), and late answers; see `Scenario`."""
        batch = Trials(self.table.seed, "design", first, groups, self.rounds)
        return self.scenario.carried(self.scenario.draws.times(batch))

    # ---- exactly

    def exact(self) -> float | None:
        """Return the exact value of the goal; None where there is none, or it takes too long."""
        scenario, port, level = self.scenario, self.table.port, self.table.level
        law: Time
        if scenario.rows is not None:  # of a trace's equally likely rows
            done = self.done_in_rows()
            if done is None:
                return None
            law = SampleTime(done)
        elif scenario.times is None or not self.is_short:
            return None
        else:
            try:
                law = distribution(scenario.structure, scenario.times, port.receive, port.opens)
            except FastgcError:
                return None
            if law.breaks.size * self.steps > _MOST_STEPS:  # at all points where it may jump
                return None
        return law.mean() if level is None else float(law.quantile(level))

    @cached_property
    def steps(self) -> float:
        """Steps that one evaluation of the distribution function takes, about; infinite without."""
        times = self.scenario.times
        if times is None or self.scenario.carries:
            return math.inf
        n, port = self.scenario.n, self.table.port
        asked = LawRequest(n, times, port.receive, port.opens)
        return max(float(n * n), 0.5 * self.scenario.structure.work(asked))

    @property
    def is_short(self) -> bool:
        """Whether the distribution function is quick enough to be integrated."""
        return self.steps <= _MOST_STEPS / _POINTS

    # ---- row by row

    def done_in_rows(self, more: float = 0.0) -> Values | None:
        """Return when the system is done in each row of a recording, (rows,), read-only."""
        if not more and self._done is not None:
            return self._done
        found = self.answers_of_rows(more)
        done = None if found is None else self.scenario.evaluator.done(found[0])
        self._done = self._done if more else done
        return done

    def answers_of_rows(self, more: float = 0.0) -> tuple[Values, Values | None] | None:
        """Return when workers answer in each row, (n, …, rows), and late answers (rows,)."""
        if self.scenario.rows is None:
            return None
        try:
            times = self.scenario.times_of_rows(more)
        except FastgcError:
            return None
        if not self.scenario.carries:
            return times, None
        answers, late = self.scenario.carried(np.ascontiguousarray(times.T[..., np.newaxis]))
        assert late is not None
        return answers.transpose(1, 2, 0).reshape(len(times), -1), late.T.reshape(-1)


def moments(samples: Values) -> tuple[float, float]:
    """Return the mean and its standard error, the same bits on every machine."""
    size = samples.size
    mean = math.fsum(samples) / size
    if size < 2:
        return mean, math.inf
    off = samples - mean
    return mean, math.sqrt(math.fsum(off * off) / (size - 1) / size)


#: What candidates are ordered by: the time they take.
by_value = attrgetter("value")


class CandidateList:
    """Candidates of one scheme that differ in one parameter, in its order.

    Of a list of more than ``longest`` some are looked at first (every other, fourth, …), then those
    between and beside the good ones. ``make`` returns the candidate of a scheme's system, None
    where it cannot be timed or is not wanted. The best of each ``group`` of lists is shown.
    """

    def __init__(
        self,
        scheme: str,
        offered: Candidates,
        make: Callable[[str, System], Candidate | None],
        longest: int,
    ) -> None:
        self.scheme, self.group = scheme, offered.group
        self._systems, self._make = offered.systems, make
        self._made: dict[int, Candidate | None] = {}
        self._stride = 1
        while len(self) > self._stride * longest:
            self._stride *= 2
        self._look({*range(0, len(self), self._stride), len(self) - 1})

    def __len__(self) -> int:
        return len(self._systems)

    @property
    def seen(self) -> int:
        """Number of systems that were looked at."""
        return len(self._made)

    @property
    def candidates(self) -> list[Candidate]:
        """The candidates that were looked at, in the parameter's order."""
        return [candidate for i in sorted(self._made) if (candidate := self._made[i]) is not None]

    def refine(self) -> bool:
        """Look at more systems, beside good ones; return False if nothing was left to try."""
        if self._stride == 1:
            return False
        self._stride //= 2
        best = min(self.candidates, key=by_value, default=None)
        left = [i for i, c in self._made.items() if c and (c is best or not c.dropped)]
        self._look({j for i in left for j in (i - self._stride, i + self._stride)})
        return True

    def neighbours(self, candidate: Candidate) -> list[Candidate]:
        """Return the neighbours of a candidate that were looked at."""
        [i] = [i for i, c in self._made.items() if c is candidate]
        found = (self._made.get(j) for j in (i - 1, i + 1))
        return [c for c in found if c is not None]

    def _look(self, places: set[int]) -> None:
        for i in sorted(places & set(range(len(self))) - self._made.keys()):
            self._made[i] = self._make(self.scheme, self._systems[i])
