"""Workers that are ranks of an MPI job: ``mpiexec -n 5 fastgc measure study.toml --executor mpi``.

The first rank leads and the others serve it. Both sides ask for messages and sleep in between:
MPI's own waiting would keep a core busy, and has no deadline. MPI cannot stop work: a rank asks
between chunks whether it is to leave off.
"""

from __future__ import annotations

import contextlib
import pickle
import signal
import time
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fastgc.engine.executors.surroundings import SIGNALS, extra, one_thread_each
from fastgc.errors import FastgcError
from fastgc.measuring.carrier import Answer, Carrier, Lost, Order
from fastgc.measuring.worker import Line, Piece, serve

Values = NDArray[np.float64]

_PIECE, _ORDER, _STOP, _ANSWER = 1, 2, 3, 4
#: Numbers before those of an order, its seconds and parameters, and before an answer's values.
_OF_ORDER, _OF_ANSWER = 4, 4
#: Seconds between two looks for a message.
_LOOK = 2e-4
#: In place of a round: there are no more orders.
_QUIT = -1.0


@contextlib.contextmanager
def leading() -> Iterator[bool]:
    """Return whether this rank leads; the others serve it first, until it has left.

    Raises FastgcError if mpi4py is not installed, or there is no other rank.
    """
    with one_thread_each():
        world = _world()
    if world.Get_rank() > 0:
        for name in SIGNALS:
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
        _serve(world)
        yield False
        return
    if world.Get_size() < 2:
        raise FastgcError(
            "executor: a job of one rank has no worker; start it with mpiexec -n N, one more than "
            "there are workers"
        )
    left = set(range(1, world.Get_size()))
    _unserved.append(left)
    try:
        yield True
    finally:
        _unserved.remove(left)
        for rank in left:
            world.send(None, rank, _PIECE)


#: Ranks that still wait for their piece, in the one that leads.
_unserved: list[set[int]] = []


class Ranks(Carrier):
    """All other ranks of the job, one a worker; those that are too many leave."""

    NAME: ClassVar[str] = "mpi"

    def __init__(self, pieces: Sequence[Piece], parameters: int) -> None:
        self._mpi, self._world = extra("mpi4py.MPI", "mpi"), _world()
        ranks, n = self._world.Get_size() - 1, len(pieces)
        if not _unserved:
            raise FastgcError(
                'executor: in a program of your own call it in "with leading() as leads:" of '
                "fastgc.measuring.ranks, where leads is True"
            )
        if ranks < n:
            raise FastgcError(f"executor: {n} workers need {n + 1} ranks (got {ranks + 1})")
        self.names = [f"rank{j}" for j in range(1, n + 1)]
        self._sent: list[list[Any]] = [[] for _ in pieces]
        #: The round of the order that a rank has.
        self._busy: dict[int, int] = {}
        for j, piece in enumerate(pieces, 1):
            self._world.send((pickle.dumps(piece), parameters), j, _PIECE)
            _unserved[-1].discard(j)
        self._parts = [piece.parts for piece in pieces]
        self._answers = [np.empty(_OF_ANSWER + piece.size) for piece in pieces]
        self._requests = [self._expect(j) for j in range(n)]

    def _expect(self, worker: int) -> Any:
        return self._world.Irecv(self._answers[worker], worker + 1, _ANSWER)

    def order(self, worker: int, order: Order) -> None:
        """Send an order; its memory is kept until it has gone."""
        seconds = np.zeros(self._parts[worker])
        seconds[: len(order.seconds)] = order.seconds
        head = np.array([order.round, order.spin, order.delay, order.slower], np.float64)
        message = np.concatenate([head, seconds, order.parameters])
        self._send(worker, message, _ORDER)
        self._busy[worker] = order.round

    def cancel(self, worker: int) -> None:
        """Send the number of the round that is to be left."""
        if worker in self._busy:
            self._send(worker, np.array([float(self._busy[worker])]), _STOP)

    def _send(self, worker: int, message: Values, tag: int) -> None:
        kept = self._sent[worker]
        kept[:] = [each for each in kept if not each[0].Test()]
        kept.append((self._world.Isend(message, worker + 1, tag), message))

    def wait(self, seconds: float) -> list[Answer | Lost]:
        """Return what has come, looking for it again and again."""
        until = self.clock() + max(0.0, seconds)
        while not (done := self._mpi.Request.Testsome(self._requests)):
            left = until - self.clock()
            if left <= 0:
                return []
            time.sleep(min(_LOOK, left))
        at = self.clock()
        found: list[Answer | Lost] = []
        for worker in done:
            number, part, took, is_whole = self._answers[worker][:_OF_ANSWER].tolist()
            values = self._answers[worker][_OF_ANSWER:].copy() if is_whole else None
            found.append(Answer(worker, int(number), took, values, at, int(part)))
            self._requests[worker] = self._expect(worker)
            if values is None or part == self._parts[worker] - 1:
                del self._busy[worker]
        return found

    def close(self) -> None:
        """Tell all ranks that there are no more orders, and hear those that have one leave it."""
        for j in range(len(self.names)):
            self._send(j, np.array([_QUIT]), _STOP)
        while self._busy:
            self.wait(1.0)
        for request in self._requests:
            request.Cancel()
            request.Wait()


class _Rank(Line):
    """A rank's end."""

    def __init__(self, world: Any, parameters: int, piece: Piece) -> None:
        self._world, self._round, self._quits = world, _QUIT, False
        self._parts, self._stop = piece.parts, np.empty(1)
        self._order = np.empty(_OF_ORDER + piece.parts + parameters)
        self._answer = np.empty(_OF_ANSWER + piece.size)

    def next(self) -> Order | None:
        """Wait for an order."""
        while not self._world.Iprobe(0, _ORDER):
            if self._quits or (self._stops() and self._quits):
                return None
            time.sleep(_LOOK)
        self._world.Recv(self._order, 0, _ORDER)
        number, spin, delay, slower = self._order[:_OF_ORDER].tolist()
        self._round = number
        seconds, parameters = np.split(self._order[_OF_ORDER:].copy(), [self._parts])
        return Order(int(number), parameters, tuple(seconds), bool(spin), delay, slower)

    def leaves_off(self, seconds: float) -> bool:
        """Whether word comes to leave the order."""
        until = time.perf_counter() + seconds
        while not self._stops():
            left = until - time.perf_counter()
            if left <= 0:
                return False
            time.sleep(min(_LOOK, left))
        return True

    def _stops(self) -> bool:
        """Take what has come; return whether it is about this order, or all."""
        while self._world.Iprobe(0, _STOP):
            self._world.Recv(self._stop, 0, _STOP)
            self._quits = self._quits or self._stop[0] == _QUIT
            if self._stop[0] in (self._round, _QUIT):
                return True
        return self._quits

    def answer(self, number: int, part: int, seconds: float, values: Values | None) -> None:
        """Send the answer: the rank that leads waits for it, also when it leaves."""
        self._answer[:_OF_ANSWER] = number, part, seconds, values is not None
        if values is not None:
            self._answer[_OF_ANSWER:] = values
        self._world.Send(self._answer, 0, _ANSWER)


def _serve(world: Any) -> None:
    """Serve the rank that leads until it has no more orders."""
    while not world.Iprobe(0, _PIECE):
        time.sleep(10 * _LOOK)
    sent = world.recv(None, 0, _PIECE)
    if sent is not None:
        piece: Piece = pickle.loads(sent[0])
        serve(_Rank(world, sent[1], piece), piece)


def _world() -> Any:
    return extra("mpi4py.MPI", "mpi").COMM_WORLD
