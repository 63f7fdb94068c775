"""The executor that a user names, as a pool."""

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor

from fastgc.engine.executors import DASK, MPI, NAMES, PROCESSES, THREADS, dask, mpi
from fastgc.engine.executors.local import in_processes, in_threads
from fastgc.engine.executors.pool import Pool
from fastgc.engine.executors.surroundings import available_cores
from fastgc.errors import FastgcError

#: Assumed cost of an executor that the caller has made, in seconds a task.
COST = 1e-3


@contextlib.contextmanager
def pool_for(executor: str | Executor | None = None, workers: int | None = None) -> Iterator[Pool]:
    """Open a pool of workers; all give the same bits.

    ``executor``: ``"threads"`` (the default), ``"processes"``, ``"mpi"``, ``"dask"`` for a cluster
    on this machine, ``"dask:ADDRESS"`` for the one whose scheduler is there, or any executor, which
    is left open. ``workers``: how many threads or processes; by default as many as there are cores.
    The ranks of an MPI job and the workers of another program's cluster are as many as they are.

    Raises FastgcError if there is no such executor, it cannot be used here, or ``workers`` is not
    positive.

    >>> with pool_for("threads", 2) as pool:
    ...     pool.submit(pow, 2, 10).future.result()
    1024
    """
    if workers is not None and workers < 1:
        raise FastgcError(f"threads: must be at least 1 (got {workers})")
    with _opened(executor, workers) as pool:
        yield pool


def _opened(
    executor: str | Executor | None, workers: int | None
) -> contextlib.AbstractContextManager[Pool]:
    if isinstance(executor, Executor):
        return contextlib.nullcontext(_of_others(executor, workers))
    name, colon, address = (executor or THREADS).partition(":")
    if name == DASK and (address or not colon):
        return dask.in_dask(address, workers)
    if executor == MPI:
        return mpi.in_ranks()
    if executor == PROCESSES:
        return in_processes(workers)
    if executor in (None, THREADS):
        return in_threads(workers)
    raise FastgcError(f"executor: must be one of {', '.join(NAMES)} (got {executor!r})")


def _of_others(executor: Executor, workers: int | None) -> Pool:
    if mpi.is_of_ranks(executor):
        return mpi.pool_of(executor)
    count = workers or getattr(executor, "_max_workers", None) or available_cores()
    return Pool(executor, lambda: count, cost=COST)
