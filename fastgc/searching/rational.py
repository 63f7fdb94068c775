"""Errors of all patterns as fractions, in whole numbers and without the kernels.

Elimination without fractions (Bareiss, Mathematics of Computation 22, 1968) of the inner products
of columns and the vector of ones, along the tree of patterns: what is left in the last entry, over
the last pivot, is the error.
"""

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Spectrum:
    """Errors of a code by the number of stragglers, 0 … n, as fractions or floats.

    ``sums``: of the errors of all patterns; ``worst``: the largest; ``counts``: patterns whose
    error is 0.
    """

    sums: Any
    worst: Any
    counts: Any


def spectrum(B: NDArray[np.float64]) -> Spectrum:
    """Return the errors of all patterns of a real matrix (k, n), which are exact."""
    k, n = B.shape
    columns = [*map(_whole, B.T), [1] * k]
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
        visit([row[1:] for row in left[1:]], pivot, lost + 1)
        visit(*_without(left, pivot), lost)

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


def _whole(column: NDArray[np.float64]) -> list[int]:
    entries = [Fraction(entry) for entry in column.tolist()]
    scale = math.lcm(*(entry.denominator for entry in entries))
    found = [int(entry * scale) for entry in entries]
    common = math.gcd(*found) or 1
    return [entry // common for entry in found]
