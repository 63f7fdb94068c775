"""Workers that each stay who they are: a task in every round for every one of them.

An executor hands a task to any free worker. To record how long workers take, each must get its own:
here a process of its own, or a rank.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from typing import Any

from fastgc.engine.executors import MPI, PINNED, PROCESSES, mpi
from fastgc.engine.executors.local import in_processes
from fastgc.engine.executors.surroundings import available_cores, extra, in_words
from fastgc.errors import FastgcError, WorkersError

_ASK_SECONDS = 0.2  # a round that takes long asks so often whether to stop

Task = Callable[[], Any]


@dataclass
class Crew:
    """Workers with names, which begin every round together."""

    names: tuple[str, ...]
    executors: Sequence[Executor]  #: One for each worker.

    def round(self, task: Task, interrupted: Callable[[], str | None]) -> list[Any] | None:
        """Let every worker do a task; return what each has returned.

        In the order of `names`; None if it was asked to stop meanwhile. Raises WorkersError if a
        worker was lost.
        """
        try:
            futures = [executor.submit(task) for executor in self.executors]
            if not _finished(futures, interrupted):
                return None
            return [future.result() for future in futures]
        except (BrokenExecutor, CancelledError) as problem:
            raise WorkersError(f"a worker was lost ({in_words(problem)})") from problem

    def alone(self, task: Task, interrupted: Callable[[], str | None]) -> Any:
        """Let one worker do a task while all others do nothing; None as of `round`."""
        future = self.executors[0].submit(task)
        return future.result() if _finished([future], interrupted) else None


def _finished(futures: Sequence[Future[Any]], interrupted: Callable[[], str | None]) -> bool:
    """Wait for tasks; return whether all are done, False if it was asked to stop meanwhile."""
    waiting = set(futures)
    while waiting:
        done, waiting = wait(waiting, timeout=_ASK_SECONDS)
        if waiting and interrupted() is not None:
            for future in waiting:
                future.cancel()
            return False
        if any(future.exception() is not None for future in done):
            return True  # whose result is asked for says what went wrong
    return True


class _Ranks(Crew):
    """Ranks of an MPI job, which meet at a barrier so that none gets two tasks of a round."""

    def round(self, task: Task, interrupted: Callable[[], str | None]) -> list[Any] | None:
        found = super().round(functools.partial(_in_rank, task), interrupted)
        return found and [result for _, result in sorted(found, key=lambda each: each[0])]


@contextlib.contextmanager
def crew(executor: str | Executor, workers: int | None = None) -> Iterator[Crew]:
    """Open workers.

    ``executor``: ``"processes"``, ``"mpi"``, or mpi4py's executor of ranks. ``workers``: how many
    processes; by default as many as there are cores.

    Raises FastgcError if there is no such executor, it cannot be used here, or ``workers`` is not
    positive.
    """
    if workers is not None and workers < 1:
        raise FastgcError(f"workers: must be at least 1 (got {workers})")
    with contextlib.ExitStack() as stack:
        if isinstance(executor, Executor) or executor == MPI:
            given = executor
            if not isinstance(given, Executor):
                given = stack.enter_context(mpi.in_ranks()).executor
            if not mpi.is_of_ranks(given):
                raise FastgcError(
                    f"executor: must be one of {', '.join(PINNED)} (got another executor)"
                )
            count = extra("mpi4py.MPI", "mpi").COMM_WORLD.Get_size() - 1
            if count < 1:
                raise FastgcError(
                    "executor: a job of one rank has no worker; the first rank leads, so start one "
                    "more than there are workers"
                )
            yield _Ranks(tuple(f"rank{j}" for j in range(1, count + 1)), [given] * count)
        elif executor == PROCESSES:
            count = workers or available_cores()
            pools = [stack.enter_context(in_processes(1)) for _ in range(count)]
            names = [f"process{j}" for j in range(count)]
            yield Crew(tuple(names), [pool.executor for pool in pools])
        else:
            raise FastgcError(f"executor: must be one of {', '.join(PINNED)} (got {executor!r})")


@functools.cache
def _workers_of_job() -> Any:
    """The communicator of all ranks but the first, made once by all of them together."""
    world = extra("mpi4py.MPI", "mpi").COMM_WORLD
    return world.Create_group(world.Get_group().Excl([0]))


def _in_rank(task: Task) -> tuple[int, Any]:
    """Do a task when all ranks have theirs; return which rank has done it, and its result."""
    together = _workers_of_job()
    together.Barrier()
    return together.Get_rank(), task()
