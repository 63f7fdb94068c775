"""Fair timing: everything in turn and warm, the best of several rounds counts.

Processor time is taken, all threads' together: on an idle machine it is the clock's, and on a busy
one it leaves out what others had.
"""

import contextlib
import math
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numba
import numpy as np

from bench import targets
from fastgc.version import __version__

#: Rounds at most, and at least; settled is who has so many, three of them so near to the best.
ROUNDS, LEAST, SETTLED, NEAR = 25, 3, 5, 0.02
#: Shorter calls are repeated: right after another contestant's they would be slower.
CALL = 0.005

Moments = tuple[float, float]  # mean and its standard error


@dataclass(frozen=True)
class Contestant:
    """A way to do the work: ``run`` does ``trials`` trials of it and returns what came out."""

    name: str
    run: Callable[[], Any]
    trials: int


@dataclass(frozen=True)
class Timing:
    """Seconds of the first, cold call, by the clock; at best nanoseconds a trial; all moments.

    ``spread``: by how much the third best round is slower than the best, as a share.
    """

    first: float
    best: float
    moments: list[Moments]
    spread: float


def interleaved(
    contestants: Sequence[Contestant],
    moments: Callable[[Any], Moments],
    rounds: int,
    most: float = math.inf,
) -> dict[str, Timing]:
    """Time all contestants, one after the other in every round, so that all share bad moments.

    Rounds end when all contestants are settled, or beyond so many seconds. Results are not kept:
    they would take the memory that the next call could use again.
    """
    begun = time.process_time()
    found: dict[str, list[Moments]] = {contestant.name: [] for contestant in contestants}
    seconds: dict[str, list[float]] = {contestant.name: [] for contestant in contestants}
    first: dict[str, float] = {}
    for done in range(rounds + 1):
        over = time.process_time() - begun > most
        settled = done > SETTLED and all(_spread(own[1:]) <= NEAR for own in seconds.values())
        if done > LEAST and (over or settled):
            break
        for contestant in contestants:
            clock = time.perf_counter()
            took, result = _timed(contestant.run, CALL if done else 0.0)
            seconds[contestant.name].append(took)
            first.setdefault(contestant.name, time.perf_counter() - clock)
            if result is not None:
                found[contestant.name].append(moments(result))
            del result
    return {
        contestant.name: Timing(
            first[contestant.name],
            1e9 * min(seconds[contestant.name][1:]) / contestant.trials,
            found[contestant.name],
            _spread(seconds[contestant.name][1:]),
        )
        for contestant in contestants
    }


def _timed(run: Callable[[], Any], least: float) -> tuple[float, Any]:
    """Seconds of a call, of as many as take that long together, and what the last one returned."""
    calls, begun = 1, time.process_time()
    result = run()
    while (took := time.process_time() - begun) < least:
        del result
        result = run()
        calls += 1
    return took / calls, result


def _spread(took: Sequence[float]) -> float:
    best, *_, third = sorted(took)[:3] if len(took) > 1 else (*took, *took)
    return third / best - 1.0


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
        "kind": targets.kind(),
        "date": datetime.now(UTC).date().isoformat(),
        "load": [round(load, 2) for load in os.getloadavg()],
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "fastgc-sim": __version__,
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
