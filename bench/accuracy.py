"""How wrong decoding errors are, by tier and condition: ``python -m bench.accuracy``.

Truth is Gram–Schmidt at 80 digits of the matrix of floats. Each tier decodes all patterns that it
decides by itself; beside them stands what `numpy.linalg.lstsq` loses on the same patterns.
``--check`` exits with 1 where a tier is wrong by more than `fastgc.decoding.algorithms.accuracy`
says.
"""

import decimal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import command, peers
from bench.contests import SEED
from fastgc.codes import cyclic, cyclic_mds
from fastgc.decoding.algorithms import GramSchmidt, LeastSquares, Orthogonal, accuracy, packed
from fastgc.decoding.factorization import Decomposition, scale_columns

Exact = NDArray[Any]  # of decimals
Floats = NDArray[np.float64]

_CONTEXT = decimal.Context(prec=80)
_NOTHING = Decimal("1e-60")  # of a squared length: what 80 digits leave of a dependent column
_LARGEST_SQUARED, _LARGEST = 1e6, 1e12  # conditions up to which tiers are used
TIERS = "least-squares", "gram-schmidt", "orthogonal"


@dataclass(frozen=True)
class AccuracyRow:
    """The worst of a code: its condition, and by tier and for lstsq the error in parts of k."""

    name: str
    condition: float
    patterns: int
    worst: dict[str, float]
    lstsq: float

    @property
    def allowed(self) -> float:
        return accuracy(self.condition)

    @property
    def met(self) -> bool:
        """Whether every tier keeps the promise."""
        return all(found <= self.allowed for found in self.worst.values())


def of_floats(B: Floats) -> Exact:
    """The same matrix in decimals."""
    return np.array([[Decimal(float(x)) for x in row] for row in B], dtype=object)


def prescribed(n: int, k: int, condition: float, shape: str, seed: int) -> Floats:
    """A matrix with singular values spread evenly, one small, one large, or half and half."""
    rng = np.random.default_rng(seed)
    least = min(n, k)
    U = np.linalg.qr(rng.standard_normal((k, k)))[0][:, :least]
    V = np.linalg.qr(rng.standard_normal((n, n)))[0][:least]
    values = {
        "even": np.geomspace(1, 1 / condition, least),
        "one small": np.r_[np.ones(least - 1), 1 / condition],
        "one large": np.r_[1, np.full(least - 1, 1 / condition)],
        "half small": np.where(np.arange(least) < least // 2, 1.0, 1 / condition),
    }
    return np.asarray((U * values[shape]) @ V)


def doubled(n: int, condition: float, seed: int) -> Floats:
    """A matrix so conditioned, a third of whose columns are there twice."""
    A = prescribed(n, n, condition, "even", seed)
    return np.hstack([A, A[:, : n // 3]])


def truth(B: Exact, alive: NDArray[np.bool_]) -> Floats:
    """Errors of patterns (T, n) by Gram–Schmidt, as floats."""
    found = []
    for row in alive:
        left = B[:, row].T.copy()
        whole = (left * left).sum(axis=1)
        ones = np.full(len(B), Decimal(1), dtype=object)
        for i, column in enumerate(left):
            length = (column * column).sum()
            if length <= _NOTHING * whole[i]:
                continue
            left[i + 1 :] -= ((left[i + 1 :] * column).sum(axis=1) / length)[:, np.newaxis] * column
            ones -= ((ones * column).sum() / length) * column
        found.append(float((ones * ones).sum()))
    return np.array(found)


def measure(name: str, exact: Exact, patterns: int, seed: int = SEED) -> AccuracyRow:
    """Decode random patterns of few and of many stragglers in all tiers, and compare."""
    with decimal.localcontext(_CONTEXT):
        B = np.array([[float(x) for x in row] for row in exact])
        k, n = B.shape
        rng = np.random.default_rng(seed)
        alive = np.ones((patterns, n), bool)
        for i, row in enumerate(alive):
            row[rng.choice(n, 1 + (i * (n // 2)) // patterns, replace=False)] = False
        right = truth(exact, alive)
    words = packed(alive)
    parts = Decomposition.of(scale_columns(B)[0])
    worst: dict[str, float] = {}
    for tier in (LeastSquares, GramSchmidt, Orthogonal):
        errors = np.empty(patterns)
        if tier is Orthogonal:
            own = tier(B)
            own.errors(words, errors)
            left = np.empty(0, np.int64)
        else:
            own = tier(B, parts)
            if parts.condition > (_LARGEST_SQUARED if tier is LeastSquares else _LARGEST):
                continue
            left = own.attempt(words, errors)
        decided = np.delete(np.abs(errors - right), left)
        worst[own.name] = float(decided.max(initial=0.0)) / k
    lost = np.abs(peers.lstsq_loop(B, alive) - right).max() / k
    return AccuracyRow(name, parts.condition, patterns, worst, float(lost))


def codes(size: float) -> Iterator[tuple[str, Exact]]:
    """Names and exact matrices; fewer and smaller ones where the size is less than 1."""
    with decimal.localcontext(_CONTEXT):
        for n, made in (
            *((n, cyclic(n=n, d=d)) for n, d in ((12, 3), (20, 6), (50, 6))),
            *((n, cyclic_mds(n=n, d=d)) for n, d in ((12, 4), (36, 10), (50, 16))),
        ):
            if n <= 12 or size >= 1:
                yield made.name, of_floats(made.B)
        for decade in range(0, 13, 2):
            condition = 10.0**decade
            for shape in ("even", "one small", "one large", "half small"):
                for n, k in ((9, 9), (18, 12), (12, 18), (24, 24))[: 4 if size >= 1 else 1]:
                    B = prescribed(n, k, condition, shape, n + k)
                    yield f"{shape}, {k} × {n}", of_floats(B)
            yield "columns twice", of_floats(doubled(9, condition, decade))


def lines(size: float = 1.0) -> list[AccuracyRow]:
    return [measure(name, exact, max(6, int(24 * size))) for name, exact in codes(size)]


def main(arguments: Sequence[str] | None = None) -> int:
    options = command.parse("bench.accuracy", __doc__, arguments, "--check")
    found = lines()
    print("condition, and the worst errors, in parts of k")
    for line in sorted(found, key=lambda line: line.condition):
        each = ", ".join(f"{tier} {error:.1e}" for tier, error in line.worst.items())
        print(f"{line.condition:8.1e}  {line.name}: {each}; lstsq {line.lstsq:.1e}")
    missed = [line for line in found if not line.met]
    for line in missed:
        print(f"{line.name}, condition {line.condition:.1e}: more than {line.allowed:.1e}·k")
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
