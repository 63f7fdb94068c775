"""Decoding errors of codes that are graphs, from which points their survivors connect.

Where a worker holds two partitions: partition = vertex, worker = edge. The surviving edges split
the graph into connected components. A bipartite component with sides L and R costs
(|L| − |R|)²/(|L| + |R|), a non-bipartite one nothing (Glasgow and Wootters, arXiv:2006.09638); a
vertex without surviving edges is a component of its own and costs 1. Found by union–find with
parity, in one pass over the edges and with eight bytes a vertex.

Where workers hold intervals of consecutive partitions: what is left of the all-ones vector sums to
zero over every surviving interval [a, b). Its partial sums are therefore a potential on the
boundary points with equal values at a and b, and its squared length is the effective resistance
between the points 0 and k of a path of k unit resistors in which every survivor short-circuits the
ends of its interval. The error is 0 exactly when survivors join 0 and k. Effective resistance:
Doyle and Snell, Random Walks and Electric Networks (1984).
"""

import numpy as np

from fastgc_kernels._arrays import ONE, ZERO, Floats, Integers, Numbers, Words
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.draw.bits import trailing_zeros


@jit
def component_errors(packed: Words, edges: Numbers, k: int, out: Floats) -> None:
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


@inline
def _root(parent: Integers, point: int) -> int:
    while parent[point] != point:
        parent[point] = parent[parent[point]]
        point = parent[point]
    return point


@jit
def interval_errors(
    packed: Words, point_start: Integers, point_stop: Integers, lengths: Integers, out: Floats
) -> None:
    """Fill ``out`` with the decoding error of each packed pattern.

    Boundary points are numbered in order from 0 (partition 0) to m (the end of the last partition);
    ``lengths`` (m,) are the partitions between neighbours; worker j holds the partitions from point
    ``point_start[j]`` to point ``point_stop[j]``.
    """
    edges = lengths.size
    parent = np.empty(edges + 1, np.int64)
    label = np.empty(edges + 1, np.int64)
    conductance = np.zeros((edges + 1, edges + 1))
    near = np.empty(edges + 1, np.int64)
    for t in range(packed.shape[0]):
        for point in range(edges + 1):
            parent[point] = point
        for w in range(packed.shape[1]):
            word = packed[t, w]
            while word != np.uint64(0):
                worker = 64 * w + np.int64(trailing_zeros(word))
                word &= word - ONE
                a = _root(parent, point_start[worker])
                b = _root(parent, point_stop[worker])
                parent[max(a, b)] = min(a, b)
        if _root(parent, edges) == 0:
            out[t] = 0.0
            continue
        # A root is the smallest point of its class, so its label is known before it is needed.
        classes = 0
        for point in range(edges + 1):
            root = _root(parent, point)
            if root == point:
                label[point] = classes
                classes += 1
            else:
                label[point] = label[root]
        for edge in range(edges):
            a = label[edge]
            b = label[edge + 1]
            if a != b:
                conductance[a, b] += 1.0 / lengths[edge]
                conductance[b, a] = conductance[a, b]
        end = label[edges]
        # Remove all other points, the last first: star to mesh, sums of positive terms only.
        for point in range(classes - 1, 0, -1):
            if point == end:
                continue
            degree = 0
            total = 0.0
            for other in range(classes):
                if conductance[point, other] > 0.0:
                    near[degree] = other
                    degree += 1
                    total += conductance[point, other]
            for i in range(degree):
                a = near[i]
                share = conductance[point, a] / total
                for j in range(i):
                    b = near[j]
                    conductance[a, b] += share * conductance[point, b]
                    conductance[b, a] = conductance[a, b]
            for i in range(degree):
                conductance[point, near[i]] = 0.0
                conductance[near[i], point] = 0.0
        out[t] = 1.0 / conductance[0, end]
        conductance[0, end] = 0.0
        conductance[end, 0] = 0.0
