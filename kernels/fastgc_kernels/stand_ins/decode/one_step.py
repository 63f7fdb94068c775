"""Stand-in for one-step decoding: one held partition of all patterns at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.stand_ins.bits import workers_of
from fastgc_kernels.stand_ins.tally.sums import in_order

MOST = 1 << 24

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def errors(
    packed: NDArray[np.uint64],
    partitions: Integers,
    weights: Floats,
    offsets: Integers,
    k: int,
    load: float,
    rho: float,
    out: Floats,
) -> object:
    """All patterns side by side."""
    n = offsets.size - 1
    if packed.shape[0] * (partitions.size + k) > MOST:
        return NotImplemented
    alive = workers_of(packed, n)
    total = np.zeros((k, packed.shape[0]))
    for j in range(n):
        some = np.flatnonzero(alive[:, j])
        for e in range(offsets[j], offsets[j + 1]):
            total[partitions[e], some] += weights[e]
    survivors = alive.sum(axis=1)
    nothing = (survivors == 0) | (load == 0.0 and np.isnan(rho))
    weight = k / (survivors * load) if np.isnan(rho) else np.full(survivors.size, rho)
    off = weight * total - 1.0
    out[:] = np.where(nothing, k, in_order(off * off))
    return None
