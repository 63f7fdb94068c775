"""A sparse matrix as the kernels read it: by rows and by columns."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.codes.columns import Columns

Floats = Values


@dataclass(frozen=True, eq=False)
class SparseMatrix:
    """Entries of a real matrix (k, n), row by row and column by column."""

    row_starts: NDArray[np.int64]  #: (k + 1,).
    workers: NDArray[np.uint32]  #: (entries,): of row i: from ``row_starts[i]`` on.
    row_weights: Floats  #: (entries,): empty where all entries are 1.
    #: The same by columns.
    column_starts: NDArray[np.int64]
    partitions: NDArray[np.uint32]
    column_weights: Floats

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

    def times(self, x: Floats) -> Floats:
        """Return B x, (k,): sums in the order of workers, the same bits everywhere."""
        terms = x[self.workers]
        if self.row_weights.size:
            terms = terms * self.row_weights
        owners = np.repeat(np.arange(self.k), np.diff(self.row_starts))
        return np.bincount(owners, terms, self.k).astype(np.float64, copy=False)

    def transposed_times(self, r: Floats) -> Floats:
        """Return Bᵀ r, (n,): sums in the order of partitions, the same bits everywhere."""
        terms = r[self.partitions]
        if self.column_weights.size:
            terms = terms * self.column_weights
        owners = np.repeat(np.arange(self.n), np.diff(self.column_starts))
        return np.bincount(owners, terms, self.n).astype(np.float64, copy=False)


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
