"""What carries orders to workers and answers back, whatever the workers are.

A worker has at most one order at a time. It is given the next one when its answer, or word that it
has left off, has come; so nothing piles up at a worker that is late, stopped or dead.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from fastgc.arrays import Values


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


@dataclass(frozen=True)
class Answer:
    """What a worker has sent, ``at`` some moment on the carrier's clock.

    ``seconds`` are its own for the ``part`` of its piece; ``values`` are None where it left off.
    After its last part, or where it left off, it is free.
    """

    worker: int
    round: int
    seconds: float
    values: Values | None
    at: float
    part: int = 0


@dataclass(frozen=True)
class Lost:
    """A worker that will never answer again, and why."""

    worker: int
    why: str
    at: float


class Carrier(ABC):
    """Workers with ``names``, ready for orders; leaving it as a context ends them."""

    NAME: ClassVar[str]
    names: Sequence[str]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def clock(self) -> float:
        """Return seconds on the clock that arrivals are read from."""
        return time.perf_counter()

    @abstractmethod
    def order(self, worker: int, order: Order) -> None:
        """Send an order to a worker that has none. A worker that is gone is `Lost` at `wait`."""

    @abstractmethod
    def cancel(self, worker: int) -> None:
        """Ask a worker to leave off its order; that it has is heard as an `Answer`."""

    @abstractmethod
    def wait(self, seconds: float) -> list[Answer | Lost]:
        """Return what has come, at once if there is something, else after so many seconds.

        Raises a FastgcError where a worker tells a mistake of the user's.
        """

    @abstractmethod
    def close(self) -> None:
        """End all workers, whatever they do."""

    @abstractmethod
    def kill(self, worker: int) -> None:
        """Kill a worker."""

    @abstractmethod
    def pause(self, worker: int, stopped: bool) -> None:
        """Stop a worker, or let it go on."""
