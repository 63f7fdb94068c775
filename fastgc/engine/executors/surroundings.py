"""What executors need around them: cores, signals and threads of workers, optional packages."""

import contextlib
import os
import signal
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from multiprocessing import resource_tracker
from typing import Any

from fastgc.errors import FastgcError

_NAMED = "OMP_NUM", "OPENBLAS_NUM", "MKL_NUM", "BLIS_NUM", "VECLIB_MAXIMUM"
THREAD_VARIABLES = tuple(f"{name}_THREADS" for name in _NAMED)
#: What asks a run to stop; a terminal or a batch system sends it to all processes of a job.
SIGNALS = ("SIGINT", "SIGTERM", "SIGUSR1")


def deaf(names: Sequence[str] = SIGNALS) -> set[int] | None:
    """Keep this thread, and all threads and processes that it starts, from hearing signals.

    Returns the signals that were blocked before; None where none can be.
    """
    if not hasattr(signal, "pthread_sigmask"):
        return None
    numbers = [getattr(signal, name) for name in names]
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    resource_tracker.ensure_running()  # a process, too; starting it unblocks signals
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    return {int(number) for number in before}


def ignore(names: Iterable[str] = SIGNALS) -> None:
    """Leave signals to another process, which hears them for this one."""
    for name in names:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)


@contextlib.contextmanager
def one_thread_each() -> Iterator[None]:
    """Let libraries that are loaded now, here and in new processes, use one thread.

    What the user has set stays.
    """
    own = [name for name in THREAD_VARIABLES if name not in os.environ]
    os.environ.update(dict.fromkeys(own, "1"))
    try:
        yield
    finally:
        for name in own:
            os.environ.pop(name, None)


def extra(module: str, name: str) -> Any:
    """Import a module of an extra.

    Raises FastgcError if it is not installed, with the command that installs it.
    """
    try:
        return import_module(module)
    except (ImportError, RuntimeError) as problem:  # without a library of MPI: a RuntimeError
        raise FastgcError(
            f'executor: "{name}" cannot be used ({in_words(problem)}); install the '
            f"extra: pip install 'fastgc-sim[{name}]'"
        ) from None


def in_words(problem: BaseException) -> str:
    """What an error says, in one line; its class where it says nothing."""
    return " ".join(str(problem).split()) or type(problem).__name__


def available_cores(asked: int | None = None) -> int:
    """Cores this process uses: as asked for; else what the batch system grants, or its affinity."""
    if asked is not None and asked < 1:
        raise FastgcError(f"threads: must be at least 1 (got {asked})")
    granted = os.environ.get("SLURM_CPUS_PER_TASK", "")
    if asked or (granted.isdigit() and int(granted) > 0):
        return asked or int(granted)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return cores or 1
