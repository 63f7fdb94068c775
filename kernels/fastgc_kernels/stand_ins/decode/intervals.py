"""Stand-in for codes of intervals: patterns that are not exact, side by side."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.stand_ins.bits import workers_of
from fastgc_kernels.stand_ins.tally.sums import in_order

MOST = 1 << 21

Integers = NDArray[np.int64]


def errors(
    packed: NDArray[np.uint64],
    point_start: Integers,
    point_stop: Integers,
    lengths: Integers,
    out: NDArray[np.float64],
) -> object:
    """Join points, then eliminate those between the ends."""
    patterns, n, edges = packed.shape[0], point_start.size, lengths.size
    if patterns * (n + edges) > MOST:
        return NotImplemented
    root = _classes(workers_of(packed, n), point_start, point_stop, edges)
    out[:] = 0.0
    inexact = np.flatnonzero(root[:, edges])
    if inexact.size * edges**3 > 64 * MOST:
        return NotImplemented
    own = root[inexact]
    first = own == np.arange(edges + 1)
    label = np.take_along_axis(np.cumsum(first, axis=1) - 1, own, axis=1)
    out[inexact] = _resistances(label, first.sum(axis=1), lengths)
    return None


def _classes(
    alive: NDArray[np.uint8], point_start: Integers, point_stop: Integers, edges: int
) -> Integers:
    """Least point that each is joined with, in each pattern (T, edges + 1)."""
    root = np.tile(np.arange(edges + 1), (alive.shape[0], 1))
    for worker, (start, stop) in enumerate(zip(point_start, point_stop, strict=True)):
        some = np.flatnonzero(alive[:, worker])
        a, b = root[some, start], root[some, stop]
        some, a, b = some[a != b], a[a != b], b[a != b]
        own = root[some]
        own[own == np.maximum(a, b)[:, None]] = np.repeat(
            np.minimum(a, b), np.sum(own == np.maximum(a, b)[:, None], axis=1)
        )
        root[some] = own
    return root


def _resistances(label: Integers, classes: Integers, lengths: Integers) -> NDArray[np.float64]:
    """Resistance between the classes of the two ends, star to mesh."""
    patterns, points = label.shape
    conductance = np.zeros((patterns, points, points))
    for edge, length in enumerate(lengths):
        a, b = label[:, edge], label[:, edge + 1]
        apart = np.flatnonzero(a != b)
        a, b = a[apart], b[apart]
        conductance[apart, a, b] += 1.0 / length
        conductance[apart, b, a] = conductance[apart, a, b]
    end = label[:, -1]
    for point in range(points - 1, 0, -1):
        some = np.flatnonzero((point < classes) & (point != end))
        own = conductance[some]
        spokes = own[:, point].copy()
        share = spokes / in_order(spokes.T)[:, None]
        lower = np.tril(share[:, :, None] * spokes[:, None, :], -1)
        own += lower + lower.transpose(0, 2, 1)
        own[:, point] = 0.0
        own[:, :, point] = 0.0
        conductance[some] = own
    found: NDArray[np.float64] = 1.0 / conductance[np.arange(patterns), 0, end]
    return found
