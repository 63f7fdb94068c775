"""Descent of losses by one pass over the samples an iteration, for each kind of model.

Linear regression with more features than Gram matrices are good for, logistic and softmax
regression. Partition i is samples ``bounds[i]`` … ``bounds[i + 1]`` − 1 of X (N, f) and y (N,).
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.draw.variates import exp, log
from fastgc_kernels.train.descent import BLOCK, Curves, Runs, add_partition, begin, finish, state_of
from fastgc_kernels.train.lanes import LANES, add_products, clear, products


@inline
def _descend(gradient, model, X: Floats, y: Floats, bounds: Integers, runs: Runs, curves: Curves):
    """Run all trials; ``gradient(rows, y, theta, total, part, model)`` adds a block of samples."""
    iterations, trials = runs.index.shape
    state = state_of(runs)
    _, theta, _, full, beyond, part, excess, total, _ = state
    for first in range(0, trials, LANES):
        for l in range(iterations + 1):  # noqa: E741
            begin(l, first, runs, state)
            for i in range(bounds.size - 1):
                clear(part)
                for low in range(bounds[i], bounds[i + 1], BLOCK):
                    high = min(low + BLOCK, bounds[i + 1])
                    gradient(X[low:high], y[low:high], theta, total, part, model)
                add_partition(part, excess[i], full, beyond)
            finish(l, first, X.shape[0], runs, curves, state)


@jit
def _squared(margins: Floats, y: Floats, total: Floats):
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
def _logistic(margins: Floats, y: Floats, total: Floats):
    """Add losses log(1 + e^−yz), y = ±1, to ``total``, and turn margins z into slopes."""
    for i in range(y.size):
        row = margins[i]
        sign = y[i]
        for t in range(LANES):
            value, fall = logistic_loss(sign * row[t])
            total[t] += value
            row[t] = -sign * fall


@inline
def _of_margins(rows, y, theta, total, part, model):
    """Margins of a block of samples become slopes in place, then the gradient."""
    logistic, margins = model
    products(rows, theta, margins)
    if logistic:
        _logistic(margins, y, total)
    else:
        _squared(margins, y, total)
    add_products(rows, margins, part)


@jit
def margins(
    X: Floats, y: Floats, bounds: Integers, logistic: bool, runs: Runs, curves: Curves
) -> None:
    """Run all trials of a model of one number xᵀθ a sample.

    ``y`` is ±1 for ``logistic`` losses and any numbers for squared ones.
    """
    _descend(_of_margins, (logistic, np.empty((BLOCK, LANES))), X, y, bounds, runs, curves)


@jit
def _cross_entropy(scores: Floats, y: Floats, total: Floats) -> None:
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


@inline
def _of_softmax(rows, y, theta, total, part, model):
    """Scores of a block of samples become slopes in place, then the gradient."""
    classes, scores = model
    features = rows.shape[1]
    for c in range(classes):
        products(rows, theta[c * features : (c + 1) * features], scores[c])
    _cross_entropy(scores, y, total)
    for c in range(classes):
        add_products(rows, scores[c], part[c * features : (c + 1) * features])


@jit
def softmax(
    X: Floats, y: Floats, bounds: Integers, classes: int, runs: Runs, curves: Curves
) -> None:
    """Run all trials of softmax regression; ``y`` are class numbers, parameters (C, f) by rows."""
    model = classes, np.empty((classes, BLOCK, LANES))
    _descend(_of_softmax, model, X, y, bounds, runs, curves)
