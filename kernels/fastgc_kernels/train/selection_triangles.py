"""The triangle that has the squared residuals of all samples: Householder's QR, tile after tile."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import inline, jit

ROWS = 64  # samples that are folded into the triangle at a time
NOTHING = 1e-30  # share of a feature's square that rounding leaves where the feature is used up


@inline
def _product(a, b):
    """Inner product of two rows of a tile."""
    first = 0.0
    second = 0.0
    third = 0.0
    fourth = 0.0
    for i in range(0, ROWS, 4):
        first += a[i] * b[i]
        second += a[i + 1] * b[i + 1]
        third += a[i + 2] * b[i + 2]
        fourth += a[i + 3] * b[i + 3]
    return (first + second) + (third + fourth)


@jit
def triangle(
    X: NDArray[np.float64], y: NDArray[np.float64], width: int, out: NDArray[np.float64]
) -> None:
    """Fill ``out`` (f + 1, f + 1) with R where RᵀR = [X y]ᵀ[X y], X (N, ≥ f), R upper triangular.

    Then ‖Xθ − y‖² = ‖R (θ, −1)‖² without the loss of digits that XᵀX would bring. ``width`` is f.
    """
    size = width + 1
    out[:] = 0.0
    tile = np.empty((size, ROWS))  # a feature a row
    least = np.empty(size)
    for start in range(0, X.shape[0], ROWS):
        count = min(ROWS, X.shape[0] - start)
        for j in range(width):
            for v in range(ROWS):
                tile[j, v] = X[start + v, j] if v < count else 0.0
        for v in range(ROWS):
            tile[width, v] = y[start + v] if v < count else 0.0
        for j in range(size):
            least[j] = NOTHING * _product(tile[j], tile[j])
        for j in range(size):
            _reflect(tile, j, least[j], out)


@jit
def _reflect(tile: NDArray[np.float64], j: int, least: float, out: NDArray[np.float64]) -> None:
    """Bring feature j of the tile to 0 by a reflection of the tile and row j of the triangle.

    A square of at most ``least`` is what rounding has left of nothing.
    """
    v = tile[j]
    square = _product(v, v)
    if square <= least:
        return
    head = out[j, j]
    length = np.sqrt(head * head + square)
    first = head + length if head > 0.0 else head - length
    out[j, j] = -length if head > 0.0 else length
    factor = 2.0 / (first * first + square)
    for c in range(j + 1, tile.shape[0]):
        x = tile[c]
        share = factor * (first * out[j, c] + _product(v, x))
        out[j, c] -= share * first
        for i in range(ROWS):
            x[i] -= share * v[i]
