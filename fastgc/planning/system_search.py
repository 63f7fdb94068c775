"""The search for the best system: many are dropped after few trials, the others get more.

All candidates see the same workers, so differences are known much better than values. A candidate
is dropped when another of its scheme is certainly better: one-sided normal intervals of paired
differences (order statistics for quantiles), at a level shared out among all candidates and all
comparisons, so that the best one is dropped with probability at most 1 − confidence. The values of
candidates that are left are found exactly where that is quick. Schemes are searched side by side:
what one of them needs keeps workers busy that another leaves idle.
"""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Executor, wait
from statistics import NormalDist
from typing import TypeVar

import numpy as np

from fastgc.planning.candidate import Candidate, CandidateList, by_value, moments
from fastgc.study.design import DesignTable
from fastgc.systems.system import GRADIENTS

#: Trials after which candidates of a scheme are compared; the later ones only while many are left.
_COMPARED_AFTER = (1024, 4096, 16_384, 65_536)
_FEW = 4
#: Trials of a system that is listed and has no exact value, where so many are allowed.
_LISTED = 16_384
#: So many systems with quick exact values are all found exactly.
_MOST_SOLVED = 512
#: Relative error of exact values, and of times that are equal but for rounding.
_ROUNDING = 1e-9


#: The candidates of one scheme.
Scheme = Sequence[CandidateList]
#: Called with (done, total, name, trials of each).
Report = Callable[[int, int, str, int], None]
T = TypeVar("T")
#: Seconds between looks at whether to stop, while nothing is done.
WAIT_SECONDS = 0.2


class Search:
    """The search: ``equal`` ones take as long as the best, ``unresolved`` ones may be better.

    Values are found on a ``pool``, which does not change them; ``report`` may raise.
    """

    def __init__(
        self, table: DesignTable, lists: Sequence[CandidateList], pool: Executor, report: Report
    ) -> None:
        self._table, self._pool, self._report = table, pool, report
        self._known: dict[Hashable, float] = {}
        self.lists = list(lists)
        self.unresolved: list[Candidate] = []
        self.equal: list[Candidate] = []
        size = sum(len(each) for each in lists)
        comparisons = len(_COMPARED_AFTER) + max(
            0, math.ceil(math.log2(table.trials / _COMPARED_AFTER[-1]))
        )
        self._z = -NormalDist().inv_cdf((1 - table.confidence) / (size * comparisons))
        self._all_quick = size <= _MOST_SOLVED

    @property
    def looked_at(self) -> list[Candidate]:
        """The candidates that were looked at; of those that take the same time, the first."""
        found: dict[Hashable, Candidate] = {}
        for candidate in _all(self.lists):
            found.setdefault(candidate.identity, candidate)
        return list(found.values())

    @property
    def trials(self) -> int:
        """Most trials that a candidate was sampled for."""
        return max(candidate.trials for candidate in _all(self.lists))

    def run(self) -> list[Candidate]:
        """Search; return the best of each group, and the neighbours of each scheme's best."""
        by_scheme: dict[str, list[CandidateList]] = {}
        for each in self.lists:
            by_scheme.setdefault(each.scheme, []).append(each)
        schemes = list(by_scheme.values())
        self._compare(schemes)
        self._solve([c for each in schemes for c in _all(each) if not c.dropped])
        # all of a scheme whose trials misled
        misled = [each for each in schemes if any(map(self._deceptive, _all(each)))]
        again = [c for each in misled for c in _all(each)]
        self._solve(again)
        for candidate in again:
            candidate.dropped = False
        listed: list[Candidate] = []
        for scheme in schemes:
            self._drop(_all(scheme))
            groups: dict[str, list[Candidate]] = {}
            for each in scheme:
                groups.setdefault(each.group, []).extend(each.candidates)
            best = [min(own, key=by_value) for own in groups.values() if own]
            if best:
                first = min(best, key=by_value)
                [among] = [each for each in scheme if first in each.candidates]
                listed += [*best, *among.neighbours(first)]
        found = list(dict.fromkeys(listed))
        self.value_well(found)
        self._separate()
        return found

    def equals(self, one: Candidate) -> list[Candidate]:
        """Return other candidates that are the same thing: as loaded, done at the same times."""
        every = [c for c in _all(self.lists) if c is not one and c.gradient == one.gradient]
        alike = [c for c in every if math.isclose(c.load, one.load, rel_tol=_ROUNDING)]
        return [c for c in alike if c.identity == one.identity or self._coincide(c, one)]

    def _coincide(self, one: Candidate, other: Candidate) -> bool:
        """Whether two systems are done at the same time in every row, or in every trial."""
        if _has_value(one) and _has_value(other) and not self._same(one, other):
            return False
        mine, others = one.done_in_rows(), other.done_in_rows()
        if mine is None or others is None:
            trials = min(_COMPARED_AFTER[0], self._table.trials)
            mine, others = one.sample(trials), other.sample(trials)
        return bool(np.allclose(mine, others, rtol=1e-12, atol=0.0))

    # ---- values

    def value_well(self, candidates: Sequence[Candidate]) -> None:
        """Find exact values of candidates that are shown, or sample enough."""
        self._solve(candidates)
        trials = min(_LISTED, self._table.trials)
        self._sample([c for c in candidates if c.known is None], trials)

    def _sample(self, candidates: Sequence[Candidate], trials: int) -> None:
        short = [candidate for candidate in candidates if candidate.trials < trials]
        calls = [(each, *block) for each in short for block in each.missing(trials)]
        owners = [each for each, *_ in calls]
        found = self._results(lambda call: call[0].times(*call[1:]), calls, owners, trials)
        for candidate in short:
            candidate.take([next(found) for _ in candidate.missing(trials)], trials)

    def _solve(self, candidates: Sequence[Candidate]) -> None:
        # exactly where that takes not too long, once for all of one law
        while True:
            first: dict[Hashable, Candidate] = {}
            for candidate in candidates:
                if candidate.known is None:
                    candidate.known = self._known.get(candidate.identity)
                if candidate.known is not None:
                    self._known[candidate.identity] = candidate.known
                elif not candidate.tried:
                    first.setdefault(candidate.identity, candidate)
            if not first:
                return
            # those that take long first, so that all end at a time
            ordered = sorted(
                first.values(), key=lambda c: c.steps if c.is_short else 1.0, reverse=True
            )
            values = self._results(Candidate.exact, ordered, ordered)
            for candidate, value in zip(ordered, values, strict=True):
                candidate.known, candidate.tried = value, True

    def _results(
        self,
        function: Callable[..., T],
        calls: Sequence[object],
        owners: Sequence[Candidate],
        trials: int | None = None,
    ) -> Iterator[T]:
        jobs = [self._pool.submit(function, call) for call in calls]
        try:
            for done, (job, own) in enumerate(zip(jobs, owners, strict=True)):
                is_waiting = True
                while is_waiting:
                    many = own.trials if trials is None else trials
                    self._report(done, len(owners), own.family, many)
                    is_waiting = bool(wait([job], WAIT_SECONDS).not_done)
                yield job.result()
        finally:
            for job in jobs:
                job.cancel()

    # ---- each scheme

    def _compare(self, schemes: Sequence[Scheme]) -> None:
        while schemes:
            if self._all_quick:
                self._solve([c for each in schemes for c in _all(each) if c.quick])
            sampled = list(schemes)
            for rounds, most in enumerate(_COMPARED_AFTER):
                trials = min(most, self._table.trials)
                few = _FEW if rounds > 1 else 0  # later rounds are for many
                sampled = [each for each in sampled if sum(map(_is_left, _all(each))) > few]
                left = [c for each in sampled for c in _all(each) if _is_left(c)]
                self._sample(left, trials)
                for each in sampled:
                    self._drop(_all(each))
            for each in schemes:
                self._drop(_all(each))
            schemes = [each for each in schemes if any([own.refine() for own in each])]

    def _deceptive(self, candidate: Candidate) -> bool:
        """Whether the trials contradict the exact value: they did not see what is rare."""
        known = candidate.known
        if candidate.dropped or known is None or candidate.trials == 0:
            return False
        if candidate.heavy or self._table.level:
            return False
        mean, error = moments(candidate.sample(candidate.trials))
        return abs(mean - known) > 6 * error + _ROUNDING * known

    def _drop(self, own: Sequence[Candidate]) -> None:
        left = [c for c in own if not c.dropped and _has_value(c)]
        if not left:
            return
        leader = min(left, key=by_value)
        for candidate in left:
            candidate.dropped = self._worse(candidate, leader)

    # ---- all schemes

    def _separate(self) -> None:
        left = [c for c in _all(self.lists) if not c.dropped]
        left = [c for c in left if c.gradient == leading(left)]
        trials = min(_COMPARED_AFTER[1], self._table.trials)
        while True:
            leader = min(left, key=by_value)
            self.equal = [c for c in left if c is not leader and self._same(c, leader)]
            others = [c for c in left if c is not leader and c not in self.equal]
            self.unresolved = unresolved = [c for c in others if not self._worse(c, leader)]
            # where the variance is infinite no number of trials decides
            open_ = [c for c in unresolved if not (c.heavy or leader.heavy)]
            open_ = [c for c in open_ if c.known is None or leader.known is None]
            if not open_ or trials >= self._table.trials:
                return
            trials = min(2 * trials, self._table.trials)
            left = [leader, *self.equal, *unresolved]
            self._sample(left, trials)

    def _same(self, one: Candidate, other: Candidate) -> bool:
        if one.identity == other.identity:
            return True
        if one.known is not None and other.known is not None:
            return math.isclose(one.known, other.known, rel_tol=_ROUNDING)
        trials = min(one.trials, other.trials)
        if trials < min(_COMPARED_AFTER[0], self._table.trials):
            return False
        return bool(np.allclose(one.sample(trials), other.sample(trials), rtol=1e-12, atol=0.0))

    def _worse(self, one: Candidate, leader: Candidate) -> bool:
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
        self._sample([one, leader], trials)
        mean, error = moments(one.sample(trials) - leader.sample(trials))
        return mean - self._z * error > 0


def leading(candidates: Sequence[Candidate]) -> str:
    """Return what the candidates that are ranked first do to the gradient: exact, if any is."""
    return min((c.gradient for c in candidates), key=GRADIENTS.index)


def _all(scheme: Scheme) -> list[Candidate]:
    return [candidate for each in scheme for candidate in each.candidates]


def _is_left(candidate: Candidate) -> bool:
    return candidate.known is None and not candidate.dropped


def _has_value(candidate: Candidate) -> bool:
    return candidate.known is not None or candidate.trials > 0
