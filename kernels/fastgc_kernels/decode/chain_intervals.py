"""Straggler sets of codes of intervals, of which the survivors do not decode exactly.

Workers join the boundary points of their intervals; decoding is exact where survivors join the
first point to the last one. So a straggler must stay where it alone joins the two sides: what
survivors join to the first point, and to the last one. Swaps are Metropolis steps (1953); the two
sides are kept by flood fill.
"""

from typing import NamedTuple

import numpy as np

from fastgc_kernels._arrays import Bytes, Floats, Integers, Numbers
from fastgc_kernels._jit import inline, jit

NEITHER = np.uint8(0)
FIRST = np.uint8(1)
LAST = np.uint8(2)
BOTH = np.uint8(3)


class Graph(NamedTuple):
    """Worker j joins ``start[j]`` and ``stop[j]``; ``near`` lists the workers of each point.

    Those of point i are near[offsets[i]:offsets[i + 1]].
    """

    start: Integers
    stop: Integers
    near: Integers
    offsets: Integers


@inline
def _flood(ends, near, offsets, alive, side, stack, source, mark):
    """Mark all points that survivors join to a source."""
    side[source] = mark
    stack[0] = source
    size = 1
    while size:
        size -= 1
        point = stack[size]
        for place in range(offsets[point], offsets[point + 1]):
            j = near[place]
            if alive[j]:
                other = ends[j] - point
                if side[other] == NEITHER:
                    side[other] = mark
                    stack[size] = other
                    size += 1


@inline
def _joins(start, stop, side, j):
    """Whether a worker joins the two sides."""
    return side[start[j]] ^ side[stop[j]] == BOTH


@jit
def steps(
    members: Numbers, s: int, odds: Floats, numbers: Floats, graph: Graph, removable: Bytes
) -> None:
    """Swap stragglers for survivors, then fill ``removable``, as `chain_groups.steps` does."""
    sets, n = members.shape
    start, stop, near, offsets = graph.start, graph.stop, graph.near, graph.offsets
    ends = start + stop
    points = offsets.size - 1
    alive = np.empty(n, np.bool_)
    side = np.empty(points, np.uint8)
    stack = np.empty(points, np.int64)
    for i in range(sets):
        own = members[i]
        for a in range(n):
            alive[own[a]] = a >= s
        side[:] = NEITHER
        _flood(ends, near, offsets, alive, side, stack, 0, FIRST)
        _flood(ends, near, offsets, alive, side, stack, points - 1, LAST)
        for step in range(numbers.shape[1] // 3 if s < n else 0):
            a = np.int64(numbers[i, 3 * step] * s)
            b = s + np.int64(numbers[i, 3 * step + 1] * (n - s))
            old, new = own[a], own[b]
            if not numbers[i, 3 * step + 2] * odds[old] < odds[new]:
                continue
            lost = side[start[new]]
            if _joins(start, stop, side, old) and lost == NEITHER:
                continue
            alive[new] = False
            if lost != NEITHER:
                # the side of the new straggler is found anew
                for point in range(points):
                    if side[point] == lost:
                        side[point] = NEITHER
                source = 0 if lost == FIRST else points - 1
                _flood(ends, near, offsets, alive, side, stack, source, lost)
                if _joins(start, stop, side, old):
                    alive[new] = True
                    for end in (start[new], stop[new]):
                        if side[end] == NEITHER:
                            _flood(ends, near, offsets, alive, side, stack, end, lost)
                    continue
            alive[old] = True
            own[a], own[b] = new, old
            p, q = start[old], stop[old]
            if side[p] == NEITHER and side[q] != NEITHER:
                _flood(ends, near, offsets, alive, side, stack, p, side[q])
            elif side[q] == NEITHER and side[p] != NEITHER:
                _flood(ends, near, offsets, alive, side, stack, q, side[p])
        for a in range(s):
            removable[i, a] = not _joins(start, stop, side, own[a])
