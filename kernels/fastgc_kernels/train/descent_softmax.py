"""Descent of softmax regression, by one pass over the samples an iteration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit
from fastgc_kernels.draw.variates import exp, log
from fastgc_kernels.train.descent import (
    BLOCK,
    add_partition,
    excess_weights,
    record,
    start_runs,
    step,
)
from fastgc_kernels.train.lanes import LANES, add_products, clear, products
from fastgc_kernels.train.optimizing import schedule


@jit
def cross_entropy(
    scores: NDArray[np.float64], y: NDArray[np.float64], total: NDArray[np.float64]
) -> None:
    """Add cross-entropies to ``total`` (LANES,), and turn scores (C, s, LANES) into slopes.

    ``y`` (s,) are class numbers 0 … C − 1. A score that is not finite makes the loss not a number.
    """
    top = np.empty(LANES)
    mass = np.empty(LANES)
    for i in range(y.size):
        label = np.int64(y[i])
        own = scores[label, i]
        for t in range(LANES):
            total[t] -= own[t]
            top[t] = own[t]
            mass[t] = 0.0
        for c in range(scores.shape[0]):
            row = scores[c, i]
            for t in range(LANES):
                top[t] = max(top[t], row[t])
                total[t] += 0.0 * row[t]
        for c in range(scores.shape[0]):
            row = scores[c, i]
            for t in range(LANES):
                value = exp(row[t] - top[t])
                mass[t] += value
                row[t] = value
        for t in range(LANES):
            total[t] += top[t] + log(mass[t])
            mass[t] = 1.0 / mass[t]
        for c in range(scores.shape[0]):
            row = scores[c, i]
            for t in range(LANES):
                row[t] *= mass[t]
        for t in range(LANES):
            own[t] -= 1.0


@jit
def descend(
    X: NDArray[np.float64],
    y: NDArray[np.float64],
    bounds: NDArray[np.int64],
    classes: int,
    weights: NDArray[np.float64],
    index: NDArray[np.int64],
    settings: NDArray[np.float64],
    start: NDArray[np.float64],
    loss: NDArray[np.float64],
    gradient_error: NDArray[np.float64],
) -> None:
    """Run every trial of ``index`` (L, T): rows of ``weights`` (m, k) that iterations decode with.

    Parameters are (C, f), row by row. Partition i is samples ``bounds[i]`` … ``bounds[i + 1]`` − 1
    of X (N, f) and class numbers y (N,). Fills ``loss`` (L + 1, T) and ``gradient_error``
    (L or 0, T).
    """
    iterations, trials = index.shape
    features = X.shape[1]
    size = start.size
    plan = np.empty((iterations, 3))
    schedule(settings, plan)
    theta = np.empty((size, LANES))
    moments = np.empty((3, size, LANES))
    full = np.empty((size, LANES))
    beyond = np.empty((size, LANES))
    part = np.empty((size, LANES))
    excess = np.zeros((bounds.size - 1, LANES))
    scores = np.empty((classes, BLOCK, LANES))
    total = np.empty(LANES)
    limit = np.empty(LANES)
    nothing = np.empty(0)
    no_distance = np.empty((0, trials))
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
                    own = X[low : min(low + BLOCK, bounds[i + 1])]
                    for c in range(classes):
                        products(own, theta[c * features : (c + 1) * features], scores[c])
                    cross_entropy(scores, y[low : low + own.shape[0]], total)
                    for c in range(classes):
                        add_products(own, scores[c], part[c * features : (c + 1) * features])
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
                nothing,
                0.0,
                loss,
                gradient_error,
                no_distance,
            )
            if l < iterations:
                step(X.shape[0], settings, plan[l], full, beyond, theta, moments)
