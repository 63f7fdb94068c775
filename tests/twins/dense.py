"""Decoding errors of any matrix by loops over 64 lanes that the compiler makes vectors of.

The kernels of versions up to 1.6: what vector code written by hand has to give, bit by bit.
"""

from typing import Any

import numpy as np

from fastgc_kernels._jit import inline, jit
from fastgc_kernels.draw.bits import trailing_zeros

Array = Any
LANES = 64


@inline
def _subtract(target: Array, source: Array, f: Array, lanes: int) -> None:
    for v in range(lanes):
        target[v] -= f[v] * source[v]


@inline
def _listed(packed: Array, some: Array, n: int, index: Array) -> None:
    for v in range(some.size):
        a = 0
        for w in range(packed.shape[1]):
            workers = min(64, n - 64 * w)
            bits = packed[some[v], w] ^ (~np.uint64(0) >> np.uint64(64 - workers))
            while bits != np.uint64(0):
                index[a, v] = 64 * w + np.int64(trailing_zeros(bits))
                bits &= bits - np.uint64(1)
                a += 1


@jit
def independent(
    packed: Array, H: Array, x: Array, e0: float, k: float, order: Array, s: int, out: Array,
    doubtful: Array,
) -> None:  # fmt: skip
    """Errors of the patterns of ``order``, all with s stragglers; B's columns independent."""
    index = np.empty((s, LANES), np.int64)
    M = np.empty((s, s + 1, LANES))
    cost, part, inverse, f = np.empty(LANES), np.empty(LANES), np.empty(LANES), np.empty(LANES)
    for at in range(0, order.size, LANES):
        lanes = min(LANES, order.size - at)
        _listed(packed, order[at : at + lanes], x.size, index)
        for a in range(s):
            for v in range(lanes):
                M[a, s, v] = x[index[a, v]]
                M[a, a, v] = 1.0
            for c in range(a + 1, s):
                for v in range(lanes):
                    M[a, c, v] = H[index[a, v], index[c, v]]
        for v in range(lanes):
            cost[v] = 0.0
            part[v] = 1.0
        for a in range(s):
            pivot, y = M[a, a], M[a, s]
            for v in range(lanes):
                part[v] = pivot[v] if pivot[v] < part[v] else part[v]
                inverse[v] = 1.0 / pivot[v]
                cost[v] += y[v] * y[v] * inverse[v]
            for c in range(a + 1, s):
                entry = M[a, c]
                for v in range(lanes):
                    f[v] = entry[v] * inverse[v]
                for column in range(c, s + 1):
                    _subtract(M[c, column], M[a, column], f, lanes)
        for v in range(lanes):
            t = order[at + v]
            out[t] = min(e0 + cost[v], k)
            least = part[v]
            if not (least > 1e-6 and least * least * k > 1e-4 * 1e-4 * cost[v]):
                doubtful[t] = 1


@jit
def free(
    packed: Array, P: Array, e0: float, order: Array, s: int, out: Array, doubtful: Array
) -> None:
    """The same with s ≤ nullity stragglers."""
    index = np.empty((s, LANES), np.int64)
    A = np.empty((s, s, LANES))
    least, f = np.empty(LANES), np.empty(LANES)
    for at in range(0, order.size, LANES):
        lanes = min(LANES, order.size - at)
        _listed(packed, order[at : at + lanes], P.shape[0], index)
        for a in range(s):
            for c in range(a, s):
                for v in range(lanes):
                    A[a, c, v] = P[index[a, v], index[c, v]]
        for v in range(lanes):
            least[v] = 1.0
        for a in range(s):
            pivot = A[a, a]
            for v in range(lanes):
                least[v] = pivot[v] if pivot[v] < least[v] else least[v]
            for c in range(a + 1, s):
                entry = A[a, c]
                for v in range(lanes):
                    f[v] = entry[v] / pivot[v]
                for column in range(c, s):
                    _subtract(A[c, column], A[a, column], f, lanes)
        for v in range(lanes):
            t = order[at + v]
            out[t] = e0
            if not least[v] > 1e-6:
                doubtful[t] = 1
