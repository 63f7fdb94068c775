"""Workers of a Dask cluster: any that its scheduler knows, or some of this machine."""

import contextlib
import logging
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError, ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fastgc.engine.executors.pool import Pool
from fastgc.engine.executors.surroundings import available_cores, deaf, extra, in_words
from fastgc.errors import FastgcError

COST = 3e-3  # seconds a task
CONNECT_SECONDS = 30.0
COUNT_SECONDS = 2.0  # workers come and go; they are counted so often

_log = logging.getLogger("fastgc")


@contextlib.contextmanager
def in_dask(address: str = "", count: int | None = None) -> Iterator[Pool]:
    """Pool of the workers of a cluster.

    ``address``: the scheduler's address, or the file in which it writes it. Without one, a cluster
    of processes on this machine is started. ``count``: processes of that cluster, by default as
    many as there are cores.

    Raises FastgcError if ``distributed`` is not installed, no cluster can be started, no
    scheduler answers at the address, or a worker has no fastgc.
    """
    distributed = extra("distributed", "dask")
    with contextlib.ExitStack() as stack:
        # what it logs is about its own parts; what matters of it is raised
        silent = extra("distributed.utils", "dask").silence_logging_cmgr
        stack.enter_context(silent(logging.CRITICAL))
        client = stack.enter_context(_client(distributed, address, count or available_cores()))
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
        yield Pool(executor, _Workers(client), cost=COST, lost=lost)


@contextlib.contextmanager
def _client(distributed: Any, address: str, count: int) -> Iterator[Any]:
    """A client of the scheduler at an address; without one, of a cluster on this machine.

    Its processes do not hear Ctrl-C; this one hears it for them.
    """

    def start() -> Any:
        return distributed.LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",  # without one it takes 8787, which another may have
            scheduler_kwargs={"dashboard": False},
            silence_logs=logging.CRITICAL,
        )

    until = time.monotonic() + CONNECT_SECONDS
    is_file = bool(address) and ":" not in address
    while is_file and not Path(address).is_file() and time.monotonic() < until:
        time.sleep(0.1)  # the scheduler may have been started together with this
    with contextlib.ExitStack() as stack:
        try:
            if is_file and not Path(address).is_file():
                raise FileNotFoundError("there is no such file")  # Dask would wait for it for ever
            if address:
                where = {"scheduler_file" if is_file else "address": address}
            else:
                with ThreadPoolExecutor(1, initializer=deaf) as other:
                    where = {"address": stack.enter_context(other.submit(start).result())}
            left = max(1.0, until - time.monotonic())
            client = stack.enter_context(distributed.Client(**where, timeout=left))
        except (OSError, RuntimeError, TimeoutError, ValueError) as problem:
            said = in_words(problem)
            raise FastgcError(
                f'executor: no scheduler of Dask answers at "{address}" ({said}); give '
                "dask:ADDRESS like dask:tcp://host:8786, or the file that the scheduler has written"
                if address
                else f"executor: no cluster of Dask can be started here ({said}); use processes"
            ) from None
        yield client


class _Workers:
    """Counts the threads of a cluster's workers, now and then; says so when there are none."""

    def __init__(self, client: Any) -> None:
        self._client, self._next, self._count = client, 0.0, 1

    def __call__(self) -> int:
        if time.monotonic() >= self._next:
            before, self._count = self._count, sum(self._client.nthreads().values())
            if before and not self._count:
                _log.warning("the cluster has no workers; waiting until there are some")
            self._next = time.monotonic() + COUNT_SECONDS
        return self._count
