"""Losses and gradients of samples in NumPy alone: what a worker of a measurement computes."""

import numpy as np

from fastgc.arrays import Values


def sums(model: str, X: Values, y: Values, theta: Values, classes: int = 0) -> tuple[float, Values]:
    """Return the sum of the losses of some samples, and of their gradients (p,).

    ``model`` is linear, logistic or softmax; parameters stand as in
    `fastgc.training.problems`.
    """
    if model == "linear":
        off = X @ theta - y
        return float(0.5 * off @ off), np.asarray(off @ X)
    if model == "logistic":
        margin = y * (X @ theta)
        slope = -y * np.exp(-np.logaddexp(0.0, margin))
        return float(np.logaddexp(0.0, -margin).sum()), np.asarray(slope @ X)
    scores = X @ theta.reshape(classes, -1).T
    rows, own = np.arange(len(scores)), y.astype(np.int64)
    shifted = scores - scores.max(axis=1, keepdims=True)
    mass = np.exp(shifted)
    total = mass.sum(axis=1)
    loss = float((np.log(total) - shifted[rows, own]).sum())
    slopes = mass / total[:, np.newaxis]
    slopes[rows, own] -= 1.0
    return loss, (slopes.T @ X).ravel()
