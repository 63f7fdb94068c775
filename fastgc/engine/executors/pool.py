"""An executor that knows how much it has under way, and outlives the loss of its workers."""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, wait
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Generic, ParamSpec, TypeVar

from fastgc.engine.executors.surroundings import in_words
from fastgc.errors import WorkersError

P = ParamSpec("P")
T = TypeVar("T")
K = TypeVar("K")

TASK_SECONDS = 0.05  # long enough that handing it out costs nothing, short enough to stop soon
#: A task lasts at least so many times what it costs to hand it out, and so many times that cost for
#: every worker: then who hands out is never what workers wait for.
TIMES_ITS_COST, TIMES_ITS_COST_A_WORKER = 20, 2
#: What taking in a task's result costs here, beside what the executor costs.
RESULT_SECONDS = 5e-4
WAIT_SECONDS = 0.2  # after so long without a result the caller gets a word in
MOST_LOSSES = 3  # of workers, with the same task: then it is the task that kills them

_log = logging.getLogger("fastgc")


@dataclass(eq=False)
class Pool:
    """Hands tasks to an executor, and says whether more of them are worth while."""

    executor: Executor  #: Where tasks run.
    workers_of: Callable[[], int]  #: Returns how many run side by side now.
    _: KW_ONLY
    cost: float = 0.0  #: Seconds to hand out a task and to hand back its result.
    #: Makes a new executor where a worker's death has broken the old one.
    renew: Callable[[], Executor] | None = None
    lost: tuple[type[BaseException], ...] = (BrokenExecutor,)  #: Raised where a worker was lost.

    def __post_init__(self) -> None:
        self.under_way = 0  #: Tasks that run or wait for a worker.
        self._lock = threading.Lock()

    @property
    def workers(self) -> int:
        """How many tasks run side by side."""
        return max(1, self.workers_of())

    @property
    def task_seconds(self) -> float:
        """How long a task should last, so that handing it out costs nothing."""
        for_all = TIMES_ITS_COST_A_WORKER * (self.cost + RESULT_SECONDS) * self.workers
        return max(TASK_SECONDS, TIMES_ITS_COST * self.cost, for_all)

    @property
    def has_room(self) -> bool:
        """Whether a further task finds its worker at once when one that runs now is done."""
        return self.under_way < 2 * self.workers

    def submit(self, task: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> "Job[T]":
        """Hand a task to the executor.

        Raises WorkersError if the executor has lost its workers and cannot be made anew.
        """
        return Job(self, partial(task, *arguments, **named))

    def replace(self, executor: Executor, problem: BaseException) -> None:
        """Make a new executor in place of one that is broken, if that has not been done."""
        if executor is not self.executor:
            return
        if self.renew is None:
            raise WorkersError(f"the workers are lost ({in_words(problem)})") from problem
        _log.warning("a worker died; its blocks are sampled again by a new one")
        executor.shutdown(wait=False, cancel_futures=True)
        self.executor = self.renew()

    def count(self, more: int) -> None:
        """Count tasks that are handed out, or come back."""
        with self._lock:
            self.under_way += more


class Job(Generic[T]):
    """A task that was handed to a pool; it is handed out again where its worker was lost.

    ``future``: what to wait for; another one once the task was handed out again. It has the result
    when the job is done.
    """

    def __init__(self, pool: Pool, task: Callable[[], T]) -> None:
        self._pool, self._task, self._losses = pool, task, 0
        self._hand_out()

    def _hand_out(self) -> None:
        # on a new executor where workers' deaths have broken this one
        pool = self._pool
        while True:
            self._executor = pool.executor
            try:
                self.future = self._executor.submit(self._task)
            except pool.lost as problem:
                pool.replace(self._executor, problem)
                continue
            pool.count(1)
            self.future.add_done_callback(lambda _: pool.count(-1))
            return

    def done(self) -> bool:
        """Whether there is a result.

        Raises WorkersError if the task's worker was lost, and no other can be had or several were
        lost with it.
        """
        if not self.future.done():
            return False
        cancelled = self.future.cancelled()  # from outside: this pool does not cancel
        problem = CancelledError() if cancelled else self.future.exception()
        if not isinstance(problem, self._pool.lost):
            return True
        self._losses += 1
        if self._losses > MOST_LOSSES:
            raise WorkersError(
                f"{self._losses} workers died at the same blocks ({in_words(problem)}); give each "
                "more memory, or use fewer"
            ) from problem
        self._pool.replace(self._executor, problem)
        self._hand_out()
        return False


def side_by_side(
    pool: Pool, tasks: Iterable[tuple[K, Callable[[], T]]], interrupted: Callable[[], str | None]
) -> Iterator[tuple[K, T]]:
    """Do tasks on a pool; yield the name of each and what it returned, as soon as it is done.

    Once ``interrupted`` says why to stop, what is under way is finished, and nothing new begun.
    """
    left, waiting = iter(tasks), list[tuple[K, Job[T]]]()
    while True:
        while pool.has_room and interrupted() is None and (task := next(left, None)) is not None:
            waiting.append((task[0], pool.submit(task[1])))
        if not waiting:
            return
        wait([job.future for _, job in waiting], WAIT_SECONDS, FIRST_COMPLETED)
        for each in [each for each in waiting if each[1].done()]:
            waiting.remove(each)
            yield each[0], each[1].future.result()
