"""Workers of a cluster that calls functions for others: what carriers on Dask and Ray share.

A part of an order is a task that one worker alone may do; the next part is one when it is done. No
such cluster stops a task that runs: a worker is told to leave its order by a call beside the task,
which waits on a `Seat` in the same process.
"""

import contextlib
import queue
import threading
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.engine.executors.surroundings import in_words
from fastgc.errors import FastgcError
from fastgc.measuring.carrier import Answer, Carrier, Lost, Order
from fastgc.measuring.worker import Piece, perform


class Tasks(Carrier):
    """Workers that are called; a call's future has ``result`` and ``add_done_callback``."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._parts = [piece.parts for piece in pieces]
        self._done: queue.Queue[tuple[int, Any]] = queue.Queue()
        #: Of each worker that has one: its order, what stands for the parameters, part and future.
        self._tasks: dict[int, tuple[Order, Any, int, Any]] = {}
        self._round, self._stored = -1, None

    @abstractmethod
    def _store(self, parameters: Values) -> Any:
        """Return what stands for the parameters of a round, sent once and not with each order."""

    @abstractmethod
    def _call(self, worker: int, order: Order, stored: Any, part: int) -> Any:
        """Let a worker do a part of an order; return a future of what `Seat.do` returns."""

    @abstractmethod
    def _leave(self, worker: int, number: int) -> None:
        """Call `Seat.leave` at a worker."""

    def order(self, worker: int, order: Order) -> None:
        """Call the worker for the first part; the parameters of a round are stored once."""
        if order.round != self._round:
            self._round, self._stored = order.round, self._store(order.parameters)
        self._begin(worker, replace(order, parameters=np.empty(0)), self._stored, 0)

    def _begin(self, worker: int, order: Order, stored: Any, part: int) -> None:
        future = self._call(worker, order, stored, part)
        self._tasks[worker] = order, stored, part, future
        future.add_done_callback(lambda done: self._done.put((worker, done)))

    def cancel(self, worker: int) -> None:
        """Call the worker beside its task."""
        if worker in self._tasks:
            self._leave(worker, self._tasks[worker][0].round)

    def wait(self, seconds: float) -> list[Answer | Lost]:
        found = []
        with contextlib.suppress(queue.Empty):
            found.append(self._received(*self._done.get(timeout=max(0.0, seconds))))
            while True:
                found.append(self._received(*self._done.get_nowait()))
        return [each for each in found if each is not None]

    def _received(self, worker: int, future: Any) -> Answer | Lost | None:
        if worker not in self._tasks:  # it is lost already
            return None
        order, stored, part, _ = self._tasks.pop(worker)
        try:
            seconds, values = future.result()
        except FastgcError as mistake:
            said = in_words(getattr(mistake, "cause", mistake))  # Ray's own has a traceback
            raise FastgcError(f"{said}, at {self.names[worker]}") from None
        except Exception as problem:  # whatever is raised where a worker dies
            said = f"{self.names[worker]} is gone ({type(problem).__name__})"
            return Lost(worker, said, self.clock())
        if values is not None and part + 1 < self._parts[worker]:
            self._begin(worker, order, stored, part + 1)
        return Answer(worker, order.round, seconds, values, self.clock(), part)


class Seat:
    """A worker's process: a task works there, and calls beside it say which rounds to leave."""

    def __init__(self) -> None:
        self._change, self._left = threading.Condition(), -1

    def leave(self, number: int) -> None:
        """Let orders up to that of a round be left."""
        with self._change:
            self._left = max(self._left, number)
            self._change.notify_all()

    def do(
        self, piece: Piece, order: Order, parameters: Values, part: int
    ) -> tuple[float, Values | None]:
        """Do a part of an order."""

        def leaves_off(seconds: float) -> bool:
            with self._change:
                until = min(seconds, threading.TIMEOUT_MAX)
                return self._change.wait_for(lambda: self._left >= order.round, until)

        return perform(replace(order, parameters=parameters), piece, leaves_off, part)
