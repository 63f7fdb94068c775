"""The executor that a user names, as a pool: threads here, processes on this machine, or others.

Kernels do not hold the GIL; what holds it runs side by side in processes only.
"""

import contextlib
import functools
import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from fastgc.engine.executors import DASK, MPI, NAMES, PROCESSES, THREADS, clusters
from fastgc.engine.executors.pool import Pool
from fastgc.engine.executors.surroundings import available_cores, deaf, ignore, one_thread_each
from fastgc.errors import FastgcError
from fastgc_kernels import _sources

P = ParamSpec("P")
T = TypeVar("T")

#: Seconds a task: of threads, of processes, and as assumed of an executor that the caller has made.
THREAD_COST, PROCESS_COST, OWN_COST = 2e-5, 3e-4, 1e-3
#: Signals that the process that has started the workers hears for them.
HEARD = tuple(name for name in ("SIGINT", "SIGUSR1") if hasattr(signal, name))


class _Processes(ProcessPoolExecutor):
    def __init__(self, count: int) -> None:
        _sources.cache_folder()  # says here, once for all workers, if it is not used
        with unheard():  # what tracks resources starts here
            super().__init__(count, multiprocessing.get_context("spawn"), initializer=_begin)

    def submit(self, task: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> Future[T]:
        """Hand out a task; what is blocked here is so in a process that is started for it."""
        with unheard():
            return super().submit(task, *arguments, **named)


@contextlib.contextmanager
def unheard(names: Sequence[str] = HEARD) -> Iterator[None]:
    """Keep processes that are started meanwhile from hearing what their master hears for them."""
    before = deaf(names)
    try:
        yield
    finally:
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def in_processes(count: int | None = None) -> Iterator[Pool]:
    """Pool of processes, by default as many as there are cores.

    They are started anew, not copies of this one, which may have threads; where one dies, all of
    them are replaced.
    """
    count = count or available_cores()
    make = functools.partial(_Processes, count)
    with (
        one_thread_each(),
        _closing(Pool(make(), lambda: count, cost=PROCESS_COST, renew=make)) as pool,
    ):
        yield pool


def _begin() -> None:
    """What a worker does first: its parent hears Ctrl-C for it, and it does not outlive its parent.

    SIGTERM ends it, as that is how a broken pool ends its workers; the pool then finds others.
    """
    ignore(HEARD)
    warnings.simplefilter("ignore", _sources.KernelCacheWarning)

    def end_with_parent() -> None:
        # the process that would read the results may have been killed
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
            os._exit(0)

    threading.Thread(target=end_with_parent, daemon=True).start()


@contextlib.contextmanager
def in_threads(count: int | None = None) -> Iterator[Pool]:
    """Pool of threads, by default as many as there are cores."""
    count = count or available_cores()
    executor = ThreadPoolExecutor(count, thread_name_prefix="fastgc")
    with _closing(Pool(executor, lambda: count, cost=THREAD_COST)) as pool:
        yield pool


@contextlib.contextmanager
def _closing(pool: Pool) -> Iterator[Pool]:
    """Wait for all workers at the end; an interruption from the keyboard waits for none."""
    try:
        yield pool
    except BaseException as error:
        pool.executor.shutdown(wait=isinstance(error, Exception), cancel_futures=True)
        raise
    pool.executor.shutdown()


@contextlib.contextmanager
def pool_for(executor: str | Executor | None = None, workers: int | None = None) -> Iterator[Pool]:
    """Open a pool of workers; all give the same bits.

    ``executor``: ``"threads"`` (the default), ``"processes"``, ``"mpi"``, ``"dask"`` for a cluster
    on this machine, ``"dask:ADDRESS"`` for the one whose scheduler is there, or any executor, which
    is left open. ``workers``: how many threads or processes; by default as many as there are cores.
    The ranks of an MPI job and the workers of another program's cluster are as many as they are.

    Raises FastgcError if there is no such executor, it cannot be used here, or ``workers`` < 1.
    """
    if workers is not None and workers < 1:
        raise FastgcError(f"threads: must be at least 1 (got {workers})")
    name, colon, address = executor.partition(":") if isinstance(executor, str) else ("", "", "")
    opened: contextlib.AbstractContextManager[Pool]
    if isinstance(executor, Executor):
        count = workers or getattr(executor, "_max_workers", None) or available_cores()
        pool = Pool(executor, lambda: count, cost=OWN_COST)
        if type(executor).__module__.startswith("mpi4py.futures"):
            pool = clusters.pool_of_ranks(executor)
        opened = contextlib.nullcontext(pool)
    elif name == DASK and (address or not colon):
        opened = clusters.in_dask(address, workers)
    elif executor == MPI:
        opened = clusters.in_ranks()
    elif executor == PROCESSES:
        opened = in_processes(workers)
    elif executor in (None, THREADS):
        opened = in_threads(workers)
    else:
        raise FastgcError(f"executor: must be one of {', '.join(NAMES)} (got {executor!r})")
    with opened as pool:
        yield pool
