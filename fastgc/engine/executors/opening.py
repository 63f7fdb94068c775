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
    name, colon, address = executor.partition(":") if isinstance(executor, str) else ("", "", "")
    opened: contextlib.AbstractContextManager[Pool]
    if isinstance(executor, Executor):
        count = workers or getattr(executor, "_max_workers", None) or available_cores()
        is_mpi = mpi.is_of_ranks(executor)
        pool = mpi.pool_of(executor) if is_mpi else Pool(executor, lambda: count, cost=COST)
        opened = contextlib.nullcontext(pool)
    elif name == DASK and (address or not colon):
        opened = dask.in_dask(address, workers)
    elif executor == MPI:
        opened = mpi.in_ranks()
    elif executor == PROCESSES:
        opened = in_processes(workers)
    elif executor in (None, THREADS):
        opened = in_threads(workers)
    else:
        raise FastgcError(f"executor: must be one of {', '.join(NAMES)} (got {executor!r})")
    with opened as pool:
        yield pool
