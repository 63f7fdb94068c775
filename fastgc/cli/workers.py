"""Where a command's work runs: the options ``--threads`` and ``--executor``."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import Any

import click

from fastgc.cli import completion
from fastgc.engine.executors import MPI, THREADS, in_words


def workers(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options ``--threads`` and ``--executor``."""
    threads = click.option(
        "--threads",
        type=click.IntRange(1),
        help="Threads, or processes of the executor; changes no number.",
    )
    executor = click.option(
        "--executor",
        metavar="NAME",
        shell_complete=completion.executors,
        help=f"{in_words()}; changes no number.  [default: {THREADS}]",
    )
    return threads(executor(command))


@contextlib.contextmanager
def joined(executor: str | None) -> Iterator[str | Executor | None]:
    """Hand over where work runs; of an MPI job every rank comes here.

    The first rank gets an executor of all the others, which serve it here and then leave with 0.
    """
    if executor != MPI:
        yield executor
        return
    from fastgc.engine.executors.mpi import ranks

    with ranks() as ours:
        if ours is not None:
            yield ours
    if ours is None:
        raise click.exceptions.Exit(0)


def end_job_of_ranks() -> None:
    """Die of Ctrl-C, as a rank that was interrupted before it has met the others.

    They wait for it; mpiexec ends them after a signal, but not after an exit code.
    """
    if "PMI_RANK" in os.environ and "mpi4py.MPI" not in sys.modules:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)
