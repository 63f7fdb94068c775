"""Workers of a Dask cluster: a task is bound to one of them.

A worker that dies is lost, also where its nanny starts another in its place: that one has no piece
of the work, and a code is there to do without.
"""

import contextlib
import os
import time
import uuid
from collections.abc import Sequence
from typing import Any, ClassVar

from fastgc.arrays import Values
from fastgc.engine.executors import dask
from fastgc.errors import FastgcError
from fastgc.measuring.carrier import Answer, Lost, Order
from fastgc.measuring.tasks import Seat, Tasks
from fastgc.measuring.worker import Piece

#: Seconds after which it is asked who is still there, and while answers come.
_ASK, _ASK_LATER = 1.0, 5.0
#: Parameters of more bytes are sent once a round, not with each order through the scheduler.
_LARGE = 1_000_000


class Dask(Tasks):
    """The first workers of a cluster, by their addresses; or as many on this machine."""

    NAME: ClassVar[str] = "dask"

    def __init__(self, pieces: Sequence[Piece], address: str = "") -> None:
        super().__init__(pieces)
        n = len(pieces)
        self._stack = contextlib.ExitStack()
        try:
            pool = self._stack.enter_context(dask.in_dask(address, n))
            assert isinstance(pool.workers_of, dask._Workers)
            self._client: Any = pool.workers_of.client
            with contextlib.suppress(TimeoutError):  # they may have been started together with this
                self._client.wait_for_workers(n, timeout=dask.CONNECT_SECONDS)
            names, _, self._gone = dask.each_worker(pool)
            if len(names) < n:
                raise FastgcError(f"executor: {n} workers are needed, the cluster has {len(names)}")
            self.names = names[:n]
            self._pieces = [
                self._client.scatter(piece, workers=[name], hash=False)
                for piece, name in zip(pieces, self.names, strict=True)
            ]
        except BaseException:
            self._stack.close()
            raise
        self._asked = time.monotonic()
        #: Seats of two measurements on one cluster are not the same.
        self._mark = uuid.uuid4().hex

    def _store(self, parameters: Values) -> Any:
        if parameters.nbytes <= _LARGE:
            return parameters
        there = sorted(set(self._client.nthreads()) & set(self.names))
        return self._client.scatter(parameters, workers=there, broadcast=True, hash=False)

    def _call(self, worker: int, order: Order, stored: Any, part: int) -> Any:
        return self._client.submit(
            _work,
            self._mark,
            self._pieces[worker],
            order,
            stored,
            part,
            workers=[self.names[worker]],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )

    def _leave(self, worker: int, number: int) -> None:
        self._run(worker, _leave, self._mark, number)

    def kill(self, worker: int) -> None:
        """Let the worker's process end at once."""
        self._run(worker, _end)

    def _run(self, worker: int, function: Any, *arguments: Any) -> None:
        own = [self.names[worker]]
        self._client.run(function, *arguments, workers=own, wait=False, on_error="ignore")

    def wait(self, seconds: float) -> list[Answer | Lost]:
        """Return what has come, and now and then who is gone."""
        found = super().wait(seconds)
        if time.monotonic() - self._asked > (_ASK_LATER if found else _ASK):
            self._asked = time.monotonic()
            try:
                gone = set(self._gone())
            except (OSError, RuntimeError):  # so is the scheduler
                gone = set(self.names)
            for worker in [worker for worker in self._tasks if self.names[worker] in gone]:
                self._tasks.pop(worker)[-1].release()
                found.append(Lost(worker, f"{self.names[worker]} has left", self.clock()))
        return found

    def close(self) -> None:
        """Ask all to leave off, and close the cluster if it was started here."""
        for worker in list(self._tasks):
            self.cancel(worker)
        self._stack.close()


#: In a worker's process: its seat of each measurement.
_seats: dict[str, Seat] = {}


async def _leave(mark: str, number: int) -> None:
    _seats.setdefault(mark, Seat()).leave(number)


async def _end() -> None:
    os._exit(1)


def _work(
    mark: str, piece: Piece, order: Order, parameters: Values, part: int
) -> tuple[float, Values | None]:
    """Do a part of an order in a worker's process."""
    return _seats.setdefault(mark, Seat()).do(piece, order, parameters, part)
