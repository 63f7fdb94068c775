"""A code: who holds which partition, and with which weight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.structure import Structure, structure_of
from fastgc.errors import FastgcError
from fastgc.registry.shown import Shown


class Made:
    """Base of what stands in a study for the ``code`` table that makes it.

    Attributes
    ----------
    made_from : mapping or None
        That table, of what a family built; None of a matrix.
    """

    B: Any
    made_from: ClassVar[Mapping[str, Any] | None] = None

    def as_table(self) -> dict[str, Any]:
        """Return the ``code`` table of a study.

        Examples
        --------
        >>> from fastgc.codes import code_of, frc
        >>> frc(n=4, d=2).as_table(), code_of([[1, 1]]).as_table()
        ({'family': 'frc', 'n': 4, 'd': 2}, {'family': 'matrix', 'rows': [[1.0, 1.0]]})
        """
        if self.made_from is not None:
            return dict(self.made_from)
        return {"family": "matrix", "rows": self.B.tolist()}


@dataclass(frozen=True, eq=False)
class Code(Made, Shown):
    """An encoding matrix and what is known about it.

    Attributes
    ----------
    name : str
        The code and its parameters, for people.
    B : float64 array (k, n), read-only
        Encoding matrix, partitions × workers.
    structure : Structure
        What makes its decoding error cheap; see `fastgc.codes.structure`.
    tolerance : int or None
        Stragglers that exact decoding is guaranteed to survive; None where nothing is guaranteed.
    classes : tuple of tuples of int, or None
        Sets of workers whose columns add up to 1 in every partition, in the order in which
        Algorithm 3 of paper `binary` looks for one that is complete; None where none are known.
    """

    name: str
    B: NDArray[np.float64]
    structure: Structure
    tolerance: int | None = None
    classes: tuple[tuple[int, ...], ...] | None = None

    def __post_init__(self) -> None:
        """Keep a read-only float64 copy of B."""
        B = np.array(self.B, dtype=np.float64, order="C")
        B.flags.writeable = False
        object.__setattr__(self, "B", B)

    def __repr__(self) -> str:
        """Name the code; the matrix is too large to print."""
        return f"Code({self.name}, k={self.k}, n={self.n}, tolerance={self.tolerance})"

    @property
    def n(self) -> int:
        """Workers: columns of B."""
        return int(self.B.shape[1])

    @property
    def k(self) -> int:
        """Partitions of the data: rows of B."""
        return int(self.B.shape[0])

    @property
    def loads(self) -> NDArray[np.int64]:
        """Partitions that each worker holds, int64 array (n,)."""
        return np.asarray(np.count_nonzero(self.B, axis=0), dtype=np.int64)


def code_of(
    B: Any,
    name: str = "matrix",
    tolerance: int | None = None,
    classes: tuple[tuple[int, ...], ...] | None = None,
) -> Code:
    """Make a code of any matrix, finding its structure.

    Parameters
    ----------
    B : array_like (k, n)
        Finite numbers, partitions × workers.
    name : str
        How messages call it.
    tolerance : int, optional
        Stragglers that exact decoding is known to survive.
    classes : tuple of tuples of int, optional
        Sets of workers whose columns add up to 1 in every partition.

    Raises
    ------
    FastgcError
        If B is no k × n table of finite numbers with k, n ≥ 1.

    Examples
    --------
    >>> code_of([[1, 0, 1], [0, 1, 1]]).loads.tolist()
    [1, 1, 2]
    """
    try:
        array = np.asarray(B)  # a ragged list raises
        if array.dtype.kind not in "buifc":
            raise TypeError
    except (TypeError, ValueError):
        raise FastgcError(
            f"{name}: must be a table of numbers, partitions × workers, with rows of one length"
        ) from None
    if array.dtype.kind == "c":
        raise FastgcError(
            f"{name}: the matrix is complex; its entries must be real (got type {array.dtype})"
        )
    array = array.astype(np.float64)
    if array.ndim != 2 or array.size == 0:
        raise FastgcError(
            f"{name}: must have two dimensions, partitions × workers, neither of them empty "
            f"(got shape {array.shape})"
        )
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        row, column = bad[0].tolist()
        raise FastgcError(
            f"{name}: every entry must be finite (got {array[row, column]} in row {row}, "
            f"column {column}, counted from 0)"
        )
    return Code(name, array, structure_of(array), tolerance, classes)
