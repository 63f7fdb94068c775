"""What a sample's scores cost, and how steeply: the three models of training.

Scores are (outputs, samples), samples side by side; where trials are, in `descent_samples`, the
same losses are rounded otherwise, in other orders. Softmax is shifted by the largest score, log(1 +
u) corrected for what 1 + u loses (Kahan).
"""

import numpy as np

from fastgc_kernels._arrays import Floats
from fastgc_kernels._jit import jit
from fastgc_kernels.draw.variates import exp, log

LINEAR, LOGISTIC, SOFTMAX = 0, 1, 2


@jit
def _exponentials(values: Floats) -> None:
    """Replace numbers by their exponentials."""
    for i in range(values.size):
        values[i] = exp(values[i])


@jit
def _logarithms(values: Floats) -> None:
    """Replace u ≥ 0 by log(1 + u), with all digits also where u is small."""
    for i in range(values.size):
        u = values[i]
        whole = 1.0 + u
        values[i] = log(whole) - ((whole - 1.0) - u) / whole


@jit
def _highest(scores: Floats, out: Floats) -> None:
    """Each sample's highest score."""
    for i in range(out.size):
        out[i] = scores[0, i]
    for c in range(1, scores.shape[0]):
        own = scores[c]
        for i in range(out.size):
            out[i] = max(out[i], own[i])


@jit
def slopes(model: int, scores: Floats, labels: Floats, count: int, work: Floats) -> None:
    """Replace scores by the derivatives of the samples' losses by them.

    ``work`` (2, ≥ count) is overwritten.
    """
    first, second = work[0, :count], work[1, :count]
    if model == LINEAR:
        own = scores[0]
        for i in range(count):
            own[i] -= labels[i]
    elif model == LOGISTIC:
        own = scores[0]
        for i in range(count):
            first[i] = -abs(own[i])
        _exponentials(first)
        for i in range(count):
            u = first[i]
            own[i] = -labels[i] * (u if labels[i] * own[i] >= 0.0 else 1.0) / (1.0 + u)
    else:
        _highest(scores, first)
        for i in range(count):
            second[i] = 0.0
        for c in range(scores.shape[0]):
            own = scores[c]
            for i in range(count):
                own[i] -= first[i]
            _exponentials(own[:count])
            for i in range(count):
                second[i] += own[i]
        for c in range(scores.shape[0]):
            own = scores[c]
            for i in range(count):
                own[i] = own[i] / second[i] - (1.0 if labels[i] == c else 0.0)


@jit
def costs(model: int, scores: Floats, labels: Floats, out: Floats, work: Floats) -> None:
    """Loss ``out`` (m,) of each sample, of scores (outputs, m); scores are overwritten.

    ``work`` (2, ≥ m) is overwritten too.
    """
    count = out.size
    first, second = work[0, :count], work[1, :count]
    own = scores[0]
    if model == LINEAR:
        for i in range(count):
            off = own[i] - labels[i]
            out[i] = 0.5 * off * off
    elif model == LOGISTIC:
        for i in range(count):
            own[i] *= labels[i]
            out[i] = -abs(own[i])
        _exponentials(out)
        _logarithms(out)
        for i in range(count):
            out[i] += 0.0 if own[i] > 0.0 else -own[i]
    else:
        # log Σ exp less the labelled score, as log(1 + others): a small loss keeps its digits
        _highest(scores, first)
        for i in range(count):
            second[i] = scores[np.int64(labels[i]), i] - first[i]
            out[i] = 0.0
        for c in range(scores.shape[0]):
            row = scores[c]
            for i in range(count):
                row[i] -= first[i]
            _exponentials(row[:count])
            for i in range(count):
                out[i] += row[i] - 1.0 if labels[i] == c else row[i]
        _logarithms(out)
        for i in range(count):
            out[i] -= second[i]
