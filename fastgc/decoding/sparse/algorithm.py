"""Decoding errors of sparse codes: which of their algorithms a pattern takes."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code
from fastgc.decoding.algorithms import Algorithm, Errors, Matrix, Packed
from fastgc.decoding.any_matrix import Orthogonal
from fastgc.decoding.factorization import EPSILON
from fastgc.decoding.sparse.descent import Descent
from fastgc.decoding.sparse.matrix import SparseMatrix, scaled
from fastgc.decoding.sparse.table import Table, is_compiled
from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc_kernels.decode import sparse_duals

FEWEST = 256
"""Rows or columns of a matrix that is decoded as a sparse one."""

MOST_IN_TABLE = 11_585
"""Workers of a code for which a dense table is made: of 8 n² bytes, 1 GiB at most."""

ACCURACY = 1e-10
"""What errors are accurate to, as a part of k."""

_DENSEST = 0.25
_ENOUGH = 0.1 * ACCURACY  # what is left of an error is estimated: ten times less leaves room
_ENOUGH_FOR_VECTORS = 1e-24
_LARGEST_PIVOTED = 2000
# Condition of a matrix without full rank: errors were off by 3e-12·k at 2e3, by 4e-8·k at 1.5e4.
_LARGEST_OF_DEPENDENT = 5e3
_MOST_STRAGGLERS = 2000  # of patterns decoded from the table, whose matrices take 32 MB
# Nanoseconds, measured: a subtraction of elimination, a number from the table, and an entry of B in
# one step of descent; and steps for each unit of a matrix's condition.
_SUBTRACT, _GATHER, _ENTRY, _STEPS = 0.055, 2.5, 0.22, 5.5

_one_at_a_time = threading.Lock()


def is_sparse(code: Code) -> bool:
    """Whether a code without structure is decoded as a sparse one: large, real, and sparse."""
    if max(code.n, code.k) < FEWEST or code.obstacle is not None:
        return False
    return len(code.columns.places) <= _DENSEST * code.n * code.k


def most_stragglers(n: int, k: int, entries: int, nullity: int) -> int:
    """Return up to how many stragglers the table is faster than descent.

    Descent takes steps in proportion to the condition of what survives, and of a random matrix
    with r survivors that is (1 + √(r/k)) / |1 − √(r/k)| (Marchenko and Pastur 1967).
    """
    s = np.arange(1, min(n, _MOST_STRAGGLERS + 1), dtype=float)
    width = s + nullity
    from_table = _SUBTRACT * s * s * (s / 6 + nullity / 2) + s * width * (0.5 * _GATHER)
    root = np.sqrt((n - s) / k)
    condition = (1 + root) / np.maximum(np.abs(1 - root), 1e-3)
    slower = np.flatnonzero(from_table > _STEPS * condition * entries * _ENTRY)
    return int(slower[0]) if slower.size else s.size


class Sparse(Algorithm):
    """Optimal decoding of a large sparse matrix.

    Patterns with few stragglers take the dense table of `sparse_duals`, all others conjugate
    gradients; what neither decides, of matrices that are nearly singular, is left to `Orthogonal`.

    Parameters
    ----------
    code : Code
        One that `is_sparse`.
    """

    name = "sparse"

    def __init__(self, code: Code) -> None:
        self._code = code
        columns = code.columns
        self._columns = columns
        self._matrix = SparseMatrix.of(columns)
        own = self._matrix if columns.are_ones else SparseMatrix.of(scaled(columns))
        self._descents = Descent(own, np.float32), Descent(own, np.float64)
        self._tables: list[Table | None] = []

    @property
    def linear_algebra(self) -> str:
        """Where the table comes from, as `Decoder` has it; without one all is compiled."""
        has_table = max(self._code.n, self._code.k) <= MOST_IN_TABLE
        return "LAPACK" if has_table and not is_compiled(self._matrix) else "compiled"

    @property
    def table(self) -> Table | None:
        """The dense table, made when first asked for; None where there is none."""
        if max(self._code.n, self._code.k) > MOST_IN_TABLE:
            return None
        with _one_at_a_time:  # it takes seconds and much memory
            if not self._tables:
                self._tables.append(Table.of(self._columns))
        return self._tables[0]

    @property
    def is_usable(self) -> bool:
        """Whether it decodes all patterns well; some small matrices have better algorithms.

        Those are without table, or ill-conditioned and without full rank, so that both descent and
        the table lose more digits than the tiers of `any_matrix`.
        """
        if not is_compiled(self._matrix):
            return True
        table = self.table
        if table is None:
            return False
        return table.N.shape[1] == 0 or table.condition <= _LARGEST_OF_DEPENDENT

    @property
    def condition(self) -> float | None:
        """Largest over smallest non-zero singular value; None where a table does not tell it.

        Raises
        ------
        FastgcError
            If the matrix is too large for a table, and so for any other decomposition.
        """
        if max(self._code.n, self._code.k) > MOST_IN_TABLE:
            raise FastgcError(
                f"{self._code.name}: the condition of a matrix is found for up to {MOST_IN_TABLE} "
                "workers and partitions; errors do not need it"
            )
        return None if self.table is None else self.table.condition

    @property
    def exact_threshold(self) -> float:
        """As for `Decoder`; beyond 1000 workers 1e-9·k, whatever the condition."""
        table = self.table if is_compiled(self._matrix) else None
        condition = 1.0 if table is None else table.condition
        return max(1e-9, 1e3 * EPSILON * condition) * self._code.k

    @cached_property
    def _most(self) -> int:
        """Up to how many stragglers patterns take the table."""
        n, k, entries = self._code.n, self._code.k, len(self._columns.places)
        if max(n, k) > MOST_IN_TABLE:
            return 0
        table = self.table if is_compiled(self._matrix) else None
        return most_stragglers(n, k, entries, 0 if table is None else table.N.shape[1])

    def errors(self, packed: Packed, out: Errors) -> None:
        """Fill ``out`` (T,) with the errors of up to 65536 patterns."""
        stragglers = np.empty(len(packed), np.int64)
        sparse_duals.count_stragglers(packed, self._code.n, stragglers)
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
        for descent in self._descents:
            rest = order[left[order]]
            if rest.size:
                errors = np.empty(rest.size)
                failed = descent.errors(packed[rest], _ENOUGH * self._code.k, errors)
                out[rest] = errors
                left[rest] = failed
        self._pivot(packed, left, out)

    def vectors(self, packed: Packed) -> Matrix:
        """Return the shortest of the optimal vectors of patterns, (T, n)."""
        out = np.empty((len(packed), self._code.n))
        descent = Descent(self._matrix, np.float64)
        failed = descent.vectors(packed, _ENOUGH_FOR_VECTORS * self._code.k, out)
        rest = np.flatnonzero(failed)
        if rest.size:
            out[rest] = self._orthogonal(rest.size).vectors(packed[rest])
        return out

    def _pivot(self, packed: Packed, left: NDArray[np.bool_], out: Errors) -> None:
        """Leave patterns to the slow algorithm that decides all."""
        rest = np.flatnonzero(left)
        if rest.size:
            errors = np.empty(rest.size)
            self._orthogonal(rest.size).errors(packed[rest], errors)
            out[rest] = errors

    def _orthogonal(self, patterns: int) -> Orthogonal:
        if max(self._code.n, self._code.k) > _LARGEST_PIVOTED:
            raise FastgcError(
                f"{self._code.name}: {patterns} patterns cannot be decoded, for their matrices of "
                f"more than {_LARGEST_PIVOTED} rows or columns are nearly singular; take fewer "
                "workers, or entries that do not nearly depend on each other"
            )
        return Orthogonal(self._code.B)
