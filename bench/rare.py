"""What a rare event costs on one core: ``python -m bench.rare [--repeats N]``.

Processor seconds to a standard error of 1 %, from what a look of 32 islands takes and tells, beside
what plain sampling would take for the same: its trials timed in the same run, the least of several
interleaved repeats of each. Probabilities are held against known ones where there are any.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import command
from bench.rare_coverage import binary_failure, unequal
from bench.timing import least
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


def measure(workload: Workload, repeats: int) -> tuple[str, bool]:
    """Measure a workload and its peer, interleaved: what is to be said, and if it is wrong."""
    point = _point(workload.table)
    method = point.compiled.rare_method
    assert method is not None

    def sampling(place: int, first: int, islands: int) -> NDArray[np.float64]:
        return method.part(place, SEED, first, islands)

    def rare() -> Any:
        KEPT.clear()
        return list(method.rows(Asked(SEED, trials=1, always=True), sampling))

    unit = Unit([_point(workload.table | {"method": "monte-carlo"})], SEED, "bench")
    [(name, (*_, estimate))] = rare()
    unit.run([0], unit.block)  # kernels are compiled
    once, block = least([rare, lambda: unit.run([1], unit.block)], repeats)
    value, error = estimate.value, estimate.standard_error or 0.0
    seconds, plain = once * (error / value / 0.01) ** 2, block / unit.block * 1e4 / value
    off, wrong = "", False
    if workload.truth is not None:
        z = abs(value - workload.truth) / max(error, 1e-9 * workload.truth)
        off, wrong = f", {z:.1f} standard errors off", z > 5
    said = (
        f"{workload.name:<32} {name:<17} {value:.3e}{off}; "
        f"1 % in {seconds:.2f} s (floor {workload.floor:g}, goal {workload.goal:g}; the "
        f"first look {once:.2f} s); plain sampling {plain:.1e} s"
    )
    return said, wrong


def main(arguments: Sequence[str] | None = None) -> int:
    given = command.parse("bench.rare", __doc__, arguments, "--only", repeats=REPEATS)
    any_wrong = False
    for workload in workloads():
        if given.only in workload.name:
            said, wrong = measure(workload, given.repeats)
            print(said, flush=True)
            any_wrong |= wrong
    return int(any_wrong)


if __name__ == "__main__":
    sys.exit(main())
