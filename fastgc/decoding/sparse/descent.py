"""Decoding by conjugate gradients, many patterns of a sparse code side by side."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.decoding.sparse.matrix import SparseMatrix
from fastgc_kernels.decode import sparse_descent

Floats = Values
Packed = NDArray[np.uint64]

LANES = 64  # four registers of sixteen: the start of a loop is paid once for all
_MOST_NUMBERS = 1 << 22  # of an array with lanes: 32 MB
MOST_STEPS = {np.float32: 1_500, np.float64: 20_000}
_CYCLES = 4


class Descent:
    """Least squares of a sparse matrix, by steps of one precision that doubles correct.

    ``precision``: of the steps: float32 is faster, float64 goes further where B is ill-conditioned.
    """

    def __init__(self, matrix: SparseMatrix, precision: type[Any]) -> None:
        self._matrix = matrix
        self._precision = precision
        rows, columns = matrix.row_weights, matrix.column_weights
        doubles = matrix.row_starts, matrix.workers, rows
        self._rows = doubles
        self._columns = matrix.column_starts, matrix.partitions, columns
        self._steps = (
            (matrix.row_starts, matrix.workers, rows.astype(precision)),
            (matrix.column_starts, matrix.partitions, columns.astype(precision)),
        )

    def errors(self, packed: Packed, enough: float, out: Floats) -> Mask:
        """Fill ``out`` (T,) with errors; return where more than ``enough`` may be left of them.

        Patterns next to each other are taken together, best with like numbers of survivors.
        """
        failed = np.empty(len(packed), bool)
        for part in self._groups(len(packed)):
            failed[part] = self._group(packed[part], enough, out[part], from_zero=False)[1]
        return failed

    def vectors(self, packed: Packed, enough: float, out: Floats) -> Mask:
        """Fill ``out`` (T, n) with the shortest optimal vectors; return where that failed."""
        failed = np.empty(len(packed), bool)
        errors = np.empty(len(packed))
        for part in self._groups(len(packed)):
            X, failed[part] = self._group(packed[part], enough, errors[part], from_zero=True)
            out[part] = X.T
        return failed

    def _groups(self, count: int) -> Iterator[slice]:
        """Yield which patterns are taken together; the errors do not depend on that."""
        room = _MOST_NUMBERS // max(self._matrix.k, self._matrix.n)
        lanes = max(1, min(LANES, room))
        for first in range(0, count, lanes):
            yield slice(first, first + lanes)

    def _group(
        self, packed: Packed, enough: float, out: Floats, from_zero: bool
    ) -> tuple[Floats, Mask]:
        """Decode at most `LANES` patterns: vectors (n, lanes), and which of them failed.

        Descent from 0 ends in the shortest vector. The best vector of equal weights, as in one-step
        decoding, is nearer and its gradient smaller, so that single precision goes further.
        """
        k, n, lanes = self._matrix.k, self._matrix.n, len(packed)
        alive = np.empty((n, lanes), np.uint8)
        sparse_descent.alive_lanes(packed, alive)
        X, R, S = np.zeros((n, lanes)), np.empty((k, lanes)), np.empty((n, lanes))
        step = np.empty((n, lanes), self._precision)
        squares, expected = np.empty(lanes), np.empty(lanes)
        if not from_zero:
            X[:] = alive
            sparse_descent.products(*self._rows, X, R, squares)
            sparse_descent.equal_weights(R, squares, X)
        left = np.full(lanes, np.inf)
        # without rounding, as many steps as the rank are enough
        most = min(MOST_STEPS[self._precision], 4 * min(k, n) + 256)
        hopeless = np.zeros(lanes, bool)
        for cycle in range(_CYCLES + 1):
            sparse_descent.products(*self._rows, X, R, squares)
            sparse_descent.residuals(R, out)
            sparse_descent.gradients(*self._columns, R, alive, S, squares)
            if cycle > 0:
                # where rounding left more of the gradient than the steps believed, more is left
                left *= np.maximum(1.0, squares / np.maximum(expected, np.finfo(float).tiny))
                left[left <= enough] = 0.0
            left[squares == 0.0] = 0.0
            if cycle == _CYCLES or not left.any():
                break
            expected[:] = squares
            sparse_descent.descend(
                *self._steps,
                alive,
                S.astype(self._precision),
                step,
                0.5 * enough,
                most,
                expected,
                left,
            )
            X += step
            hopeless |= np.isinf(left)
            left[hopeless] = 0.0
        np.minimum(out, k, out=out)
        return X, hopeless | (left > 0.0)
