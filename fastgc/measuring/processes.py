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
import struct
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from fastgc.arrays import Values
from fastgc.engine.executors.local import unheard
from fastgc.engine.executors.surroundings import SIGNALS, ignore, in_words, one_thread_each
from fastgc.errors import FastgcError
from fastgc.measuring.carrier import Answer, Carrier, Lost, Order
from fastgc.measuring.worker import LeftOffError, Line, Message, Piece, serve

#: Round, spin, delay, slower; then the injected seconds of each part.
_ORDER = struct.Struct("<q?dd")
#: Round, part, own seconds, whether there is an answer.
_ANSWER = struct.Struct("<qqd?")
_STOP = b""
#: What a worker tells another one: round, whether its answer is in memory, or it leaves off.
_TOLD = struct.Struct("<q?")
#: Workers that one hears at most: a process is sent so many pipes and pieces of memory at once.
_MOST_HEARD = 100
#: How the word of a mistake begins that is the user's.
_OF_USER = b"!"
#: Letters of a mistake that are told, so that a pipe takes them at once.
_WORDS = 500
#: Seconds in which all workers must have begun, beside what each takes.
_BEGIN, _EACH = 60.0, 2.0
#: While they begin it is asked so often whether to stop, in seconds.
_ASK = 0.2
#: Seconds that workers get to leave by themselves.
_LEAVE = 2.0
#: Seconds that one wait may take, for the system counts milliseconds.
_LONGEST = 1e5


#: Workers that one hears, each with an end of a pipe and its memory; and the end where it is heard.
_Joint = tuple[list[tuple[int, Connection, Any]], Connection | None]


class Processes(Carrier):
    """Processes that are started for a measurement, one a worker.

    They are copies of one server process that has loaded what they need, where the system can fork;
    they hear no signal but their master's, and leave when it is gone.
    """

    NAME: ClassVar[str] = "processes"

    def __init__(
        self,
        pieces: Sequence[Piece],
        parameters: int,
        interrupted: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.names = [f"process{j}" for j in range(len(pieces))]
        context = _context()
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

    def _joints(self, context: Any, pieces: Sequence[Piece]) -> list[_Joint]:
        """Return each worker's ends of pipes to other workers."""
        heard: list[list[tuple[int, Connection, Any]]] = [[] for _ in pieces]
        hearers: list[Connection | None] = [None] * len(pieces)
        for hears, piece in zip(heard, pieces, strict=True):
            if len(piece.hears) > _MOST_HEARD:
                raise FastgcError(
                    f"executor: a process hears at most {_MOST_HEARD} others "
                    f"(got {len(piece.hears)}); take a tree with fewer children"
                )
            for other in piece.hears:
                end, hearers[other] = context.Pipe(duplex=False)
                hears.append((other, end, self._answers[other]))
        return list(zip(heard, hearers, strict=True))

    def _start(self, context: Any, piece: Piece, answer: Any, joint: _Joint) -> None:
        mine, theirs = context.Pipe()
        process = context.Process(
            target=_work,
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
        """Wait until all workers have begun, or it is to end before they have."""
        until = time.monotonic() + _BEGIN + _EACH * len(self._lines)
        silent = set(self._lines)
        while silent and interrupted() is None:
            left = until - time.monotonic()
            ready = wait(list(silent), timeout=max(0.0, min(_ASK, left)))
            if not ready and left <= 0:
                raise FastgcError(f"executor: {len(silent)} processes did not begin in time")
            for line in ready:
                assert isinstance(line, Connection)
                try:
                    line.recv_bytes()
                except (EOFError, OSError):
                    raise FastgcError(
                        f"executor: {self.names[self._ends[line]]} ended before it began; a "
                        'program of your own must call it under if __name__ == "__main__":'
                    ) from None
                silent.discard(line)

    def order(self, worker: int, order: Order) -> None:
        """Send an order; the parameters of a round are written once."""
        if order.round != self._round:
            self._round = order.round
            np.frombuffer(self._parameters)[:] = order.parameters
        head = _ORDER.pack(order.round, order.spin, order.delay, order.slower)
        self._send(worker, head + np.array(order.seconds, np.float64).tobytes())

    def cancel(self, worker: int) -> None:
        """Send an empty message."""
        self._send(worker, _STOP)

    def _send(self, worker: int, message: bytes) -> None:
        with contextlib.suppress(OSError):  # that it is gone is heard by `wait`
            self._lines[worker].send_bytes(message)

    def wait(self, seconds: float) -> list[Answer | Lost]:
        open_ = [line for line, j in self._ends.items() if j not in self._known_lost]
        if not open_:
            time.sleep(max(0.0, seconds))
            return []
        ready = wait(open_, timeout=max(0.0, seconds))
        at = self.clock()
        return [self._received(line, at) for line in ready if isinstance(line, Connection)]

    def _received(self, line: Connection, at: float) -> Answer | Lost:
        worker = self._ends[line]
        try:
            message = line.recv_bytes()
        except (EOFError, OSError):
            self._known_lost.add(worker)
            return Lost(worker, self._end_of(worker), at)
        if len(message) != _ANSWER.size:  # it ends by a mistake, of which this is the word
            self._known_lost.add(worker)
            word = message[1:].decode(errors="replace").strip()
            if message.startswith(_OF_USER):
                raise FastgcError(f"{word}, at {self.names[worker]}")
            return Lost(worker, word, at)
        number, part, seconds, is_whole = _ANSWER.unpack(message)
        values = None
        if is_whole:
            values = np.frombuffer(self._answers[worker]).reshape(self._parts[worker], -1)[part]
            values = values.copy()
        return Answer(worker, number, seconds, values, at, part)

    def _end_of(self, worker: int) -> str:
        process = self._processes[worker]
        process.join(_BEGIN)  # it is dead; that it is may be told late
        code = process.exitcode
        if code is not None and code < 0:
            return f"{self.names[worker]} was ended by {signal.Signals(-code).name}"
        return f"{self.names[worker]} ended with exit code {code}"

    def kill(self, worker: int) -> None:
        self._processes[worker].kill()

    def pause(self, worker: int, stopped: bool) -> None:
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
                process.join()
        self._lines.clear()
        self._ends.clear()


@contextlib.contextmanager
def _without_program() -> Iterator[None]:
    """Let processes that are started meanwhile not load the program that starts them."""
    own = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = own


def _context() -> ForkServerContext | SpawnContext:
    """How processes are started: copied from a server that has few threads, else anew."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


class _Pipe(Line):
    """A worker's ends of its pipes, and the memory beside them."""

    def __init__(
        self, line: Connection, parameters: Any, answer: Any, parts: int, joint: _Joint
    ) -> None:
        self._line, self._hearer = line, joint[1]
        self._heard = {end: (worker, np.frombuffer(memory)) for worker, end, memory in joint[0]}
        #: What was heard and not waited for yet, with its round.
        self._kept: list[tuple[int, Message]] = []
        #: Who is gone: the last round told.
        self._gone: dict[int, int] = {}
        self._parameters = np.frombuffer(parameters)
        self._answer = np.frombuffer(answer).reshape(parts, -1)

    def next(self) -> Order | None:
        """Wait for an order; what asks to leave one that is answered already is passed over."""
        while True:
            try:
                message = self._line.recv_bytes()
            except (EOFError, OSError):
                return None
            if message != _STOP:
                number, *how = _ORDER.unpack_from(message)
                seconds = tuple(np.frombuffer(message, np.float64, offset=_ORDER.size).tolist())
                return Order(number, self._parameters.copy(), seconds, *how)

    def leaves_off(self, seconds: float) -> bool:
        """Whether a message comes, which can only ask to leave off; or the master is gone."""
        if not self._line.poll(min(seconds, _LONGEST)):
            return False
        with contextlib.suppress(EOFError, OSError):
            self._line.recv_bytes()
        return True

    def answer(self, number: int, part: int, seconds: float, values: Values | None) -> None:
        if values is not None:
            self._answer[part] = values
        with contextlib.suppress(OSError):
            self._line.send_bytes(_ANSWER.pack(number, part, seconds, values is not None))

    def tell(self, number: int, values: Values | None) -> None:
        """Write it to memory, and send word of it."""
        if self._hearer is None:
            return
        if values is not None:
            self._answer[0] = values
        with contextlib.suppress(OSError):
            self._hearer.send_bytes(_TOLD.pack(number, values is not None))

    def hear(self, number: int) -> Message:
        """Return what is told in a round, and once who is gone."""
        while True:
            self._kept = [each for each in self._kept if each[0] >= number]
            for place, (told, message) in enumerate(self._kept):
                if told == number:
                    del self._kept[place]
                    return message
            for worker, told in self._gone.items():
                if told < number:
                    self._gone[worker] = number
                    return worker, None
            ready = wait([self._line, *self._heard])
            if self._line in ready and self.leaves_off(0.0):
                raise LeftOffError
            for line in self._heard.keys() & ready:
                self._listen(line)

    def _listen(self, line: Any) -> None:
        worker, memory = self._heard[line]
        try:
            told, is_whole = _TOLD.unpack(line.recv_bytes())
        except (EOFError, OSError):
            del self._heard[line]
            self._gone[worker] = -1
            return
        self._kept.append((told, (worker, memory.copy() if is_whole else None)))


def _work(line: Connection, parameters: Any, answer: Any, piece: Piece, joint: _Joint) -> None:
    """What a process does: it is deaf to signals, which its master hears, and says that it is up.

    When the master is gone its end of the pipe is closed, and there is no further order.
    """
    ignore()
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
    with contextlib.suppress(OSError):
        line.send_bytes(b"up")
    try:
        serve(_Pipe(line, parameters, answer, piece.parts, joint), piece)
    except Exception as problem:
        is_users = isinstance(problem, FastgcError)
        said = in_words(problem) if is_users else f"{type(problem).__name__}: {in_words(problem)}"
        word = (_OF_USER if is_users else b" ") + said.encode()
        with contextlib.suppress(OSError):
            line.send_bytes(word[:_WORDS].ljust(_ANSWER.size + 1))
    if hasattr(signal, "SIGCONT"):  # others that are stopped would outlive a master that was killed
        os.kill(0, signal.SIGCONT)
