"""Stand-ins of arrivals in order through a port."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.stand_ins.draw.laws import invert
from fastgc_kernels.stand_ins.draw.pairs import exponentials

MOST = 1 << 20

Floats = NDArray[np.float64]


def serve(
    n: int,
    need: int,
    receive: float,
    kind: int,
    params: Floats,
    key: np.uint64,
    first: np.uint64,
    iteration: int,
    address: int,
    reached: Floats,
    done: Floats,
) -> object:
    """All trials side by side."""
    if done.size * need > MOST:
        return NotImplemented
    both = np.empty((2, done.size))
    reached[:] = 0.0
    for i in range(need):
        if i % 2 == 0:
            exponentials(key, first, iteration, address + i // 2, *both)
        reached += 1.0 / (n - i) * both[i % 2]
        arrival = reached.copy()
        invert(kind, params, arrival)
        done[:] = np.maximum(done, arrival) + receive
    return None


def completion(
    n: int,
    need: int,
    receive: float,
    kind: int,
    params: Floats,
    key: np.uint64,
    first_trial: np.uint64,
    out: Floats,
    without: Floats,
) -> object:
    """All trials side by side."""
    if out.size * need > MOST:
        return NotImplemented
    reached = np.empty(out.shape[1])
    for iteration, done in enumerate(out):
        done[:] = 0.0
        serve(n, need, receive, kind, params, key, first_trial, iteration, 0, reached, done)
        if without.size:
            without[iteration] = reached
            invert(kind, params, without[iteration])
    return None
