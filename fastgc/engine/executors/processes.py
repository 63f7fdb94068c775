"""Processes on this machine: what holds the GIL runs side by side, too."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import ParamSpec, TypeVar

from fastgc.engine.executors.cores import available_cores
from fastgc.engine.executors.pool import Pool
from fastgc.engine.executors.surroundings import one_thread_each

P = ParamSpec("P")
T = TypeVar("T")

COST = 3e-4  # seconds a task
#: Signals that the process that has started the workers hears for them.
NAMES = ("SIGINT", "SIGUSR1")
HEARD = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]


class _Processes(ProcessPoolExecutor):
    """Processes that no Ctrl-C reaches, not even while they start."""

    def submit(self, task: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> Future[T]:
        """Hand out a task; what is blocked here is so in a process that is started for it."""
        before = _block(HEARD)
        try:
            return super().submit(task, *arguments, **named)
        finally:
            _restore(before)


def _block(signals: list[signal.Signals]) -> set[int | signal.Signals] | None:
    if not hasattr(signal, "pthread_sigmask"):
        return None
    return signal.pthread_sigmask(signal.SIG_BLOCK, signals)


def _restore(mask: set[int | signal.Signals] | None) -> None:
    if mask is not None:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


@contextlib.contextmanager
def in_processes(count: int | None = None) -> Iterator[Pool]:
    """Pool of processes, by default as many as there are cores.

    They are started anew, not copies of this one, which may have threads; where one dies, all of
    them are replaced.
    """
    count = count or available_cores()

    def make() -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        return _Processes(count, context, initializer=_begin)

    with one_thread_each():
        pool = Pool(make(), lambda: count, cost=COST, renew=make)
        try:
            yield pool
        except Exception:
            pool.executor.shutdown(wait=True, cancel_futures=True)
            raise
        except BaseException:  # who wants to leave at once waits for nobody
            pool.executor.shutdown(wait=False, cancel_futures=True)
            raise
        pool.executor.shutdown(wait=True)


def _begin() -> None:
    """What a worker does first: whoever started it hears Ctrl-C for it, and does not outlive it.

    SIGTERM ends it, as that is how a broken pool ends its workers; the pool then finds others.
    """
    for number in HEARD:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Leave when the process is gone that would read the results: it may have been killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)
