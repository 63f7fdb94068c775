"""Small linear systems by Gaussian elimination with partial pivoting, to the last bits.

The solution is refined with residuals in doubled precision, so that rounding in it does not grow
with the condition number until that is close to 1/eps. Refinement is Wilkinson's (1963), sums in
doubled precision are Dekker's (1971) and Knuth's.
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.draw.elementary import error_of_product

_EPSILON = 2.0**-52
_MOST_REFINEMENTS = 20


@jit
def factor(A: Floats, order: Integers) -> bool:
    """Factor A (m, m) into L and U in place, rows swapped as ``order`` says; False if singular."""
    m = A.shape[0]
    for i in range(m):
        order[i] = i
    for step in range(m):
        pivot = step
        for i in range(step + 1, m):
            if abs(A[i, step]) > abs(A[pivot, step]):
                pivot = i
        if A[pivot, step] == 0.0:
            return False
        if pivot != step:
            for j in range(m):
                A[step, j], A[pivot, j] = A[pivot, j], A[step, j]
            order[step], order[pivot] = order[pivot], order[step]
        for i in range(step + 1, m):
            A[i, step] /= A[step, step]
            multiple = A[i, step]
            for j in range(step + 1, m):
                A[i, j] -= multiple * A[step, j]
    return True


@jit
def substitute(LU: Floats, order: Integers, b: Floats, x: Floats) -> None:
    """Fill x with the solution of a factored system."""
    m = b.size
    for i in range(m):
        x[i] = b[order[i]]
        for j in range(i):
            x[i] -= LU[i, j] * x[j]
    for back in range(m):
        i = m - 1 - back
        for j in range(i + 1, m):
            x[i] -= LU[i, j] * x[j]
        x[i] /= LU[i, i]


@inline
def exact_product(a, b):
    """Product and its rounding error (Dekker 1971)."""
    product = a * b
    return product, error_of_product(a, b, product)


@inline
def exact_sum(a, b):
    """Sum and its rounding error (Knuth 1969)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@jit
def residual(A: Floats, x: Floats, b: Floats, out: Floats) -> None:
    """Fill ``out`` with b − Ax, summed in doubled precision."""
    for i in range(b.size):
        high = b[i]
        low = 0.0
        for j in range(x.size):
            product, rest = exact_product(-A[i, j], x[j])
            high, lost = exact_sum(high, product)
            low += rest + lost
        out[i] = high + low


@jit
def solve(A: Floats, b: Floats, x: Floats) -> bool:
    """Fill x with the solution of A x = b; False where A is singular to working precision."""
    m = b.size
    LU = A.copy()
    order = np.empty(m, np.int64)
    if not factor(LU, order):
        return False
    rest = np.empty(m)
    step = np.empty(m)
    substitute(LU, order, b, x)
    before = np.inf
    for _ in range(_MOST_REFINEMENTS):
        residual(A, x, b, rest)
        substitute(LU, order, rest, step)
        largest = 0.0
        correction = 0.0
        for i in range(m):
            largest = max(largest, abs(x[i]))
            correction = max(correction, abs(step[i]))
        if not correction <= 0.5 * before:
            return correction <= 2.0 * _EPSILON * largest
        for i in range(m):
            x[i] += step[i]
        before = correction
        if correction <= 0.25 * _EPSILON * largest:
            return True
    return False
