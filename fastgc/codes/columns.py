"""A matrix by its entries that are not 0, column by column."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Brief
from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property

#: Entries of a dense matrix, and of columns: 2 GiB of float64, and 1 GiB of places.
MOST_ENTRIES = 1 << 28

Places = NDArray[np.int32]
Offsets = NDArray[np.int64]


class ReadOnly:
    """Base of dataclasses whose arrays are read-only."""

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False


@dataclass(frozen=True, eq=False, repr=False)
class Columns(Brief, ReadOnly):
    """What each worker holds, and with which weight: a matrix without its zeros.

    * ``height``: rows of the matrix.
    * ``offsets`` (int64 array (n + 1,), read-only): column j has the entries ``offsets[j]`` …
      ``offsets[j + 1] − 1`` of the other two.
    * ``places`` (int32 array (entries,), read-only): rows, in each column from first to last.
    * ``values`` (float64 or complex128 array (entries,), read-only): none of them is 0. Where all
      are 1 they share one number in memory.

    >>> from fastgc import codes
    >>> own = codes.frc(n=4, d=2).columns
    >>> own.offsets.tolist(), own.places.tolist(), own.transposed.places.tolist()
    ([0, 2, 4, 6, 8], [0, 1, 0, 1, 2, 3, 2, 3], [0, 1, 0, 1, 2, 3, 2, 3])
    """

    height: int
    offsets: Offsets
    places: Places
    values: NDArray[Any]

    @staticmethod
    def from_matrix(B: NDArray[Any]) -> "Columns":
        """Return the columns of a matrix (rows, n)."""
        workers, places = np.nonzero(B.T)
        return _from_sorted(len(B), B.shape[1], workers, places, B[places, workers])

    @staticmethod
    def from_entries(
        height: int, n: int, workers: NDArray[Any], places: NDArray[Any], values: NDArray[Any]
    ) -> "Columns":
        """Return the columns of a matrix (height, n) from its entries in any order, each once.

        Zeros among them are left out.
        """
        kept = values != 0
        if not kept.all():
            workers, places, values = workers[kept], places[kept], values[kept]
        order = np.lexsort((places, workers))
        return _from_sorted(height, n, workers[order], places[order], values[order])

    @staticmethod
    def from_ones(height: int, offsets: NDArray[Any], places: NDArray[Any]) -> "Columns":
        """Return the columns of a 0/1 matrix; ``places`` rise within each of them."""
        ones = np.broadcast_to(np.float64(1.0), (len(places),))
        return Columns(height, offsets.astype(np.int64), places.astype(np.int32, copy=False), ones)

    @staticmethod
    def from_intervals(height: int, start: Offsets, stop: Offsets) -> "Columns":
        """Return the columns of a 0/1 matrix: ones in rows start[j] … stop[j] − 1 of column j."""
        offsets = np.concatenate([[0], np.cumsum(stop - start)])
        require_room(int(offsets[-1]))
        shifts = np.repeat((start - offsets[:-1]).astype(np.int32), stop - start)
        return Columns.from_ones(height, offsets, shifts + np.arange(offsets[-1], dtype=np.int32))

    @property
    def n(self) -> int:
        """Columns of the matrix."""
        return len(self.offsets) - 1

    @property
    def counts(self) -> Offsets:
        """Entries of each column, int64 array (n,)."""
        return np.diff(self.offsets)

    @property
    def owners(self) -> Places:
        """The column of each entry, int32 array (entries,)."""
        return np.repeat(np.arange(self.n, dtype=np.int32), self.counts)

    @property
    def are_ones(self) -> bool:
        """Whether all entries are 1."""
        one = self.values.strides == (0,) or len(self.values) == 0
        return bool(self.values[:1].all() if one else (self.values == 1).all())

    @cached_property
    def transposed(self) -> "Columns":
        """The columns of the transposed matrix: who holds each partition."""
        order = np.argsort(self.places, kind="stable")
        offsets = np.concatenate([[0], np.cumsum(np.bincount(self.places, minlength=self.height))])
        if self.values.strides == (0,):
            return Columns.from_ones(self.n, offsets, self.owners[order])
        return Columns(self.n, offsets.astype(np.int64), self.owners[order], self.values[order])

    def __getitem__(self, column: int) -> tuple[Places, NDArray[Any]]:
        own = slice(int(self.offsets[column]), int(self.offsets[column + 1]))
        return self.places[own], self.values[own]

    def dense(self) -> NDArray[Any]:
        """Return the matrix, (height, n); raise a FastgcError if it would not fit into 2 GiB."""
        if self.height * self.n > MOST_ENTRIES:
            size = f"{self.height} × {self.n} numbers, {8 * self.height * self.n / 2**30:.3g} GiB"
            raise FastgcError(
                f"the matrix B has {size}, and is made up to 2 GiB; take code.columns, or fewer "
                "workers"
            )
        B = np.zeros((self.height, self.n), self.values.dtype)
        B[self.places, self.owners] = self.values
        return B


def require_room(entries: int) -> None:
    """Raise a FastgcError where there are more entries than columns may have."""
    if entries > MOST_ENTRIES:
        raise FastgcError(
            f"the columns of the code have {entries} entries, and are made up to {MOST_ENTRIES}; "
            "take fewer workers, or let them hold fewer partitions"
        )


def _from_sorted(
    height: int, n: int, workers: NDArray[Any], places: NDArray[Any], values: NDArray[Any]
) -> Columns:
    offsets = np.concatenate([[0], np.cumsum(np.bincount(workers, minlength=n))])
    if values.dtype.kind != "c" and (values == 1).all():
        return Columns.from_ones(height, offsets, places)
    kind = np.complex128 if values.dtype.kind == "c" else np.float64
    return Columns(height, offsets.astype(np.int64), places.astype(np.int32), values.astype(kind))
