"""What candidates are worth: many are sampled, or solved exactly, side by side."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Executor, wait
from typing import TypeVar

from fastgc.planning.candidate import Candidate

#: Called with (done, total, name, trials of each).
Report = Callable[[int, int, str, int], None]
T = TypeVar("T")

#: Seconds between looks at whether to stop, while nothing is done.
WAIT_SECONDS = 0.2


class Valuation:
    """Finds values of candidates on a pool, which does not change them; ``report`` may raise."""

    def __init__(self, pool: Executor, report: Report) -> None:
        self._pool, self._report = pool, report
        self._known: dict[Hashable, float] = {}

    def sample(self, candidates: Sequence[Candidate], trials: int, name: str = "") -> None:
        """Sample each candidate for so many trials, if it was not yet.

        ``name`` is what is reported; by default the family that is sampled now.
        """
        short = [candidate for candidate in candidates if candidate.trials < trials]
        blocks = [list(candidate.missing(trials)) for candidate in short]
        owners = [each for each, own in zip(short, blocks, strict=True) for _ in own]
        calls = zip(owners, (block for own in blocks for block in own), strict=True)

        def listen(done: int) -> None:
            self._report(done, len(owners), name or owners[done].family, trials)

        found = self._results(lambda call: call[0].times(*call[1]), list(calls), listen)
        for candidate, own in zip(short, blocks, strict=True):
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
            # those that take long first, so that all end at a time
            ordered = sorted(first.values(), key=_effort, reverse=True)

            def listen(done: int, ordered: Sequence[Candidate] = ordered) -> None:
                candidate = ordered[done]
                self._report(done, len(ordered), name or candidate.family, candidate.trials)

            values = self._results(Candidate.exact, ordered, listen)
            for candidate, value in zip(ordered, values, strict=True):
                candidate.known, candidate.tried = value, True

    def _results(
        self, function: Callable[..., T], calls: Sequence[object], listen: Callable[[int], None]
    ) -> Iterator[T]:
        """Make calls side by side, and hand back their results in their order.

        ``listen`` is called now and then with the number of results so far; whatever it raises
        stops everything.
        """
        jobs = [self._pool.submit(function, call) for call in calls]
        try:
            for done, job in enumerate(jobs):
                listen(done)
                while wait([job], WAIT_SECONDS).not_done:
                    listen(done)
                yield job.result()
        finally:
            for job in jobs:
                job.cancel()


def _effort(candidate: Candidate) -> float:
    """How long it takes to solve a candidate, or to see that it takes too long."""
    return candidate.steps if candidate.is_short else 1.0
