"""Codes with many workers of which each holds few partitions: their errors without B.

A pattern takes a dense table, conjugate gradients, or rotations of arcs.
"""

import math
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code
from fastgc.codes.columns import Columns
from fastgc.decoding.algorithms import Algorithm, Errors, Matrix, Orthogonal, Packed, packed
from fastgc.decoding.factorization import EPSILON, LARGEST_COMPILED
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc_kernels.decode import circulants, jacobi, sparse_descent, sparse_duals
from fastgc_kernels.draw import wide

FEWEST = 256
"""Rows or columns of a matrix that is decoded as a sparse one."""

MOST_IN_TABLE = 11_585
"""Workers of a code for which a dense table is made: of 8 n² bytes, 1 GiB at most."""

ACCURACY = 1e-10
"""What errors are accurate to, as a part of k."""

_DENSEST = 0.25
_ENOUGH = 0.1 * ACCURACY  # what is left of an error is estimated: ten times less leaves room
# A direction that B nearly takes to 0 is seen late: steps seem to have ended while it still costs.
# With so little left it was seen, if the condition is at most 1e6.
_ENOUGH_IF_STEEP = 1e-22
_ENOUGH_FOR_VECTORS = 1e-24
_STEEP = 40.0  # condition of what survives: of a square matrix, where a tenth straggles
_LARGEST_PIVOTED = 2000
# Condition of a matrix without full rank: errors were off by 3e-12·k at 2e3, by 4e-8·k at 1.5e4.
_LARGEST_OF_DEPENDENT = 5e3
_LONGEST_ARC = 16  # partitions of a worker; the triangle takes the square of them
_MOST_STRAGGLERS = 2000  # of patterns decoded from the table, whose matrices take 32 MB
# Nanoseconds, measured: a subtraction of elimination, a number from the table, and an entry of B in
# one step of descent, of patterns that are seldom as many as there are lanes; and steps for each
# unit of a matrix's condition.
_SUBTRACT, _GATHER, _ENTRY, _STEPS = 0.055, 2.0, 0.33, 5.5

_one_at_a_time = threading.Lock()


def is_sparse(code: Code, fewest: int = FEWEST) -> bool:
    """Whether a matrix is large (``fewest`` rows or columns), real, and sparse."""
    if max(code.n, code.k) < fewest or code.obstacle is not None:
        return False
    return len(code.columns.places) <= _DENSEST * code.n * code.k


def expected_condition(survivors: NDArray[Any], k: int) -> Values:
    """Return the condition of k rows of so many random columns (Marchenko and Pastur 1967)."""
    root = np.sqrt(survivors / k)
    return np.asarray((1 + root) / np.maximum(np.abs(1 - root), 1e-3))


def length_of_arcs(columns: Columns) -> int:
    """Return how many partitions in a row each worker holds, one further around a ring; else 0."""
    n, d = columns.n, len(columns.places) // max(columns.n, 1)
    if columns.height != n or not 1 < d < n or d * n != len(columns.places) or d > _LONGEST_ARC:
        return 0
    around = (np.arange(n)[:, np.newaxis] + np.arange(d)) % n
    around.sort(axis=1)
    return d if columns.are_ones and np.array_equal(around.reshape(-1), columns.places) else 0


# ---- The matrix by rows and columns, and its dense table: the inverse of BᵀB, its null space
#
# The rank is not taken from small pivots, which rounding blurs, but from B itself: directions that
# a nearly singular BᵀB magnifies most are found by subspace iteration, and B either takes them to 0
# up to rounding, or clearly not, or the table is refused.


LARGEST_CONDITION = 1e5  # beyond it rounding in BᵀB, which is its square, shows
MOST_DEPENDENCES = 128  # dimensions of the null space: each borders every pattern's matrix

_LEAST_PIVOT = 1e-9
_SHIFT = 1e-10
_ROUNDS = 8
_ZERO, _CLEAR = 1e-10, 1e-6  # lengths that B makes of unit vectors
_BLOCK = 512


#: Where the entries of each row, or column, begin; in which column, or row, each stands; and the
#: entries, none where all are 1.
Runs = tuple[NDArray[np.int64], NDArray[np.uint32], Values]


@dataclass(frozen=True, eq=False)
class SparseMatrix:
    """Entries of a real matrix (k, n), row by row and column by column."""

    rows: Runs
    columns: Runs

    @staticmethod
    def of(columns: Columns) -> "SparseMatrix":
        """Return the matrix of real columns."""
        ones = np.empty(0) if columns.are_ones else None

        def runs(own: Columns) -> Runs:
            entries = np.ascontiguousarray(own.values) if ones is None else ones
            return own.offsets, own.places.astype(np.uint32), entries

        return SparseMatrix(runs(columns.transposed), runs(columns))

    @property
    def k(self) -> int:
        """Rows."""
        return len(self.rows[0]) - 1

    @property
    def n(self) -> int:
        """Columns."""
        return len(self.columns[0]) - 1

    def times(self, x: Values) -> Values:
        """Return B x, (k,): sums in the order of workers, the same bits everywhere."""
        return _sums(x, *self.rows)

    def transposed_times(self, r: Values) -> Values:
        """Return Bᵀ r, (n,): sums in the order of partitions, the same bits everywhere."""
        return _sums(r, *self.columns)


def _sums(x: Values, starts: NDArray[np.int64], places: NDArray[np.uint32], own: Values) -> Values:
    terms, runs = x[places], len(starts) - 1
    if own.size:
        terms = terms * own
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
        gram = *matrix.rows, n
        K = _inverse(sparse_duals.gram(*gram), matrix)
        found = None if K is None else _smallest(K, matrix)
        if found is None or len(found[0]):
            G = sparse_duals.gram(*gram)
            G[np.diag_indices(n)] += _SHIFT
            K = _inverse(G, matrix)
            found = None if K is None else _smallest(K, matrix)
            if found is None or not len(found[0]):
                return None
            G = sparse_duals.gram(*gram)
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
        K: Values = sparse_duals.invert(G, _LEAST_PIVOT * _SHIFT, inverse)
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
            sparse_duals.orthonormalise(V)
            V = np.array([_times(K, row) for row in V])
        sparse_duals.orthonormalise(V)
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


# ---- Conjugate gradients, many patterns side by side


LANES = 64  # four registers of sixteen: the start of a loop is paid once for all
_MOST_NUMBERS = 1 << 22  # of an array with lanes: 32 MB
MOST_STEPS = {np.float32: 1_500, np.float64: 20_000}
_CYCLES = 4


class Descent:
    """Least squares of a sparse matrix, by steps of one precision that doubles correct.

    ``precision``: of the steps: float32 is faster, float64 goes further where B is ill-conditioned.
    """

    def __init__(self, matrix: SparseMatrix, precision: type[Any]) -> None:
        self._matrix, self._precision = matrix, precision
        rows, columns = (
            (starts, places, own.astype(precision))
            for starts, places, own in (matrix.rows, matrix.columns)
        )
        self._steps = rows, columns

    def errors(self, packed: Packed, enough: float, out: Values) -> Mask:
        """Fill ``out`` (T,) with errors; return where more than ``enough`` may be left of them.

        Patterns next to each other are taken together, best with like numbers of survivors.
        """
        return self._each(packed, enough, out, None)

    def vectors(self, packed: Packed, enough: float, out: Values) -> Mask:
        """Fill ``out`` (T, n) with the shortest optimal vectors; return where that failed."""
        return self._each(packed, enough, np.empty(len(packed)), out)

    def _each(self, packed: Packed, enough: float, out: Values, vectors: Values | None) -> Mask:
        failed = np.empty(len(packed), bool)
        lanes = max(1, min(LANES, _MOST_NUMBERS // max(self._matrix.k, self._matrix.n)))
        for first in range(0, len(packed), lanes):
            part = slice(first, first + lanes)
            own = packed[part], enough, out[part]
            X, failed[part] = self._group(*own, from_zero=vectors is not None)
            if vectors is not None:
                vectors[part] = X.T
        return failed

    def _group(
        self, packed: Packed, enough: float, out: Values, from_zero: bool
    ) -> tuple[Values, Mask]:
        k, n, lanes = self._matrix.k, self._matrix.n, len(packed)
        alive = np.empty((n, lanes), np.uint8)
        sparse_descent.alive_lanes(packed, alive)
        X, R, S = np.zeros((n, lanes)), np.empty((k, lanes)), np.empty((n, lanes))
        step = np.empty((n, lanes), self._precision)
        squares, expected = np.empty(lanes), np.empty(lanes)
        if not from_zero:
            X[:] = alive
            sparse_descent.products(*self._matrix.rows, X, R, squares)
            sparse_descent.equal_weights(R, squares, X)
        left = np.full(lanes, np.inf)
        # without rounding, as many steps as the rank are enough
        most = min(MOST_STEPS[self._precision], 4 * min(k, n) + 256)
        hopeless = np.zeros(lanes, bool)
        for cycle in range(_CYCLES + 1):
            sparse_descent.products(*self._matrix.rows, X, R, squares)
            sparse_descent.residuals(R, out)
            sparse_descent.gradients(*self._matrix.columns, R, alive, S, squares)
            if cycle > 0:
                # where rounding left more of the gradient than the steps believed, more is left
                left *= np.maximum(1.0, squares / np.maximum(expected, np.finfo(float).tiny))
                left[left <= enough] = 0.0
            left[squares == 0.0] = 0.0
            if cycle == _CYCLES or not left.any():
                break
            expected[:] = squares
            given = *self._steps, alive, S.astype(self._precision), step, 0.5 * enough, most
            sparse_descent.descend(*given, expected, left)
            X += step
            hopeless |= np.isinf(left)
            left[hopeless] = 0.0
        np.minimum(out, k, out=out)
        return X, hopeless | (left > 0.0)


# ---- The choice of an algorithm


class Sparse(Algorithm):
    """Optimal decoding of a large sparse matrix.

    Patterns with few stragglers take the dense table of `sparse_duals`, all others conjugate
    gradients; what neither decides, of matrices that are nearly singular, is left to `Orthogonal`.
    Circulants that are too large for a table take the rotations of `circulants` instead.
    Where entries are not all 1, columns may nearly depend on few others, which conjugate gradients
    see late: then as many patterns as possible take the table.

    ``code``: one that `is_sparse`; ``matrix``: B.
    """

    name = "sparse"

    def __init__(self, code: Code) -> None:
        self._code = code
        self._columns = columns = code.columns
        self.matrix = SparseMatrix.of(columns)
        self._are_ones = columns.are_ones
        own = self.matrix if self._are_ones else SparseMatrix.of(scaled(columns))
        self._fast, self._far = Descent(own, np.float32), Descent(own, np.float64)
        self._tables: list[Table | None] = []
        self._is_large = max(code.n, code.k) > MOST_IN_TABLE
        # with more workers to a partition there is no table, but descent does not mind
        self._has_table = not self._is_large and code.n - code.k <= MOST_DEPENDENCES
        self._is_compiled = is_compiled(self.matrix)
        self._arcs = length_of_arcs(columns) if self._is_large else 0  # 0: not decoded by `arcs`

    @property
    def linear_algebra(self) -> str:
        """Where the table comes from, as `Decoder` has it; without one all is compiled."""
        return "LAPACK" if self._has_table and not self._is_compiled else "compiled"

    @property
    def table(self) -> Table | None:
        """The dense table, made when first asked for; None where there is none."""
        if not self._has_table:
            return None
        with _one_at_a_time:  # it takes seconds and much memory
            if not self._tables:
                self._tables.append(Table.of(self._columns))
        return self._tables[0]

    @property
    def is_usable(self) -> bool:
        """Whether errors can be trusted: where no table can be had, others are slow but right.

        Ill-conditioned matrices without full rank are left to the tiers of any matrix.
        """
        if self._is_large or (self._are_ones and not (self._has_table and self._is_compiled)):
            return True
        table = self.table
        if table is None or not self._is_compiled:
            return table is not None
        return table.N.shape[1] == 0 or table.condition <= _LARGEST_OF_DEPENDENT

    @property
    def condition(self) -> float | None:
        """Largest over smallest non-zero singular value; None where a table does not tell it.

        Raises FastgcError if the matrix is too large for a table, and so for any other
        decomposition.
        """
        if self._is_large:
            raise FastgcError(
                f"{self._code.name}: the condition of a matrix is found for up to {MOST_IN_TABLE} "
                "workers and partitions; errors do not need it"
            )
        return None if self.table is None else self.table.condition

    @property
    def exact_threshold(self) -> float:
        """As for `Decoder`; beyond 1000 workers, and without table, 1e-9·k."""
        table = self.table if self._is_compiled else None
        condition = 1.0 if table is None else table.condition
        return max(1e-9, 1e3 * EPSILON * condition) * self._code.k

    @cached_property
    def _most(self) -> int:
        """Up to how many stragglers the table is faster than descent."""
        n, k, entries = self._code.n, self._code.k, len(self._columns.places)
        if not self._has_table:
            return 0
        most = min(n, _MOST_STRAGGLERS)
        if not self._are_ones:
            return most
        table = self.table if self._is_compiled else None
        nullity = 0 if table is None else table.N.shape[1]
        s = np.arange(1, most + 1, dtype=float)
        from_table = _SUBTRACT * s * s * (s / 6 + nullity / 2) + s * (s + nullity) * (0.5 * _GATHER)
        slower = from_table > _STEPS * expected_condition(n - s, k) * entries * _ENTRY
        return int(np.argmax(slower)) if slower.any() else most

    def errors(self, packed: Packed, out: Errors) -> None:
        if self._arcs:
            circulants.arc_errors(packed, self._code.n, self._arcs, out)
            return
        survivors = np.empty(len(packed), np.int64)
        wide.count_survivors(packed, survivors)
        stragglers = self._code.n - survivors
        left = np.ones(len(packed), bool)
        few = np.flatnonzero(stragglers <= self._most)
        table = self.table if few.size else None
        if table is not None:
            errors, standing = np.empty(few.size), np.empty(few.size, np.uint8)
            own = table.K, table.N, table.x, table.e0, float(self._code.k)
            sparse_duals.errors(packed[few], *own, self._most, errors, standing)
            decided = standing == sparse_duals.DECIDED
            out[few[decided]] = errors[decided]
            left[few[decided]] = False
        order = np.argsort(stragglers, kind="stable")
        steep = expected_condition(self._code.n - stragglers, self._code.k) > _STEEP
        steep |= not self._are_ones
        for descent, some, enough in (
            (self._fast, ~steep, _ENOUGH),
            (self._far, ~steep, _ENOUGH),
            (self._far, steep, _ENOUGH_IF_STEEP),
        ):
            chosen = order[(left & some)[order]]
            if chosen.size:
                errors = np.empty(chosen.size)
                left[chosen] = descent.errors(packed[chosen], enough * self._code.k, errors)
                out[chosen] = errors
        rest = np.flatnonzero(left)
        if rest.size:  # the slow algorithm decides all
            errors = np.empty(rest.size)
            self._orthogonal(rest.size).errors(packed[rest], errors)
            out[rest] = errors

    def vectors(self, packed: Packed) -> Matrix:
        if not self._are_ones:  # scaling, which descent needs, changes which vector is shortest
            return Orthogonal(self._code.B).vectors(packed)
        out = np.empty((len(packed), self._code.n))
        failed = self._far.vectors(packed, _ENOUGH_FOR_VECTORS * self._code.k, out)
        rest = np.flatnonzero(failed)
        if rest.size:
            out[rest] = self._orthogonal(rest.size).vectors(packed[rest])
        return out

    def _orthogonal(self, patterns: int) -> Orthogonal:
        if max(self._code.n, self._code.k) > _LARGEST_PIVOTED:
            raise FastgcError(
                f"{self._code.name}: {patterns} patterns cannot be decoded, for their matrices of "
                f"more than {_LARGEST_PIVOTED} rows or columns are nearly singular; take fewer "
                "workers, or entries that do not nearly depend on each other"
            )
        return Orthogonal(self._code.B)


def decode_one(code: Code, survivors: NDArray[np.int64]) -> tuple[float, Values, Values]:
    """Return the least error of one pattern, the shortest vector, and the residual.

    ``code``: one that `is_sparse`, with entries that are all 1; ``survivors``: int64 array (r,).
    """
    own = Sparse(code)
    alive = np.zeros((1, code.n), bool)
    alive[0, survivors] = True
    x = own.vectors(packed(alive))[0]
    residual = own.matrix.times(x) - 1.0
    return min(math.fsum(residual * residual), float(code.k)), x[survivors], residual
