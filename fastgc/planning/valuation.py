"""What candidates are worth: many are sampled, or solved exactly, side by side."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from fastgc.engine.executors.pool import Pool
from fastgc.planning.calls import Call, Calls
from fastgc.planning.candidate import Candidate
from fastgc.planning.timed_system import TimedSystem, Values

#: Called with (done, total, name, trials), as in `fastgc.planning.search.Step`.
Report = Callable[[int, int, str, int], None]


class Valuation:
    """Finds values of candidates on a pool; they do not depend on it.

    Parameters
    ----------
    report : callable
        Called now and then, as `Report` says; whatever it raises stops everything.
    """

    def __init__(self, pool: Pool, report: Report) -> None:
        self._report = report
        self._sampling: Calls[Values] = Calls(pool)
        self._solving: Calls[float | None] = Calls(pool)
        self._known: dict[Hashable, float] = {}

    def sample(self, wanted: Sequence[tuple[Candidate, int]], name: str = "") -> None:
        """Sample each candidate for so many trials, if it was not yet.

        Parameters
        ----------
        wanted : sequence of (Candidate, int)
            Each of them once.
        name : str, optional
            What is reported; by default the family that is sampled now.
        """
        short = [(candidate, trials) for candidate, trials in wanted if candidate.trials < trials]
        blocks = [list(candidate.missing(trials)) for candidate, trials in short]
        owners = [each for each, own in zip(short, blocks, strict=True) for _ in own]
        calls = [
            Call(TimedSystem.times, (candidate.timed, *block), candidate.timed.draws * block[1])
            for (candidate, _), own in zip(short, blocks, strict=True)
            for block in own
        ]

        def listen(done: int) -> None:
            candidate, trials = owners[done]
            self._report(done, len(calls), name or candidate.family, trials)

        found = self._sampling.results(calls, listen)
        for (candidate, trials), own in zip(short, blocks, strict=True):
            candidate.take([next(found) for _ in own], trials)

    def solve(self, candidates: Sequence[Candidate], name: str = "") -> None:
        """Find exact values where that takes not too long, once for all of one law."""
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
            self._solve(list(first.values()), name)

    def _solve(self, candidates: Sequence[Candidate], name: str) -> None:
        """Try to solve candidates; those that take long first, so that all end at a time."""
        ordered = sorted(candidates, key=_effort, reverse=True)
        calls = [Call(TimedSystem.exact, (c.timed,), _effort(c)) for c in ordered]

        def listen(done: int) -> None:
            candidate = ordered[done]
            self._report(done, len(calls), name or candidate.family, candidate.trials)

        for candidate, value in zip(ordered, self._solving.results(calls, listen), strict=True):
            candidate.known, candidate.tried = value, True


def _effort(candidate: Candidate) -> float:
    """How long it takes to solve a candidate, or to see that it takes too long."""
    return candidate.timed.steps if candidate.timed.is_short else 1.0
