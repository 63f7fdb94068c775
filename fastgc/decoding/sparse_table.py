"""A sparse matrix by rows and columns, and its dense table: the inverse of BᵀB, its null space.

The rank is not taken from small pivots, which rounding blurs, but from B itself: directions that a
nearly singular BᵀB magnifies most are found by subspace iteration, and B either takes them to 0 up
to rounding, or clearly not, or the table is refused.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.codes.columns import Columns
from fastgc.decoding.factorization import LARGEST_COMPILED
from fastgc.draws.streams import uniforms
from fastgc_kernels.decode import jacobi, sparse_elimination

LARGEST_CONDITION = 1e5  # beyond it rounding in BᵀB, which is its square, shows
MOST_DEPENDENCES = 128  # dimensions of the null space: each borders every pattern's matrix

_LEAST_PIVOT = 1e-9
_SHIFT = 1e-10
_ROUNDS = 8
_ZERO, _CLEAR = 1e-10, 1e-6  # lengths that B makes of unit vectors
_BLOCK = 512


@dataclass(frozen=True, eq=False)
class SparseMatrix:
    """Entries of a real matrix (k, n), row by row and column by column."""

    row_starts: NDArray[np.int64]  #: (k + 1,).
    workers: NDArray[np.uint32]  #: (entries,): of row i: from ``row_starts[i]`` on.
    row_weights: Values  #: (entries,): empty where all entries are 1.
    #: The same by columns.
    column_starts: NDArray[np.int64]
    partitions: NDArray[np.uint32]
    column_weights: Values

    @staticmethod
    def of(columns: Columns) -> "SparseMatrix":
        """Return the matrix of real columns."""
        rows = columns.transposed
        ones = np.empty(0)
        weighted = not columns.are_ones
        return SparseMatrix(
            rows.offsets,
            rows.places.astype(np.uint32),
            np.ascontiguousarray(rows.values) if weighted else ones,
            columns.offsets,
            columns.places.astype(np.uint32),
            np.ascontiguousarray(columns.values) if weighted else ones,
        )

    @property
    def k(self) -> int:
        """Rows."""
        return len(self.row_starts) - 1

    @property
    def n(self) -> int:
        """Columns."""
        return len(self.column_starts) - 1

    def times(self, x: Values) -> Values:
        """Return B x, (k,): sums in the order of workers, the same bits everywhere."""
        return _sums(x[self.workers], self.row_weights, self.row_starts)

    def transposed_times(self, r: Values) -> Values:
        """Return Bᵀ r, (n,): sums in the order of partitions, the same bits everywhere."""
        return _sums(r[self.partitions], self.column_weights, self.column_starts)


def _sums(terms: Values, weights: Values, starts: NDArray[np.int64]) -> Values:
    if weights.size:
        terms = terms * weights
    runs = len(starts) - 1
    owners = np.repeat(np.arange(runs), np.diff(starts))
    return np.bincount(owners, terms, runs).astype(np.float64, copy=False)


def scaled(columns: Columns) -> Columns:
    """Return columns scaled by powers of two to lengths in [1/2, 1); empty ones stay so."""
    largest = np.zeros(columns.n)
    np.maximum.at(largest, columns.owners, np.abs(columns.values))
    exponents = np.frexp(largest)[1]
    values = np.ldexp(columns.values, -exponents[columns.owners])
    squares = np.bincount(columns.owners, weights=values * values, minlength=columns.n)
    lengths = np.frexp(np.sqrt(squares))[1]
    values = np.ldexp(values, -lengths[columns.owners])
    return Columns(columns.height, columns.offsets, columns.places, values)


@dataclass(frozen=True, eq=False)
class Table:
    """What decides patterns with few stragglers; workers are scaled so that K's diagonal is 1."""

    K: Values  #: (n, n): (BᵀB + NNᵀ)⁻¹.
    N: Values  #: (n, nullity): an orthonormal basis of B's null space.
    x: Values  #: (n,): B⁺1.
    e0: float  #: ‖1 − B x‖².
    condition: float  #: Largest over smallest non-zero singular value of B with its columns scaled.

    @staticmethod
    def of(columns: Columns) -> "Table | None":
        """Return the table of real columns, None where B's rank is in doubt or it cannot tell."""
        matrix = SparseMatrix.of(scaled(columns))
        n = matrix.n
        gram = matrix.row_starts, matrix.workers, matrix.row_weights, n
        K = _inverse(sparse_elimination.gram(*gram), matrix)
        found = None if K is None else _smallest(K, matrix)
        if found is None or len(found[0]):
            G = sparse_elimination.gram(*gram)
            G[np.diag_indices(n)] += _SHIFT
            K = _inverse(G, matrix)
            found = None if K is None else _smallest(K, matrix)
            if found is None or not len(found[0]):
                return None
            G = sparse_elimination.gram(*gram)
            for row in found[0]:
                G += np.multiply.outer(row, row)
            K = _inverse(G, matrix)
        if K is None:
            return None
        null, smallest = found
        condition = _largest(matrix) / smallest
        if not condition <= LARGEST_CONDITION:
            return None
        x = np.zeros(n)
        for _ in range(3):
            x += _times(K, matrix.transposed_times(1.0 - matrix.times(x)))
        e0 = math.fsum((1.0 - matrix.times(x)) ** 2)
        scale = 1.0 / np.sqrt(K.diagonal())
        K *= scale
        K *= scale[:, np.newaxis]
        return Table(
            K, np.ascontiguousarray(null.T) * scale[:, np.newaxis], x * scale, e0, condition
        )


def is_compiled(matrix: SparseMatrix) -> bool:
    """Whether a table comes from compiled code, and so has the same bits everywhere."""
    return max(matrix.k, matrix.n) <= LARGEST_COMPILED


def _inverse(G: Values, matrix: SparseMatrix) -> Values | None:
    """Return the inverse of a symmetric matrix, which is overwritten; None if not positive."""
    if is_compiled(matrix):
        inverse = np.empty(len(G))
        K: Values = sparse_elimination.invert(G, _LEAST_PIVOT * _SHIFT, inverse)
        return K if inverse.all() else None
    from scipy.linalg import lapack  # its import takes longer than many a command

    factor, info = lapack.dpotrf(G.T, lower=1, overwrite_a=1)
    if info:
        return None
    upper = lapack.dpotri(factor, lower=1, overwrite_c=1)[0].T
    for first in range(0, len(G), _BLOCK):
        part = slice(first, first + _BLOCK)
        corner = np.triu(upper[part, part])
        upper[part, part] = corner + np.triu(corner, 1).T
        upper[first + _BLOCK :, part] = upper[part, first + _BLOCK :].T
    return np.ascontiguousarray(upper)


def _times(K: Values, x: Values) -> Values:
    """Return K x, K symmetric: by compiled code where that promises its bits."""
    if len(K) <= LARGEST_COMPILED:
        product: Values = jacobi.combine(x, K)
        return product
    return np.asarray(K @ x)


def _smallest(K: Values, matrix: SparseMatrix) -> tuple[Values, float] | None:
    """Return an orthonormal basis of B's null space, one vector a row, and B's next singular value.

    K is the inverse of BᵀB, or of that with a small shift. None if B makes something between zero
    and clear of a vector, or if there are too many.
    """
    n = matrix.n
    wanted = min(max(0, n - matrix.k) + 4, n)
    while True:
        V = uniforms(1, "sparse/null", wanted * n).reshape(wanted, n) - 0.5
        for _ in range(_ROUNDS):
            sparse_elimination.orthonormalise(V)
            V = np.array([_times(K, row) for row in V])
        sparse_elimination.orthonormalise(V)
        images = np.stack([matrix.times(row) for row in V], axis=1)
        S, turn, _, _ = jacobi.svd(images, np.ones(matrix.k))
        lengths = np.zeros(wanted)
        lengths[: S.size] = S
        zero = lengths <= _ZERO
        if np.any(~zero & (lengths < _CLEAR)) or zero.sum() > MOST_DEPENDENCES:
            return None
        if not zero.all():
            null = [jacobi.combine(row, V) for row in turn[zero]]
            return np.array(null).reshape(-1, n), float(lengths[~zero].min())
        if wanted == n:
            return None
        wanted = min(4 * wanted, n)


def _largest(matrix: SparseMatrix) -> float:
    v = np.ones(matrix.n) + uniforms(1, "sparse/largest", matrix.n)
    length = 0.0
    for _ in range(100):
        v = matrix.transposed_times(matrix.times(v))
        length = math.sqrt(math.fsum(v * v))
        v /= length
    return math.sqrt(length)
