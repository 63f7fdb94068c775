"""What happens in rounds and between them: ports, and late workers who finish what they do."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.latency.law import NotNegative
from fastgc.registry import Table

if TYPE_CHECKING:
    from fastgc.systems.timing.timed_structure import Counted, Structure

Times = Values

BetweenRounds = Literal["cancel", "finish"]

#: Times closer than this part of a round are the same: sums of equal times differ by rounding.
_SAME = 1e-9


class Port(Table):
    """How a node receives: one message at a time.

    * ``receive`` (float): Seconds that a message takes; 0, the default, is no port.
    * ``opens`` ({"start", "after-own"}): Whether a tree's inner node receives from the start (the
      default) or once its own work is done.
    """

    receive: NotNegative = 0.0
    opens: Literal["start", "after-own"] = "start"


def check_port(receive: float, opens: str) -> None:
    """Raise a FastgcError if there is no such port."""
    if not 0 <= receive < np.inf:
        raise FastgcError(f"receive: must be finite and at least 0 (got {receive!r})")
    if opens not in ("start", "after-own"):
        raise FastgcError(f'opens: must be "start" or "after-own" (got {opens!r})')


class Evaluator:
    """Completion times and messages of many trials of one structure."""

    def __init__(self, structure: "Structure", receive: float = 0.0, opens: str = "start") -> None:
        check_port(receive, opens)
        if receive > 0 and structure.no_port is not None:
            raise FastgcError(f"receive: must be 0 with {structure.no_port} (got {receive!r})")
        self._structure = structure
        self._port = float(receive), opens == "after-own"

    def done(self, times: Times) -> Times:
        """Return the time at which each trial is complete, (T,); infinite where it never is.

        ``times`` are seconds ≥ 0, (n, T), or (n, tasks, T) where every task has a time of its own;
        nothing is checked.
        """
        return self._structure.evaluate(np.ascontiguousarray(times, np.float64), *self._port)

    def counted(self, times: Times) -> "Counted":
        """Return times of completion, and numbers of messages received until then, each (T,).

        Messages are those of all ports, and of the master's alone, which is idle for done −
        master's messages · receive. In a ring n workers receive 2 (n − 1) messages each, an n-th in
        size, and the last array is their size, 2 (n − 1)/n. Where a trial never completes, all that
        ever are received are counted.
        """
        return self._structure.counted(np.ascontiguousarray(times, np.float64), *self._port)


def received(arrivals: Values, receive: float) -> Values:
    """Return when a port has received each answer (answers, T), one at a time, ties in order."""
    if receive == 0:
        return arrivals
    found, order = np.empty_like(arrivals), np.argsort(arrivals, axis=0, kind="stable")
    served = _served(np.take_along_axis(arrivals, order, axis=0), receive)
    np.put_along_axis(found, order, served, axis=0)
    return found


def received_in_turn(arrivals: Values, receive: float) -> Values:
    """Return when a port has received the first, the second, … of all answers, (answers, T)."""
    return arrivals if receive == 0 else _served(np.sort(arrivals, axis=0), receive)


def _served(in_order: Values, receive: float) -> Values:
    """Put in place of each arrival, in their order, when it is received."""
    clock = np.zeros(in_order.shape[1])
    for arrival in in_order:
        np.maximum(clock, arrival, out=clock)
        clock += receive
        arrival[:] = clock
    return in_order


def carried(done: Callable[[Times], Times], times: Times) -> tuple[Times, Times]:
    """Return when workers answer who finish what they do before they take up a round.

    All are free when the first round begins; each other one begins when the one before is done. A
    worker that is busy then takes up, once its late answer is out, the round that is on by then;
    rounds that are over are skipped. It takes its time of the round that it takes up. Who is free
    in the last 1e-9 of a round takes up the next one, so that rounding decides no tie.

    * ``done``: when a round is over, (T,), in which workers answer after seconds (n, T); no earlier
      where one of them answers later.
    * ``times`` (float64 array (L, n, T)): seconds that workers take in each round.

    Returns ``answers`` (float64 array (L, n, T)): seconds from the beginning of a round to a
        worker's answer in it, if it takes it up: more than the round takes if it does not.
    Returns ``late`` (float64 array (L, T)): answers of rounds before that come while a round is on.
    """
    answers, late = np.empty_like(times), np.empty((len(times), times.shape[2]))
    busy = np.zeros(times.shape[1:])
    for own, answered, came in zip(times, answers, late, strict=True):
        np.add(busy, own, out=answered)
        end = done(answered)
        begun = (busy < end * (1 - _SAME)) | (busy == 0)
        last = end * (1 + _SAME)
        came[:] = ((busy > 0) & (busy <= last) & (busy < np.inf)).sum(axis=0)
        busy = np.where(begun, answered, busy)
        with np.errstate(invalid="ignore"):  # a round that is never done has none after it
            left = np.where(busy <= last, 0.0, busy - end)
            busy = np.where(end < np.inf, left, np.inf)
    return answers, late
