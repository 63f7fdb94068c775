"""A code: who holds which partition, and with which weight."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.codes.columns import Columns
from fastgc.codes.structure import CycleGaps, Groups, Structure, structure_of
from fastgc.errors import FastgcError, public
from fastgc.registry import Table
from fastgc.registry.cached import cached_property
from fastgc.registry.given import MASKED

#: Of the largest entry of a column, and its inverse: the squares of weights stay numbers.
LARGEST_ENTRY = 1e150


class TableHolder:
    """Base of what stands in a study for the ``code`` table that makes it."""

    B: Any
    #: The table, of what a family built; None of a matrix.
    made_from: ClassVar[Mapping[str, Any] | None] = None

    def as_table(self) -> dict[str, Any]:
        """Return the ``code`` table of a study."""
        return dict(self.made_from or {"family": "matrix", "rows": self.B.tolist()})


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Code(TableHolder):
    """An encoding matrix and what is known about it.

    A code knows its columns or how to make them, and builds B when it is asked for it: a code of
    10⁶ workers that hold few partitions each takes some megabytes until then.

    * ``name``: the code and its parameters, for people.
    * ``B`` (array (k, n), `Columns` or callable): the encoding matrix, partitions × workers; its
      columns; or, for a 0/1 matrix, what returns them when they are first asked for: then ``shape``
      of B must be given.
    * ``structure``: what makes its decoding error cheap; by default found when first asked for.
    * ``tolerance``: stragglers that exact decoding is guaranteed to survive; None where nothing is
      guaranteed.
    * ``classes``: as the property; they may be ranges.
    * ``n``: workers, columns of B; ``k``: partitions of the data, rows of B.
    * ``is_complex``: whether entries of B are complex numbers.

    >>> from fastgc import codes
    >>> code = codes.frc(n=4, d=2)
    >>> code
    Code(frc(n=4, d=2), k=4, n=4, tolerance=1)
    >>> code.B[:, 0].tolist(), code.loads.tolist()
    ([1.0, 1.0, 0.0, 0.0], [2, 2, 2, 2])
    """

    name: str
    n: int
    k: int
    tolerance: int | None
    is_complex: bool

    def __init__(
        self,
        name: str,
        B: NDArray[Any] | Columns | Callable[[], Columns],
        structure: Structure | None = None,
        tolerance: int | None = None,
        classes: Sequence[Sequence[int]] | None = None,
        shape: tuple[int, int] | None = None,
    ) -> None:
        own = self.__dict__
        if isinstance(B, Columns):
            shape, own["columns"] = (B.height, B.n), B
        elif callable(B):
            own["_make"] = B
        else:
            B = np.array(B, np.complex128 if np.iscomplexobj(B) else np.float64, order="C")
            B.flags.writeable = False
            shape, own["B"] = B.shape, B
        assert shape is not None
        own |= {"name": name, "tolerance": tolerance, "_classes": classes}
        own |= {"k": int(shape[0]), "n": int(shape[1])}
        entries: Any = B.values if isinstance(B, Columns) else B
        own["is_complex"] = np.iscomplexobj(entries)
        if structure is not None:
            own["structure"] = structure

    def __repr__(self) -> str:
        return f"Code({self.name}, k={self.k}, n={self.n}, tolerance={self.tolerance})"

    @cached_property
    def B(self) -> NDArray[Any]:  # noqa: N802
        """Encoding matrix, partitions × workers, float64 or complex128 (k, n), read-only.

        It is refused where it would not fit into 2 GiB.
        """
        B = self.columns.dense()
        B.flags.writeable = False
        return B

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return B for `numpy.asarray`; it is read-only, a copy is not."""
        return np.array(self.B, dtype) if copy or dtype not in (None, self.B.dtype) else self.B

    @cached_property
    def columns(self) -> Columns:
        """B without its zeros: what each worker holds; refused beyond 2²⁸ entries."""
        own = self.__dict__
        return Columns.from_matrix(own["B"]) if "B" in own else own["_make"]()

    @cached_property
    def structure(self) -> Structure:
        """What makes its decoding error cheap; see `fastgc.codes.structure`."""
        own = self.__dict__
        return structure_of(own["B"] if "B" in own else self.columns)  # noqa: SIM401

    @cached_property
    def classes(self) -> tuple[tuple[int, ...], ...] | None:
        """Sets of workers whose columns add up to 1 in every partition, None where not known.

        They are in the order in which Algorithm 3 of paper `binary` looks for one that is complete.
        """
        known: Sequence[Sequence[int]] | None = self.__dict__["_classes"]
        return None if known is None else tuple(tuple(workers) for workers in known)

    @cached_property
    def holders(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Who holds each partition: offsets, int64 (k + 1,), and workers, int32 (entries,).

        Partition i is held by workers ``workers[offsets[i]:offsets[i + 1]]``, in their order.
        """
        rows = self.columns.transposed
        return rows.offsets, rows.places

    @cached_property
    def loads(self) -> NDArray[np.int64]:
        """Partitions that each worker holds, int64 array (n,), read-only."""
        match self.structure:
            case Groups(labels, weights):
                found = np.where(labels < 0, 0, weights[labels]) if len(weights) else labels + 1
            case CycleGaps(n):
                found = np.full(n, 2)
            case _:
                found = self.columns.counts
        found.flags.writeable = False
        return found

    def answers(self, gradients: ArrayLike) -> NDArray[Any]:
        """Return what workers send for the gradients of all partitions, one answer a row.

        ``gradients``, array_like (k, l): one partial gradient a row.

        Returns an array (n, l), whose rows `fastgc.decoding.decode.Decoding.gradient` adds up; a
        FastgcError says if the shape does not fit.

        >>> code_of([[1, 0, 1], [0, 1, 1]]).answers([[1.0, 2.0], [10.0, 20.0]]).tolist()
        [[1.0, 2.0], [10.0, 20.0], [11.0, 22.0]]
        """
        given = np.asarray(gradients)
        if given.ndim != 2 or len(given) != self.k:
            raise FastgcError(f"gradients: must have shape ({self.k}, l) (got {given.shape})")
        return np.asarray(self.B.T @ given)

    @property
    def obstacle(self) -> str | None:
        """Why what adds up real answers cannot take the code, if so."""
        return f"{self.name} is complex" if self.is_complex else None


@public
def code_of(
    B: "ArrayLike | Columns",
    name: str = "matrix",
    tolerance: int | None = None,
    classes: Sequence[Sequence[int]] | None = None,
) -> Code:
    """Make a code of any matrix, finding its structure.

    Parameters
    ----------
    B : array_like (k, n) or Columns
        Finite numbers, real or complex, partitions × workers.
    name : str
        How messages call it.
    tolerance : int, optional
        Stragglers that exact decoding is known to survive.
    classes : tuple of tuples of int, optional
        Sets of workers whose columns add up to 1 in every partition.

    Returns
    -------
    Code
        With a read-only copy of B and the structure that makes its decoding cheap.

    Raises
    ------
    FastgcError
        If B is no k × n table of finite numbers with k, n ≥ 1, or the largest entry of a column is
        not 0 and not from 1e-150 to 1e150 in size.

    Examples
    --------
    >>> code_of([[1, 0, 1], [0, 1, 1]]).loads.tolist()
    [1, 1, 2]
    """
    return Code(name, _checked(B, name), None, tolerance, classes)


def _checked(given: Any, name: str) -> NDArray[Any] | Columns:
    held = given if isinstance(given, Columns) else None
    if np.ma.is_masked(given):
        raise FastgcError(f"{name}: {MASKED}")
    try:
        values = np.asarray(given) if held is None else held.values  # a ragged list raises
        if values.dtype.kind not in "buifc":
            raise TypeError
    except (TypeError, ValueError):
        raise FastgcError(
            f"{name}: must be a table of numbers, partitions × workers, with rows of one length"
        ) from None
    if held is None:
        values = values.astype(np.complex128 if values.dtype.kind == "c" else np.float64)
    shape = values.shape if held is None else (held.height, held.n)
    if len(shape) != 2 or 0 in shape:
        raise FastgcError(
            f"{name}: must have two dimensions, partitions × workers, neither of them empty "
            f"(got shape {shape})"
        )
    if held is not None and held.are_ones and values.dtype.kind != "c":
        return held
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        at = tuple(bad[0].tolist())
        row, column = at if held is None else (held.places[at], held.owners[at])
        raise FastgcError(
            f"{name}: every entry must be finite (got {values[at]} in row {row}, column {column}, "
            "counted from 0)"
        )
    sizes = np.zeros(shape[1])
    if held is None:
        sizes = np.abs(values).max(axis=0)
    else:
        np.maximum.at(sizes, held.owners, np.abs(values))
    # Beyond these sizes the squares of weights are no double-precision numbers.
    extreme = np.flatnonzero((sizes > LARGEST_ENTRY) | ((sizes > 0) & (sizes < 1 / LARGEST_ENTRY)))
    if len(extreme):
        j = extreme[0]
        raise FastgcError(
            f"{name}: the largest entry of a column must be from {1 / LARGEST_ENTRY:g} to "
            f"{LARGEST_ENTRY:g} in size, or 0 (got {sizes[j]:g} in column {j}, counted from 0); "
            "multiply the column by a number"
        )
    is_complex = values.dtype.kind == "c" and bool(values.imag.any())
    if held is None:
        return values if is_complex else values.real
    if is_complex or values.dtype.kind != "c":
        return held
    return Columns(held.height, held.offsets, held.places, values.real.copy())


class Copied(Protocol):
    """What sparse matrices of SciPy and graphs of networkx, whose edges are workers, both have."""

    def copy(self) -> Any:
        """Return the same again."""


#: All that stands for a code: itself, its matrix, a graph, a file, or the table of a study.
AnyCode = Code | ArrayLike | Copied | Path | Table | Mapping[str, Any]


@public
def unevenness(code: Code, s: int) -> float:
    """Return ``d_s(B) = Σ_j |load_j − k (s + 1)/n|`` (paper `binary`, Definition 2).

    Parameters
    ----------
    code : Code
        Any code.
    s : int
        Stragglers that the code is meant to survive, 0 ≤ s < n.

    Returns
    -------
    float
        In partitions; 0 exactly when all loads equal k (s + 1)/n.

    Raises
    ------
    FastgcError
        If ``code`` is no `Code` or s is no integer with 0 ≤ s < n.

    Examples
    --------
    >>> from fastgc.codes import binary
    >>> unevenness(binary(n=11, s=3), s=3)
    6.0
    """
    if not isinstance(code, Code):
        raise FastgcError(f"unevenness: code must be a Code (got {type(code).__name__})")
    if isinstance(s, bool) or not isinstance(s, int | np.integer) or not 0 <= s < code.n:
        raise FastgcError(f"unevenness: s must be an integer, 0 ≤ s < n (got n={code.n}, s={s!r})")
    # In whole numbers, so that an even code gives exactly 0.
    excess = sum(abs(code.n * load - code.k * (int(s) + 1)) for load in code.loads.tolist())
    return float(excess / code.n)
