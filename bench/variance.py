"""How much less variance sampled means have for the same trials: ``python -m bench.variance``.

Every study is sampled with ``variance_reduction`` and without, on the same draws: the standard
errors of its mean, by how much the variance is less, and what a trial costs, in processor time, one
thread, the best of several interleaved rounds. ``--check`` exits with 1 below a floor.
"""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from bench import command
from bench.completion_peers import SHIFT
from bench.contests import unit_of
from bench.decoding import binary_matrix
from bench.timing import ROUNDS, least, machine
from fastgc.engine.units import Unit
from fastgc.statistics.estimates import Estimate

EXPONENTIAL = {"distribution": "exponential", "mean": 1.0, "shift": SHIFT}
IID = {"model": "iid", "p": 0.2}


@dataclass(frozen=True)
class Study:
    """An experiment, the blocks of it that are sampled, and the least factor that is promised."""

    experiment: dict[str, Any]
    blocks: int
    floor: float = 1.0


def _any(n: int, d: int) -> dict[str, Any]:
    rows = tuple(map(tuple, binary_matrix(n, d).tolist()))
    return {"code": {"family": "matrix", "rows": rows}, "stragglers": IID}


def _code(model: dict[str, Any] = IID, **code: Any) -> dict[str, Any]:
    return {"code": code, "stragglers": model}


def _system(receive: float = 0.0, **system: Any) -> dict[str, Any]:
    port = {"receive": receive}
    return {"kind": "completion", "system": system, "latency": EXPONENTIAL, "port": port}


TREE = {"family": "coded-reduce", "n": 12, "layers": 2, "s": 3, "load": 1.0}
UNLIKE = tuple(0.05 + 0.02 * (j % 15) for j in range(40))
STUDIES = {
    "frc-20": Study(_code(family="frc", n=20, d=2), 64),
    "any-20": Study(_any(20, 5), 4, 2.5),
    "look-up-16": Study(_any(16, 4), 16, 2.5),
    "any-50": Study(_any(50, 5), 1, 2.5),
    "circulant-64": Study(_code(family="circulant", n=64, d=2), 8, 2.5),
    "cyclic-20": Study(_code(family="cyclic", n=20, d=5, seed=1), 2, 2.5),
    "sparse-40": Study(_code(family="sparse-regular", n=40, d=4, seed=1), 2, 2.5),
    "unlike-40": Study(
        _code({"model": "iid", "p": UNLIKE}, family="sparse-regular", n=40, d=4, seed=1), 2, 2.5
    ),
    "tree-156": Study(_system(0.02, **TREE), 2, 50.0),
    "star-20": Study(_system(0.02, family="gradient-code", n=20, s=4, load=1.0), 4),
    "layers-100": Study(_system(family="hierarchical", n=100, k=tuple(range(95, 45, -5))), 2, 15.0),
}


@dataclass(frozen=True)
class Reduced:
    """A study's mean with and without, and what a trial costs in nanoseconds."""

    name: str
    trials: int
    plain_error: float
    error: float
    factor: float
    plain_nanoseconds: float
    nanoseconds: float
    floor: float

    @property
    def cost(self) -> float:
        """By what share a trial costs more."""
        return self.nanoseconds / self.plain_nanoseconds - 1.0

    def __str__(self) -> str:
        return (
            f"| {self.name} | {self.trials} | {self.plain_error:.3g} | {self.error:.3g} "
            f"| {self.factor:.3g} × | {self.plain_nanoseconds:.3g} | {self.nanoseconds:.3g} "
            f"| {100 * self.cost:+.1f} % |"
        )


def mean_of(unit: Unit, blocks: int, trials: int) -> Estimate:
    """Sample blocks as the engine does, and estimate the mean of the first measure."""
    return next(unit.firsts(unit.run(range(blocks), trials).tally))


def measured(name: str, size: float, rounds: int) -> Reduced:
    """Sample a study with and without; ``size`` scales it, for tests."""
    study = STUDIES[name]
    units = [unit_of(**study.experiment, variance_reduction=both) for both in (False, True)]
    blocks = max(1, int(study.blocks * size))
    trials = units[0].block if size >= 1 else 4096
    found = [mean_of(unit, blocks, trials) for unit in units]
    calls = [partial(unit.run, range(blocks), trials) for unit in units]
    seconds = least(calls, rounds)
    errors = [estimate.standard_error or 0.0 for estimate in found]
    return Reduced(
        name,
        blocks * trials,
        *errors,
        (errors[0] / errors[1]) ** 2,
        *(1e9 * took / (blocks * trials) for took in seconds),
        study.floor,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    options = command.parse(
        "bench.variance",
        __doc__,
        arguments,
        *("--json", "--check", "--quick"),
        only=STUDIES,
        rounds=ROUNDS,
    )
    size, rounds = (0.01, 1) if options.quick else (1.0, options.rounds)
    heads = ["study", "trials", "plain error", "error", "less variance", "plain ns", "ns", "cost"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    rows = []
    for name in options.only or STUDIES:
        rows.append(measured(name, size, rounds))
        print(rows[-1], flush=True)
    studies = [asdict(row) for row in rows]
    command.write(options.json, {"machine": machine(), "studies": studies})
    below = [row for row in rows if row.factor < row.floor]
    for row in below:
        print(f"{row.name}: {row.factor:.2f} ×, floor {row.floor:g} ×", file=sys.stderr)
    return 1 if options.check and below else 0


if __name__ == "__main__":
    sys.exit(main())
