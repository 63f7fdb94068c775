"""Ranks of an MPI job: ``mpiexec -n 3 fastgc run study.toml --executor mpi``."""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from typing import Any

from fastgc.engine.executors.pool import Pool
from fastgc.engine.executors.surroundings import SIGNALS, extra, ignore, one_thread_each
from fastgc.errors import FastgcError

COST = 6e-4  # seconds a task
#: Variables with the number of ranks that were started: Open MPI, MPICH, Slurm's srun.
STARTED = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS")
#: The module that runs a program in the first rank, and has the others serve it.
SERVER = "mpi4py.futures"


@contextlib.contextmanager
def ranks() -> Iterator[Executor | None]:
    """Executor on all other ranks of the job, in the first one; None in the others.

    Every rank must come here; the others come back when the first one has left. A job of one rank
    works alone.

    Raises FastgcError if ``mpi4py`` is not installed, or the ranks do not know each other.
    """
    with contextlib.ExitStack() as stack:
        # kept waiting until it is known which rank answers them: who left while others wait for it
        # would let them wait for ever
        hearing = stack.enter_context(contextlib.ExitStack())
        if hasattr(signal, "pthread_sigmask"):
            numbers = [getattr(signal, name) for name in SIGNALS]
            before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
            hearing.callback(signal.pthread_sigmask, signal.SIG_SETMASK, before)
        futures, world = extra("mpi4py.futures", "mpi"), _world()
        started = _started()
        if world.Get_size() == 1 < started:  # a job each: all would do the same work
            raise FastgcError(
                f"executor: {started} ranks were started, and none sees another; start them with "
                "the mpiexec of the MPI that mpi4py uses, or with srun --mpi=pmi2 or --mpi=pmix"
            )
        stack.enter_context(one_thread_each())
        if world.Get_rank() > 0:
            ignore()
        executor = stack.enter_context(futures.MPICommExecutor(world, root=0))
        hearing.close()  # those that have come are heard now, and all others
        yield executor


@contextlib.contextmanager
def in_ranks() -> Iterator[Pool]:
    """Pool of all other ranks, for a program that only the first rank runs."""
    is_served = any(word.endswith(SERVER) for word in sys.orig_argv)
    # asked before the ranks meet: one that has left already would be waited for
    if not is_served and (_started() > 1 or _world().Get_size() > 1):
        raise FastgcError(
            'executor: only the first rank of a job may ask for "mpi"; start the program with '
            f"mpiexec -n N python -m {SERVER}, which lets the others serve it"
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


def _started() -> int:
    return max(int(os.environ.get(name) or 1) for name in STARTED)


def _world() -> Any:
    return extra("mpi4py.MPI", "mpi").COMM_WORLD
