"""A code: who holds which partition, and with which weight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.codes.structure import General, Structure, structure_of
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
    pieces: int = 1
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
        own = {"family": "matrix", "rows": self.B.tolist()}
        return own if self.pieces == 1 else own | {"pieces": self.pieces}


@dataclass(frozen=True, eq=False)
class Code(Made, Shown):
    """An encoding matrix and what is known about it.

    Attributes
    ----------
    name : str
        The code and its parameters, for people.
    B : float64 or complex128 array (k, n), read-only
        Encoding matrix, partitions × workers; (k · pieces, n) for workers that send pieces.
    structure : Structure
        What makes its decoding error cheap; see `fastgc.codes.structure`.
    tolerance : int or None
        Stragglers that exact decoding is guaranteed to survive; None where nothing is guaranteed.
    classes : tuple of tuples of int, or None
        Sets of workers whose columns add up to 1 in every partition, in the order in which
        Algorithm 3 of paper `binary` looks for one that is complete; None where none are known.
    pieces : int
        m where a worker's answer is as long as an m-th of the gradient: it weights the m pieces of
        each partial gradient, piece u of partition i by row i · m + u of B. 1 by default.

    Examples
    --------
    >>> from fastgc import codes
    >>> code = codes.frc(n=4, d=2)
    >>> code
    Code(frc(n=4, d=2), k=4, n=4, tolerance=1)
    >>> code.B[:, 0].tolist(), code.loads.tolist()
    ([1.0, 1.0, 0.0, 0.0], [2, 2, 2, 2])
    """

    name: str
    B: NDArray[Any]
    structure: Structure
    tolerance: int | None = None
    classes: tuple[tuple[int, ...], ...] | None = None
    pieces: int = 1

    def __post_init__(self) -> None:
        """Keep a read-only copy of B, in double precision."""
        kind = np.complex128 if np.iscomplexobj(self.B) else np.float64
        B = np.array(self.B, dtype=kind, order="C")
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
        """Partitions of the data: rows of B, or ``pieces`` rows each."""
        return int(self.B.shape[0]) // self.pieces

    @property
    def held(self) -> NDArray[np.bool_]:
        """Which partitions each worker holds, bool array (k, n)."""
        return np.asarray((self.B != 0).reshape(self.k, self.pieces, self.n).any(axis=1))

    @property
    def loads(self) -> NDArray[np.int64]:
        """Partitions that each worker holds, int64 array (n,)."""
        return np.asarray(np.count_nonzero(self.held, axis=0), dtype=np.int64)

    def answers(self, gradients: ArrayLike) -> NDArray[Any]:
        """Return what workers send for the gradients of all partitions.

        Parameters
        ----------
        gradients : array_like (k, l)
            One partial gradient a row; ``pieces`` must divide l.

        Returns
        -------
        array (n, l / pieces)
            One answer a row; `fastgc.decoding.decoding.Decoding.gradient` adds them up again.

        Raises
        ------
        FastgcError
            If the shape does not fit.

        Examples
        --------
        >>> code_of([[1, 0, 1], [0, 1, 1]]).answers([[1.0, 2.0], [10.0, 20.0]]).tolist()
        [[1.0, 2.0], [10.0, 20.0], [11.0, 22.0]]
        """
        given = np.asarray(gradients)
        if given.ndim != 2 or len(given) != self.k or given.shape[1] % self.pieces:
            length = f", l a multiple of {self.pieces}" if self.pieces > 1 else ""
            raise FastgcError(
                f"gradients: must have shape ({self.k}, l){length} (got {given.shape})"
            )
        return np.asarray(self.B.T @ given.reshape(len(self.B), -1))

    @property
    def obstacle(self) -> str | None:
        """Why what adds up real answers as long as the gradient cannot take the code, if so."""
        if np.iscomplexobj(self.B):
            return f"{self.name} is complex"
        return f"workers of {self.name} send pieces" if self.pieces > 1 else None


def code_of(
    B: Any,
    name: str = "matrix",
    tolerance: int | None = None,
    classes: tuple[tuple[int, ...], ...] | None = None,
    pieces: int = 1,
) -> Code:
    """Make a code of any matrix, finding its structure.

    Parameters
    ----------
    B : array_like (k, n)
        Finite numbers, real or complex, partitions × workers.
    name : str
        How messages call it.
    tolerance : int, optional
        Stragglers that exact decoding is known to survive.
    classes : tuple of tuples of int, optional
        Sets of workers whose columns add up to 1 in every partition.
    pieces : int
        Of the gradient, of which an answer is as long as one; each partition then has so many
        rows. 1 by default.

    Returns
    -------
    Code
        With a read-only copy of B and the structure that makes its decoding cheap.

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
    array = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
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
    if array.dtype.kind == "c" and not array.imag.any():
        array = array.real
    if pieces < 1 or len(array) % pieces:
        raise FastgcError(
            f"{name}: pieces must divide the rows of the matrix (got {pieces} and {len(array)})"
        )
    structure = structure_of(array) if pieces == 1 else General()
    return Code(name, array, structure, tolerance, classes, pieces=pieces)
