"""Errors of the 0/1 circulant whose workers hold d partitions in a row, in one pass over these.

Givens rotations take the rows of the surviving columns one by one into a triangle of d columns'
width (Golub and Van Loan, Matrix Computations, 5.2.5); what is left of the right-hand side is the
residual. The ring is cut after d − 1 stragglers in a row where there are such; else the d − 1
columns across the cut are a border on the right of the triangle.

Differences of neighbouring rows make a column an edge from j to j + d: gcd(n, d) cycles. All
workers of a cycle decode exactly; where every cycle is broken the columns are independent.
"""

import math

import numpy as np

from fastgc_kernels._arrays import LOW6, ONE, SIX, U64, Booleans, Floats, Words
from fastgc_kernels._jit import jit


@jit
def errors(packed: Words, n: int, d: int, out: Floats) -> None:
    """Least ‖A x − 1‖² ``out`` (T,) of packed patterns (T, words); 2 ≤ d < n."""
    alive = np.empty(n, np.bool_)
    for t in range(packed.shape[0]):
        for j in range(n):
            alive[j] = (packed[t, U64(j) >> SIX] >> (U64(j) & LOW6)) & ONE != 0
        out[t] = 0.0 if _has_cycle(alive, math.gcd(n, d)) else _error(alive, d)


@jit
def _has_cycle(alive: Booleans, cycles: int) -> bool:
    """Whether all workers of a residue class survive."""
    for first in range(cycles):
        j = first
        while j < alive.size and alive[j]:
            j += cycles
        if j >= alive.size:
            return True
    return False


@jit
def _cut(alive: Booleans, d: int) -> int:
    """A worker after d − 1 stragglers in a row; 0 where there is none."""
    late = 0
    for j in range(-d + 1, alive.size):
        if late >= d - 1:
            return j % alive.size
        late = 0 if alive[j % alive.size] else late + 1
    return 0


@jit
def _error(alive: Booleans, d: int) -> float:
    """The error where the columns are independent."""
    n = alive.size
    cut = _cut(alive, d)
    # columns r − d + 1 … r of row r, then those of the border, and the right-hand side
    row = np.empty(2 * d)
    # of a column that has a row: that from the diagonal on
    triangle = np.zeros((d, 2 * d))
    corner = np.zeros((d, d))
    total = 0.0
    for r in range(n):
        triangle[r % d] = 0.0
        row[:] = 0.0
        row[2 * d - 1] = 1.0
        for o in range(d):
            j = r - d + 1 + o
            if not alive[(cut + j) % n]:
                continue
            if j < 0:
                row[d + j + d - 1] = 1.0
            elif j > n - d:
                row[d + j - n + d - 1] = 1.0
            else:
                row[o] = 1.0
        is_taken = False
        for o in range(d):
            if row[o] == 0.0:
                continue
            own = triangle[(r + 1 + o) % d]
            if own[0] == 0.0:
                own[: d - o] = row[o:d]
                own[d:] = row[d:]
                is_taken = True
                break
            length = math.sqrt(own[0] * own[0] + row[o] * row[o])
            c, s = own[0] / length, row[o] / length
            for i in range(d - o):
                u, v = own[i], row[o + i]
                own[i] = c * u + s * v
                row[o + i] = c * v - s * u
            for i in range(d, 2 * d):
                u, v = own[i], row[i]
                own[i] = c * u + s * v
                row[i] = c * v - s * u
        for b in range(d - 1):
            if is_taken or row[d + b] == 0.0:
                continue
            own = corner[b]
            if own[b] == 0.0:
                own[:] = row[d:]
                is_taken = True
                continue
            length = math.sqrt(own[b] * own[b] + row[d + b] * row[d + b])
            c, s = own[b] / length, row[d + b] / length
            for i in range(b, d):
                u, v = own[i], row[d + i]
                own[i] = c * u + s * v
                row[d + i] = c * v - s * u
        if not is_taken:
            total += row[2 * d - 1] * row[2 * d - 1]
    return min(total, float(n))
