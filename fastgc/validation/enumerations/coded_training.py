"""Descent with gradients decoded from given survivors, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fastgc.validation.enumerations.matrices import matrix
from fastgc.validation.enumerations.training import Update, gradient, loss, samples


def coded_loss(**run: Any) -> float:
    """Loss after an iteration for every set of survivors."""
    return _descended(**run)[0]


def coded_gradient_error(**run: Any) -> float:
    """Squared distance of the last decoded gradient from the full one, over that one's square."""
    return _descended(**run)[1]


def coded_distance(**run: Any) -> float:
    """Squared distance of the last parameters from the best of linear regression, over theirs."""
    X, y = samples(run["data"])
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    off = _descended(**run)[2] - best
    return float((off @ off) / (best @ best))


def _descended(
    code: Mapping[str, Any],
    survivors: Sequence[Sequence[int]],
    data: Mapping[str, Any],
    optimizer: Mapping[str, Any],
    model: str = "linear",
) -> tuple[float, float, Any]:
    """Last loss, gradient error and parameters, decoding by least squares on each set."""
    B = matrix(code)
    X, y = samples(data)
    parts = np.array_split(np.arange(len(y)), len(B))
    theta = np.zeros(X.shape[1] * (2 if model == "softmax" else 1))
    update, error = Update(optimizer), 0.0
    for alive in survivors:
        A = B[:, list(alive)]
        weights = A @ np.linalg.lstsq(A, np.ones(len(B)), rcond=None)[0]
        each = [gradient(model, theta, X[part], y[part]) for part in parts]
        decoded, full = weights @ np.array(each), np.sum(each, axis=0)
        error = float(((decoded - full) ** 2).sum() / (full**2).sum())
        theta = update(theta, decoded / len(y))
    return float(loss(model, theta, X, y)) / len(y), error, theta
