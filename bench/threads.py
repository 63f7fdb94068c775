"""Two threads against one, on the engine's own method: ``python -m bench --only threads``.

Blocks of one unit run under its executor, for every workload. Speedups are judged only where
others use little of the machine.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bench.contests import unit_of
from bench.decoding import binary_matrix
from bench.timing import others_seconds
from bench.training import descent
from fastgc.engine.executors.local import in_threads
from fastgc.engine.units import Unit

FLOOR, GOAL = 1.9, 1.97
IDLE = 0.1  # cores that others may use before the result says nothing
SECONDS = 0.15  # of a call on one thread


def _completion(system: dict[str, Any], receive: float = 0.0) -> dict[str, Any]:
    latency = {"distribution": "exponential", "mean": 1.0, "shift": 0.1}
    port = {"receive": receive}
    return {"kind": "completion", "system": system, "latency": latency, "port": port}


_IID = {"model": "iid", "p": 0.2}
WORKLOADS: dict[str, dict[str, Any]] = {
    "frc-20": {"code": {"family": "frc", "n": 20, "d": 2}, "stragglers": _IID},
    "any-50": {
        "code": {"family": "matrix", "rows": tuple(map(tuple, binary_matrix(50, 5).tolist()))},
        "stragglers": _IID,
    },
    "order-100": _completion({"family": "k-of-n", "n": 100, "k": 80}),
    "tree-156": _completion({"family": "coded-reduce", "n": 12, "layers": 2, "s": 3}, 0.02),
    "descent-linear": descent({"model": "linear", "samples": 506, "features": 13}),
}


def measure(unit: Unit, rounds: int, size: float) -> tuple[float, float]:
    """Run blocks on one thread and twice as many on two, in turn; the best round counts.

    Returns the speed of two as a multiple of one's, and how many cores others used meanwhile.
    """

    def alone(blocks: int) -> None:
        unit.run(range(blocks), unit.block)

    alone(2)
    blocks = max(1, int(size * SECONDS / seconds(lambda: alone(2)) * 2))
    before, begun = others_seconds(), time.perf_counter()
    with in_threads(2) as pool:

        def both() -> None:
            spans = [range(blocks), range(blocks, 2 * blocks)]
            for job in [pool.submit(unit.run, span, unit.block) for span in spans]:
                job.future.result()

        took = [(seconds(lambda: alone(blocks)), seconds(both)) for _ in range(rounds)]
    one, two = (min(own) for own in zip(*took, strict=True))
    others = max(0.0, (others_seconds() - before) / (time.perf_counter() - begun))
    return 2.0 * one / two, others


def seconds(call: Callable[[], Any]) -> float:
    """Seconds of a call, by the clock."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def measured(rounds: int, size: float, only: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Measure all workloads, or some, and print a line for each."""
    found = []
    for name in only or WORKLOADS:
        ratio, others = measure(unit_of(**WORKLOADS[name]), rounds, size)
        judged = others <= IDLE and (os.cpu_count() or 1) >= 2
        idle = "" if judged else f"; not judged: others used {others:.2f} cores"
        asked = f"(floor {FLOOR}, goal {GOAL})"
        print(f"{name:15} two threads {ratio:.2f} × one {asked}{idle}", flush=True)
        load = os.getloadavg()[0]
        found.append(
            {"name": name, "ratio": ratio, "others": others, "load": load, "judged": judged}
        )
    return found


def complaints(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say which workloads' two threads are below the floor, where it can be judged."""
    return [
        f"{each['name']}: two threads {each['ratio']:.2f} × one, floor {FLOOR} ×"
        for each in found
        if each["judged"] and each["ratio"] < FLOOR
    ]
