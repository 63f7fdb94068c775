"""Codes with many workers of which each holds few partitions: their errors without B.

A pattern takes the tables of any matrix, conjugate gradients, or rotations of arcs.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code
from fastgc.codes.columns import Columns
from fastgc.decoding.algorithms import (
    Algorithm,
    Errors,
    LeastSquares,
    Matrix,
    Orthogonal,
    Packed,
    packed,
)
from fastgc.decoding.doubt import is_nearly_dependent
from fastgc.decoding.factorization import LARGEST_COMPILED, Decomposition, scale_columns
from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc_kernels.decode import circulants, sparse_descent
from fastgc_kernels.draw import wide

FEWEST = 256
"""Rows or columns of a matrix that is decoded as a sparse one."""

ACCURACY = 1e-10
"""What errors are accurate to, as a part of k."""

_DENSEST = 0.25
_ENOUGH = 0.1 * ACCURACY  # what is left of an error is estimated: ten times less leaves room
# A direction that B nearly takes to 0 is seen late: steps seem to have ended while it still costs.
# With so little left it was seen, if the condition is at most 1e6.
_ENOUGH_IF_STEEP = 1e-22
_ENOUGH_FOR_VECTORS = 1e-24
_STEEP = 40.0  # condition of what survives: of a square matrix, where a tenth straggles
_LARGEST_DENSE = 2000  # rows or columns of a matrix that is decomposed or pivoted
# Condition of a matrix without full rank: errors were off by 3e-12·k at 2e3, by 4e-8·k at 1.5e4.
_LARGEST_OF_DEPENDENT = 5e3
_LARGEST_CONDITION = 1e5
_LONGEST_ARC = 16  # partitions of a worker; the triangle takes the square of them
# Nanoseconds, measured: a subtraction of elimination, a number from a table, and an entry of B in
# one step of descent, of patterns that are seldom as many as there are lanes; and steps for each
# unit of a matrix's condition.
_SUBTRACT, _GATHER, _ENTRY, _STEPS = 0.03, 2.0, 0.33, 5.5


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


def runs(columns: Columns) -> tuple[NDArray[np.int64], NDArray[np.uint32], Values]:
    """Return where the entries of each column begin, their rows, and they: none if all are 1."""
    entries = np.empty(0) if columns.are_ones else np.ascontiguousarray(columns.values)
    return columns.offsets, columns.places.astype(np.uint32), entries


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


# ---- Conjugate gradients, many patterns side by side


LANES = 64  # four registers of sixteen: the start of a loop is paid once for all
_MOST_NUMBERS = 1 << 22  # of an array with lanes: 32 MB
MOST_STEPS = {np.float32: 1_500, np.float64: 20_000}
_CYCLES = 4


class SparseSolver:
    """Least squares of a sparse matrix, by steps of one precision that doubles correct.

    ``precision``: of the steps: float32 is faster, float64 goes further where B is ill-conditioned.
    """

    def __init__(self, matrix: Columns, precision: type[Any]) -> None:
        self._k, self._n, self._precision = matrix.height, matrix.n, precision
        self._rows, self._columns = runs(matrix.transposed), runs(matrix)
        self._steps: list[tuple[Any, ...]] = [
            (starts, places, own.astype(precision))
            for starts, places, own in (self._rows, self._columns)
        ]

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
        lanes = max(1, min(LANES, _MOST_NUMBERS // max(self._k, self._n)))
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
        k, n, lanes = self._k, self._n, len(packed)
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
        rows, columns = self._steps
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
            work = rows, columns, alive, S.astype(self._precision), step
            sparse_descent.descend(*work, 0.5 * enough, most, expected, left)
            X += step
            hopeless |= np.isinf(left)
            left[hopeless] = 0.0
        np.minimum(out, k, out=out)
        return X, hopeless | (left > 0.0)


# ---- The choice of an algorithm


class Sparse(Algorithm):
    """Optimal decoding of a large sparse matrix.

    Up to 2000 rows and columns, patterns with few stragglers take the tables of `LeastSquares`, all
    others conjugate gradients; what neither decides, of matrices that are nearly singular, is left
    to `Orthogonal`. Larger circulants take the rotations of `circulants` instead. Where entries are
    not all 1, columns may nearly depend on few others, which conjugate gradients see late: then as
    many patterns as possible take the tables.

    ``code``: one that `is_sparse`.
    """

    name = "sparse"

    def __init__(self, code: Code) -> None:
        self._code = code
        columns = code.columns
        self._are_ones = columns.are_ones
        own = columns if self._are_ones else scaled(columns)
        self._fast, self._far = SparseSolver(own, np.float32), SparseSolver(own, np.float64)
        size = max(code.n, code.k)
        #: Whether the matrix is too large for a decomposition that has the same bits everywhere.
        self.is_large = size > LARGEST_COMPILED
        self._has_tables = size <= _LARGEST_DENSE
        self._arcs = 0 if self._has_tables else length_of_arcs(columns)  # 0: not decoded by `arcs`

    @property
    def linear_algebra(self) -> str:
        """Where tables come from, as `Decoder` has it; without them all is compiled."""
        return "LAPACK" if self.is_large and self._has_tables else "compiled"

    @cached_property
    def _parts(self) -> Decomposition:
        return Decomposition.of(scale_columns(self._code.B)[0])

    @property
    def is_usable(self) -> bool:
        """Whether errors can be trusted; ill-conditioned matrices are left to other algorithms."""
        if not self._has_tables or (self.is_large and self._are_ones):
            return True
        has_full_rank = self._parts.rank == self._code.n
        most = _LARGEST_CONDITION if has_full_rank else _LARGEST_OF_DEPENDENT
        return self._parts.condition <= most

    @cached_property
    def is_nearly_dependent(self) -> bool:
        """Whether descent may miss what few columns that nearly depend on each other cost."""
        columns = self._code.columns
        return not self._has_tables and not self._are_ones and is_nearly_dependent(scaled(columns))

    @cached_property
    def _few(self) -> LeastSquares:
        return LeastSquares(self._code.B, self._parts)

    @cached_property
    def _most(self) -> int:
        """Up to how many stragglers the tables are faster than descent."""
        n, k, entries = self._code.n, self._code.k, len(self._code.columns.places)
        if not self._has_tables:
            return 0
        if not self._are_ones:
            return n
        s = np.arange(1, n + 1, dtype=float)
        nullity = n - self._parts.rank
        from_table = _SUBTRACT * s * s * (s / 6 + nullity / 2) + s * (s + nullity) * (0.5 * _GATHER)
        slower = from_table > _STEPS * expected_condition(n - s, k) * entries * _ENTRY
        return int(np.argmax(slower)) if slower.any() else n

    def errors(self, packed: Packed, out: Errors) -> None:
        if self._arcs:
            circulants.arc_errors(packed, self._code.n, self._arcs, out)
            return
        survivors = np.empty(len(packed), np.int64)
        wide.count_survivors(packed, survivors)
        stragglers = self._code.n - survivors
        few = np.flatnonzero(stragglers <= self._most)
        left = np.ones(len(packed), bool)
        if few.size:
            errors = np.empty(few.size)
            undecided = self._few.attempt(packed[few], errors)
            out[few], left[few] = errors, False
            left[few[undecided]] = True
        order = np.argsort(stragglers, kind="stable")
        steep = expected_condition(survivors, self._code.k) > _STEEP
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
            out[rest] = self._orthogonal(rest.size).errors_of(packed[rest])

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
        if max(self._code.n, self._code.k) > _LARGEST_DENSE:
            raise FastgcError(
                f"{self._code.name}: {patterns} patterns cannot be decoded, for their matrices of "
                f"more than {_LARGEST_DENSE} rows or columns are nearly singular; take fewer "
                "workers, or entries that do not nearly depend on each other"
            )
        return Orthogonal(self._code.B)


def decode_one(code: Code, survivors: NDArray[np.int64]) -> tuple[float, Values, Values]:
    """Return the least error of one pattern, the shortest vector, and the residual.

    ``code``: one that `is_sparse`, with entries that are all 1; ``survivors``: int64 array (r,).
    """
    x = Sparse(code).vectors(packed(np.isin(np.arange(code.n), survivors)[np.newaxis]))[0]
    held = code.columns  # in the order of workers, so that sums have the same bits everywhere
    sums = np.bincount(held.places, x[held.owners], code.k)
    residual = sums.astype(np.float64, copy=False) - 1.0
    return min(math.fsum(residual * residual), float(code.k)), x[survivors], residual
