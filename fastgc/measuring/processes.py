"""Workers that are processes of this machine: pipes for short messages, shared memory for vectors.

Messages in pipes are shorter than a pipe takes at once, and a worker has one order at most, so that
neither side ever waits for the other to read, also not where a worker is stopped in between. The
memory has no name: nothing is left of it, however the master ends.
"""

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from types import ModuleType
from typing import Any, ClassVar, Self

import numpy as np

from fastgc.arrays import Values
from fastgc.engine.executors.local import unheard
from fastgc.engine.executors.surroundings import SIGNALS, in_words, one_thread_each
from fastgc.errors import FastgcError
from fastgc.measuring.worker import ANSWER, OF_USER, ORDER, STOP, Joint, Order, Piece, work

#: Workers that one hears at most: a process is sent so many pipes and pieces of memory at once.
_MOST_HEARD = 100
#: Seconds in which all workers must have begun, beside what each takes.
_BEGIN, _EACH = 60.0, 2.0
#: While they begin it is asked so often whether to stop, in seconds.
_ASK = 0.2
#: Seconds that workers get to leave by themselves.
_LEAVE = 2.0


@dataclass(frozen=True)
class Answer:
    """What a worker has sent, ``at`` some moment on the master's clock.

    ``seconds`` are its own for the ``part`` of its piece; ``values`` are None where it left off,
    and the worker's own memory, which holds them until its next order. After its last part, or
    where it left off, it is free.
    """

    worker: int
    round: int
    seconds: float
    values: Values | None
    at: float
    part: int = 0


@dataclass(frozen=True)
class LostWorker:
    """A worker that will never answer again, and why."""

    worker: int
    why: str
    at: float


class Processes:
    """Processes that are started for a measurement, one a worker, of the pieces that they are sent.

    They are copies of one server process that has loaded what they need, where the system can fork;
    they hear no signal but their master's, and leave when it is gone. A worker has at most one
    order at a time. It is given the next one when its answer, or word that it has left off, has
    come. Leaving this as a context ends them.
    """

    NAME: ClassVar[str] = "processes"

    def __init__(
        self,
        pieces: Sequence[Piece],
        parameters: int,
        interrupted: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.names = [f"process{j}" for j in range(len(pieces))]
        # workers are copied from a server that has few threads, else begun anew
        is_forked = "forkserver" in multiprocessing.get_all_start_methods()
        context: Any = multiprocessing.get_context("forkserver" if is_forked else "spawn")
        if is_forked:
            context.set_forkserver_preload(["fastgc.measuring.worker"])
        self._parameters = context.RawArray("d", parameters)
        self._answers = [context.RawArray("d", piece.parts * piece.size) for piece in pieces]
        self._parts = [piece.parts for piece in pieces]
        self._ends: dict[Connection, int] = {}
        self._lines: list[Connection] = []
        self._processes: list[Any] = []
        self._known_lost: set[int] = set()
        self._round = -1
        try:
            needed = any(piece.needs_main for piece in pieces)
            if needed and not hasattr(sys.modules["__main__"], "__file__"):
                raise FastgcError(
                    "gradient: is defined in a notebook or at a prompt, where workers cannot load "
                    "it; define it in a module (a file NAME.py), and import it from there"
                )
            program = contextlib.nullcontext() if needed else _without_program()
            with one_thread_each(), unheard(SIGNALS), program:
                joints = self._joints(context, pieces)
                for piece, answer, joint in zip(pieces, self._answers, joints, strict=True):
                    if interrupted() is None:  # else there will be no order
                        self._start(context, piece, answer, joint)
                for heard, hearer in joints:  # that one is gone is seen where no end is left
                    for line in (*(each[1] for each in heard), *([hearer] if hearer else [])):
                        line.close()
            self._greet(interrupted)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _joints(self, context: Any, pieces: Sequence[Piece]) -> list[Joint]:
        heard: list[list[tuple[int, Connection, Any]]] = [[] for _ in pieces]
        hearers: list[Connection | None] = [None] * len(pieces)
        for hears, piece in zip(heard, pieces, strict=True):
            if len(piece.hears) > _MOST_HEARD:
                raise FastgcError(
                    f"system: a process hears at most {_MOST_HEARD} others "
                    f"(got {len(piece.hears)}); take a tree with fewer children"
                )
            for other in piece.hears:
                end, hearers[other] = context.Pipe(duplex=False)
                hears.append((other, end, self._answers[other]))
        return list(zip(heard, hearers, strict=True))

    def _start(self, context: Any, piece: Piece, answer: Any, joint: Joint) -> None:
        mine, theirs = context.Pipe()
        process = context.Process(
            target=work,
            args=(theirs, self._parameters, answer, piece, joint),
            name=self.names[len(self._processes)],
            daemon=True,
        )
        try:
            process.start()
        except (pickle.PicklingError, AttributeError, TypeError, ValueError, RuntimeError) as wrong:
            raise FastgcError(
                f"gradient: cannot be sent to workers ({in_words(wrong)}); give a function that a "
                "module defines, and partitions that can be pickled"
            ) from None
        theirs.close()
        self._ends[mine] = len(self._processes)
        self._lines.append(mine)
        self._processes.append(process)

    def _greet(self, interrupted: Callable[[], str | None]) -> None:
        until = time.monotonic() + _BEGIN + _EACH * len(self._lines)
        silent = set(self._lines)
        while silent and interrupted() is None:
            left = until - time.monotonic()
            ready = wait(list(silent), timeout=max(0.0, min(_ASK, left)))
            if not ready and left <= 0:
                raise FastgcError(f"{len(silent)} worker processes did not begin in time")
            for line in ready:
                assert isinstance(line, Connection)
                try:
                    line.recv_bytes()
                except (EOFError, OSError):
                    raise FastgcError(
                        f"{self.names[self._ends[line]]} ended before it began; a program of your "
                        'own must call fastgc under if __name__ == "__main__":'
                    ) from None
                silent.discard(line)

    def clock(self) -> float:
        """Return seconds on the clock that arrivals are read from."""
        return time.perf_counter()

    def order(self, worker: int, order: Order) -> None:
        """Send an order to a worker that has none; the parameters of a round are written once.

        A worker that is gone is `LostWorker` at `wait`.
        """
        if order.round != self._round:
            self._round = order.round
            np.frombuffer(self._parameters)[:] = order.parameters
        head = ORDER.pack(order.round, order.spin, order.delay, order.slower)
        self._send(worker, head + np.array(order.seconds, np.float64).tobytes())

    def cancel(self, worker: int) -> None:
        """Ask a worker to leave off its order; that it has is heard as an `Answer`."""
        self._send(worker, STOP)

    def _send(self, worker: int, message: bytes) -> None:
        with contextlib.suppress(OSError):  # that it is gone is heard by `wait`
            self._lines[worker].send_bytes(message)

    def wait(self, seconds: float) -> list[Answer | LostWorker]:
        """Return what has come, at once if there is something, else after so many seconds.

        Raises a FastgcError where a worker tells a mistake of the user's.
        """
        open_ = [line for line, j in self._ends.items() if j not in self._known_lost]
        if not open_:
            time.sleep(max(0.0, seconds))
            return []
        ready = wait(open_, timeout=max(0.0, seconds))
        at = self.clock()
        return [self._received(line, at) for line in ready if isinstance(line, Connection)]

    def _received(self, line: Connection, at: float) -> Answer | LostWorker:
        worker = self._ends[line]
        try:
            message = line.recv_bytes()
        except (EOFError, OSError):
            self._known_lost.add(worker)
            process = self._processes[worker]
            process.join(_BEGIN)  # it is dead; that it is may be told late
            code = process.exitcode
            how = f"ended with exit code {code}"
            if code is not None and code < 0:
                how = f"was ended by {signal.Signals(-code).name}"
            return LostWorker(worker, f"{self.names[worker]} {how}", at)
        if len(message) != ANSWER.size:  # it ends by a mistake, of which this is the word
            self._known_lost.add(worker)
            word = message[1:].decode(errors="replace").strip()
            if message.startswith(OF_USER):
                raise FastgcError(f"{word}, at {self.names[worker]}")
            return LostWorker(worker, word, at)
        number, part, seconds, is_whole = ANSWER.unpack(message)
        values = None
        if is_whole:
            values = np.frombuffer(self._answers[worker]).reshape(self._parts[worker], -1)[part]
        return Answer(worker, number, seconds, values, at, part)

    def kill(self, worker: int) -> None:
        """Kill a worker."""
        self._processes[worker].kill()

    def pause(self, worker: int, stopped: bool) -> None:
        """Stop a worker, or let it go on."""
        if not hasattr(signal, "SIGSTOP"):
            raise FastgcError("pause: this system stops no processes")
        if worker not in self._known_lost:  # its number may be another's by now
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._processes[worker].pid, signal.SIGSTOP if stopped else signal.SIGCONT)

    def close(self) -> None:
        """Close all pipes, which ends the workers, and kill those that do not leave."""
        for line in self._lines:
            line.close()
        until = time.monotonic() + _LEAVE
        for process in self._processes:
            process.join(max(0.0, until - time.monotonic()))
            if process.exitcode is None:
                process.kill()
                process.join(_LEAVE)
        self._lines.clear()
        self._ends.clear()


@contextlib.contextmanager
def _without_program() -> Iterator[None]:
    own = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = own
