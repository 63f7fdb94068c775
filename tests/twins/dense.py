"""Decoding errors of any matrix by elimination, one pattern at a time.

The arithmetic of the kernels of versions up to 1.6: what vector code written by hand has to give,
bit by bit.
"""

import numpy as np

from fastgc_kernels._jit import inline, jit
from fastgc_kernels.draw.bits import trailing_zeros


@inline
def _stragglers(packed, n, index):
    a = 0
    for w in range(packed.size):
        bits = packed[w] ^ (~np.uint64(0) >> np.uint64(64 - min(64, n - 64 * w)))
        while bits != np.uint64(0):
            index[a] = 64 * w + np.int64(trailing_zeros(bits))
            bits &= bits - np.uint64(1)
            a += 1


@jit
def independent(packed, H, x, e0, k, order, s, out, doubtful):
    """Errors of the patterns of ``order``, all with s stragglers; B's columns independent."""
    index, M = np.empty(s, np.int64), np.empty((s, s + 1))
    for t in order:
        _stragglers(packed[t], x.size, index)
        for a in range(s):
            M[a, a], M[a, s] = 1.0, x[index[a]]
            for c in range(a + 1, s):
                M[a, c] = H[index[a], index[c]]
        cost, least = 0.0, 1.0
        for a in range(s):
            pivot, y = M[a, a], M[a, s]
            least = pivot if pivot < least else least
            inverse = 1.0 / pivot
            cost += y * y * inverse
            for c in range(a + 1, s):
                f = M[a, c] * inverse
                for column in range(c, s + 1):
                    M[c, column] -= f * M[a, column]
        out[t] = min(e0 + cost, k)
        if not (least > 1e-6 and least * least * k > 1e-4 * 1e-4 * cost):
            doubtful[t] = 1


@jit
def free(packed, P, e0, order, s, out, doubtful):
    """The same with s ≤ nullity stragglers."""
    index, A = np.empty(s, np.int64), np.empty((s, s))
    for t in order:
        _stragglers(packed[t], P.shape[0], index)
        for a in range(s):
            for c in range(a, s):
                A[a, c] = P[index[a], index[c]]
        least = 1.0
        for a in range(s):
            pivot = A[a, a]
            least = pivot if pivot < least else least
            for c in range(a + 1, s):
                f = A[a, c] / pivot
                for column in range(c, s):
                    A[c, column] -= f * A[a, column]
        out[t] = e0
        if not least > 1e-6:
            doubtful[t] = 1
