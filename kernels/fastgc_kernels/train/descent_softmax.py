"""Descent of softmax regression, by one pass over the samples an iteration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit
from fastgc_kernels.draw.variates import exp, log
from fastgc_kernels.train.descent import BLOCK, Curves, Runs, add_partition, begin, finish, state_of
from fastgc_kernels.train.lanes import LANES, add_products, clear, products


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
    runs: Runs,
    curves: Curves,
) -> None:
    """Run all trials.

    Parameters are (C, f), row by row. Partition i is samples ``bounds[i]`` … ``bounds[i + 1]`` − 1
    of X (N, f) and class numbers y (N,).
    """
    iterations, trials = runs.index.shape
    features = X.shape[1]
    state = state_of(runs)
    _, theta, _, full, beyond, part, excess, total, _ = state
    scores = np.empty((classes, BLOCK, LANES))
    for first in range(0, trials, LANES):
        for l in range(iterations + 1):  # noqa: E741
            begin(l, first, runs, state)
            for i in range(bounds.size - 1):
                clear(part)
                # scores of a block of samples become slopes in place, then the gradient
                for low in range(bounds[i], bounds[i + 1], BLOCK):
                    own = X[low : min(low + BLOCK, bounds[i + 1])]
                    for c in range(classes):
                        row = slice(c * features, (c + 1) * features)
                        products(own, theta[row], scores[c])
                    cross_entropy(scores, y[low : low + own.shape[0]], total)
                    for c in range(classes):
                        row = slice(c * features, (c + 1) * features)
                        add_products(own, scores[c], part[row])
                add_partition(part, excess[i], full, beyond)
            finish(l, first, X.shape[0], runs, curves, state)
