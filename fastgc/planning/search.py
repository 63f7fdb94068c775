"""The search for the best system: many are dropped after few trials, the others get more.

All candidates see the same workers, so differences are known much better than values. A candidate
is dropped when another of its scheme is certainly better: one-sided normal intervals of paired
differences (order statistics for quantiles), at a level shared out among all candidates and all
comparisons, so that the best one is dropped with probability at most 1 − confidence. The values of
candidates that are left are found exactly where that is quick.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from fastgc.planning.candidate import Candidate, moments
from fastgc.planning.candidate_list import CandidateList, by_value
from fastgc.study.design import DesignTable

#: Trials after which candidates of a scheme are compared; the later ones only while many are left.
_COMPARED_AFTER = (1024, 4096, 16_384, 65_536)
_FEW = 4
#: Trials of a system that is listed and has no exact value, where so many are allowed.
_LISTED = 16_384
#: So many systems with quick exact values are all found exactly.
_MOST_SOLVED = 512
#: Relative error of exact values, and of times that are equal but for rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Step:
    """How far a search is.

    Attributes
    ----------
    done, total : int
        Parts of the search that are done, and all of them.
    name : str
        What is searched now, such as a scheme.
    trials : int
        Trials that its candidates are sampled for.
    seconds : float
        Time since the search began.
    """

    done: int
    total: int
    name: str
    trials: int
    seconds: float


Report = Callable[[int, int, str, int], None]


class Search:
    """The search for the best of all candidates.

    Parameters
    ----------
    table : DesignTable
    lists : sequence of CandidateList
    report : callable
        Called now and then with (done, total, name, trials), as in `Step`.

    Attributes
    ----------
    lists : list of CandidateList
    equal : list of Candidate
        Candidates that take the same time as the best one.
    unresolved : list of Candidate
        Candidates that may be better than the best one: the trials do not tell.
    trials : int
        Most trials that any candidate was sampled for.
    """

    def __init__(self, table: DesignTable, lists: Sequence[CandidateList], report: Report) -> None:
        self._table = table
        self._report = report
        self.lists = list(lists)
        self.unresolved: list[Candidate] = []
        self.equal: list[Candidate] = []
        size = sum(len(each) for each in lists)
        comparisons = len(_COMPARED_AFTER) + max(
            0, math.ceil(math.log2(table.trials / _COMPARED_AFTER[-1]))
        )
        self._z = -NormalDist().inv_cdf((1 - table.confidence) / (size * comparisons))
        self._all_quick = size <= _MOST_SOLVED
        self._solved: dict[Hashable, float] = {}

    @property
    def looked_at(self) -> list[Candidate]:
        """The candidates that were looked at; of those that take the same time, the first."""
        found: dict[Hashable, Candidate] = {}
        for each in self.lists:
            for candidate in each.candidates:
                found.setdefault(candidate.identity, candidate)
        return list(found.values())

    @property
    def trials(self) -> int:
        """Most trials that a candidate was sampled for."""
        return max(c.trials for each in self.lists for c in each.candidates)

    def run(self) -> list[Candidate]:
        """Search; return the best of each group, and the neighbours of each scheme's best."""
        by_scheme: dict[str, list[CandidateList]] = {}
        for each in self.lists:
            by_scheme.setdefault(each.scheme, []).append(each)
        listed: dict[int, Candidate] = {}
        for number, (scheme, lists) in enumerate(by_scheme.items()):
            self._scheme, self._done, self._total = scheme, number, len(by_scheme)
            self._compare(lists)
            self._solve_those_left(lists)
            for candidate in self._worth_listing(lists):
                listed[id(candidate)] = candidate
        found = list(listed.values())
        self._separate()
        return found

    def finish(self, candidates: Sequence[Candidate]) -> None:
        """Find good values of candidates that are shown: exact ones, or those of many trials."""
        for number, candidate in enumerate(candidates):
            self._report(number, len(candidates), "load against time", candidate.trials)
            self._value_well(candidate)

    # ---- one scheme

    def _compare(self, lists: Sequence[CandidateList]) -> None:
        """Drop candidates that are certainly worse, looking at more of each list in every round."""
        while True:
            own = [c for each in lists for c in each.candidates]
            for candidate in own:
                if candidate.quick and self._all_quick:
                    self._solve(candidate)
            for rounds, most in enumerate(_COMPARED_AFTER):
                trials = min(most, self._table.trials)
                left = [c for c in own if c.known is None and not c.dropped]
                if not left or (len(left) <= _FEW and rounds > 1):
                    break
                for number, candidate in enumerate(left):
                    candidate.sample(max(trials, candidate.trials))
                    if number % 16 == 0:
                        self._say(trials)
                self._drop(own)
            self._drop(own)
            if not any([each.refine() for each in lists]):
                return

    def _solve_those_left(self, lists: Sequence[CandidateList]) -> None:
        """Find the exact values of candidates that are left; of all, where the trials misled."""
        own = [c for each in lists for c in each.candidates]
        for candidate in own:
            if not candidate.dropped:
                self._solve(candidate)
        if any(not c.dropped and self._deceptive(c) for c in own):
            for candidate in own:
                self._solve(candidate)
                candidate.dropped = False
        self._drop(own)

    def _deceptive(self, candidate: Candidate) -> bool:
        """Whether the trials contradict the exact value: they did not see what is rare."""
        known = candidate.known
        if known is None or candidate.trials == 0 or candidate.heavy or self._table.level:
            return False
        mean, error = moments(candidate.sample(candidate.trials))
        return abs(mean - known) > 6 * error + _ROUNDING * known

    def _worth_listing(self, lists: Sequence[CandidateList]) -> list[Candidate]:
        groups: dict[str, list[Candidate]] = {}
        for each in lists:
            groups.setdefault(each.group, []).extend(each.candidates)
        best = [min(own, key=by_value) for own in groups.values() if own]
        if not best:
            return []
        first = min(best, key=by_value)
        [found] = [each for each in lists if first in each.candidates]
        listed = [*best, *found.neighbours(first)]
        for candidate in listed:
            self._value_well(candidate)
        return listed

    def _value_well(self, candidate: Candidate) -> None:
        """Find the exact value, or sample enough for one that can be shown."""
        if not self._solve(candidate):
            candidate.sample(max(candidate.trials, min(_LISTED, self._table.trials)))

    def _drop(self, own: Sequence[Candidate]) -> None:
        left = [c for c in own if not c.dropped and self._has_value(c)]
        if not left:
            return
        leader = min(left, key=by_value)
        for candidate in left:
            candidate.dropped = self._worse(candidate, leader)

    # ---- all schemes

    def _separate(self) -> None:
        """Sample until it is certain which candidate is the best, or the trials run out."""
        left = [c for each in self.lists for c in each.candidates if not c.dropped]
        trials = min(_COMPARED_AFTER[1], self._table.trials)
        while True:
            leader = min(left, key=by_value)
            self.equal = [c for c in left if c is not leader and self._same(c, leader)]
            unresolved = [
                c
                for c in left
                if c is not leader and c not in self.equal and not self._worse(c, leader)
            ]
            self.unresolved = unresolved
            # where the variance is infinite no number of trials decides
            open_ = [c for c in unresolved if not (c.heavy or leader.heavy)]
            open_ = [c for c in open_ if c.known is None or leader.known is None]
            if not open_ or trials >= self._table.trials:
                return
            trials = min(2 * trials, self._table.trials)
            left = [leader, *self.equal, *unresolved]
            for number, candidate in enumerate(left):
                self._report(number, len(left), "separating the first", trials)
                candidate.sample(max(trials, candidate.trials))

    def _same(self, one: Candidate, other: Candidate) -> bool:
        """Whether two systems take the same time, in law or in every trial."""
        if one.identity == other.identity:
            return True
        if one.known is not None and other.known is not None:
            return math.isclose(one.known, other.known, rel_tol=_ROUNDING)
        trials = min(one.trials, other.trials)
        if trials < min(_COMPARED_AFTER[0], self._table.trials):
            return False
        return bool(np.allclose(one.sample(trials), other.sample(trials), rtol=1e-12, atol=0.0))

    def _worse(self, one: Candidate, leader: Candidate) -> bool:
        """Whether a candidate is certainly worse than another."""
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

    def _solve(self, candidate: Candidate) -> bool:
        """Find the exact value, once for all of one law; return whether it is known."""
        if candidate.known is None and candidate.identity in self._solved:
            candidate.known = self._solved[candidate.identity]
        if candidate.known is None:
            self._say(candidate.trials)
        if candidate.solve():
            assert candidate.known is not None
            self._solved[candidate.identity] = candidate.known
        return candidate.known is not None

    def _say(self, trials: int) -> None:
        self._report(self._done, self._total, self._scheme, trials)

    @staticmethod
    def _has_value(candidate: Candidate) -> bool:
        return candidate.known is not None or candidate.trials > 0
