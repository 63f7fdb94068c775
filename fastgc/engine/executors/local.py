"""Threads of this process and processes on this machine.

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
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from fastgc.engine.executors.pool import Pool
from fastgc.engine.executors.surroundings import available_cores, deaf, ignore, one_thread_each
from fastgc_kernels import _sources

P = ParamSpec("P")
T = TypeVar("T")

THREAD_COST, PROCESS_COST = 2e-5, 3e-4  # seconds a task
#: Signals that the process that has started the workers hears for them.
HEARD = tuple(name for name in ("SIGINT", "SIGUSR1") if hasattr(signal, name))


class _Processes(ProcessPoolExecutor):
    """Processes that no Ctrl-C reaches, not even while they start."""

    def __init__(self, count: int) -> None:
        _sources.cache_folder()  # says here, once for all workers, if it is not used
        with unheard():
            pass  # what tracks resources has started now, and hears nothing
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
    with one_thread_each():
        pool = Pool(make(), lambda: count, cost=PROCESS_COST, renew=make)
        try:
            yield pool
        except Exception:
            pool.executor.shutdown(wait=True, cancel_futures=True)
            raise
        except BaseException:  # an interruption waits for no worker
            pool.executor.shutdown(wait=False, cancel_futures=True)
            raise
        pool.executor.shutdown(wait=True)


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


class _Threads(ThreadPoolExecutor):
    """Threads that are waited for, unless an interruption asks to leave at once."""

    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> None:
        leaves = kind is not None and not issubclass(kind, Exception)
        self.shutdown(wait=not leaves, cancel_futures=leaves)


@contextlib.contextmanager
def in_threads(count: int | None = None) -> Iterator[Pool]:
    """Pool of threads, by default as many as there are cores.

    Left by an interruption from the keyboard, it waits for nothing that is under way.
    """
    count = count or available_cores()
    with _Threads(count, thread_name_prefix="fastgc") as executor:
        yield Pool(executor, lambda: count, cost=THREAD_COST)
