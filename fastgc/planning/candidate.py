"""Systems to choose from: their completion times, exact where that is quick, else sampled."""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from operator import attrgetter

import numpy as np

from fastgc.arrays import Values
from fastgc.draws.streams import WORD
from fastgc.engine.payloads import Payload
from fastgc.planning.timed_system import Setting, TimedSystem, moments
from fastgc.registry.cached import cached_property
from fastgc.statistics.estimates import normal_quantile
from fastgc.systems.system import Candidates, System
from fastgc.systems.timing.laws.nature import tail_index
from fastgc.systems.uncoded import BoundedWait


class Candidate:
    """A system, and what is known of its goal: the mean or a quantile of its completion time.

    ``system`` has its rule settled; ``load`` is the largest share of the work that a worker is
    given, ``idle`` the number of workers without any. ``known`` is the exact value, once found,
    infinite where the mean is; ``tried`` says that it was looked for, ``dropped`` that another
    system is certainly better. A FastgcError says if the system cannot be timed.
    """

    def __init__(self, setting: Payload[Setting], system: System) -> None:
        self.timed = TimedSystem(setting, system)
        self._table = self.timed.table
        self._scenario = self.timed.scenario
        self._samples: Values = np.empty(0)
        self.rule = system.settling_rule()
        self.system = self._scenario.system
        self.load = self._scenario.burden
        self.idle = self._table.workers - self._scenario.n
        #: The worker of each place; None where workers keep their order.
        self.places = self._table.placement.places(self.system)
        self.known: float | None = None
        self.tried = False
        self.dropped = False
        if self._table.level is None and self._moments <= 1:
            self.known = math.inf

    @property
    def family(self) -> str:
        """Name of the system's family."""
        return str(self.system.settings()["family"])

    @cached_property
    def identity(self) -> Hashable:
        """Equal for two candidates whose completion times have the same law."""
        own = self.system if self.system.rows_before() else None
        return self._scenario.structure.plain, self._scenario.load, own

    @property
    def gradient(self) -> str:
        """What the master has when it is done; see `fastgc.systems.System`."""
        return self.system.GRADIENT

    @cached_property
    def lost(self) -> float | None:
        """The share of the gradient that is lost in a round; None where it is not known."""
        if isinstance(self.system, BoundedWait):
            return 1 - self.system.k / self.system.n
        known = self.timed.done_in_rows() is not None and not self._scenario.carries
        if self.gradient != "lost" or not known:
            return None
        late = self.timed.late_in_rows()
        return math.fsum(late) / late.size

    @property
    def heavy(self) -> bool:
        """Whether the goal is a mean, and samples say little of it: the variance is infinite."""
        return self._table.level is None and self._moments <= 2

    @cached_property
    def _moments(self) -> float:
        times = self._scenario.times or ()
        if all(tail_index(time) == math.inf for time in times):
            return math.inf
        return self._scenario.finite_moments

    @cached_property
    def quick(self) -> bool:
        """Whether the exact value takes some milliseconds only."""
        structure = self._scenario.structure
        times = self._scenario.times
        alone = self._table.port.receive == 0 or not structure.QUEUES
        alike = times is not None and len(times) == 1
        return alone and alike and structure.QUICK

    # ---- by sampling

    def missing(self, trials: int) -> Iterator[tuple[int, int]]:
        """Blocks of the first trials that were not sampled yet: the first trial, groups of 64."""
        first = self.trials
        while first < trials:
            groups = -(-min(self.timed.block, trials - first) // WORD)
            yield first, groups
            first += WORD * groups

    def take(self, blocks: Sequence[Values], trials: int) -> None:
        """Take the completion times of the blocks that were missing of the first trials."""
        self._samples = np.concatenate([self._samples, *blocks])[:trials]

    def sample(self, trials: int) -> Values:
        """Return the first trials' completion times, (trials,); sample here what is missing."""
        if self.trials < trials:
            self.take([self.timed.times(*block) for block in self.missing(trials)], trials)
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
            return max(0.0, mean - half * error), mean + half * error
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
    def costs(self) -> tuple[float, float, float]:
        """Messages until the system is done, seconds that all worked, and their standard error."""
        return self.timed.costs()


# ---- The systems of one scheme that differ in one parameter, as candidates


#: What candidates are ordered by: the time they take.
by_value = attrgetter("value")


class CandidateList:
    """Candidates of one scheme that differ in one parameter, in its order.

    Of a list of more than ``longest`` some are looked at first (every other, fourth, …), then those
    between and beside the good ones. ``make`` returns the candidate of a scheme's system, None
    where it cannot be timed or is not wanted. The best candidate of each ``group`` of lists is
    shown.
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
        made = (self._made[i] for i in sorted(self._made))
        return [candidate for candidate in made if candidate is not None]

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
