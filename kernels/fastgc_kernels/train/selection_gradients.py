"""Gradients of mini-batches: sums over a few samples, row after row.

Samples are rows of X (N, P), features padded with zeros to a multiple of `WIDTH`. Parameters lie in
one flat vector: rows of weights (outputs, P).
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels._jit import jit
from fastgc_kernels.train.selection_models import slopes

WIDTH = 8  # features are a multiple of it
LANES = 64  # numbers that are multiplied side by side in an inner product; fewer are not vectorised
ROWS = 16  # samples whose features stay in the cache between scores and gradient


@jit
def _product(x: Floats, weights: Floats, lanes: Floats) -> float:
    """Inner product of two vectors whose length is a multiple of `WIDTH`."""
    size = weights.size
    whole = size - size % LANES
    for v in range(LANES if whole > 0 else WIDTH):
        lanes[v] = 0.0
    for start in range(0, whole, LANES):
        a = x[start : start + LANES]
        b = weights[start : start + LANES]
        for v in range(LANES):
            lanes[v] += a[v] * b[v]
    if whole > 0:
        for start in range(WIDTH, LANES, WIDTH):
            for v in range(WIDTH):
                lanes[v] += lanes[start + v]
    for start in range(whole, size, WIDTH):
        for v in range(WIDTH):
            lanes[v] += x[start + v] * weights[start + v]
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + (
        (lanes[1] + lanes[5]) + (lanes[3] + lanes[7])
    )


@jit
def _spread(X: Floats, rows: Integers, factors: Floats, gradient: Floats) -> None:
    """Add Σ_i factors[o, i] X[rows[i]] to row o of ``gradient`` (outputs, P)."""
    count = rows.size
    whole = count - count % 4
    for o in range(gradient.shape[0]):
        g = gradient[o]
        f = factors[o]
        for i in range(0, whole, 4):
            x0, x1, x2, x3 = X[rows[i]], X[rows[i + 1]], X[rows[i + 2]], X[rows[i + 3]]
            f0, f1, f2, f3 = f[i], f[i + 1], f[i + 2], f[i + 3]
            for j in range(g.size):
                g[j] += (f0 * x0[j] + f1 * x1[j]) + (f2 * x2[j] + f3 * x3[j])
        for i in range(whole, count):
            x0 = X[rows[i]]
            f0 = f[i]
            for j in range(g.size):
                g[j] += f0 * x0[j]


@jit
def gradient(
    model: int,
    units: int,
    X: Floats,
    y: Floats,
    rows: Integers,
    theta: Floats,
    out: Floats,
) -> None:
    """Gradient ``out`` (Q,) of the summed loss of the samples ``rows`` (b,) at ``theta`` (Q,).

    ``units`` is the number of rows of weights that meet the features: 1 or classes.
    """
    width = X.shape[1]
    weights = theta.reshape(units, width)
    for j in range(out.size):
        out[j] = 0.0
    lanes = np.empty(LANES)
    scores = np.empty((units, ROWS))
    work = np.empty((3, ROWS))
    labels = work[2]
    for start in range(0, rows.size, ROWS):
        own = rows[start : start + ROWS]
        count = own.size
        for i in range(count):
            labels[i] = y[own[i]]
            x = X[own[i]]
            for o in range(units):
                scores[o, i] = _product(x, weights[o], lanes)
        slopes(model, scores, labels, count, work)
        _spread(X, own, scores, out.reshape(units, width))
