"""What candidates are worth: many are sampled, or solved exactly, side by side."""

import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from fastgc.arrays import Values
from fastgc.engine.executors.pool import Job, Pool
from fastgc.planning.candidate import Candidate
from fastgc.planning.timed_system import TimedSystem

#: Called with (done, total, name, trials of each).
Report = Callable[[int, int, str, int], None]


class Valuation:
    """Finds values of candidates on a pool, which does not change them; ``report`` may raise."""

    def __init__(self, pool: Pool, report: Report) -> None:
        self._report = report
        self._sampling: Calls[Values] = Calls(pool)
        self._solving: Calls[float | None] = Calls(pool)
        self._known: dict[Hashable, float] = {}

    def sample(self, candidates: Sequence[Candidate], trials: int, name: str = "") -> None:
        """Sample each candidate for so many trials, if it was not yet.

        ``name`` is what is reported; by default the family that is sampled now.
        """
        short = [candidate for candidate in candidates if candidate.trials < trials]
        blocks = [list(candidate.missing(trials)) for candidate in short]
        owners = [each for each, own in zip(short, blocks, strict=True) for _ in own]
        calls = [
            Call(TimedSystem.times, (candidate.timed, *block), candidate.timed.draws * block[1])
            for candidate, own in zip(short, blocks, strict=True)
            for block in own
        ]

        def listen(done: int) -> None:
            self._report(done, len(calls), name or owners[done].family, trials)

        found = self._sampling.results(calls, listen)
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
            calls = [Call(TimedSystem.exact, (c.timed,), _effort(c)) for c in ordered]

            def listen(done: int, ordered: Sequence[Candidate] = ordered) -> None:
                candidate = ordered[done]
                self._report(done, len(ordered), name or candidate.family, candidate.trials)

            for candidate, value in zip(ordered, self._solving.results(calls, listen), strict=True):
                candidate.known, candidate.tried = value, True


def _effort(candidate: Candidate) -> float:
    """How long it takes to solve a candidate, or to see that it takes too long."""
    return candidate.timed.steps if candidate.timed.is_short else 1.0


# ---- Calls of pure functions: side by side on a pool, and their results in order


T = TypeVar("T")

#: Seconds between looks at whether to stop, while nothing is done.
WAIT_SECONDS = 0.2


@dataclass(frozen=True)
class Call(Generic[T]):
    """A call that another process can make."""

    function: Callable[..., T]
    arguments: tuple[Any, ...]
    weight: float  #: How long it takes, as a multiple of what the others' weights say.


class Calls(Generic[T]):
    """Hands out calls in tasks that grow until one takes long enough.

    How calls are grouped changes no result.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._most = 0.0  # weight of a task

    def results(self, calls: Sequence[Call[T]], listen: Callable[[int], None]) -> Iterator[T]:
        """Make calls side by side, and hand back their results in their order.

        ``listen`` is called now and then with the number of results so far; whatever it raises, and
        a WorkersError where the workers were lost, stops everything.
        """
        left = sum(call.weight for call in calls)
        waiting: deque[tuple[Job[tuple[list[T], float]], float]] = deque()
        start = done = 0
        try:
            while done < len(calls):
                while start < len(calls) and (self._pool.has_room or not waiting):
                    task = self._next(calls, start, left)
                    weight = sum(call.weight for call in task)
                    waiting.append((self._pool.submit(_timed, task), weight))
                    start += len(task)
                    left -= weight
                listen(done)
                if not waiting[0][0].done():
                    under_way = [job.future for job, _ in waiting if not job.done()]
                    wait(under_way, WAIT_SECONDS, FIRST_COMPLETED)
                    continue
                job, weight = waiting.popleft()
                found, seconds = job.result()
                # tasks become twice as heavy at most, and no longer than they should be
                long_enough = weight * self._pool.task_seconds / max(seconds, 1e-9)
                self._most = min(2 * max(weight, self._most), long_enough)
                done += len(found)
                yield from found
        finally:
            for job, _ in waiting:
                job.cancel()

    def _next(self, calls: Sequence[Call[T]], start: int, left: float) -> list[Call[T]]:
        """Return the next task; near the end smaller ones keep all workers busy."""
        most = min(self._most, left / (2 * self._pool.workers))
        end, weight = start + 1, calls[start].weight
        while end < len(calls) and weight + calls[end].weight <= most:
            weight += calls[end].weight
            end += 1
        return list(calls[start:end])


def _timed(calls: Sequence[Call[T]]) -> tuple[list[T], float]:
    """Make some calls, here or in another process, and say how long it took."""
    started = time.perf_counter()
    found = [call.function(*call.arguments) for call in calls]
    return found, time.perf_counter() - started
