"""What descent has in common for every loss: weights, gradients, curves and diverged runs.

In an iteration every partition's gradient is taken once. Their sum is the full gradient; the sum
of each times (weight − 1) is what decoding makes of it beyond that, exactly 0 where all weights
are 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit
from fastgc_kernels.train.lanes import LANES, clear
from fastgc_kernels.train.optimizing import advance

BLOCK = 16  # samples at a time
DIVERGED = 1e12  # times the first loss plus 1


@jit
def start_runs(
    start: NDArray[np.float64], theta: NDArray[np.float64], moments: NDArray[np.float64]
) -> None:
    """Put every trial at ``start`` (p,), without a history."""
    for a in range(start.size):
        row = theta[a]
        for t in range(LANES):
            row[t] = start[a]
    for m in range(moments.shape[0]):
        clear(moments[m])


@jit
def excess_weights(
    weights: NDArray[np.float64],
    index: NDArray[np.int64],
    iteration: int,
    first: int,
    out: NDArray[np.float64],
) -> None:
    """Fill ``out`` (k, LANES) with each partition's weight − 1 in trials ``first``, ….

    Trial t decodes with row ``index[iteration, t]`` of ``weights`` (m, k). Lanes beyond the last
    trial do again what the last one does.
    """
    last = index.shape[1] - 1
    for t in range(LANES):
        own = weights[index[iteration, min(first + t, last)]]
        for i in range(own.size):
            out[i, t] = own[i] - 1.0


@jit
def add_partition(
    part: NDArray[np.float64],
    excess: NDArray[np.float64],
    full: NDArray[np.float64],
    beyond: NDArray[np.float64],
) -> None:
    """Add a partition's gradient to the full one, and times excess (LANES,) to what is beyond."""
    for a in range(part.shape[0]):
        own = part[a]
        x = full[a]
        y = beyond[a]
        for t in range(LANES):
            x[t] += own[t]
            y[t] += excess[t] * own[t]


@jit
def squares(values: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Fill ``out`` (LANES,) with the sum of squares of values (p, LANES)."""
    for t in range(LANES):
        out[t] = 0.0
    for a in range(values.shape[0]):
        row = values[a]
        for t in range(LANES):
            out[t] += row[t] * row[t]


@jit
def record(
    iteration: int,
    first: int,
    samples: int,
    total: NDArray[np.float64],
    limit: NDArray[np.float64],
    theta: NDArray[np.float64],
    full: NDArray[np.float64],
    beyond: NDArray[np.float64],
    best: NDArray[np.float64],
    scale: float,
    loss: NDArray[np.float64],
    gradient_error: NDArray[np.float64],
    distance: NDArray[np.float64],
) -> None:
    """Write an iteration's curves; a diverged trial's are not numbers, from then on.

    ``total`` (LANES,) is the sum of losses over samples. ``limit`` (LANES,) is the largest loss of
    a run that has not diverged, set in iteration 0 and −1 once it has. Curves without rows are
    left out.
    """
    lanes = min(LANES, loss.shape[1] - first)
    for t in range(lanes):
        value = total[t] / np.float64(samples)
        if iteration == 0:
            limit[t] = DIVERGED * (value + 1.0) if value < np.inf else -1.0
        if not value <= limit[t]:
            limit[t] = -1.0
            value = np.nan
        loss[iteration, first + t] = value
    if iteration < gradient_error.shape[0]:
        away = np.empty(LANES)
        whole = np.empty(LANES)
        squares(beyond, away)
        squares(full, whole)
        for t in range(lanes):
            value = 0.0 if away[t] == 0.0 else away[t] / whole[t]
            gradient_error[iteration, first + t] = value if limit[t] >= 0.0 else np.nan
    if iteration < distance.shape[0]:
        for t in range(lanes):
            value = 0.0
            for a in range(best.size):
                gap = theta[a, t] - best[a]
                value += gap * gap
            distance[iteration, first + t] = value * scale if limit[t] >= 0.0 else np.nan


@jit
def step(
    samples: int,
    settings: NDArray[np.float64],
    plan: NDArray[np.float64],
    full: NDArray[np.float64],
    beyond: NDArray[np.float64],
    theta: NDArray[np.float64],
    moments: NDArray[np.float64],
) -> None:
    """Take an optimizer's step with the decoded gradient, which replaces the full one."""
    for a in range(full.shape[0]):
        x = full[a]
        y = beyond[a]
        for t in range(LANES):
            x[t] = (x[t] + y[t]) / np.float64(samples)
    advance(settings, plan, full, theta, moments)
