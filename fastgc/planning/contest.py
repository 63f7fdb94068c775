"""The search for the best system: many are dropped after few trials, those left are compared well.

All contenders see the same workers, so differences are known much better than values. A contender
is dropped when another of its scheme is better beyond doubt: one-sided normal intervals of paired
differences (order statistics for quantiles), at a level shared out among all that are compared and
all looks, so that the best one is ever dropped with probability at most 1 − confidence. Who is
left is found exactly where that is quick.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from fastgc.planning.candidates import Line
from fastgc.planning.contender import Contender, moments
from fastgc.study.design import DesignTable
from fastgc.systems.system import System

#: Trials after which contenders of a scheme are compared; the last only while many are left.
_LOOKS = (1024, 4096, 16_384, 65_536)
_FEW = 4
#: Trials of a system that is listed and has no exact value, where so many are allowed.
_LISTED = 16_384
#: So many systems with quick exact values are all found exactly.
_MOST_SOLVED = 512
#: Relative error of exact values, and of times that are equal but for rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Step:
    """How far a search is."""

    done: int
    total: int
    name: str
    trials: int
    seconds: float


Report = Callable[[int, int, str, int], None]


def by_value(contender: Contender) -> float:
    """Key to sort contenders by."""
    return contender.value


class Course:
    """A line of contenders, of which not all need be looked at.

    Parameters
    ----------
    line : Line
    make : callable
        Makes a contender; None where its system cannot be timed or is not wanted.
    longest : int
        A longer line is looked at here and there first.
    """

    def __init__(
        self, line: Line, make: Callable[[str, System], Contender | None], longest: int
    ) -> None:
        self.scheme, self.kind = line.scheme, line.kind
        self._systems, self._make = line.systems, make
        self._made: dict[int, Contender | None] = {}
        self._stride = 1
        while len(self) > self._stride * longest:
            self._stride *= 2
        self._look({*range(0, len(self), self._stride), len(self) - 1})

    def __len__(self) -> int:
        return len(self._systems)

    @property
    def seen(self) -> int:
        """Systems that were looked at."""
        return len(self._made)

    @property
    def contenders(self) -> list[Contender]:
        """Those looked at, in order."""
        made = (self._made[i] for i in sorted(self._made))
        return [contender for contender in made if contender is not None]

    def refine(self) -> bool:
        """Look between those that are left, and next to the best; False at the end."""
        if self._stride == 1:
            return False
        self._stride //= 2
        best = min(self.contenders, key=by_value, default=None)
        left = [i for i, c in self._made.items() if c and (c is best or not c.dropped)]
        self._look({j for i in left for j in (i - self._stride, i + self._stride)})
        return True

    def beside(self, contender: Contender) -> list[Contender]:
        """Neighbours of a contender that were looked at."""
        [i] = [i for i, c in self._made.items() if c is contender]
        beside = (self._made.get(j) for j in (i - 1, i + 1))
        return [c for c in beside if c is not None]

    def _look(self, places: set[int]) -> None:
        for i in sorted(places & set(range(len(self))) - self._made.keys()):
            self._made[i] = self._make(self.scheme, self._systems[i])


class Contest:
    """The search among all contenders.

    Parameters
    ----------
    table : DesignTable
    courses : sequence of Course
    report : callable
        Told (done, of, what, trials) now and then.

    Attributes
    ----------
    courses : list of Course
    equal : list of Contender
        Whose times are those of the best.
    rivals : list of Contender
        Who may be better than it for all that is known.
    trials : int
        Most trials that any contender was sampled for.
    """

    def __init__(self, table: DesignTable, courses: Sequence[Course], report: Report) -> None:
        self._table = table
        self._report = report
        self.courses = list(courses)
        self.rivals: list[Contender] = []
        self.equal: list[Contender] = []
        size = sum(len(course) for course in courses)
        looks = len(_LOOKS) + max(0, math.ceil(math.log2(table.trials / _LOOKS[-1])))
        self._z = -NormalDist().inv_cdf((1 - table.confidence) / (size * looks))
        self._all_quick = size <= _MOST_SOLVED
        self._solved: dict[Hashable, float] = {}

    @property
    def everyone(self) -> list[Contender]:
        """All that were looked at, of equal ones the first."""
        found: dict[Hashable, Contender] = {}
        for course in self.courses:
            for contender in course.contenders:
                found.setdefault(contender.identity, contender)
        return list(found.values())

    @property
    def trials(self) -> int:
        """Most trials that a contender was sampled for."""
        return max(c.trials for course in self.courses for c in course.contenders)

    def run(self) -> list[Contender]:
        """Search; return the best of each kind, and the neighbours of each scheme's best."""
        groups: dict[str, list[Course]] = {}
        for course in self.courses:
            groups.setdefault(course.scheme, []).append(course)
        listed: dict[int, Contender] = {}
        for number, (scheme, courses) in enumerate(groups.items()):
            self._scheme, self._done, self._total = scheme, number, len(groups)
            self._race(courses)
            self._settle(courses)
            for contender in self._worth_listing(courses):
                listed[id(contender)] = contender
        found = list(listed.values())
        self._separate()
        return found

    def finish(self, contenders: Sequence[Contender]) -> None:
        """Give contenders that are shown a good value: the exact one, or that of many trials."""
        for number, contender in enumerate(contenders):
            self._report(number, len(contenders), "load against time", contender.trials)
            self._value_well(contender)

    # ---- one scheme

    def _race(self, courses: Sequence[Course]) -> None:
        """Drop who is worse beyond doubt, from coarse to fine."""
        while True:
            own = [c for course in courses for c in course.contenders]
            for contender in own:
                if contender.quick and self._all_quick:
                    self._solve(contender)
            for look in _LOOKS:
                trials = min(look, self._table.trials)
                left = [c for c in own if c.known is None and not c.dropped]
                if not left or (len(left) <= _FEW and look > _LOOKS[1]):
                    break
                for number, contender in enumerate(left):
                    contender.sample(max(trials, contender.trials))
                    if number % 16 == 0:
                        self._say(trials)
                self._drop(own)
            self._drop(own)
            if not any([course.refine() for course in courses]):
                return

    def _settle(self, courses: Sequence[Course]) -> None:
        """Find exact values of who is left; of all, where the trials did not see the whole law."""
        own = [c for course in courses for c in course.contenders]
        for contender in own:
            if not contender.dropped:
                self._solve(contender)
        if any(not c.dropped and self._deceptive(c) for c in own):
            for contender in own:
                self._solve(contender)
                contender.dropped = False
        self._drop(own)

    def _deceptive(self, contender: Contender) -> bool:
        """Whether the trials contradict the exact value: what matters is rarer than they show."""
        known = contender.known
        if known is None or contender.trials == 0 or contender.heavy or self._table.level:
            return False
        mean, error = moments(contender.sample(contender.trials))
        return abs(mean - known) > 6 * error + _ROUNDING * known

    def _worth_listing(self, courses: Sequence[Course]) -> list[Contender]:
        kinds: dict[str, list[Contender]] = {}
        for course in courses:
            kinds.setdefault(course.kind, []).extend(course.contenders)
        best = [min(own, key=by_value) for own in kinds.values() if own]
        if not best:
            return []
        first = min(best, key=by_value)
        [course] = [course for course in courses if first in course.contenders]
        listed = [*best, *course.beside(first)]
        for contender in listed:
            self._value_well(contender)
        return listed

    def _value_well(self, contender: Contender) -> None:
        """Find the exact value, or sample enough for a value that can be shown."""
        if not self._solve(contender):
            contender.sample(max(contender.trials, min(_LISTED, self._table.trials)))

    def _drop(self, own: Sequence[Contender]) -> None:
        left = [c for c in own if not c.dropped and self._has_value(c)]
        if not left:
            return
        leader = min(left, key=by_value)
        for contender in left:
            contender.dropped = self._worse(contender, leader)

    # ---- all schemes

    def _separate(self) -> None:
        """Sample until no other contender than the first may be the best, or trials run out."""
        everyone = [c for course in self.courses for c in course.contenders if not c.dropped]
        trials = min(_LOOKS[1], self._table.trials)
        while True:
            leader = min(everyone, key=by_value)
            self.equal = [c for c in everyone if c is not leader and self._same(c, leader)]
            rivals = [
                c
                for c in everyone
                if c is not leader and c not in self.equal and not self._worse(c, leader)
            ]
            self.rivals = rivals
            # where the variance is infinite no number of trials decides
            open_ = [c for c in rivals if not (c.heavy or leader.heavy)]
            open_ = [c for c in open_ if c.known is None or leader.known is None]
            if not open_ or trials >= self._table.trials:
                return
            trials = min(2 * trials, self._table.trials)
            everyone = [leader, *self.equal, *rivals]
            for number, contender in enumerate(everyone):
                self._report(number, len(everyone), "separating the first", trials)
                contender.sample(max(trials, contender.trials))

    def _same(self, one: Contender, other: Contender) -> bool:
        """Whether two systems take the same time, in law or in every trial."""
        if one.identity == other.identity:
            return True
        if one.known is not None and other.known is not None:
            return math.isclose(one.known, other.known, rel_tol=_ROUNDING)
        trials = min(one.trials, other.trials)
        if trials < min(_LOOKS[0], self._table.trials):
            return False
        return bool(np.allclose(one.sample(trials), other.sample(trials), rtol=1e-12, atol=0.0))

    def _worse(self, one: Contender, leader: Contender) -> bool:
        """Whether a contender is worse than another beyond doubt."""
        if one is leader or one.identity == leader.identity:
            return False
        if one.known is not None and leader.known is not None:
            return one.known > leader.known * (1 + _ROUNDING)
        if math.inf in (one.known, leader.known):
            return one.known == math.inf
        if one.heavy or leader.heavy:
            return False
        if self._table.level is not None:
            return one.interval(self._z)[0] > leader.interval(self._z)[1]
        trials = min(one.trials, leader.trials)
        if trials == 0:
            trials = max(one.trials, leader.trials)
        mean, error = moments(one.sample(trials) - leader.sample(trials))
        return mean - self._z * error > 0

    def _solve(self, contender: Contender) -> bool:
        """Find an exact value, of equal contenders once; say whether it is known."""
        if contender.known is None and contender.identity in self._solved:
            contender.known = self._solved[contender.identity]
        if contender.known is None:
            self._say(contender.trials)
        if contender.solve():
            assert contender.known is not None
            self._solved[contender.identity] = contender.known
        return contender.known is not None

    def _say(self, trials: int) -> None:
        self._report(self._done, self._total, self._scheme, trials)

    @staticmethod
    def _has_value(contender: Contender) -> bool:
        return contender.known is not None or contender.trials > 0
