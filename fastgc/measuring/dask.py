"""Workers of a Dask cluster: an order is a task that one worker alone may do.

Dask cannot stop a task that runs. A worker is told to leave off by a call beside its task, which
sets a flag that the task waits on. A worker that dies is lost, also where its nanny starts another
in its place: that one has no piece of the work, and a code is there to do without.
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fastgc.engine.executors import dask
from fastgc.errors import FastgcError
from fastgc.measuring.carrier import Answer, Carrier, Lost, Order
from fastgc.measuring.worker import Piece, perform

Values = NDArray[np.float64]

#: Seconds after which it is asked who is still there, and while answers come.
_ASK, _ASK_LATER = 1.0, 5.0
#: Parameters of more bytes are sent once a round, not with each order through the scheduler.
_LARGE = 1_000_000


class Dask(Carrier):
    """The first workers of a cluster, by their addresses; or as many on this machine."""

    NAME: ClassVar[str] = "dask"

    def __init__(self, pieces: Sequence[Piece], address: str = "") -> None:
        n = len(pieces)
        self._stack = contextlib.ExitStack()
        try:
            pool = self._stack.enter_context(dask.in_dask(address, n))
            names, _, self._gone = dask.each_worker(pool)
            if len(names) < n:
                raise FastgcError(f"executor: {n} workers are needed, the cluster has {len(names)}")
            assert isinstance(pool.workers_of, dask._Workers)
            self._client: Any = pool.workers_of.client
            self.names = names[:n]
            self._pieces = [
                self._client.scatter(piece, workers=[name], hash=False)
                for piece, name in zip(pieces, self.names, strict=True)
            ]
        except BaseException:
            self._stack.close()
            raise
        self._done: queue.Queue[tuple[int, Any]] = queue.Queue()
        self._parts = [piece.parts for piece in pieces]
        self._tasks: dict[int, tuple[Order, int, Any]] = {}
        self._asked = time.monotonic()
        #: Flags of two measurements on one cluster are not the same.
        self._mark = uuid.uuid4().hex
        self._round, self._parameters = -1, None

    def order(self, worker: int, order: Order) -> None:
        """Submit a task for the worker alone; the next part is one when it is done."""
        self._submit(worker, order, 0)

    def _submit(self, worker: int, order: Order, part: int) -> None:
        future = self._client.submit(
            _do,
            replace(order, parameters=np.empty(0)),
            self._carried(order),
            self._pieces[worker],
            self._mark,
            part,
            workers=[self.names[worker]],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )
        self._tasks[worker] = order, part, future
        future.add_done_callback(lambda done: self._done.put((worker, done)))

    def _carried(self, order: Order) -> Any:
        """Return an order's parameters, or what stands for large ones at all workers."""
        if order.parameters.nbytes <= _LARGE:
            return order.parameters
        if order.round != self._round:
            there = set(self._client.nthreads()) & set(self.names)
            self._round, self._parameters = (
                order.round,
                self._client.scatter(
                    order.parameters, workers=sorted(there), broadcast=True, hash=False
                ),
            )
        return self._parameters

    def cancel(self, worker: int) -> None:
        """Set the flag that the worker's task waits on."""
        if worker in self._tasks:
            self._run(worker, _leave, (self._mark, self._tasks[worker][0].round))

    def kill(self, worker: int) -> None:
        """Let the worker's process end at once."""
        self._run(worker, _end)

    def _run(self, worker: int, function: Any, *arguments: Any) -> None:
        own = [self.names[worker]]
        self._client.run(function, *arguments, workers=own, wait=False, on_error="ignore")

    def wait(self, seconds: float) -> list[Answer | Lost]:
        """Return what has come, and now and then who is gone."""
        found: list[Answer | Lost] = []
        with contextlib.suppress(queue.Empty):
            found.append(self._received(*self._done.get(timeout=max(0.0, seconds))))
            while True:
                found.append(self._received(*self._done.get_nowait()))
        if time.monotonic() - self._asked > (_ASK_LATER if found else _ASK):
            self._asked = time.monotonic()
            try:
                gone = set(self._gone())
            except (OSError, RuntimeError):  # so is the scheduler
                gone = set(self.names)
            lost = [worker for worker in self._tasks if self.names[worker] in gone]
            for worker in lost:
                future = self._tasks.pop(worker)[-1]
                future.release()
                found.append(Lost(worker, f"{self.names[worker]} has left", self.clock()))
        return [each for each in found if each.worker >= 0]

    def _received(self, worker: int, future: Any) -> Answer | Lost:
        order, part, own = self._tasks.get(worker, (None, 0, None))
        if order is None or own is None or own is not future:  # of a worker that is lost already
            return Lost(-1, "", self.clock())
        del self._tasks[worker]
        try:
            seconds, values = future.result()
        except FastgcError as mistake:
            raise FastgcError(f"{mistake}, at {self.names[worker]}") from None
        except Exception as problem:  # whatever Dask raises where a worker dies
            said = f"{self.names[worker]} is gone ({type(problem).__name__})"
            return Lost(worker, said, self.clock())
        if values is not None and part + 1 < self._parts[worker]:
            self._submit(worker, order, part + 1)
        return Answer(worker, order.round, seconds, values, self.clock(), part)

    def close(self) -> None:
        """Ask all to leave off, and close the cluster if it was started here."""
        for worker in list(self._tasks):
            self.cancel(worker)
        self._stack.close()


#: A measurement's mark, and a round.
_Key = tuple[str, int]
#: In a worker's process: the flag of each round that it works on, or has been told to leave.
_flags: dict[_Key, threading.Event] = {}


async def _leave(key: _Key) -> None:
    _flags.setdefault(key, threading.Event()).set()


async def _end() -> None:
    os._exit(1)


def _do(
    order: Order, parameters: Values, piece: Piece, mark: str, part: int
) -> tuple[float, Values | None]:
    """Do a part of an order in a worker's process."""
    order = replace(order, parameters=parameters)
    flag = _flags.setdefault((mark, order.round), threading.Event())

    def leaves_off(seconds: float) -> bool:
        return flag.wait(min(seconds, threading.TIMEOUT_MAX))

    found = perform(order, piece, leaves_off, part)
    if found[1] is None or part + 1 == piece.parts:
        _flags.clear()
    return found
