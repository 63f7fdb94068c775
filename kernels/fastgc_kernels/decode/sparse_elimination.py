"""Elimination of symmetric positive definite matrices, eight pivots at a time.

A row is read and written once for eight pivots, so that arithmetic and not memory bounds the speed.
Loops that start within a row count from 0 without a sign: others never become vectors, for their
index might be negative. Right-looking elimination in blocks (Golub and Van Loan, Matrix
Computations, section 4.2).
"""

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.decode.orthogonal import dot

PIVOTS = 8


@inline
def _copy(M: Floats, a: int, first: int, width: int, rows: Floats) -> None:
    """Copy rows a to a + 7 of M: what is read apart from what is written becomes vectors."""
    start = np.uint64(first)
    for b in range(PIVOTS):
        i = np.uint64(a + b)
        for t in range(np.uint64(width - first)):
            rows[b, start + t] = M[i, start + t]


@inline
def _subtract(M: Floats, c: int, rows: Floats, f: Floats, first: int, width: int) -> None:
    """Subtract multiples f (8,) of eight rows from row c of M, in one fixed order of sums."""
    i, start = np.uint64(c), np.uint64(first)
    f0, f1, f2, f3, f4, f5, f6, f7 = f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]
    for t in range(np.uint64(width - first)):
        j = start + t
        low = (f0 * rows[0, j] + f1 * rows[1, j]) + (f2 * rows[2, j] + f3 * rows[3, j])
        high = (f4 * rows[4, j] + f5 * rows[5, j]) + (f6 * rows[6, j] + f7 * rows[7, j])
        M[i, j] -= low + high


@inline
def _subtract_one(M: Floats, c: int, b: int, multiple: float, first: int, width: int) -> None:
    i, other, start = np.uint64(c), np.uint64(b), np.uint64(first)
    for t in range(np.uint64(width - first)):
        M[i, start + t] -= multiple * M[other, start + t]


@jit
def eliminate(M: Floats, size: int, least: float, inverse: Floats) -> None:
    """Eliminate the first ``size`` columns of M (≥ size, width), of which the upper part is read.

    Afterwards ``M[a, a:]`` is pivot a times row a of a unit upper triangle, and ``inverse[a]`` one
    over that pivot. A pivot of at most ``least`` is dropped: its inverse is 0.
    """
    width = M.shape[1]
    f = np.empty(PIVOTS)
    rows = np.empty((PIVOTS, width))
    for a in range(0, size, PIVOTS):
        after = min(a + PIVOTS, size)
        # the pivots among themselves
        for i in range(a, after):
            for b in range(a, i):
                _subtract_one(M, i, b, M[b, i] * inverse[b], i, width)
            inverse[i] = 1.0 / M[i, i] if M[i, i] > least else 0.0
        # then all of them from every row below; where fewer than eight are left, there is none
        if after < size:
            _copy(M, a, after, width, rows)
        for c in range(after, size):
            for b in range(PIVOTS):
                f[b] = M[a + b, c] * inverse[a + b]
            _subtract(M, c, rows, f, c, width)


@jit
def invert(G: Floats, least: float, inverse: Floats) -> Floats:
    """Invert a symmetric positive definite G (n, n); rows and columns of dropped pivots are 0.

    G is overwritten and ``inverse`` (n,) filled as by `eliminate`.
    """
    n = len(G)
    eliminate(G, n, least, inverse)
    f = np.empty(PIVOTS)
    rows = np.empty((PIVOTS, n))
    # W, whose product with the transposed unit upper triangle is 1, row by row as it is eliminated
    W = np.zeros((n, n))
    for c in range(n):
        W[c, c] = 1.0 if inverse[c] > 0.0 else 0.0
    for a in range(0, n, PIVOTS):
        after = min(a + PIVOTS, n)
        for i in range(a, after):
            for b in range(a, i):
                multiple = G[b, i] * inverse[b] if inverse[i] > 0.0 else 0.0
                _subtract_one(W, i, b, multiple, 0, b + 1)
        if after < n:
            _copy(W, a, 0, after, rows)
        for c in range(after, n):
            for b in range(PIVOTS):
                f[b] = G[a + b, c] * inverse[a + b] if inverse[c] > 0.0 else 0.0
            _subtract(W, c, rows, f, 0, after)
    # the inverse is Σ W[a]ᵀ W[a] / pivot a; the last rows come with some of zeros
    K = np.zeros((n, n))
    for a in range(0, n, PIVOTS):
        after = min(a + PIVOTS, n)
        rows[:] = 0.0
        for b in range(a, after):
            for j in range(after):
                rows[b - a, j] = W[b, j]
        for i in range(after):
            for b in range(PIVOTS):
                f[b] = -(rows[b, i] * inverse[a + b]) if a + b < after else 0.0
            _subtract(K, i, rows, f, i, after)
    for i in range(n):
        for j in range(i):
            K[i, j] = K[j, i]
    return K


@jit
def gram(starts: Integers, workers: NDArray[np.uint32], weights: Floats, n: int) -> Floats:
    """Multiply out BᵀB (n, n) of a sparse B by rows: partition i's holders and their weights.

    Where there are no weights, all are 1.
    """
    G = np.zeros((n, n))
    weighted = weights.size > 0
    for i in range(starts.size - 1):
        for a in range(starts[i], starts[i + 1]):
            for b in range(starts[i], starts[i + 1]):
                product = weights[a] * weights[b] if weighted else 1.0
                G[workers[a], workers[b]] += product
    return G


@jit
def orthonormalise(rows: Floats) -> None:
    """Make rows orthonormal in place, by Gram and Schmidt twice; they are to be independent."""
    for _ in range(2):
        for i in range(len(rows)):
            for b in range(i):
                along = dot(rows[b], rows[i], 0)
                for j in range(rows.shape[1]):
                    rows[i, j] -= along * rows[b, j]
            length = np.sqrt(dot(rows[i], rows[i], 0))
            for j in range(rows.shape[1]):
                rows[i, j] /= length
