"""Two threads against one, on the engine's own method: ``python -m bench.threads``.

Blocks of one unit run under its executor, for every workload. Speedups are judged only where
others use little of the machine.
"""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench import command
from bench.contests import unit_of
from bench.decoding import binary_matrix
from bench.timing import least, others_seconds, seconds
from bench.training import descent
from fastgc.engine.executors.local import in_threads
from fastgc.engine.units import Unit

FLOOR, GOAL = 1.9, 1.97
IDLE = 0.1  # cores that others may use before the result says nothing
SECONDS = 0.15  # of a call on one thread
ROUNDS = 7


@dataclass(frozen=True)
class Speedup:
    """Two threads' speed as a multiple of one's, and what else says whether to believe it."""

    name: str
    ratio: float
    others: float
    load: float

    @property
    def judged(self) -> bool:
        """Whether two cores were there to be used."""
        return self.others <= IDLE and (os.cpu_count() or 1) >= 2


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


def measure(unit: Unit, name: str, rounds: int, size: float) -> Speedup:
    """Run blocks on one thread and twice as many on two, in turn; the best round counts."""
    clock = time.perf_counter
    unit.run(range(2), unit.block)
    once = seconds(lambda: unit.run(range(2), unit.block), clock)
    blocks = max(1, int(size * SECONDS / once * 2))
    before, begun = others_seconds(), clock()
    with in_threads(2) as pool:

        def both() -> None:
            spans = [range(blocks), range(blocks, 2 * blocks)]
            for job in [pool.submit(unit.run, span, unit.block) for span in spans]:
                job.future.result()

        one, two = least([lambda: unit.run(range(blocks), unit.block), both], rounds, clock)
    others = max(0.0, (others_seconds() - before) / (clock() - begun))
    return Speedup(name, 2.0 * one / two, others, os.getloadavg()[0])


def measured(rounds: int, size: float, only: Sequence[str] | None = None) -> list[Speedup]:
    """Measure all workloads, or some, and print a line for each."""
    found = []
    for name in only or WORKLOADS:
        speedup = measure(unit_of(**WORKLOADS[name]), name, rounds, size)
        idle = "" if speedup.judged else f"; not judged: others used {speedup.others:.2f} cores"
        print(
            f"{name:15} two threads {speedup.ratio:.2f} × one (floor {FLOOR}, goal {GOAL}){idle}",
            flush=True,
        )
        found.append(speedup)
    return found


def complaints(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say which workloads' two threads are below the floor, where it can be judged."""
    return [
        f"{each['name']}: two threads {each['ratio']:.2f} × one, floor {FLOOR} ×"
        for each in found
        if each["judged"] and each["ratio"] < FLOOR
    ]


def as_data(found: Any) -> dict[str, Any]:
    return asdict(found) | {"judged": found.judged}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for every workload; 1 where one is below the floor on an idle machine."""
    options = command.parse(
        "bench.threads", __doc__, arguments, only=WORKLOADS, rounds=ROUNDS, size=1.0
    )
    found = measured(options.rounds, options.size, options.only)
    missed = complaints([as_data(each) for each in found])
    print(*missed, sep="\n")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
