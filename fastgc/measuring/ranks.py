"""Workers that are ranks of an MPI job: ``mpiexec -n 5 fastgc measure study.toml --executor mpi``.

The first rank leads and the others serve it. Both sides ask for messages and sleep in between:
MPI's own waiting would keep a core busy, and has no deadline. MPI cannot stop work: between chunks
a rank looks at a flag in its own memory, which the one that leads sets by a one-sided ``Put``. (On
three ranks of two busy cores a late rank was heard to have left after 1.4 ms in the median, and
after 3.4 ms where it was told by a message; where it sleeps, after 0.8 and 1.0 ms.) As it looks it
asks for messages, too, for without hardware's help a ``Put`` only arrives while its target calls
MPI. What ranks tell each other in trees are messages with the number of the measurement:
one that nobody waited for is thrown away, and a rank has left only when all of its own have gone.
"""

import contextlib
import ctypes
import logging
import pickle
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from fastgc.arrays import Values
from fastgc.engine.executors.local import unheard
from fastgc.engine.executors.mpi import refuse_strangers
from fastgc.engine.executors.surroundings import SIGNALS, extra, ignore, in_words, one_thread_each
from fastgc.errors import FastgcError
from fastgc.measuring.carrier import Answer, Carrier, Lost, Order
from fastgc.measuring.worker import Heard, LeftOffError, Line, Message, Piece, sendable, serve

_PIECE, _ORDER, _ANSWER, _MISTAKE, _TOLD, _LEFT = 1, 2, 3, 4, 5, 6
#: Numbers before those of an order, its seconds and parameters, and before an answer's values.
_OF_ORDER, _OF_ANSWER = 4, 4
#: Seconds between two looks for a message.
_LOOK = 2e-4
#: In place of a round: none, for a flag; no more orders, for an order.
_NONE = -1.0
_PARENT_DEATH_SIGNAL = 1
#: Seconds after which the job is ended if a rank does not leave its order.
_STUCK = 300.0

_log = logging.getLogger("fastgc")


@contextlib.contextmanager
def leading(load: Callable[[], None] = lambda: None) -> Iterator[bool]:
    """Return whether this rank leads; the others serve it first, until it has left.

    The others call ``load`` before they serve, to have what pieces of work need.

    Raises FastgcError if mpi4py is not installed, or there is no other rank.
    """
    _end_with_parent()
    with one_thread_each():
        world = _world()
    refuse_strangers(world)
    if world.Get_size() < 2:
        raise FastgcError(
            "executor: a job of one rank has no worker; start it with mpiexec -n N, one more than "
            "there are workers"
        )
    leads = world.Get_rank() == 0
    if not leads:
        ignore()
    with unheard(SIGNALS) if leads else contextlib.nullcontext():
        flags = _Flags(world)
    if not leads:
        _serve(world, flags, load)
        flags.free()
        yield False
        return
    _led.append(flags)
    try:
        yield True
    finally:
        _led.remove(flags)
        for rank in range(1, world.Get_size()):
            world.send(None, rank, _PIECE)
        flags.free()


def _end_with_parent() -> None:
    """Let a rank be killed when what has started it is gone, for nobody else would end it."""
    with contextlib.suppress(AttributeError, OSError, TypeError):  # on Linux alone
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)


class _Flags:
    """A number in each rank's memory, which the one that leads writes: the round to be left."""

    def __init__(self, world: Any) -> None:
        self._window = extra("mpi4py.MPI", "mpi").Win.Allocate(8, 8, comm=world)
        self._own = np.frombuffer(self._window.tomemory(), np.float64)
        self._world = world
        self._sent: dict[int, Values] = {}
        self.measurements = 0
        self._window.Lock_all()
        self.clear()
        world.Barrier()

    def clear(self) -> None:
        """Take back what this rank was told."""
        self._own[:] = _NONE
        self._window.Sync()

    def leaves(self, number: int) -> bool:
        """Return whether this rank is told to leave a round."""
        self._world.Iprobe(0, _ORDER)
        self._window.Sync()
        return bool(self._own[0] == number)

    def tell(self, rank: int, number: int) -> None:
        """Tell another rank to leave a round, after those that it was told before."""
        self._window.Flush(rank)
        self._sent[rank] = np.array([number], np.float64)  # kept until it has gone
        self._window.Put(self._sent[rank], rank)

    def settle(self) -> None:
        """Wait until all flags are set."""
        self._window.Flush_all()

    def free(self) -> None:
        """Give the memory back, together with all other ranks."""
        self._own = np.empty(0)
        self._window.Unlock_all()
        self._window.Free()


#: The flags of the job that this rank leads.
_led: list[_Flags] = []


class Ranks(Carrier):
    """The next ranks of the job, one a worker; those that are too many do nothing."""

    NAME: ClassVar[str] = "mpi"

    def __init__(self, pieces: Sequence[Piece], parameters: int) -> None:
        self._mpi, self._world = extra("mpi4py.MPI", "mpi"), _world()
        ranks, n = self._world.Get_size() - 1, len(pieces)
        if not _led:
            raise FastgcError(
                "executor: of an MPI job the first rank alone may measure; start a program of your "
                "own with mpiexec -n N python -m fastgc.measuring PROGRAM, which lets the others "
                'serve it, and call it under if __name__ == "__main__":'
            )
        if ranks < n:
            raise FastgcError(f"executor: {n} workers need {n + 1} ranks (got {ranks + 1})")
        self.names = [f"rank{j}" for j in range(1, n + 1)]
        self._flags = _led[-1]
        self._sent: list[list[Any]] = [[] for _ in pieces]
        #: The round of the order that a rank has.
        self._busy: dict[int, int] = {}
        with sendable():
            pickled = [pickle.dumps(piece) for piece in pieces]
        self._flags.measurements += 1
        hearers = {heard: j for j, piece in enumerate(pieces) for heard in piece.hears}
        for j, piece in enumerate(pieces):
            sizes = piece.parts, parameters, piece.size
            joint = self._flags.measurements, hearers.get(j)
            self._world.send((pickled[j], sizes, joint), j + 1, _PIECE)
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
        kept = self._sent[worker]
        kept[:] = [each for each in kept if not each[0].Test()]
        kept.append((self._world.Isend(message, worker + 1, _ORDER), message))
        self._busy[worker] = order.round

    def cancel(self, worker: int) -> None:
        """Write the number of the round that is to be left."""
        if worker in self._busy:
            self._flags.tell(worker + 1, self._busy[worker])

    def wait(self, seconds: float) -> list[Answer | Lost]:
        """Return what has come, looking for it again and again."""
        until = self.clock() + max(0.0, seconds)
        self._hear_mistakes()
        while not (done := self._mpi.Request.Testsome(self._requests)):
            self._hear_mistakes()
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

    def _hear_mistakes(self) -> None:
        status = self._mpi.Status()
        if self._world.Iprobe(self._mpi.ANY_SOURCE, _MISTAKE, status):
            worker = status.Get_source() - 1
            said = self._world.recv(None, worker + 1, _MISTAKE)
            self._busy.pop(worker, None)
            raise FastgcError(f"{said}, at {self.names[worker]}")

    def close(self) -> None:
        """Hear the ranks that have an order leave it, and tell all that there are no more."""
        for worker in self._busy:
            self.cancel(worker)
        until = self.clock() + _STUCK
        while self._busy:
            with contextlib.suppress(FastgcError):  # others make the same mistake
                self.wait(1.0)
            if self._busy and self.clock() > until:
                _log.error("%s: does not leave its work; the job ends", self.names[min(self._busy)])
                self._world.Abort(1)
        self._flags.settle()
        for worker, request in enumerate(self._requests):
            self._world.Send(np.array([_NONE]), worker + 1, _ORDER)
            request.Cancel()
            request.Wait()
        for rank in range(1, len(self.names) + 1):
            self._world.recv(None, rank, _LEFT)


class _Rank(Line):
    """A rank's end."""

    def __init__(
        self, world: Any, flags: _Flags, sizes: tuple[int, int, int], joint: tuple[int, int | None]
    ) -> None:
        self._world, self._flags, self._round = world, flags, 0
        self._measurement, self._hearer = joint
        self._under_way: list[Any] = []
        self._kept = Heard()
        self._parts, parameters, size = sizes
        self._order = np.empty(_OF_ORDER + self._parts + parameters)
        self._answer = np.empty(_OF_ANSWER + size)

    def next(self) -> Order | None:
        while not self._world.Iprobe(0, _ORDER):
            time.sleep(_LOOK)
        self._world.Recv(self._order, 0, _ORDER)
        number, spin, delay, slower = self._order[:_OF_ORDER].tolist()
        if number == _NONE:
            return None
        self._round = int(number)
        seconds, parameters = np.split(self._order[_OF_ORDER:].copy(), [self._parts])
        return Order(self._round, parameters, tuple(seconds), bool(spin), delay, slower)

    def leaves_off(self, seconds: float) -> bool:
        """Whether it is told to leave the order."""
        until = time.perf_counter() + seconds
        while not self._flags.leaves(self._round):
            left = until - time.perf_counter()
            if left <= 0:
                return False
            time.sleep(min(_LOOK, left))
        return True

    def answer(self, number: int, part: int, seconds: float, values: Values | None) -> None:
        """Send the answer: the rank that leads waits for it, also when it leaves."""
        self._answer[:_OF_ANSWER] = number, part, seconds, values is not None
        if values is not None:
            self._answer[_OF_ANSWER:] = values
        self._world.Send(self._answer, 0, _ANSWER)

    def tell(self, number: int, values: Values | None) -> None:
        """Send it on its way."""
        if self._hearer is None:
            return
        self._under_way = [each for each in self._under_way if not each.Test()]
        message = self._measurement, number, values
        self._under_way.append(self._world.isend(message, self._hearer + 1, _TOLD))

    def hear(self, number: int) -> Message:
        while True:
            for worker, (measurement, round_, values) in _received(self._world):
                if measurement == self._measurement:
                    self._kept.keep(round_, (worker, values))
            if (message := self._kept.of_round(number)) is not None:
                return message
            if self.leaves_off(_LOOK):
                raise LeftOffError

    def leave(self) -> None:
        """Say that this rank has left, once what it told has gone."""
        while not all(each.Test() for each in self._under_way):
            _received(self._world)
            time.sleep(_LOOK)
        self._world.send(None, 0, _LEFT)


def _received(world: Any) -> list[tuple[int, Any]]:
    """Return what workers tell this rank, and which."""
    mpi, found = extra("mpi4py.MPI", "mpi"), []
    status = mpi.Status()
    while world.Iprobe(mpi.ANY_SOURCE, _TOLD, status):
        rank = status.Get_source()
        found.append((rank - 1, world.recv(None, rank, _TOLD)))
    return found


def _serve(world: Any, flags: _Flags, load: Callable[[], None]) -> None:
    """Serve the rank that leads, one measurement after the other, until it has left."""
    unloaded = None
    try:
        load()
    except Exception as problem:
        unloaded = f"its program cannot be loaded ({type(problem).__name__}: {in_words(problem)})"
    while True:
        while not world.Iprobe(0, _PIECE):
            _received(world)  # in a measurement that is over
            time.sleep(10 * _LOOK)
        sent = world.recv(None, 0, _PIECE)
        if sent is None:
            return
        flags.clear()
        line = _Rank(world, flags, *sent[1:])
        try:
            serve(line, pickle.loads(sent[0]))
        except Exception as problem:
            said = in_words(problem)
            if not isinstance(problem, FastgcError):
                said = f"gradient: {unloaded or f'{type(problem).__name__}: {said}'}"
            world.send(said, 0, _MISTAKE)
            while line.next() is not None:  # what was ordered meanwhile
                pass
        line.leave()


def _world() -> Any:
    return extra("mpi4py.MPI", "mpi").COMM_WORLD
