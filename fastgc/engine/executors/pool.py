"""An executor that knows how much it has under way."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Pool:
    """Hands tasks to an executor, and says whether more of them are worth while.

    Parameters
    ----------
    executor : concurrent.futures.Executor
        Where tasks run.
    workers : int
        How many run side by side.
    """

    def __init__(self, executor: Executor, workers: int) -> None:
        self.workers = workers
        self._executor = executor
        self._under_way = 0
        self._lock = threading.Lock()

    @property
    def has_room(self) -> bool:
        """Whether a further task finds its worker at once when one that runs now is done."""
        return self._under_way < 2 * self.workers

    @property
    def is_idle(self) -> bool:
        """Whether a worker has nothing to do."""
        return self._under_way < self.workers

    def submit(self, task: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> Future[T]:
        """Hand a task to the executor."""
        with self._lock:
            self._under_way += 1
        try:
            future = self._executor.submit(task, *arguments, **named)
        except BaseException:
            self._leave(None)
            raise
        future.add_done_callback(self._leave)
        return future

    def _leave(self, _: Future[Any] | None) -> None:
        with self._lock:
            self._under_way -= 1
