"""Fair timing: everything in turn and warm, the best of several rounds counts.

Processor time is taken, all threads' together: on an idle machine it is the clock's, and on a busy
one it leaves out what others had.
"""

import contextlib
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bench import targets

ROUNDS = 7

Moments = tuple[float, float]  # mean and its standard error


@dataclass(frozen=True)
class Contestant:
    """A way to do the work: ``run`` does ``trials`` trials of it and returns what came out."""

    name: str
    run: Callable[[], Any]
    trials: int


@dataclass(frozen=True)
class Timing:
    """Seconds of the first, cold call, by the clock; at best nanoseconds a trial; all moments."""

    first: float
    best: float
    moments: list[Moments]


def interleaved(
    contestants: Sequence[Contestant], moments: Callable[[Any], Moments], rounds: int
) -> dict[str, Timing]:
    """Time all contestants, one after the other in every round, so that all share bad moments.

    Results are not kept: they would take the memory that the next call could use again.
    """
    found: dict[str, list[Moments]] = {contestant.name: [] for contestant in contestants}
    seconds: dict[str, list[float]] = {contestant.name: [] for contestant in contestants}
    first: dict[str, float] = {}
    for _ in range(rounds + 1):
        for contestant in contestants:
            clock, started = time.perf_counter(), time.process_time()
            result = contestant.run()
            seconds[contestant.name].append(time.process_time() - started)
            first.setdefault(contestant.name, time.perf_counter() - clock)
            if result is not None:
                found[contestant.name].append(moments(result))
            del result
    return {
        contestant.name: Timing(
            first[contestant.name],
            1e9 * min(seconds[contestant.name][1:]) / contestant.trials,
            found[contestant.name],
        )
        for contestant in contestants
    }


def seconds(call: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> float:
    """Seconds of a call."""
    started = clock()
    call()
    return clock() - started


def least(
    calls: Sequence[Callable[[], Any]], rounds: int, clock: Callable[[], float] = time.process_time
) -> list[float]:
    """Least seconds of each call, one after the other in every round."""
    found = [[seconds(call, clock) for call in calls] for _ in range(rounds)]
    return [min(own) for own in zip(*found, strict=True)]


@contextlib.contextmanager
def on_one_core() -> Iterator[None]:
    """Keep everything on one core, also libraries that start threads of their own."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def others_seconds() -> float:
    """Processor time that everything but this process has used so far; 0 where not known."""
    try:
        fields = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:9]
    except (OSError, IndexError):
        return 0.0
    user, nice, system, _, _, irq, softirq, steal = (int(field) for field in fields)
    busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
    return busy - time.process_time()


def machine() -> dict[str, Any]:
    """What the numbers were measured on."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "avx512": targets.wide(),
        "date": datetime.now(UTC).date().isoformat(),
        "load": [round(load, 2) for load in os.getloadavg()],
        "python": platform.python_version(),
        **{name: _version(name) for name in ("numpy", "numba", "fastgc-sim")},
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
