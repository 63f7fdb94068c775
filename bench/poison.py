"""Errors of badly scaled and nearly singular matrices: ``python -m bench.poison``.

Each matrix of floats, 4 × 4 to 8 × 8 and some wider, is decoded with no straggler and with each set
of one, by the exact method; truth is elimination in fractions. An error is silently wrong if it is
off by more than 1e-6·k and its row has an interval. Exits with 1 if any is; refusals are counted.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fastgc
from bench import command
from fastgc.errors import FastgcError

Matrix = NDArray[np.float64]
COUNT = 432
SEED = 7
SLACK = 1e-6  # in parts of k
RIGHT, SAID, REFUSED, WRONG = "right", "without an interval", "refused", "silently wrong"


def _spread(rng: np.random.Generator, size: int, decades: float) -> Matrix:
    """Powers of ten from 10^−decades to 10^decades, in any order; both ends are there."""
    exponents = rng.uniform(-decades, decades, size)
    exponents[:2] = -decades, decades
    return np.asarray(10.0 ** rng.permutation(np.round(exponents, 3)))


def _scaled(rng: np.random.Generator, A: Matrix, decades: float, sides: str) -> Matrix:
    left = _spread(rng, len(A), decades) if "rows" in sides else np.ones(len(A))
    right = _spread(rng, A.shape[1], decades) if "columns" in sides else np.ones(A.shape[1])
    return left[:, np.newaxis] * A * right


def _near(rng: np.random.Generator, A: Matrix, decades: float) -> Matrix:
    """The last column is nearly the sum of the others, or of one."""
    some = rng.integers(1, A.shape[1])
    A[:, -1] = A[:, :some].sum(axis=1) + 10.0**-decades * A[:, -1]
    return A


def _graded(rng: np.random.Generator, A: Matrix, decades: float) -> Matrix:
    i, j = np.indices(A.shape)
    return np.asarray(A * 10.0 ** (-decades * (i + j) / sum(A.shape)))


def _dependent(rng: np.random.Generator, A: Matrix, decades: float) -> Matrix:
    B = rng.integers(-3, 4, A.shape).astype(float)
    B[:, -1] = 2.0 * B[:, 0]
    return B


def _vandermonde(rng: np.random.Generator, A: Matrix, decades: float) -> Matrix:
    nodes = 1.0 + np.arange(A.shape[1]) * 10.0 ** (-decades / 8)
    return np.asarray(nodes ** np.arange(len(A))[:, np.newaxis])


#: How a Gaussian matrix is spoiled, and by how many decades.
KINDS: dict[str, tuple[Callable[[np.random.Generator, Matrix, float], Matrix], Sequence[float]]] = {
    "rows scaled": (lambda g, A, d: _scaled(g, A, d, "rows"), (3, 5, 6, 6.5, 7, 8, 10, 20)),
    "rows scaled by 1e±200": (lambda g, A, d: _scaled(g, A, d, "rows"), (100, 140, 200)),
    "columns scaled": (lambda g, A, d: _scaled(g, A, d, "columns"), (3, 7, 10, 100, 140)),
    "both scaled": (lambda g, A, d: _scaled(g, A, d, "rows, columns"), (3, 6, 7, 8, 10, 30)),
    "nearly dependent": (_near, (3, 6, 9, 11, 12, 12.5, 13)),
    "graded": (_graded, (3, 10, 14, 20, 40, 100)),
    "dependent": (_dependent, (0,)),
    "vandermonde": (_vandermonde, (0, 4, 8, 12, 16)),
    "denormal": (lambda g, A, d: A * 10.0**-d, (290, 310, 320)),
    "huge": (lambda g, A, d: A * 10.0**d, (290, 307)),
}


def matrices(count: int, seed: int = SEED) -> Iterator[tuple[str, Matrix]]:
    """So many matrices, kind by kind in turn."""
    rng = np.random.default_rng(seed)
    names = list(KINDS)
    for number in range(count):
        make, decades = KINDS[names[number % len(names)]]
        k = int(rng.integers(4, 9))
        n = k + int(rng.integers(0, 3)) * (number % 3 == 0)
        A = rng.normal(size=(k, n))
        place = (number // len(names)) % len(decades)
        yield names[number % len(names)], make(rng, A, float(decades[place]))


def truth(B: Matrix) -> float:
    """Least ‖B x − 1‖² of a matrix of floats: Gram–Schmidt in fractions, rounded at the end."""
    basis: list[Any] = []
    for given in (*B.T.tolist(), [1.0] * len(B)):
        v = np.array([Fraction(entry) for entry in given], dtype=object)
        for q in basis:
            v = v - (v @ q) / (q @ q) * q
        if v.any():
            basis.append(v)
    # the last one is what is left of 1
    return float(v @ v)


def judged(B: Matrix, stragglers: int) -> str:
    """What becomes of a matrix's mean error with so many stragglers."""
    study = {
        "code": {"family": "matrix", "rows": B.tolist()},
        "stragglers": {"model": "uniform", "stragglers": stragglers},
        "measure": ["error"],
        "method": "exact",
    }
    try:
        row = fastgc.run(study).rows()[0]
    except FastgcError:
        return REFUSED
    if row["low"] is None and "no interval" in (row["note"] or ""):
        return SAID
    k, n = B.shape
    left = [B] if stragglers == 0 else [np.delete(B, j, axis=1) for j in range(n)]
    right = sum(truth(each) for each in left) / len(left)
    return RIGHT if abs(row["value"] - right) <= SLACK * k else WRONG


def counts(count: int, seed: int = SEED) -> dict[str, Counter[str]]:
    """What becomes of so many matrices, by kind."""
    found: dict[str, Counter[str]] = {name: Counter() for name in KINDS}
    for name, B in matrices(count, seed):
        for stragglers in (0, 1):
            found[name][judged(B, stragglers)] += 1
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    found = counts(command.parse("bench.poison", __doc__, arguments, count=COUNT).count)
    outcomes = (RIGHT, SAID, REFUSED, WRONG)
    print(f"{'two rows a matrix':<24}" + "".join(f"{each:>21}" for each in outcomes))
    for name, own in found.items():
        print(f"{name:<24}" + "".join(f"{own[each]:>21}" for each in outcomes))
    return 1 if any(own[WRONG] for own in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
