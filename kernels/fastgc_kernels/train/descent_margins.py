"""Descent of losses of one number xᵀθ a sample, by one pass over the samples an iteration.

Linear regression with more features than Gram matrices are good for, and logistic regression.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit
from fastgc_kernels.train.descent import (
    BLOCK,
    add_partition,
    excess_weights,
    record,
    start_runs,
    step,
)
from fastgc_kernels.train.exponentials import logistic_loss
from fastgc_kernels.train.lanes import LANES, add_products, clear, products
from fastgc_kernels.train.optimizing import schedule


@jit
def _squared(margins: NDArray[np.float64], y: NDArray[np.float64], total: NDArray[np.float64]):
    """Add losses ½(z − y)² to ``total``, and turn margins z (s, LANES) into slopes."""
    for i in range(y.size):
        row = margins[i]
        target = y[i]
        for t in range(LANES):
            gap = row[t] - target
            total[t] += 0.5 * (gap * gap)
            row[t] = gap


@jit
def _logistic(margins: NDArray[np.float64], y: NDArray[np.float64], total: NDArray[np.float64]):
    """Add losses log(1 + e^−yz), y = ±1, to ``total``, and turn margins z into slopes."""
    for i in range(y.size):
        row = margins[i]
        sign = y[i]
        for t in range(LANES):
            value, fall = logistic_loss(sign * row[t])
            total[t] += value
            row[t] = -sign * fall


@jit
def descend(
    X: NDArray[np.float64],
    y: NDArray[np.float64],
    bounds: NDArray[np.int64],
    logistic: bool,
    weights: NDArray[np.float64],
    index: NDArray[np.int64],
    settings: NDArray[np.float64],
    start: NDArray[np.float64],
    best: NDArray[np.float64],
    scale: float,
    loss: NDArray[np.float64],
    gradient_error: NDArray[np.float64],
    distance: NDArray[np.float64],
) -> None:
    """Run every trial of ``index`` (L, T): rows of ``weights`` (m, k) that iterations decode with.

    Partition i is samples ``bounds[i]`` … ``bounds[i + 1]`` − 1 of X (N, f) and y (N,), ±1 for
    ``logistic`` losses and any numbers for squared ones. The rest is as in `descent_linear`.
    """
    iterations, trials = index.shape
    size = X.shape[1]
    plan = np.empty((iterations, 3))
    schedule(settings, plan)
    theta = np.empty((size, LANES))
    moments = np.empty((3, size, LANES))
    full = np.empty((size, LANES))
    beyond = np.empty((size, LANES))
    part = np.empty((size, LANES))
    excess = np.zeros((bounds.size - 1, LANES))
    margins = np.empty((BLOCK, LANES))
    total = np.empty(LANES)
    limit = np.empty(LANES)
    for first in range(0, trials, LANES):
        start_runs(start, theta, moments)
        for l in range(iterations + 1):  # noqa: E741
            clear(full)
            clear(beyond)
            for t in range(LANES):
                total[t] = 0.0
            if l < iterations:
                excess_weights(weights, index, l, first, excess)
            for i in range(bounds.size - 1):
                clear(part)
                for low in range(bounds[i], bounds[i + 1], BLOCK):
                    high = min(low + BLOCK, bounds[i + 1])
                    products(X[low:high], theta, margins)
                    if logistic:
                        _logistic(margins, y[low:high], total)
                    else:
                        _squared(margins, y[low:high], total)
                    add_products(X[low:high], margins, part)
                add_partition(part, excess[i], full, beyond)
            record(
                l,
                first,
                X.shape[0],
                total,
                limit,
                theta,
                full,
                beyond,
                best,
                scale,
                loss,
                gradient_error,
                distance,
            )
            if l < iterations:
                step(X.shape[0], settings, plan[l], full, beyond, theta, moments)
