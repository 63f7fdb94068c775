"""Fallback for codes of intervals: all patterns side by side."""

import numpy as np

from fastgc_kernels._arrays import Bytes, Floats, Integers, Words
from fastgc_kernels.fallbacks.patterns import workers_of
from fastgc_kernels.fallbacks.sums import in_order

MOST = 1 << 21  # points of all patterns


def errors(
    packed: Words, point_start: Integers, point_stop: Integers, lengths: Integers, out: Floats
) -> object:
    """Join points, then eliminate those between the ends where the pattern is not exact."""
    patterns, edges = packed.shape[0], lengths.size
    if patterns * (point_start.size + edges) > MOST:
        return NotImplemented
    root = _classes(workers_of(packed, point_start.size), point_start, point_stop, edges)
    out[:] = 0.0
    inexact = np.flatnonzero(root[:, edges])
    if inexact.size * edges**3 > 64 * MOST:
        return NotImplemented
    own = root[inexact]
    first = own == np.arange(edges + 1)
    label = np.take_along_axis(np.cumsum(first, axis=1) - 1, own, axis=1)
    out[inexact] = _resistances(label, first.sum(axis=1), lengths)
    return None


def _classes(alive: Bytes, starts: Integers, stops: Integers, edges: int) -> Integers:
    """Least point that each is joined with, in each pattern (T, edges + 1)."""
    root = np.tile(np.arange(edges + 1), (alive.shape[0], 1))
    for own, start, stop in zip(alive.T, starts, stops, strict=True):
        some = np.flatnonzero(own.astype(bool) & (root[:, start] != root[:, stop]))
        a, b = root[some, start][:, None], root[some, stop][:, None]
        joined = root[some] == np.maximum(a, b)
        root[some] = np.where(joined, np.minimum(a, b), root[some])
    return root


def _resistances(label: Integers, classes: Integers, lengths: Integers) -> Floats:
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
    found: Floats = 1.0 / conductance[np.arange(patterns), 0, end]
    return found
