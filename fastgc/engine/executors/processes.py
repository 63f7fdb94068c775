"""Processes on this machine: what holds the GIL runs side by side, too."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

from fastgc.engine.executors.cores import available_cores
from fastgc.engine.executors.pool import Pool
from fastgc.engine.executors.surroundings import one_thread_each

COST = 3e-4  # seconds a task


@contextlib.contextmanager
def in_processes(count: int | None = None) -> Iterator[Pool]:
    """Pool of processes, by default as many as there are cores.

    They are started anew, not copies of this one, which may have threads; where one dies, all of
    them are replaced.
    """
    count = count or available_cores()

    def make() -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(count, context, initializer=_begin)

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
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGUSR1"):
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Leave when the process is gone that would read the results: it may have been killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)
