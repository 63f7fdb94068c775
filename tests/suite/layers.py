"""The two layers of the suite: by day what takes no time, and at night (``--all``) everything.

A test of the day may take a second of processor time, apart from compiling and loading kernels. One
that takes more fails by name, so that it is made cheaper, or marked as one of the night.
"""

import os
import resource
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from suite.kernels import LOADING

#: Processor seconds that a test of the day may take, on a machine of the usual speed.
MOST = 1.0
#: Seconds that `_turn` takes on such a machine; a slower one has so many times longer.
USUAL = 0.012


def _turn() -> float:
    begun = time.thread_time()
    sum(number * number % 7 for number in range(150_000))
    return time.thread_time() - begun


def slowness() -> float:
    """How many times slower than usual this machine is now; 1 for a faster one.

    Processes that share its cores take each other's caches: so many times more of them than cores
    may make it as many times slower.
    """
    crowd = os.getloadavg()[0] / (os.cpu_count() or 1) if hasattr(os, "getloadavg") else 1.0
    return max(1.0, crowd, min(_turn() for _ in range(5)) / USUAL)


def spent() -> float:
    """Processor seconds of this process and of the ended ones that it started."""
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def a_third_by_day(cases: Iterable[Any]) -> list[Any]:
    """The parameters of many like tests, of which every third is of the day."""
    many = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [
        pytest.param(*case, marks=pytest.mark.night if place % 3 else ())
        for place, case in enumerate(many)
    ]


class Watch:
    """Measures what calls of tests take without compiling."""

    def __init__(self, most: float = MOST) -> None:
        self._most = most
        self._slowness = slowness()
        self.compiling = 0.0
        self._listens = False

    @contextmanager
    def call(self, item: pytest.Item) -> Iterator[None]:
        """Run the call of a test of the day; fail it if that takes too long."""
        self._listen()
        begun, kernels = spent(), self.compiling + LOADING.seconds
        yield
        own = spent() - begun - (self.compiling + LOADING.seconds - kernels)
        if own <= self._most:
            return
        self._slowness = max(self._slowness, slowness())
        if own > (most := self._most * self._slowness):
            pytest.fail(
                f"{item.nodeid} takes {own:.1f} processor seconds without compiling, and a test of "
                f"the day at most {most:.1f}: make it cheaper, or mark it pytest.mark.night",
                pytrace=False,
            )

    def _listen(self) -> None:
        """Count what is compiled in this process, as soon as it has loaded Numba."""
        import sys

        if self._listens or "numba" not in sys.modules:
            return
        from numba.core import event

        watch = self

        class Listener(event.Listener):
            """Adds the time from the first to the last of nested compilations."""

            depth = 0
            begun = 0.0

            def on_start(self, event: Any) -> None:
                if not self.depth:
                    self.begun = time.process_time()
                self.depth += 1

            def on_end(self, event: Any) -> None:
                self.depth -= 1
                if not self.depth:
                    watch.compiling += time.process_time() - self.begun

        event.register("numba:compile", Listener())
        self._listens = True
