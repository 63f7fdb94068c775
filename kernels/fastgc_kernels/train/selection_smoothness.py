"""Largest eigenvalue of XᵀX over runs of samples, by power iteration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit

LANES = 8
MOST = 10_000  # multiplications by XᵀX
CLOSE = 1e-13  # share by which the last one may have raised the estimate


@jit
def largest_eigenvalues(
    X: NDArray[np.float64],
    bounds: NDArray[np.int64],
    beginning: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Largest eigenvalue ``out`` (G,) of X_gᵀX_g, X_g being rows bounds[g] … bounds[g + 1] − 1.

    Iteration begins at ``beginning`` (P,); the rows of X (N, P) have a multiple of `LANES` numbers.
    """
    vector = np.empty(X.shape[1])
    image = np.empty(X.shape[1])
    lanes = np.empty(LANES)
    for g in range(out.size):
        for j in range(vector.size):
            image[j] = beginning[j]
        out[g] = 0.0
        for _ in range(MOST):
            length = np.sqrt(_product(image, image, lanes))
            if length == 0.0:
                out[g] = 0.0
                break
            for j in range(vector.size):
                vector[j] = image[j] / length
                image[j] = 0.0
            for i in range(bounds[g], bounds[g + 1]):
                x = X[i]
                score = _product(x, vector, lanes)
                for j in range(vector.size):
                    image[j] += score * x[j]
            before = out[g]
            out[g] = _product(vector, image, lanes)
            if out[g] - before <= CLOSE * out[g]:
                break


@jit
def _product(a: NDArray[np.float64], b: NDArray[np.float64], lanes: NDArray[np.float64]) -> float:
    """Inner product of two vectors."""
    for v in range(LANES):
        lanes[v] = 0.0
    for start in range(0, a.size, LANES):
        for v in range(LANES):
            lanes[v] += a[start + v] * b[start + v]
    total = 0.0
    for v in range(LANES):
        total += lanes[v]
    return total
