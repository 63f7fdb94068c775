"""Stand-in of a port that receives one message at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.complete.networks import LARGEST
from fastgc_kernels.stand_ins.complete.arrivals import arrivals
from fastgc_kernels.stand_ins.complete.networks import in_order

MOST = 1 << 22

Floats = NDArray[np.float64]


def serve(
    times: Floats,
    tasks: int,
    messages: Floats,
    network: NDArray[np.int32],
    receive: float,
    done: Floats,
) -> object:
    """All trials side by side."""
    workers, _, trials = times.shape
    if workers * tasks > LARGEST or trials * (workers * tasks + len(network)) > MOST:
        return NotImplemented
    rows = np.array(list(arrivals(times, tasks)))
    in_order(rows, network)
    clock = np.zeros(trials)
    for i in range(int(messages.max(initial=0))):
        clock = np.where(i < messages, np.maximum(clock, rows[i]) + receive, clock)
    np.copyto(done, clock, where=done < np.inf)
    return None
