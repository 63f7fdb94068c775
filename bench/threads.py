"""Two threads against one, on the engine's own road: blocks of one unit under its executor."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any

from bench.contests import unit_of
from bench.decoding import binary_matrix
from bench.timing import others_seconds
from fastgc.engine.executors.threads import in_threads
from fastgc.engine.units import Unit

FLOOR = 1.7
IDLE = 0.1  # cores that others may use before the result says nothing


@dataclass(frozen=True)
class Speedup:
    """Two threads' speed as a multiple of one's, and the cores that others used meanwhile."""

    name: str
    ratio: float
    others: float
    load: float

    @property
    def judged(self) -> bool:
        """Whether two cores were there to be used."""
        return self.others <= IDLE and (os.cpu_count() or 1) >= 2


def measure(name: str, unit: Unit, blocks: int, rounds: int) -> Speedup:
    """Run blocks on one thread and twice as many on two, in turn; the best round counts."""
    one, two = float("inf"), float("inf")
    unit.run(range(2), unit.block)
    before, begun = others_seconds(), time.perf_counter()
    with in_threads(2) as pool:
        for _ in range(rounds):
            started = time.perf_counter()
            unit.run(range(blocks), unit.block)
            middle = time.perf_counter()
            spans = [range(blocks), range(blocks, 2 * blocks)]
            for future in [pool.submit(unit.run, span, unit.block) for span in spans]:
                future.result()
            stopped = time.perf_counter()
            one, two = min(one, middle - started), min(two, stopped - middle)
    others = (others_seconds() - before) / (time.perf_counter() - begun)
    return Speedup(name, 2.0 * one / two, max(0.0, others), os.getloadavg()[0])


def speedups(rounds: int, size: float) -> list[Speedup]:
    """Speedups of the fastest and of the general decoder."""
    rows = tuple(map(tuple, binary_matrix(20, 5).tolist()))
    codes: dict[str, tuple[dict[str, Any], int]] = {
        "frc-20": ({"family": "frc", "n": 20, "d": 2}, 600),
        "any-20": ({"family": "matrix", "rows": rows}, 100),
    }
    iid = {"model": "iid", "p": 0.2}
    return [
        measure(name, unit_of(code=code, stragglers=iid), max(1, int(blocks * size)), rounds)
        for name, (code, blocks) in codes.items()
    ]
