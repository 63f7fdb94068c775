"""Completion of work that groups of workers do several times over.

Worker j is in group j // size. What arrives at the same moment is received in order of worker.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit
from fastgc_kernels.complete.networks import LANES, put_in_order


@jit
def completion(
    times: NDArray[np.float64],
    size: int,
    need: int,
    network: NDArray[np.int32],
    done: NDArray[np.float64],
) -> None:
    """Moment ``done`` (T,) at which ``need`` groups have answered, of times (n, 1, T).

    ``network`` puts place need − 1 of all groups in order.
    """
    workers, _, trials = times.shape
    groups = workers // size
    rows = np.zeros((groups, LANES))
    for start in range(0, trials, LANES):
        lanes = min(LANES, trials - start)
        for g in range(groups):
            row = rows[g]
            row[:] = np.inf
            for j in range(g * size, (g + 1) * size):
                own = times[j, 0, start : start + lanes]
                for t in range(lanes):
                    a = own[t]
                    b = row[t]
                    row[t] = a if a < b else b
        put_in_order(rows, groups, network)
        for t in range(lanes):
            done[start + t] = rows[need - 1, t]


@jit
def received(
    times: NDArray[np.float64],
    size: int,
    need: int,
    done: NDArray[np.float64],
    messages: NDArray[np.float64],
) -> None:
    """Answers ``messages`` (T,) that arrive until ``done`` (T,), the one that completes included.

    All that ever arrive where ``done`` is infinite.
    """
    workers, _, trials = times.shape
    before = np.zeros(LANES)
    at = np.zeros(LANES)
    for start in range(0, trials, LANES):
        lanes = min(LANES, trials - start)
        ends = done[start : start + lanes]
        before[:] = 0.0
        at[:] = 0.0
        for j in range(workers):
            own = times[j, 0, start : start + lanes]
            for t in range(lanes):
                before[t] += 1.0 if own[t] < ends[t] else 0.0
                at[t] += 1.0 if own[t] == ends[t] else 0.0
        for t in range(lanes):
            end = ends[t]
            messages[start + t] = before[t]
            if end < np.inf:
                more = 1
                if at[t] > 1.0:
                    more = _tied(times[:, 0, start + t], size, need, end)
                messages[start + t] += more


@jit
def _tied(times: NDArray[np.float64], size: int, need: int, done: float) -> int:
    """Answers received at the very moment ``done`` until ``need`` groups have answered."""
    answered = np.zeros(times.size // size, np.bool_)
    left = need
    for j in range(times.size):
        if times[j] < done and not answered[j // size]:
            answered[j // size] = True
            left -= 1
    count = 0
    for j in range(times.size):
        if left > 0 and times[j] == done:
            count += 1
            if not answered[j // size]:
                answered[j // size] = True
                left -= 1
    return count
