"""Workers of a Dask cluster: any that its scheduler knows, or some of this machine."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError
from pathlib import Path
from typing import Any

from fastgc.engine.executors.cores import available_cores
from fastgc.engine.executors.extras import extra
from fastgc.engine.executors.pool import Pool
from fastgc.errors import FastgcError

COST = 3e-3  # seconds a task
CONNECT_SECONDS = 30.0
COUNT_SECONDS = 2.0  # workers come and go; they are counted so often


@contextlib.contextmanager
def in_dask(address: str = "", count: int | None = None) -> Iterator[Pool]:
    """Pool of the workers of a cluster.

    Parameters
    ----------
    address : str, optional
        The scheduler's address, or the file in which it has written it. Without one, a cluster of
        processes on this machine is started.
    count : int, optional
        Processes of that cluster, by default as many as there are cores.

    Raises
    ------
    FastgcError
        If ``distributed`` is not installed, or nobody answers at the address.
    """
    distributed = extra("distributed", "dask")
    with contextlib.ExitStack() as stack:
        if address:
            client = _connected(distributed, address)
        else:
            cluster = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=count or available_cores(),
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=None,
                )
            )
            client = distributed.Client(cluster)
        stack.enter_context(client)
        executor = stack.enter_context(client.get_executor(pure=False))
        lost = (distributed.KilledWorker, CancelledError, BrokenExecutor)
        yield Pool(executor, _Workers(client), cost=COST, lost=lost)


def _connected(distributed: Any, address: str) -> Any:
    where = {"scheduler_file": address} if Path(address).is_file() else {"address": address}
    try:
        return distributed.Client(**where, timeout=CONNECT_SECONDS)
    except (OSError, TimeoutError, ValueError) as problem:
        said = " ".join(str(problem).split())
        raise FastgcError(
            f'executor: no scheduler of Dask answers at "{address}" ({said}); give dask:ADDRESS '
            "like dask:tcp://host:8786, or the file that the scheduler has written"
        ) from None


class _Workers:
    """Counts the threads of a cluster's workers, now and then."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._next = 0.0
        self._count = 1

    def __call__(self) -> int:
        if time.monotonic() >= self._next:
            self._count = sum(self._client.nthreads().values())
            self._next = time.monotonic() + COUNT_SECONDS
        return self._count
