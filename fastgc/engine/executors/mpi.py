"""Ranks of an MPI job: ``mpiexec -n 3 fastgc run study.toml --executor mpi``."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from concurrent.futures import Executor
from typing import Any

from fastgc.engine.executors.extras import extra
from fastgc.engine.executors.pool import Pool
from fastgc.engine.executors.surroundings import one_thread_each
from fastgc.errors import FastgcError

COST = 6e-4  # seconds a task
#: What a batch system sends to every rank; the first one answers for all.
SIGNALS = ("SIGINT", "SIGTERM", "SIGUSR1")


@contextlib.contextmanager
def ranks() -> Iterator[Executor | None]:
    """Executor on all other ranks of the job, in the first one; None in the others.

    Every rank must come here; the others come back when the first one has left. A job of one rank
    works alone.
    """
    futures, world = extra("mpi4py.futures", "mpi"), _world()
    with one_thread_each():
        if world.Get_rank() > 0:
            for name in SIGNALS:
                signal.signal(getattr(signal, name), signal.SIG_IGN)
        with futures.MPICommExecutor(world, root=0) as executor:
            yield executor


@contextlib.contextmanager
def in_ranks() -> Iterator[Pool]:
    """Pool of all other ranks, for a program that only the first rank runs."""
    if _world().Get_rank() > 0:
        raise FastgcError(
            'executor: only the first rank of a job may ask for "mpi"; start the program with '
            "mpiexec -n N python -m mpi4py.futures, which lets the others serve it"
        )
    with ranks() as executor:
        assert executor is not None
        yield pool_of(executor)


def is_of_ranks(executor: Executor) -> bool:
    """Whether an executor is one of mpi4py."""
    return type(executor).__module__.startswith("mpi4py.futures")


def pool_of(executor: Any) -> Pool:
    """Pool of an executor of mpi4py. A rank that dies ends the job; the same command goes on."""
    return Pool(executor, lambda: int(executor.num_workers), cost=COST)


def _world() -> Any:
    return extra("mpi4py.MPI", "mpi").COMM_WORLD
