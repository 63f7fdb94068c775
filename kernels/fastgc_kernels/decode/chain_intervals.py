"""Straggler sets of codes of intervals, of which the survivors do not decode exactly.

Workers join the boundary points of their intervals; decoding is exact where survivors join the
first point to the last one. So a straggler must stay where it alone joins the two parts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import inline, jit


@inline
def _root(parent: NDArray[np.int64], point: int) -> int:
    while parent[point] != point:
        parent[point] = parent[parent[point]]
        point = parent[point]
    return point


@inline
def _join(parent, own, first, n, start, stop, skipped, extra):
    """Join the points that survivors own[first:n] join, but ``skipped``, and ``extra`` too.

    Returns the roots of the first and the last point, which are equal where they are joined.
    """
    points = parent.size
    for point in range(points):
        parent[point] = point
    for b in range(first, n):
        j = own[b]
        if j != skipped:
            p, q = _root(parent, start[j]), _root(parent, stop[j])
            parent[max(p, q)] = min(p, q)
    if extra >= 0:
        p, q = _root(parent, start[extra]), _root(parent, stop[extra])
        parent[max(p, q)] = min(p, q)
    return _root(parent, 0), _root(parent, points - 1)


@jit
def steps(
    members: NDArray[np.int32],
    s: int,
    odds: NDArray[np.float64],
    numbers: NDArray[np.float64],
    start: NDArray[np.int64],
    stop: NDArray[np.int64],
    points: int,
    removable: NDArray[np.uint8],
) -> None:
    """Swap stragglers for survivors, then fill ``removable``, as `chain_groups.steps` does.

    Worker j joins the points ``start[j]`` and ``stop[j]`` of 0 … ``points`` − 1.
    """
    sets, n = members.shape
    parent = np.empty(points, np.int64)
    for i in range(sets):
        own = members[i]
        if s < n:
            for step in range(numbers.shape[1] // 3):
                a = np.int64(numbers[i, 3 * step] * s)
                b = s + np.int64(numbers[i, 3 * step + 1] * (n - s))
                old, new = own[a], own[b]
                if not numbers[i, 3 * step + 2] * odds[old] < odds[new]:
                    continue
                first, last = _join(parent, own, s, n, start, stop, new, old)
                if first != last:
                    own[a], own[b] = new, old
        first, last = _join(parent, own, s, n, start, stop, -1, -1)
        for a in range(s):
            j = own[a]
            p, q = _root(parent, start[j]), _root(parent, stop[j])
            removable[i, a] = not ((p == first and q == last) or (p == last and q == first))
