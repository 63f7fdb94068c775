"""Facts of codes: named block designs, codes of cyclic shifts, a lower bound of the error.

Turning a pattern of survivors by one place turns the rows of the system that is solved, and the
all-ones vector stays: so the error is the same for a whole cyclic class of patterns (agc, Theorem
2, proof), and a mean over all patterns is one over representatives.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.theory.common import check
from fastgc.theory.common.numerics import necklaces

#: name → workers (points), partitions (blocks), replication (blocks a point), λ, points a block
_DESIGNS = {
    "fano": (7, 7, 3, 1, 3),
    "pg(2,3)": (13, 13, 4, 1, 4),
    "ag(2,3)": (9, 12, 4, 1, 3),
    "paley-11": (11, 11, 5, 2, 5),
}
#: Entries of column 0 from row 0 on, zeros at the end left out.
Column = tuple[float, ...]
#: The sum over cycle representatives takes 2ⁿ/n least-squares problems.
LARGEST_N = 20


def parameters(name: str) -> dict[str, int]:
    """Workers n, partitions k, loads d, λ and holders of a partition of a named design."""
    if name not in _DESIGNS:
        raise FastgcError(f"name: got {name!r}, allowed are {', '.join(sorted(_DESIGNS))}")
    keys = ("n", "k", "d", "common", "holders")
    return dict(zip(keys, _DESIGNS[name], strict=True))


# ---- codes whose columns are the cyclic shifts of one column: one error for a class of patterns


def cyclic_mds_column(n: int, d: int) -> Column:
    """Column of the real cyclic MDS code: the polynomial with d−1 roots around −1 on the circle.

    Its roots are exp(2πi z/n) for the d−1 exponents z around n/2; in pairs of conjugates they give
    factors 1 − 2 cos(2πz/n) x + x². n + d is even, or no such polynomial is real. Raviv, Tamo,
    Tandon, Dimakis (1707.03858), Section III.
    """
    if (n + d) % 2:
        raise FastgcError(f"cyclic MDS: n + d must be even for a real code (got n={n}, d={d})")
    column = np.ones(1)
    for pair in range((d - 1) // 2):
        # exponents z = n/2 ± (half, half + 1, …) have cos(2πz/n) = −cos(2π(z − n/2)/n)
        away = pair + (1.0 if d % 2 == 0 else 0.5)
        column = np.convolve(column, [1.0, 2.0 * math.cos(2.0 * math.pi * away / n), 1.0])
    if d % 2 == 0:
        column = np.convolve(column, [1.0, 1.0])
    return tuple(column.tolist())


def mean_over_classes(n: int, column: Column, survivors: Values, power: int, most: int) -> float:
    """Σ_r P_r Σ_i e_i/C(n,r) ‖A_i A_i⁺ 1 − 1‖^power over cycle representatives, r ≤ most."""
    return math.fsum(
        survivors[r] * order / math.comb(n, r) * error ** (power / 2)
        for r, order, error in class_errors(n, column)
        if r <= most
    )


@lru_cache(maxsize=32)
def class_errors(n: int, column: Column) -> tuple[tuple[int, int, float], ...]:
    """(survivors, order, error) of each cycle class."""
    B = np.zeros((n, n))
    for j in range(n):
        B[[(j + i) % n for i in range(len(column))], j] = column
    return tuple((sum(word), order, _error(B, word)) for word, order in _representatives(n))


@lru_cache(maxsize=4)
def errors_of_patterns(n: int, column: Column) -> Values:
    """Errors of all 2ⁿ patterns, worker 0 in the highest bit, a set bit for a survivor."""
    errors = np.empty(2**n)
    classes = zip(_representatives(n), class_errors(n, column), strict=True)
    for (word, order), (_, _, error) in classes:
        number = int("".join(map(str, word)), 2)
        for _ in range(order):
            errors[number] = error
            number = (number >> 1) | ((number & 1) << (n - 1))
    return errors


@lru_cache(maxsize=4)
def _representatives(n: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    if n > LARGEST_N:
        raise FastgcError(
            f"n: got {n}, but the sum over cycle classes is for n ≤ {LARGEST_N}; use d = 2, or "
            "sample the error"
        )
    return tuple(necklaces(n))


def _error(B: Values, word: tuple[int, ...]) -> float:
    A = B[:, [j for j, survived in enumerate(word) if survived]]
    if not A.size:
        return float(len(B))
    residual = A @ np.linalg.lstsq(A, np.ones(len(B)), rcond=None)[0] - 1.0
    error = float(residual @ residual)
    return error if error > 1e-20 * len(B) else 0.0


# ---- what no code can go below


def error_lower_bound(holders: ArrayLike, p: float) -> float:
    """Lower bound Σ_i q^(d_i) of the mean error for iid stragglers, any code; frc attains it.

    A partition without a surviving holder costs 1. ``holders`` are the numbers d_i of workers that
    hold partition i, ``p`` is q. Derived; it contradicts "CRC better than FRC" of agc, Sec. V.
    """
    check.probabilities(p=p)
    return float(np.sum(p ** np.asarray(holders, dtype=np.float64)))
