"""Workers that are actors of Ray, one a piece: on this machine, or on a cluster.

An actor has two threads: one for its order, and one that hears that the order is to be left.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fastgc.engine.executors.local import unheard
from fastgc.engine.executors.surroundings import SIGNALS, extra, in_words, one_thread_each
from fastgc.errors import FastgcError
from fastgc.measuring.carrier import Answer, Carrier, Lost, Order
from fastgc.measuring.worker import Piece, perform

Values = NDArray[np.float64]

#: Seconds in which all actors must have begun.
_BEGIN = 60.0


class Ray(Carrier):
    """Actors of a cluster, a core each, or as many on this machine; none is started anew."""

    NAME: ClassVar[str] = "ray"

    def __init__(self, pieces: Sequence[Piece], address: str = "") -> None:
        self._ray = extra("ray", "ray")
        self._parts = [piece.parts for piece in pieces]
        self.names = [f"actor{j}" for j in range(len(pieces))]
        #: The order that each has, and which of its parts, by what stands for the answer.
        self._tasks: dict[Any, tuple[int, Order, int]] = {}
        self._round, self._parameters = -1, None
        self._actors: list[Any] = []
        self._is_own = False
        try:
            with one_thread_each(), unheard(SIGNALS):
                if address or not self._ray.is_initialized():
                    self._begin(address, len(pieces))
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

    def _begin(self, address: str, count: int) -> None:
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

    def order(self, worker: int, order: Order) -> None:
        """Call an actor; the parameters of a round are stored once."""
        if order.round != self._round:
            self._round, self._parameters = order.round, self._ray.put(order.parameters)
        self._call(worker, replace(order, parameters=np.empty(0)), 0)

    def _call(self, worker: int, order: Order, part: int) -> None:
        task = self._actors[worker].do.remote(order, self._parameters, part)
        self._tasks[task] = worker, order, part

    def cancel(self, worker: int) -> None:
        """Call the actor's other thread."""
        for own, order, _ in self._tasks.values():
            if own == worker:
                self._actors[worker].leave.remote(order.round)

    def kill(self, worker: int) -> None:
        """Kill an actor."""
        self._ray.kill(self._actors[worker])

    def wait(self, seconds: float) -> list[Answer | Lost]:
        """Return what has come."""
        if not self._tasks:
            threading.Event().wait(max(0.0, seconds))
            return []
        tasks = list(self._tasks)
        if not self._ray.wait(tasks, num_returns=1, timeout=max(0.0, seconds))[0]:
            return []
        done, _ = self._ray.wait(tasks, num_returns=len(tasks), timeout=0)
        return [self._received(task) for task in done]

    def _received(self, task: Any) -> Answer | Lost:
        worker, order, part = self._tasks.pop(task)
        try:
            seconds, values = self._ray.get(task)
        except FastgcError as mistake:
            said = in_words(getattr(mistake, "cause", mistake))
            raise FastgcError(f"{said}, at {self.names[worker]}") from None
        except self._ray.exceptions.RayError as problem:
            said = f"{self.names[worker]} is gone ({type(problem).__name__})"
            return Lost(worker, said, self.clock())
        if values is not None and part + 1 < self._parts[worker]:
            self._call(worker, order, part + 1)
        return Answer(worker, order.round, seconds, values, self.clock(), part)

    def close(self) -> None:
        """End all actors, and Ray if it was started here."""
        for actor in self._actors:
            with contextlib.suppress(self._ray.exceptions.RayError):
                self._ray.kill(actor)
        if self._is_own:
            self._ray.shutdown()


class _Actor:
    """A worker with its piece, in a process of its own."""

    def __init__(self, piece: Piece) -> None:
        self._piece, self._change = piece, threading.Condition()
        self._left = -1

    def leave(self, number: int) -> None:
        """Let the order of a round be left."""
        with self._change:
            self._left = max(self._left, number)
            self._change.notify_all()

    def do(self, order: Order, parameters: Values, part: int) -> tuple[float, Values | None]:
        """Do a part of an order."""

        def leaves_off(seconds: float) -> bool:
            with self._change:
                until = min(seconds, threading.TIMEOUT_MAX)
                return self._change.wait_for(lambda: self._left >= order.round, until)

        return perform(replace(order, parameters=parameters), self._piece, leaves_off, part)
