"""What a rare event costs on one core: ``python -m bench.rare [--repeats N]``.

Processor seconds to a standard error of 1 %, from what a look of 32 islands takes and tells, beside
what plain sampling would take for the same: its trials timed in the same run, the least of several
interleaved repeats of each. Probabilities are held against known ones where there are any.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import command
from bench.rare_coverage import binary_failure, unequal
from fastgc.engine.units import Unit
from fastgc.experiments.decoding.rare.method import KEPT
from fastgc.experiments.decoding.rare.number_law import by_products
from fastgc.experiments.methods import Asked
from fastgc.experiments.table import Point
from fastgc.study.study import Study

REPEATS = 5
SEED = 7


@dataclass(frozen=True)
class Workload:
    """An event, the floor and the goal in seconds, and its probability where that is known."""

    name: str
    table: dict[str, Any]
    floor: float
    goal: float
    truth: float | None = None


def workloads() -> Iterator[Workload]:
    """Every workload."""
    any_b = {"family": "sparse-regular", "n": 100, "d": 5, "seed": 3}
    yield Workload("any B n=100 d=5, P(error > 5)", _table(any_b, 0.0968, 5.0), 12.0, 4.0)
    frc = {"family": "frc", "n": 200, "d": 8}
    structure = _point(_table(frc, 0.05, 0.0)).table.code.build().structure  # type: ignore[attr-defined]
    for p, threshold in ((0.05, 0.0), (0.132, 8.0), (0.1, 8.0)):
        truth = by_products(structure, np.full(200, p), threshold)
        table = _table(frc, p, threshold)
        yield Workload(f"frc n=200 d=8, P(error > {threshold:g})", table, 3.0, 1.0, truth)
    for n, p in ((103, 0.06), (203, 0.032)):
        binary = {"family": "binary", "n": n, "s": 9}
        truth = binary_failure(n, 9, np.full(n, p))
        yield Workload(f"binary n={n} s=9, P(inexact)", _table(binary, p, 0.0), 3.0, 1.0, truth)
    q = unequal(200, 0.05, 1)
    truth = by_products(structure, np.array(q), 0.0)
    yield Workload("frc n=200 d=8, unequal p", _table(frc, q, 0.0), 10.0, 10.0, truth)


def _table(code: dict[str, Any], p: Any, threshold: float) -> dict[str, Any]:
    stragglers = {"model": "iid", "p": p}
    return {"code": code, "stragglers": stragglers, "thresholds": [threshold], "method": "rare"}


def _point(table: dict[str, Any]) -> Point:
    [point] = Study.parse(table).points()
    return point


@dataclass(frozen=True)
class Cost:
    """What was measured: the probability, its standard error, and seconds to one of 1 %."""

    method: str
    value: float
    error: float
    once: float
    seconds: float
    plain: float


def measure(workload: Workload, repeats: int) -> Cost:
    """Measure a workload and its peer, interleaved."""
    point = _point(workload.table)
    method = point.compiled.rare_method
    assert method is not None

    def sampling(place: int, first: int, islands: int) -> NDArray[np.float64]:
        return method.part(place, SEED, first, islands)

    def rare() -> Any:
        KEPT.clear()
        return list(method.rows(Asked(SEED, trials=1, always=True), sampling))

    unit = Unit([_point(workload.table | {"method": "monte-carlo"})], SEED, "bench")
    rare(), unit.run([0], unit.block)  # kernels are compiled
    least = [np.inf, np.inf]
    tasks: list[Callable[[], Any]] = [rare, lambda: unit.run([1], unit.block)]
    found = None
    for _ in range(repeats):
        for place, task in enumerate(tasks):
            started = time.process_time()
            given = task()
            least[place] = min(least[place], time.process_time() - started)
            found = given if place == 0 else found
    [(method, (*_, estimate))] = found  # type: ignore[misc]
    value, error = estimate.value, estimate.standard_error or 0.0
    seconds = least[0] * (error / value / 0.01) ** 2
    return Cost(method, value, error, least[0], seconds, least[1] / unit.block * 1e4 / value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each workload."""
    given = command.parse("bench.rare", __doc__, arguments, "--only", repeats=REPEATS)
    wrong = 0
    for workload in workloads():
        if given.only not in workload.name:
            continue
        cost = measure(workload, given.repeats)
        off = ""
        if workload.truth is not None:
            z = abs(cost.value - workload.truth) / max(cost.error, 1e-9 * workload.truth)
            wrong += z > 5
            off = f", {z:.1f} standard errors off"
        print(
            f"{workload.name:<32} {cost.method:<17} {cost.value:.3e}{off}; "
            f"1 % in {cost.seconds:.2f} s (floor {workload.floor:g}, goal {workload.goal:g}; the "
            f"first look {cost.once:.2f} s); plain sampling {cost.plain:.1e} s",
            flush=True,
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
