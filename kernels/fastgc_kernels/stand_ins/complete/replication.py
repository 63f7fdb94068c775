"""Stand-ins of work that is done several times over."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.stand_ins.complete.arrivals import count
from fastgc_kernels.stand_ins.complete.networks import in_order

MOST = 1 << 22

Floats = NDArray[np.float64]


def completion(
    times: Floats, size: int, need: int, network: NDArray[np.int32], done: Floats
) -> object:
    """All trials side by side."""
    workers, _, trials = times.shape
    if trials * (workers + len(network)) > MOST:
        return NotImplemented
    rows = times[:, 0].reshape(workers // size, size, trials).min(axis=1)
    in_order(rows, network)
    done[:] = rows[need - 1]
    return None


def received(times: Floats, size: int, need: int, done: Floats, messages: Floats) -> object:
    """As the kernel counts them."""
    workers = times.shape[0]
    part = np.arange(workers)[:, None] // size
    return count(times, part, np.ones(workers // size, np.int64), need, done, messages)
