"""Fallback for small linear systems, row by row."""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels.decode.elimination import _EPSILON, _MOST_REFINEMENTS, exact_product, exact_sum

MOST = 32  # unknowns


def _factor(A: Floats, order: Integers) -> bool:
    """All rows below the pivot's at once."""
    m = A.shape[0]
    order[:] = np.arange(m)
    for step in range(m):
        pivot = step + int(np.argmax(np.abs(A[step:, step])))
        if A[pivot, step] == 0.0:
            return False
        A[[step, pivot]] = A[[pivot, step]]
        order[[step, pivot]] = order[[pivot, step]]
        A[step + 1 :, step] /= A[step, step]
        A[step + 1 :, step + 1 :] -= A[step + 1 :, step, None] * A[step, step + 1 :]
    return True


def _substitute(LU: Floats, order: Integers, b: Floats, x: Floats) -> None:
    """Subtract one unknown's part from all that follow."""
    m = b.size
    x[:] = b[order]
    for j in range(m):
        x[j + 1 :] -= LU[j + 1 :, j] * x[j]
    # from the last unknown on, of which each equation takes those that follow in order
    for i in range(m - 1, -1, -1):
        parts = np.concatenate([x[i : i + 1], -(LU[i, i + 1 :] * x[i + 1 :])])
        x[i] = np.cumsum(parts)[-1] / LU[i, i]


def solve(A: Floats, b: Floats, x: Floats) -> object:
    """The kernel's steps."""
    m = b.size
    if m > MOST:
        return NotImplemented
    LU = A.copy()
    order = np.empty(m, np.int64)
    if not _factor(LU, order):
        return False
    step = np.empty(m)
    _substitute(LU, order, b, x)
    before = np.inf
    for _ in range(_MOST_REFINEMENTS):
        high, low = b.copy(), np.zeros(m)
        for j in range(m):  # one unknown's part of all equations after the other
            product, lost = exact_product(-A[:, j], x[j])
            high, more = exact_sum(high, product)
            low += lost + more
        rest = high + low
        _substitute(LU, order, rest, step)
        largest = float(np.abs(x).max(initial=0.0))
        correction = float(np.abs(step).max(initial=0.0))
        if not correction <= 0.5 * before:
            return correction <= 2.0 * _EPSILON * largest
        x += step
        before = correction
        if correction <= 0.25 * _EPSILON * largest:
            return True
    return False
