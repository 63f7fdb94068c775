"""Decoding error of codes that are graphs: partition = vertex, worker = edge.

The surviving edges split the graph into connected components. A bipartite component with sides L
and R costs (|L| − |R|)²/(|L| + |R|), a non-bipartite one nothing (Glasgow and Wootters,
arXiv:2006.09638); a vertex without surviving edges is a component of its own and costs 1. Found by
union–find with parity, in one pass over the edges and with eight bytes a vertex.
"""

import numpy as np

from fastgc_kernels._arrays import ONE, ZERO, Floats, Numbers, Words
from fastgc_kernels._jit import jit
from fastgc_kernels.draw.bits import trailing_zeros


@jit
def errors(packed: Words, edges: Numbers, k: int, out: Floats) -> None:
    """Error ``out`` (T,) of packed patterns (T, words).

    ``edges`` (n, 2): the partitions that each worker holds, twice the same for a worker with one
    (a loop makes its component non-bipartite). ``link[v]`` is twice the parent of v, plus 1 if it
    lies on the parent's other side; for a root the complement of twice the vertices of its
    component, plus 1 if that is not bipartite. Union by size keeps the ways to the roots short
    (two to three steps), and shortening them costs more than it saves.
    """
    link = np.empty(k, np.int32)
    surplus = np.empty(k, np.int32)  # of vertices on the root's side
    for i in range(packed.shape[0]):
        link[:] = ~np.int32(2)
        surplus[:] = 1
        for w in range(packed.shape[1]):
            left = packed[i, w]
            while left != ZERO:
                j = 64 * w + np.int64(trailing_zeros(left))
                left &= left - ONE
                a = edges[j, 0]
                b = edges[j, 1]
                # ends of an edge are on different sides
                turn = np.int32(1)
                up = link[a]
                while up >= 0:
                    turn ^= up
                    a = up >> 1
                    up = link[a]
                other = link[b]
                while other >= 0:
                    turn ^= other
                    b = other >> 1
                    other = link[b]
                turn &= 1
                if a == b:
                    if turn:
                        link[a] = ~(~up | 1)
                    continue
                up = ~up
                other = ~other
                if up >> 1 < other >> 1:
                    a, b = b, a
                link[a] = ~(up + other - (up & other & 1))
                link[b] = a << 1 | turn
                surplus[a] += -surplus[b] if turn else surplus[b]
        error = 0.0
        for v in range(k):
            if link[v] < 0 and link[v] & 1 and surplus[v] != 0:
                error += np.float64(surplus[v]) * surplus[v] / (~link[v] >> 1)
        out[i] = error
