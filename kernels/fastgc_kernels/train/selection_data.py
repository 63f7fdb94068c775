"""What selections need of the data, once: a triangle with all residuals, and smoothness.

`triangle` is a QR by Householder's reflections (Golub and Van Loan, Matrix Computations, section
5.2), tile after tile; `largest_eigenvalues` of XᵀX come from power iteration (von Mises and
Pollaczek-Geiringer, 1929).
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels._jit import inline, jit

ROWS = 64  # samples that are folded into the triangle at a time
NOTHING = 1e-30  # share of a feature's square that rounding leaves where the feature is used up


@inline
def _tile_product(a, b):
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
def triangle(X: Floats, y: Floats, width: int, out: Floats) -> None:
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
            least[j] = NOTHING * _tile_product(tile[j], tile[j])
        for j in range(size):
            _reflect(tile, j, least[j], out)


@jit
def _reflect(tile: Floats, j: int, least: float, out: Floats) -> None:
    """Bring feature j of the tile to 0 by a reflection of the tile and row j of the triangle.

    A square of at most ``least`` is what rounding has left of nothing.
    """
    v = tile[j]
    square = _tile_product(v, v)
    if square <= least:
        return
    head = out[j, j]
    length = np.sqrt(head * head + square)
    first = head + length if head > 0.0 else head - length
    out[j, j] = -length if head > 0.0 else length
    factor = 2.0 / (first * first + square)
    for c in range(j + 1, tile.shape[0]):
        x = tile[c]
        share = factor * (first * out[j, c] + _tile_product(v, x))
        out[j, c] -= share * first
        for i in range(ROWS):
            x[i] -= share * v[i]


LANES = 8
MOST = 10_000  # multiplications by XᵀX
CLOSE = 1e-13  # share by which the last one may have raised the estimate


@jit
def largest_eigenvalues(X: Floats, bounds: Integers, beginning: Floats, out: Floats) -> None:
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
def _product(a: Floats, b: Floats, lanes: Floats) -> float:
    for v in range(LANES):
        lanes[v] = 0.0
    for start in range(0, a.size, LANES):
        for v in range(LANES):
            lanes[v] += a[start + v] * b[start + v]
    total = 0.0
    for v in range(LANES):
        total += lanes[v]
    return total
