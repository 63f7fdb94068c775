"""Descent of a network with one hidden layer of rectifiers, by one pass over the samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit
from fastgc_kernels.train.descent import BLOCK, Curves, Runs, add_partition, begin, finish, state_of
from fastgc_kernels.train.descent_softmax import cross_entropy
from fastgc_kernels.train.lanes import LANES, add_products, clear, products


@jit
def _forward(
    rows: NDArray[np.float64],
    theta: NDArray[np.float64],
    units: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> None:
    """Fill ``units`` (h, s, LANES) and ``scores`` (C, s, LANES) of samples (s, f)."""
    count, features = rows.shape
    hidden = units.shape[0]
    offsets = hidden * features
    second = offsets + hidden
    last = second + scores.shape[0] * hidden
    for j in range(hidden):
        products(rows, theta[j * features : (j + 1) * features], units[j])
        offset = theta[offsets + j]
        for i in range(count):
            row = units[j, i]
            for t in range(LANES):
                value = row[t] + offset[t]
                row[t] = 0.0 if value <= 0.0 else value  # what is no number stays none
    for c in range(scores.shape[0]):
        offset = theta[last + c]
        for i in range(count):
            row = scores[c, i]
            for t in range(LANES):
                row[t] = offset[t]
        for j in range(hidden):
            weight = theta[second + c * hidden + j]
            for i in range(count):
                row = scores[c, i]
                unit = units[j, i]
                for t in range(LANES):
                    row[t] += weight[t] * unit[t]


@jit
def _backward(
    rows: NDArray[np.float64],
    theta: NDArray[np.float64],
    units: NDArray[np.float64],
    slopes: NDArray[np.float64],
    part: NDArray[np.float64],
) -> None:
    """Add the gradient to ``part`` (p, LANES), given slopes (C, s, LANES) of the losses in scores.

    Turns ``units`` into slopes of the losses in what went into the units.
    """
    count, features = rows.shape
    hidden = units.shape[0]
    offsets = hidden * features
    second = offsets + hidden
    last = second + slopes.shape[0] * hidden
    back = np.empty(LANES)
    for c in range(slopes.shape[0]):
        own = part[last + c]
        for i in range(count):
            slope = slopes[c, i]
            for t in range(LANES):
                own[t] += slope[t]
        for j in range(hidden):
            own = part[second + c * hidden + j]
            for i in range(count):
                slope = slopes[c, i]
                unit = units[j, i]
                for t in range(LANES):
                    own[t] += slope[t] * unit[t]
    for j in range(hidden):
        own = part[offsets + j]
        for i in range(count):
            for t in range(LANES):
                back[t] = 0.0
            for c in range(slopes.shape[0]):
                weight = theta[second + c * hidden + j]
                slope = slopes[c, i]
                for t in range(LANES):
                    back[t] += weight[t] * slope[t]
            unit = units[j, i]
            for t in range(LANES):
                unit[t] = back[t] if unit[t] > 0.0 else 0.0
            for t in range(LANES):
                own[t] += unit[t]
        add_products(rows, units[j], part[j * features : (j + 1) * features])


@jit
def descend(
    X: NDArray[np.float64],
    y: NDArray[np.float64],
    bounds: NDArray[np.int64],
    classes: int,
    hidden: int,
    runs: Runs,
    curves: Curves,
) -> None:
    """Run all trials.

    Parameters are the hidden layer's weights (h, f) and offsets (h,), then those of the scores
    (C, h) and (C,). The rest is as in `descent_softmax`.
    """
    iterations, trials = runs.index.shape
    state = state_of(runs)
    _, theta, _, full, beyond, part, excess, total, _ = state
    units = np.empty((hidden, BLOCK, LANES))
    scores = np.empty((classes, BLOCK, LANES))
    for first in range(0, trials, LANES):
        for l in range(iterations + 1):  # noqa: E741
            begin(l, first, runs, state)
            for i in range(bounds.size - 1):
                clear(part)
                # scores of a block of samples become slopes in place, then the gradient
                for low in range(bounds[i], bounds[i + 1], BLOCK):
                    own = X[low : min(low + BLOCK, bounds[i + 1])]
                    _forward(own, theta, units, scores)
                    cross_entropy(scores, y[low : low + own.shape[0]], total)
                    _backward(own, theta, units, scores, part)
                add_partition(part, excess[i], full, beyond)
            finish(l, first, X.shape[0], runs, curves, state)
