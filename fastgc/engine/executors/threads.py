"""Where blocks run. Every executor is a ``concurrent.futures.Executor`` and gives the same bits."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from fastgc.engine.executors.pool import Pool


def available_cores() -> int:
    """Cores this process may use: the batch system's word, then affinity, then the cgroup's."""
    granted = os.environ.get("SLURM_CPUS_PER_TASK", "")
    if granted.isdigit() and int(granted) > 0:
        return int(granted)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    quota = _cgroup_quota()
    return max(1, min(cores or 1, quota or cores or 1))


def _cgroup_quota() -> int | None:
    """Whole cores of a cgroup v2 quota, rounded up."""
    try:
        limit, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        return None if limit == "max" else max(1, -(-int(limit) // int(period)))
    except (OSError, ValueError):
        return None


class _Threads(ThreadPoolExecutor):
    """Threads that are waited for, but not by somebody who wants to leave at once."""

    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> None:
        leaves = kind is not None and not issubclass(kind, Exception)
        self.shutdown(wait=not leaves, cancel_futures=leaves)


@contextlib.contextmanager
def in_threads(count: int | None = None) -> Iterator[Pool]:
    """Pool of threads; the kernels do not hold the GIL.

    Left by an interruption from the keyboard, it waits for nothing that is under way.
    """
    count = count or available_cores()
    with _Threads(count, thread_name_prefix="fastgc") as executor:
        yield Pool(executor, count)
