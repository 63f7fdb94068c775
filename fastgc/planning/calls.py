"""Calls of pure functions: side by side on a pool, and their results in order."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from fastgc.engine.executors.pool import Job, Pool

T = TypeVar("T")

#: So often somebody who wants to stop is heard while nothing is done.
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

        Parameters
        ----------
        listen : callable
            Called now and then with the number of results so far; whatever it raises stops
            everything.

        Raises
        ------
        WorkersError
            If the workers were lost.
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
                self._learn(weight, seconds)
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

    def _learn(self, weight: float, seconds: float) -> None:
        """Let tasks become twice as heavy at most, and no longer than they should be."""
        long_enough = weight * self._pool.task_seconds / max(seconds, 1e-9)
        self._most = min(2 * max(weight, self._most), long_enough)


def _timed(calls: Sequence[Call[T]]) -> tuple[list[T], float]:
    """Make some calls, here or in another process, and say how long it took."""
    started = time.perf_counter()
    found = [call.function(*call.arguments) for call in calls]
    return found, time.perf_counter() - started
