"""Workers that are actors of Ray, one a piece: on this machine, or on a cluster.

An actor has two threads: one for its order, and one that hears that the order is to be left.
"""

import contextlib
import logging
from collections.abc import Sequence
from typing import Any, ClassVar

from fastgc.arrays import Values
from fastgc.engine.executors.local import unheard
from fastgc.engine.executors.surroundings import SIGNALS, extra, in_words, one_thread_each
from fastgc.errors import FastgcError
from fastgc.measuring.carrier import Order
from fastgc.measuring.tasks import Seat, Tasks
from fastgc.measuring.worker import Piece

#: Seconds in which all actors must have begun.
_BEGIN = 60.0


class Ray(Tasks):
    """Actors of a cluster, a core each, or as many on this machine; none is started anew."""

    NAME: ClassVar[str] = "ray"

    def __init__(self, pieces: Sequence[Piece], address: str = "") -> None:
        super().__init__(pieces)
        self._ray = extra("ray", "ray")
        self.names = [f"actor{j}" for j in range(len(pieces))]
        self._actors: list[Any] = []
        self._is_own = False
        try:
            with one_thread_each(), unheard(SIGNALS):
                if address or not self._ray.is_initialized():
                    self._connect(address, len(pieces))
                    self._is_own = True
                kind = self._ray.remote(num_cpus=1, max_restarts=0, max_concurrency=2)(_Actor)
                self._actors = [kind.remote(piece) for piece in pieces]
                ready = [actor.leave.remote(-1) for actor in self._actors]
                self._ray.get(ready, timeout=_BEGIN)
        except self._ray.exceptions.RayError as problem:
            self.close()
            raise FastgcError(
                f"executor: {len(pieces)} actors of Ray do not begin ({in_words(problem)}); each "
                "needs a core of the cluster, and fastgc there"
            ) from None
        except BaseException:
            self.close()
            raise

    def _connect(self, address: str, count: int) -> None:
        quiet = {"log_to_driver": False, "logging_level": logging.CRITICAL}
        own = {"num_cpus": count, "include_dashboard": False, "_node_ip_address": "127.0.0.1"}
        try:
            self._ray.init(address=address or "local", **quiet, **({} if address else own))
        except (OSError, RuntimeError, ValueError) as problem:
            where = f'no cluster of Ray answers at "{address}"' if address else "Ray does not start"
            raise FastgcError(
                f"executor: {where} ({in_words(problem)}); give ray:ADDRESS like ray:host:6379, of "
                "a cluster that this machine belongs to"
            ) from None

    def _store(self, parameters: Values) -> Any:
        return self._ray.put(parameters)

    def _call(self, worker: int, order: Order, stored: Any, part: int) -> Any:
        return self._actors[worker].work.remote(order, stored, part).future()

    def _leave(self, worker: int, number: int) -> None:
        self._actors[worker].leave.remote(number)

    def kill(self, worker: int) -> None:
        self._ray.kill(self._actors[worker])

    def close(self) -> None:
        """End all actors, and Ray if it was started here."""
        for actor in self._actors:
            with contextlib.suppress(self._ray.exceptions.RayError):
                self._ray.kill(actor)
        if self._is_own:
            self._ray.shutdown()


class _Actor(Seat):
    """A worker with its piece, in a process of its own."""

    def __init__(self, piece: Piece) -> None:
        super().__init__()
        self._piece = piece

    def work(self, order: Order, parameters: Values, part: int) -> tuple[float, Values | None]:
        """Do a part of an order."""
        return self.do(self._piece, order, parameters, part)
