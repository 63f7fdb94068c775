"""Stand-in for graphs: one edge of all patterns at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.stand_ins.bits import workers_of

MOST = 1 << 20

Integers = NDArray[np.int64]


def errors(packed: NDArray[np.uint64], edges: Integers, k: int, out: NDArray[np.float64]) -> object:
    """Union–find of all patterns side by side."""
    patterns, n = packed.shape[0], edges.shape[0]
    if patterns * (n + k) > MOST:
        return NotImplemented
    alive = workers_of(packed, n)
    parent = np.tile(np.arange(k), (patterns, 1))
    side = np.zeros((patterns, k), np.int64)
    size = np.ones((patterns, k), np.int64)
    surplus = np.ones((patterns, k), np.int64)
    odd = np.zeros((patterns, k), bool)
    for j, (one, other) in enumerate(edges):
        some = np.flatnonzero(alive[:, j])
        a, parity_a = _root(parent, side, some, one)
        b, parity_b = _root(parent, side, some, other)
        closes = a == b
        odd[some[closes & (parity_a == parity_b)], a[closes & (parity_a == parity_b)]] = True
        some, a, b = some[~closes], a[~closes], b[~closes]
        turn = (parity_a ^ parity_b ^ 1)[~closes]
        smaller = size[some, a] < size[some, b]
        a, b = np.where(smaller, b, a), np.where(smaller, a, b)
        parent[some, b] = a
        side[some, b] = turn
        size[some, a] += size[some, b]
        surplus[some, a] += np.where(turn == 1, -surplus[some, b], surplus[some, b])
        odd[some, a] |= odd[some, b]
    out[:] = 0.0
    for v in range(k):
        costs = (parent[:, v] == v) & ~odd[:, v]
        out += np.where(costs, surplus[:, v] * surplus[:, v] / size[:, v], 0.0)
    return None


def _root(
    parent: Integers, side: Integers, some: Integers, vertex: int
) -> tuple[Integers, Integers]:
    """Root of a vertex in each pattern, and whether it lies on the other side than that."""
    at = np.full(some.size, vertex)
    parity = np.zeros(some.size, np.int64)
    while (below := parent[some, at] != at).any():
        parity ^= np.where(below, side[some, at], 0)
        at = parent[some, at]
    return at, parity
