"""Stand-ins of layered tasks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.stand_ins.complete.arrivals import count
from fastgc_kernels.stand_ins.complete.networks import in_order

MOST = 1 << 22

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def completion(
    times: Floats, k: Integers, starts: Integers, networks: NDArray[np.int32], done: Floats
) -> object:
    """All trials side by side."""
    workers, each, trials = times.shape
    if trials * (workers * k.size + len(networks)) > MOST:
        return NotImplemented
    speed = each == 1
    rows = times[:, 0].copy()
    if speed:
        in_order(rows, networks[starts[0] : starts[1]])
    total = np.zeros((workers, trials))
    done[:] = 0.0
    for j, need in enumerate(k.tolist()):
        if not speed:
            total += times[:, j]
            rows = total.copy()
            in_order(rows, networks[starts[j] : starts[j + 1]])
        if need > 0:
            done[:] = np.maximum(done, (j + 1.0 if speed else 1.0) * rows[need - 1])
    return None


def received(times: Floats, k: Integers, done: Floats, messages: Floats) -> object:
    """As the kernel counts them."""
    part = np.tile(np.arange(k.size), (times.shape[0], 1))
    return count(times, part, k, int(k.sum()), done, messages)
