"""Stand-in for decoding vectors, one pattern after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.decode.decoding_vectors import EPSILON
from fastgc_kernels.stand_ins.bits import workers_of
from fastgc_kernels.stand_ins.decode.jacobi import shortest
from fastgc_kernels.stand_ins.decode.orthogonal import factor_each

MOST = 1 << 12  # columns of all patterns
MOST_ENTRIES = 1 << 20

Floats = NDArray[np.float64]


def vectors(packed: NDArray[np.uint64], columns: Floats, out: Floats) -> object:
    """The kernel's steps with whole columns."""
    n, k = columns.shape
    if packed.shape[0] * n > MOST or n * n * k > MOST_ENTRIES:
        return NotImplemented
    out[:] = 0.0
    for weights, alive in zip(out, workers_of(packed, n), strict=True):
        workers = np.flatnonzero(alive)
        survivors = workers.size
        work = columns[None, workers]
        y = np.ones((1, k))
        order = np.empty((1, survivors), np.int64)
        norms = np.empty((1, survivors))
        cut = 2.0 * EPSILON * (max(k, survivors) + 8)
        rank = int(factor_each(work, y, order, norms, cut)[0])
        rows = np.zeros((rank, survivors))
        for j in range(survivors):
            above = min(j, rank)
            rows[:above, j] = work[0, j, :above]
            if j < rank:
                rows[j, j] = norms[0, j]
        whole = rank == survivors
        x = _solved(rows, y[0]) if whole else np.asarray(shortest(rows, y[0, :rank]))
        weights[workers[order[0]]] = x
    return None


def _solved(R: Floats, y: Floats) -> Floats:
    """Back substitution, each equation taking those that follow in order."""
    x = y[: len(R)].copy()
    for i in range(len(R) - 1, -1, -1):
        parts = np.concatenate([x[i : i + 1], -(R[i, i + 1 :] * x[i + 1 :])])
        x[i] = np.cumsum(parts)[-1] / R[i, i]
    return x
