"""Glances: what a trial of units to come costs, from a few trials of each; nothing is kept.

Points of a sweep may cost a hundred times what others do, and those that come first are often
cheap. A few milliseconds of some of them, spread over the whole sweep, tell how much is to come.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence

from fastgc.draws.streams import WORD
from fastgc.engine.units import Unit

SHARE = 0.02  # of the time at most
LEAST_UNITS = 4  # fewer are begun soon enough
AFTER = 1.0  # seconds; a short run needs no time left
ENOUGH = 0.002  # processor seconds of a glance
STEP = 8  # from one size of a glance to the next
TOO_LONG = 0.25  # seconds: the run would have to wait, and is not looked at again


class Glances:
    """Looks at units, a few at a time.

    Parameters
    ----------
    units : sequence of Unit
    clock : callable, optional
        Gives the time in seconds.
    """

    def __init__(self, units: Sequence[Unit], clock: Callable[[], float] = time.monotonic) -> None:
        self._units = units
        self._clock = clock
        self._order = spread(len(units)) if len(units) >= LEAST_UNITS else iter(())
        self._seen: set[int] = set()
        self._spent = 0.0

    def more(self, seconds: float, first: int | None = None) -> dict[int, float]:
        """Return processor seconds a trial of some more units, as far as their share allows.

        ``seconds`` have passed since the run began; ``first`` is a unit to be looked at first.
        """
        found: dict[int, float] = {}
        while seconds >= AFTER and self._spent < SHARE * seconds:
            number = self._next(first)
            if number is None:
                break
            started = self._clock()
            found[number] = glance(self._units[number])
            took = self._clock() - started
            self._spent += took
            if took > TOO_LONG:
                self._spent = math.inf
        return found

    def _next(self, first: int | None) -> int | None:
        """Return a unit that was not looked at yet; None where there is none."""
        for number in itertools.chain(() if first is None else (first,), self._order):
            if number not in self._seen:
                self._seen.add(number)
                return number
        return None


def glance(unit: Unit) -> float:
    """Return about how many processor seconds a trial of a unit takes."""
    unit.run([0], 1)  # everything is made, if need be compiled
    size = min(WORD, unit.block)
    while True:
        started = time.thread_time()
        unit.run([0], size)
        took = time.thread_time() - started
        if took >= ENOUGH or size == unit.block:
            return took / size
        size = min(STEP * size, unit.block)


def spread(count: int) -> Iterator[int]:
    """Count from 0, each number far from those before it: 0, the middle, the quarters, …

    >>> list(spread(6))
    [0, 4, 2, 1, 5, 3]
    """
    bits = max(1, (count - 1).bit_length())
    for i in range(1 << bits):
        number = int(f"{i:0{bits}b}"[::-1], 2)
        if number < count:
            yield number
