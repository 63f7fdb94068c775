"""Decoding error of codes that are graphs: partition = vertex, worker = edge.

The surviving edges split the graph into connected components. A bipartite component with sides L
and R costs (|L| − |R|)²/(|L| + |R|), a non-bipartite one nothing (Glasgow and Wootters,
arXiv:2006.09638); a vertex without surviving edges is a component of its own and costs 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit
from fastgc_kernels.draw.bits import trailing_zeros

U64 = np.uint64
ZERO = U64(0)
ONE = U64(1)


@jit
def errors(
    packed: NDArray[np.uint64], edges: NDArray[np.int64], k: int, out: NDArray[np.float64]
) -> None:
    """Error ``out`` (T,) of packed patterns (T, words).

    ``edges`` (n, 2): the partitions that each worker holds, twice the same for a worker with one
    (a loop makes its component non-bipartite). Union–find with parity: ``side`` says whether a
    vertex lies on the other side than its parent.
    """
    parent = np.empty(k, np.int64)
    side = np.empty(k, np.int64)
    size = np.empty(k, np.int64)
    surplus = np.empty(k, np.int64)
    odd = np.empty(k, np.bool_)
    for i in range(packed.shape[0]):
        for v in range(k):
            parent[v] = v
            side[v] = 0
            size[v] = 1
            surplus[v] = 1
            odd[v] = False
        for w in range(packed.shape[1]):
            left = packed[i, w]
            while left != ZERO:
                j = 64 * w + np.int64(trailing_zeros(left))
                left &= left - ONE
                a = edges[j, 0]
                parity_a = 0
                while parent[a] != a:
                    parity_a ^= side[a]
                    a = parent[a]
                b = edges[j, 1]
                parity_b = 0
                while parent[b] != b:
                    parity_b ^= side[b]
                    b = parent[b]
                if a == b:
                    if parity_a == parity_b:
                        odd[a] = True
                    continue
                if size[a] < size[b]:
                    a, b = b, a
                parent[b] = a
                side[b] = parity_a ^ parity_b ^ 1
                size[a] += size[b]
                surplus[a] += -surplus[b] if side[b] else surplus[b]
                odd[a] = odd[a] or odd[b]
        error = 0.0
        for v in range(k):
            if parent[v] == v and not odd[v] and surplus[v] != 0:
                error += surplus[v] * surplus[v] / size[v]
        out[i] = error
