"""Fallback for codes that are graphs: all patterns side by side."""

import numpy as np

from fastgc_kernels._arrays import Floats, Numbers, Words
from fastgc_kernels.fallbacks.patterns import workers_of

MOST = 1 << 25  # vertices of all patterns, for every edge


def errors(packed: Words, edges: Numbers, k: int, out: Floats) -> object:
    """Union–find, one edge after the other; each vertex has its root and its side of that."""
    patterns = packed.shape[0]
    if patterns * len(edges) * k > MOST:
        return NotImplemented
    root = np.tile(np.arange(k), (patterns, 1))
    side = np.ones((patterns, k), np.int8)
    odd = np.zeros((patterns, k), bool)
    for alive, (one, other) in zip(workers_of(packed, len(edges)).T, edges.tolist(), strict=True):
        some = np.flatnonzero(alive)
        a, b = root[some, one], root[some, other]
        # the larger component takes the other in, as in the kernel: sums go by roots
        size = [np.sum(root[some] == end[:, None], axis=1) for end in (a, b)]
        a, b = np.where(size[0] < size[1], (b, a), (a, b))
        turn = -side[some, one] * side[some, other]
        odd[some, a] |= odd[some, b] | ((a == b) & (turn < 0))
        some, a, b, turn = (x[a != b] for x in (some, a, b, turn))
        joined = root[some] == b[:, None]
        side[some] = np.where(joined, turn[:, None] * side[some], side[some])
        root[some] = np.where(joined, a[:, None], root[some])
    out[:] = 0.0
    for v in range(k):
        own = root == v
        surplus = np.sum(side, axis=1, where=own, dtype=np.int64)
        size = np.maximum(own.sum(axis=1), 1)
        out += np.where(odd[:, v], 0.0, surplus * surplus / size)
    return None
