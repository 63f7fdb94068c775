"""What workers inherit: one core each, and no ear for signals that are meant for their master."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker

THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
#: What asks a run to stop; a terminal or a batch system sends it to all processes of a job.
SIGNALS = ("SIGINT", "SIGTERM", "SIGUSR1")


def deaf() -> None:
    """Keep this thread, and all threads and processes that it starts, from hearing signals."""
    if hasattr(signal, "pthread_sigmask"):
        numbers = [getattr(signal, name) for name in SIGNALS]
        signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
        resource_tracker.ensure_running()  # a process, too; whoever starts it hears again
        signal.pthread_sigmask(signal.SIG_BLOCK, numbers)


@contextlib.contextmanager
def one_thread_each() -> Iterator[None]:
    """Let libraries that are loaded now, here and in new processes, use one thread.

    What the user has set stays.
    """
    own = [name for name in THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(own, "1"))
    try:
        yield
    finally:
        for name in own:
            os.environ.pop(name, None)
