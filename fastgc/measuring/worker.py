"""What a worker does: it computes its piece, takes its time, and answers over a pipe.

It imports NumPy alone, so that many of them start fast.
"""

import contextlib
import os
import signal
import struct
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.engine.executors.surroundings import ignore, in_words
from fastgc.errors import FastgcError
from fastgc.training.sample_gradients import sums

#: Given seconds, waits for so long and returns at once, with True, where it is to leave off.
LeavesOff = Callable[[float], bool]

#: A worker that waits on a pipe wakes up late by a millisecond; the last ones it sleeps.
_LAST = 0.002
#: A worker that spins asks so often whether to leave off.
_SPIN = 0.001
#: Seconds that one wait may take, for the system counts milliseconds.
_LONGEST = 1e5

#: Of an order: round, spin, delay, slower; then the injected seconds of each part.
ORDER = struct.Struct("<q?dd")
#: Of an answer: round, part, own seconds, whether there are values.
ANSWER = struct.Struct("<qqd?")
#: What asks to leave off.
STOP = b""
#: What a worker tells another one: round, whether its answer is in memory, or it leaves off.
_TOLD = struct.Struct("<q?")
#: How the word of a mistake begins that is the user's.
OF_USER = b"!"
#: Letters of a mistake that are told, so that a pipe takes them at once.
_WORDS = 500

#: Who says something, and what: None where that worker leaves off or is lost.
Message = tuple[int, Values | None]
#: Workers that one hears, each with an end of a pipe and its memory; and the end where it is heard.
Joint = tuple[list[tuple[int, Connection, Any]], Connection | None]


class LeftOffError(Exception):
    """The worker was asked to leave off."""


@dataclass(frozen=True)
class Order:
    """What a worker is to do in a round, from 0, with parameters (p,).

    It waits for ``delay`` seconds, which are not its own; then each part of its piece takes
    ``slower`` times as long as it does, or as the injected ``seconds`` of the part where they are
    more, asleep or busy (``spin``).
    """

    round: int
    parameters: Values
    seconds: tuple[float, ...] = ()
    spin: bool = False
    delay: float = 0.0
    slower: float = 1.0


# ---- pieces of the work


class Piece(ABC):
    """A worker's share of the work, as it is sent to it once.

    It has so many ``parts``, done one after the other; an answer to one has ``size`` numbers.
    Before it answers it may wait for what the workers that it ``hears`` tell.
    """

    size: int
    parts: int = 1
    hears: Sequence[int] = ()

    #: Whether it can only be computed where the program that has made it is loaded.
    needs_main: bool = False

    @abstractmethod
    def compute(self, parameters: Values, check: Callable[[], None], part: int = 0) -> Values:
        """Return the answer (size,); ``check`` is called between partitions and may raise."""

    def join(self, number: int, values: Values, line: Any) -> Values:
        """Return the answer of a round once other workers have been heard: as it is, by default.

        Raises LeftOffError where they tell too little.
        """
        return values


@dataclass(frozen=True)
class GradientPiece(Piece):
    """A coded sum of partial gradients: Σ_i B_ij g_i of the partitions i that worker j holds.

    ``weights`` (held,): its column of B, without the zeros of other partitions.
    """

    function: Callable[[Values, Any], Values]
    held: Sequence[Any]
    weights: Values
    size: int

    @property
    def needs_main(self) -> bool:  # type: ignore[override]
        """Whether the function is one of the program's own."""
        function = self.function.func if isinstance(self.function, partial) else self.function
        return getattr(function, "__module__", "") == "__main__"

    def compute(self, parameters: Values, check: Callable[[], None], part: int = 0) -> Values:
        total = np.zeros(self.size)
        for weight, data in zip(self.weights, self.held, strict=True):
            check()
            total += weight * partial_gradient(self.function, parameters, data)
        return total


def partial_gradient(
    function: Callable[[Values, Any], Values], parameters: Values, part: Any
) -> Values:
    """Return a partition's gradient (p,); a FastgcError where it is none, or is not found.

    The function may change its parameters, and return the same memory each time.
    """
    try:
        found = np.asarray(function(parameters.copy(), part))
        if not np.iscomplexobj(found):
            found = np.asarray(found, np.float64)
    except (Exception, SystemExit) as problem:  # a worker that left would count as lost
        said = f"gradient: raised {type(problem).__name__}: {in_words(problem)}"
        for where in traceback.extract_tb(problem.__traceback__)[1:2]:  # in the function itself
            said += f" ({Path(where.filename).name}, line {where.lineno})"
        raise FastgcError(said) from problem
    if found.shape != parameters.shape or np.iscomplexobj(found):
        raise FastgcError(
            f"gradient: must return real numbers of shape {parameters.shape}, as parameters are "
            f"(got {found.dtype}, {found.shape})"
        )
    return found


def gradient_of(
    model: str, classes: int, parameters: Values, part: tuple[Values, Values]
) -> Values:
    """Return the sum of the gradients of some samples (X, y) of a model of fastgc's."""
    return sums(model, *part, parameters, classes)[1]


@dataclass(frozen=True)
class SharedPiece(Piece):
    """All samples, of which an order says which are the worker's, by its ``place`` among all.

    An order carries ``size`` parameters, then where the samples of each worker begin.
    """

    function: Callable[[Values, Any], Values]
    X: Values
    y: Values
    place: int
    size: int

    def compute(self, parameters: Values, check: Callable[[], None], part: int = 0) -> Values:
        check()
        i, j = parameters[self.size + self.place :][:2].astype(np.int64)
        return partial_gradient(self.function, parameters[: self.size], (self.X[i:j], self.y[i:j]))


@dataclass(frozen=True)
class ProductPiece(Piece):
    """Coded blocks (parts, rows, p) of the rows of a matrix, to be multiplied by the parameters."""

    blocks: Values

    @property
    def size(self) -> int:  # type: ignore[override]
        """Rows of a block."""
        return int(self.blocks.shape[1])

    @property
    def parts(self) -> int:  # type: ignore[override]
        """Blocks, one a layer."""
        return len(self.blocks)

    def compute(self, parameters: Values, check: Callable[[], None], part: int = 0) -> Values:
        check()
        return np.asarray(self.blocks[part] @ parameters)


@dataclass(frozen=True)
class TreePiece(Piece):
    """A worker of a tree: to its ``own`` answer it adds what its children tell, decoded.

    It waits for its own work, and for as many children as ``vectors`` decode: weights by which of
    them are there. What it sends up is the sum, then a flag for each of so many ``workers``: 1
    where its answer is in the sum. Its own ``place`` is among them.
    """

    own: Piece
    place: int
    workers: int
    vectors: Mapping[tuple[int, ...], Values]
    hears: Sequence[int] = ()

    @property
    def size(self) -> int:  # type: ignore[override]
        """Numbers of its own answer, and flags."""
        return self.own.size + self.workers

    def compute(self, parameters: Values, check: Callable[[], None], part: int = 0) -> Values:
        flags = np.zeros(self.workers)
        flags[self.place] = 1.0
        return np.concatenate([self.own.compute(parameters, check), flags])

    def join(self, number: int, values: Values, line: Any) -> Values:
        """Add what enough children tell, and tell the parent."""
        need = min(map(len, self.vectors), default=0)
        told: dict[int, Values] = {}
        missing = set(self.hears)
        while len(told) < need:
            worker, message = line.hear(number)
            missing.discard(worker)
            if message is not None:
                told[worker] = message
            elif worker not in told and len(told) + len(missing) < need:
                raise LeftOffError
        children, total = tuple(sorted(told)), values.copy()
        for weight, child in zip(self.vectors.get(children, ()), children, strict=True):
            total[: self.own.size] += weight * told[child][: self.own.size]
            total[self.own.size :] += told[child][self.own.size :]
        line.tell(number, total)
        return total


# ---- a worker at work


def perform(
    order: Order, piece: Piece, leaves_off: LeavesOff, part: int = 0
) -> tuple[float, Values | None]:
    """Do a part of an order; return the worker's own seconds, its answer unless it left off."""
    if part == 0 and order.delay > 0 and leaves_off(order.delay):
        return 0.0, None
    began = time.perf_counter()

    def check() -> None:
        if leaves_off(0.0):
            raise LeftOffError

    try:
        values = piece.compute(order.parameters, check, part)
        took = max(time.perf_counter() - began, *order.seconds[part : part + 1], 0.0)
        _rest(began + order.slower * took, order.spin, leaves_off)
    except LeftOffError:
        return time.perf_counter() - began, None
    return time.perf_counter() - began, values


def _rest(until: float, spin: bool, leaves_off: LeavesOff) -> None:
    asked = time.perf_counter()
    while (left := until - time.perf_counter()) > 0:
        if spin:
            if time.perf_counter() - asked > _SPIN:
                asked = time.perf_counter()
                if leaves_off(0.0):
                    raise LeftOffError
        elif left <= _LAST:
            time.sleep(left)
        elif leaves_off(left - _LAST):
            raise LeftOffError


class WorkerPipes:
    """A worker's ends of its pipes to its master and to other workers, and the memory beside."""

    def __init__(
        self, line: Connection, parameters: Any, answer: Any, parts: int, joint: Joint
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
        """Wait for an order, None where there will be none.

        What asks to leave one that is answered already is passed over. Parameters are copied: the
        master may write those of the next round while this one is late.
        """
        while True:
            try:
                message = self._line.recv_bytes()
            except (EOFError, OSError):
                return None
            if message != STOP:
                number, *how = ORDER.unpack_from(message)
                seconds = tuple(np.frombuffer(message, np.float64, offset=ORDER.size).tolist())
                return Order(number, self._parameters.copy(), seconds, *how)

    def leaves_off(self, seconds: float) -> bool:
        """Whether a message comes, which can only ask to leave off; or the master is gone."""
        if not self._line.poll(min(seconds, _LONGEST)):
            return False
        with contextlib.suppress(EOFError, OSError):
            self._line.recv_bytes()
        return True

    def answer(self, number: int, part: int, seconds: float, values: Values | None) -> None:
        """Send the answer to a part of the order of a round."""
        if values is not None:
            self._answer[part] = values
        with contextlib.suppress(OSError):
            self._line.send_bytes(ANSWER.pack(number, part, seconds, values is not None))

    def tell(self, number: int, values: Values | None) -> None:
        """Tell who hears this worker, if one does, its answer; None: that it leaves off."""
        if self._hearer is None:
            return
        if values is not None:
            self._answer[0] = values
        with contextlib.suppress(OSError):
            self._hearer.send_bytes(_TOLD.pack(number, values is not None))

    def hear(self, number: int) -> Message:
        """Return what is told in a round, and once who is gone.

        Raises LeftOffError where this worker is to leave off, which it is at the latest when the
        master gives up the round.
        """
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
            for line in [each for each in self._heard if each in ready]:
                worker, memory = self._heard[line]
                try:
                    told, is_whole = _TOLD.unpack(line.recv_bytes())
                except (EOFError, OSError):
                    del self._heard[line]
                    self._gone[worker] = -1
                else:
                    self._kept.append((told, (worker, memory.copy() if is_whole else None)))


@np.errstate(over="ignore", invalid="ignore")  # the verdicts say where descent is unstable
def serve(line: WorkerPipes, piece: Piece) -> None:
    """Do one order after the other until there are no more."""
    while (order := line.next()) is not None:
        for part in range(piece.parts):
            seconds, values = perform(order, piece, line.leaves_off, part)
            try:
                if values is not None:
                    values = piece.join(order.round, values, line)
            except LeftOffError:
                line.tell(order.round, None)
                values = None
            line.answer(order.round, part, seconds, values)
            if values is None:
                break


def work(line: Connection, parameters: Any, answer: Any, piece: Piece, joint: Joint) -> None:
    """What a process does: it is deaf to signals, which its master hears, and says that it is up.

    When the master is gone its end of the pipe is closed, and there is no further order.
    """
    ignore()
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
    with contextlib.suppress(OSError):
        line.send_bytes(b"up")
    try:
        serve(WorkerPipes(line, parameters, answer, piece.parts, joint), piece)
    except Exception as problem:
        is_users = isinstance(problem, FastgcError)
        said = in_words(problem) if is_users else f"{type(problem).__name__}: {in_words(problem)}"
        word = (OF_USER if is_users else b" ") + said.encode()
        with contextlib.suppress(OSError):
            line.send_bytes(word[:_WORDS].ljust(ANSWER.size + 1))
    if hasattr(signal, "SIGCONT"):  # others that are stopped would outlive a master that was killed
        os.kill(0, signal.SIGCONT)
