"""The course of a search: candidates, descents, and what is certain of the best.

Descents go on side by side in threads, each a pure function of the problem: in which order they
end changes nothing.
"""

import functools
import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor

import numpy as np

from fastgc.errors import FastgcError, StoppedError
from fastgc.registry.activity import Step
from fastgc.searching import candidates, certificate, descent
from fastgc.searching.candidates import MatrixCandidate
from fastgc.searching.certificate import Valued
from fastgc.searching.descent import Walk
from fastgc.searching.judge import Judge
from fastgc.searching.problem import SearchTable
from fastgc.searching.search_result import SearchResult

#: Candidates that are judged in full, and structures that descents begin with.
_JUDGED, _STARTS = 16, 6
#: Of each third of the steps: how many descents go on, and how warm they are.
_RUNGS = ((24, 1.0), (6, 0.3), (2, 0.05))
#: Seconds after which a descent says how far it is.
_SLICE = 0.5
#: How a search ends that tries all its changes, or whose seconds are over.
_STEPS, _SECONDS = "steps", "seconds"


class MatrixSearch:
    """A search under way."""

    def __init__(
        self,
        problem: SearchTable,
        threads: Executor,
        progress: Callable[[Step], None] | None,
        interrupted: Callable[[], str | None],
    ) -> None:
        self.problem, self.judge = problem, Judge(problem)
        self._threads = threads
        self._progress, self._interrupted = progress, interrupted
        self._began = time.monotonic()
        self._ended = _STEPS
        self._course: list[tuple[int, float, str]] = []
        self._best: Valued | None = None
        self._done = 0

    def found(self) -> SearchResult:
        """Search, and return what was found with its certificate."""
        families: list[Valued] = []
        for candidate in candidates.families(self.problem):
            # before all families are judged nothing can be certified
            if self._is_over() and self._ended != _SECONDS:
                raise StoppedError(f"stopped early by {self._ended}: nothing was found yet")
            families += self._judged([candidate])
        others = candidates.others(self.problem)
        in_time = itertools.takewhile(lambda _: not self._is_over(), others)
        quick = ((self.judge.quick(c.B), c) for c in in_time)
        more = self._judged(c for _, c in best(quick, _JUDGED))
        pool = [*families, *more]
        known = {each[1].B.tobytes() for each in families}
        families += [v for v in more if v[1].is_family and v[1].B.tobytes() not in known]
        pool = best([*pool, *self._walked(pool)])
        if not pool:
            raise FastgcError("search: no matrix with these entries and loads was found")
        made = certificate.certify(self.judge, pool, families)
        made |= {"steps": self._done, "ended": self._ended}
        made["course"] = [list(each) for each in self._course]
        return SearchResult(self.problem, pool[0][1].B, made)

    def _judged(self, found: Iterable[MatrixCandidate]) -> list[Valued]:
        valued = []
        for candidate in found:
            valued.append((self.judge.full(candidate.B), candidate))
            self._note(valued[-1:])
            self._tell("judging")
        return valued

    def _walked(self, pool: list[Valued]) -> list[Valued]:
        further = functools.partial(
            descent.descend, judge=self.judge, seconds=_SLICE, is_over=self._is_over
        )
        walks = list(self._starts(pool))
        for most, warmth in _RUNGS:
            walks = sorted(walks, key=lambda walk: walk.cost)[:most]
            share = self.problem.steps // len(_RUNGS) // max(1, len(walks))
            walks = [walk.towards(share, warmth) for walk in walks]
            # all side by side, to their ends or as far as there is time
            while any(walk.steps < walk.end for walk in walks) and not self._is_over():
                for i, walk in enumerate(self._threads.map(further, walks)):
                    self._done += walk.steps - walks[i].steps
                    walks[i] = walk
                    self._tell("exchange")
            self._note([(w.cost, MatrixCandidate(f"exchange, {w.name}", w.matrix)) for w in walks])
        return self._judged(MatrixCandidate(f"exchange, {w.name}", w.matrix) for w in walks)

    def _starts(self, pool: list[Valued]) -> Iterator[Walk]:
        for _, candidate in best(pool, _STARTS):
            yield self._walk(f"from {candidate.name}", 1, candidate.B.astype(np.int8))
        k, n = self.problem.partitions, self.problem.n
        for symmetry in range(1, n):
            if n % symmetry == 0 and k % symmetry == 0:
                for number in range(4 if symmetry == 1 else 2):
                    name = f"symmetry {symmetry}, start {number}"
                    base = descent.random_base(self.problem, symmetry, name)
                    yield self._walk(name, symmetry, base)

    def _walk(self, name: str, symmetry: int, base: descent.Base) -> Walk:
        cost = self.judge.quick(descent.expand(base, symmetry))
        return Walk(name, symmetry, base, base, cost)

    def _note(self, found: list[Valued]) -> None:
        for cost, candidate in found:
            if self._best is None or cost.beats(self._best[0]):
                self._best = cost, candidate
                self._course.append((self._done, self.judge.value(cost), candidate.name))

    def _tell(self, what: str) -> None:
        if self._progress is not None:
            said = what
            if self._best is not None:
                cost, candidate = self._best
                said = f"{what}: {self.judge.value(cost):.6g} by {candidate.name}"
            self._progress(Step("parts", self._done, max(1, self.problem.steps), said))

    def _is_over(self) -> bool:
        reason, seconds = self._interrupted(), self.problem.seconds
        if reason is not None:
            self._ended = reason
        elif seconds is not None and time.monotonic() - self._began >= seconds:
            self._ended = _SECONDS
        return self._ended != _STEPS


def best(found: Iterable[Valued], most: int | None = None) -> list[Valued]:
    """Return the best, each matrix once; what differs by rounding alone stays in its order."""

    def order(one: Valued, other: Valued) -> int:
        return other[0].beats(one[0]) - one[0].beats(other[0])

    kept: dict[bytes, Valued] = {}
    for each in found:
        kept.setdefault(each[1].B.tobytes(), each)
    return sorted(kept.values(), key=functools.cmp_to_key(order))[:most]
