"""Errors of all patterns as fractions, in whole numbers and without the kernels.

Elimination without fractions (Bareiss, Mathematics of Computation 22, 1968) of the inner products
of columns and the vector of ones, along the tree of patterns: what is left in the last entry, over
the last pivot, is the error. A complex column a + ib counts as two real ones, (a, b) and (−b, a),
beside the vector (1, 0).
"""

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Workers of codes whose errors are computed so, at most: some seconds for so many. Complex ones.
MOST_WORKERS, _MOST_COMPLEX = 20, 14


def most_workers(B: NDArray[Any]) -> int:
    """Return how many workers a matrix of such entries may have."""
    return _MOST_COMPLEX if np.iscomplexobj(B) else MOST_WORKERS


@dataclass(frozen=True)
class Spectrum:
    """Errors of a code by the number of stragglers, 0 … n.

    ``sums``: of the errors of all patterns; ``worst``: the largest; ``counts``: patterns whose
    error is 0.
    """

    sums: tuple[Fraction, ...]
    worst: tuple[Fraction, ...]
    counts: tuple[int, ...]


def spectrum(B: NDArray[Any]) -> Spectrum:
    """Return the errors of all patterns of a matrix (k, n), real or complex, which are exact.

    >>> found = spectrum(np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]))
    >>> [str(each) for each in found.sums]
    ['0', '1', '3', '3']
    """
    k, n = B.shape
    width = 2 if np.iscomplexobj(B) else 1  # columns of a worker
    columns = [each for column in B.T for each in _whole(column)]
    columns.append([1] * k + [0] * (width - 1) * k)
    M = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in columns] for x in columns]
    totals: list[dict[int, int]] = [defaultdict(int) for _ in range(n + 1)]
    worst = [Fraction(0)] * (n + 1)
    counts = [0] * (n + 1)

    def visit(left: list[list[int]], pivot: int, lost: int) -> None:
        """Go through what workers may do whose columns, less what is explained, are ``left``."""
        if len(left) == 1:
            error = left[0][0]
            totals[lost][pivot] += error
            counts[lost] += not error
            if error * worst[lost].denominator > worst[lost].numerator * pivot:
                worst[lost] = Fraction(error, pivot)
            return
        visit([row[width:] for row in left[width:]], pivot, lost + 1)
        for _ in range(width):
            left, pivot = _without(left, pivot)
        visit(left, pivot, lost)

    visit(M, 1, 0)
    sums = [sum((Fraction(e, p) for p, e in own.items()), Fraction(0)) for own in totals]
    return Spectrum(tuple(sums), tuple(worst), tuple(counts))


def _without(left: list[list[int]], pivot: int) -> tuple[list[list[int]], int]:
    """Return what is left of others when the first column explains them, and the new pivot."""
    first, rest = left[0], left[1:]
    new = first[0]
    if new == 0:  # the answers before explain this one
        return [row[1:] for row in rest], pivot
    return [
        [(new * b - row[0] * a) // pivot for a, b in zip(first[1:], row[1:], strict=True)]
        for row in rest
    ], new


def _whole(column: NDArray[Any]) -> list[list[int]]:
    """Return a multiple of a column in whole numbers, which decodes alike; two of a complex one."""
    parts = [column] if not np.iscomplexobj(column) else [column.real, column.imag]
    entries = [Fraction(entry) for part in parts for entry in part.tolist()]
    scale = math.lcm(*(entry.denominator for entry in entries))
    found = [int(entry * scale) for entry in entries]
    common = math.gcd(*found) or 1
    found, k = [entry // common for entry in found], len(column)
    return [found] if len(parts) == 1 else [found, [-b for b in found[k:]] + found[:k]]
