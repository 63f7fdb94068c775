"""Descent of losses of one number xᵀθ a sample, by one pass over the samples an iteration.

Linear regression with more features than Gram matrices are good for, and logistic regression.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import inline, jit
from fastgc_kernels.draw.variates import exp, log
from fastgc_kernels.train.descent import BLOCK, Curves, Runs, add_partition, begin, finish, state_of
from fastgc_kernels.train.lanes import LANES, add_products, clear, products


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


@inline
def logistic_loss(m):
    """(log(1 + e^−m), 1/(1 + e^m)): loss at margin m and how steeply it falls there.

    Only e^−|m| ≤ 1 is formed, so that nothing overflows; what 1 + e^−|m| loses in rounding is put
    back, so that small losses keep their digits. A margin that is no number gives a loss that is
    none.
    """
    e = exp(-abs(m))
    one = 1.0 + e
    part = 1.0 / one
    loss = (0.0 if m > 0.0 else -m) + (log(one) + (e - (one - 1.0)) * part)
    return loss, (e if m > 0.0 else 1.0) * part


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
    runs: Runs,
    curves: Curves,
) -> None:
    """Run all trials.

    Partition i is samples ``bounds[i]`` … ``bounds[i + 1]`` − 1 of X (N, f) and y (N,), ±1 for
    ``logistic`` losses and any numbers for squared ones.
    """
    iterations, trials = runs.index.shape
    state = state_of(runs)
    _, theta, _, full, beyond, part, excess, total, _ = state
    margins = np.empty((BLOCK, LANES))
    for first in range(0, trials, LANES):
        for l in range(iterations + 1):  # noqa: E741
            begin(l, first, runs, state)
            for i in range(bounds.size - 1):
                clear(part)
                # margins of a block of samples become slopes in place, then the gradient
                for low in range(bounds[i], bounds[i + 1], BLOCK):
                    high = min(low + BLOCK, bounds[i + 1])
                    products(X[low:high], theta, margins)
                    if logistic:
                        _logistic(margins, y[low:high], total)
                    else:
                        _squared(margins, y[low:high], total)
                    add_products(X[low:high], margins, part)
                add_partition(part, excess[i], full, beyond)
            finish(l, first, X.shape[0], runs, curves, state)
