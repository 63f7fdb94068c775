"""Workers that other programs have started: ranks of an MPI job, and those of a Dask cluster.

``mpiexec -n 3 fastgc run study.toml --executor mpi`` has one rank hand out blocks to the others.
"""

import contextlib
import logging
import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fastgc.engine.executors import surroundings
from fastgc.engine.executors.pool import Pool
from fastgc.errors import FastgcError

MPI_COST, DASK_COST = 6e-4, 3e-3  # seconds a task
#: Variables with the number of ranks that were started: Open MPI, MPICH, Slurm's srun.
STARTED = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS")
#: The module that runs a program in the first rank, and has the others serve it.
SERVER = "mpi4py.futures"
CONNECT_SECONDS = 30.0
COUNT_SECONDS = 2.0  # workers come and go; they are counted so often

_log = logging.getLogger("fastgc")


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
            numbers = [getattr(signal, name) for name in surroundings.SIGNALS]
            before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
            hearing.callback(signal.pthread_sigmask, signal.SIG_SETMASK, before)
        futures, world, started = surroundings.extra("mpi4py.futures", "mpi"), _world(), _started()
        if world.Get_size() == 1 < started:  # a job each: all would do the same work
            raise FastgcError(
                f"executor: {started} ranks were started, and none sees another; start them with "
                "the mpiexec of the MPI that mpi4py uses, or with srun --mpi=pmi2 or --mpi=pmix"
            )
        stack.enter_context(surroundings.one_thread_each())
        if world.Get_rank() > 0:
            surroundings.ignore()
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
        yield pool_of_ranks(executor)


def pool_of_ranks(executor: Any) -> Pool:
    """Pool of an executor of mpi4py. A rank that dies ends the job; the same command goes on."""
    return Pool(executor, lambda: int(executor.num_workers), cost=MPI_COST)


def _started() -> int:
    return max(int(os.environ.get(name) or 1) for name in STARTED)


def _world() -> Any:
    return surroundings.extra("mpi4py.MPI", "mpi").COMM_WORLD


@contextlib.contextmanager
def in_dask(address: str = "", count: int | None = None) -> Iterator[Pool]:
    """Pool of the workers of a cluster of Dask.

    ``address``: the scheduler's address, or the file in which it writes it. Without one, a cluster
    of processes on this machine is started. ``count``: processes of that cluster, by default as
    many as there are cores.

    Raises FastgcError if ``distributed`` is not installed, no cluster can be started, no
    scheduler answers at the address, or a worker has no fastgc.
    """
    distributed = surroundings.extra("distributed", "dask")
    with contextlib.ExitStack() as stack:
        # what it logs is about its own parts; what matters of it is raised
        silent = surroundings.extra("distributed.utils", "dask").silence_logging_cmgr
        stack.enter_context(silent(logging.CRITICAL))
        client = stack.enter_context(
            _client(distributed, address, count or surroundings.available_cores())
        )
        found: dict[str, Any] = {}
        with contextlib.suppress(ValueError):  # a scheduler may be set not to answer
            found = client.run(find_spec, "fastgc")
            found["its scheduler"] = client.run_on_scheduler(find_spec, "fastgc")
        for name in (name for name, spec in found.items() if spec is None):
            raise FastgcError(
                f"executor: there is no fastgc where Dask runs {name}; install the same one "
                "for the scheduler and all workers"
            )
        executor = client.get_executor(pure=False)
        stack.callback(executor.shutdown, wait=False)
        lost = (distributed.KilledWorker, CancelledError, BrokenExecutor)
        yield Pool(executor, Workers(client), cost=DASK_COST, lost=lost)


@contextlib.contextmanager
def _client(distributed: Any, address: str, count: int) -> Iterator[Any]:
    until = time.monotonic() + CONNECT_SECONDS
    is_file = bool(address) and ":" not in address
    while is_file and not Path(address).is_file() and time.monotonic() < until:
        time.sleep(0.1)  # the scheduler may have been started together with this
    with contextlib.ExitStack() as stack:
        try:
            if is_file and not Path(address).is_file():
                raise FileNotFoundError("there is no such file")
            where = {"scheduler_file" if is_file else "address": address}
            if not address:  # processes that do not hear Ctrl-C; this one hears it for them
                with ThreadPoolExecutor(1, initializer=surroundings.deaf) as other:
                    cluster = other.submit(
                        distributed.LocalCluster,
                        n_workers=count,
                        threads_per_worker=1,
                        processes=True,
                        # without one it takes 8787, which another may have
                        dashboard_address="127.0.0.1:0",
                        scheduler_kwargs={"dashboard": False},
                        silence_logs=logging.CRITICAL,
                    )
                    where = {"address": stack.enter_context(cluster.result())}
            left = max(1.0, until - time.monotonic())
            client = stack.enter_context(distributed.Client(**where, timeout=left))
        except (OSError, RuntimeError, TimeoutError, ValueError) as problem:
            said = surroundings.in_words(problem)
            raise FastgcError(
                f'executor: no scheduler of Dask answers at "{address}" ({said}); give '
                "dask:ADDRESS like dask:tcp://host:8786, or the file that the scheduler has written"
                if address
                else f"executor: no cluster of Dask can be started here ({said}); use processes"
            ) from None
        yield client


class Workers:
    """Counts the threads of a cluster's workers, now and then; says so when there are none."""

    def __init__(self, client: Any) -> None:
        self._client, self._next, self._count = client, 0.0, 1

    def __call__(self) -> int:
        """How many there are."""
        if time.monotonic() >= self._next:
            before, self._count = self._count, sum(self._client.nthreads().values())
            if before and not self._count:
                _log.warning("the cluster has no workers; waiting until there are some")
            self._next = time.monotonic() + COUNT_SECONDS
        return self._count
