"""Threads of this process: the kernels do not hold the GIL."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from fastgc.engine.executors.cores import available_cores
from fastgc.engine.executors.pool import Pool

COST = 2e-5  # seconds a task


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
        yield Pool(executor, lambda: count, cost=COST)
