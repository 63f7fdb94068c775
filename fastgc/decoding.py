"""Decoding: one pattern → error and decoding vector; many patterns → their errors.

The kernel that computes many errors is picked by the code's structure; see `Decoder`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.codes.code import Code, code_of
from fastgc.codes.structure import CycleGaps, General, Groups, Intervals, Structure
from fastgc.errors import FastgcError
from fastgc_kernels import (
    cycle_gaps,
    groups,
    intervals,
    jacobi,
    least_squares,
    lookup,
    orthogonal,
)

DECODERS = ("optimal",)
MOST_TABULATED = 24
"""Workers up to which `Decoder.table` is given."""

_MOST_LOOKED_UP = 16  # a table of 2¹⁶ errors stays in the cache
_LARGEST_COMPILED = 1000  # the compiled SVD takes 3 s here and grows with the cube
# Beyond it rounding of B⁺ itself shows: errors of 3e-11·k were measured at it, 2e-10·k at 1e7.
_LARGEST_CONDITION = 1e6
_ZERO_IN_P = 1e-13  # entries of a projector: rounding
_CHUNK = 65_536
_EPSILON = 2.0**-52

Errors = NDArray[np.float64]
Packed = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Decoding:
    """What the optimal decoding of one pattern gives.

    Attributes
    ----------
    error : float
        Decoding error min_x ‖B[:, survivors] x − 1‖².
    vector : float64 array (survivors,)
        The minimiser of smallest norm: one weight for each survivor, in the order given.
    residual : float64 array (k,)
        B[:, survivors] x − 1.
    amplification : float
        ‖x‖²: how much independent noise in the survivors' answers grows.
    """

    error: float
    vector: NDArray[np.float64]
    residual: NDArray[np.float64]
    amplification: float


def decode(code: Code | ArrayLike, survivors: ArrayLike, decoder: str = "optimal") -> Decoding:
    """Decode one straggler pattern.

    Parameters
    ----------
    code : Code or array_like (k, n)
        A code or any encoding matrix, partitions × workers.
    survivors : array_like
        The workers that answered: distinct indices from 0, or n booleans.
    decoder : {"optimal"}
        Least squares: Charles, Papailiopoulos and Ellenberg, "Approximate gradient coding via
        sparse random graphs" (2017), err(A) of Section 2.

    Returns
    -------
    Decoding
        With no survivor the error is k and the amplification 0.

    Raises
    ------
    FastgcError
        If B is no table of finite numbers, or survivors or decoder are none that it has.

    Examples
    --------
    >>> decoding = decode([[1, 0, 1], [1, 1, 0], [0, 1, 1]], survivors=[0, 1])
    >>> round(decoding.error, 12), decoding.vector.round(12).tolist()
    (0.333333333333, [0.666666666667, 0.666666666667])
    """
    B = _as_code(code).B
    if decoder not in DECODERS:
        allowed = ", ".join(f'"{name}"' for name in DECODERS)
        raise FastgcError(f"decoder: must be {allowed} (got {decoder!r})")
    A = np.ascontiguousarray(B[:, _indices(survivors, B.shape[1])])
    error, vector = _least_squares(A)
    residual = A @ vector - 1.0
    return Decoding(error, vector, residual, float(vector @ vector))


class Decoder:
    """Decoding errors of many patterns of one code.

    Parameters
    ----------
    code : Code or array_like (k, n)
        A code or any encoding matrix, partitions × workers.
    use_structure : bool
        Use the kernel of the code's structure where it has one.
    use_lookup : bool
        Tabulate the errors of small codes.

    Attributes
    ----------
    kind : str
        Kernel used: "groups", "cycle-gaps", "intervals", "lookup", "least-squares" or
        "orthogonal".
    exact_threshold : float
        Largest error that counts as exact recovery: 0 for 0/1 structures, whose kernels return
        exact zeros, else max(1e-9, 1e3·eps·cond(B⁺))·k.

    Raises
    ------
    FastgcError
        If B is no table of finite numbers.

    Examples
    --------
    >>> decoder = Decoder([[1, 0, 1], [1, 1, 0], [0, 1, 1]])
    >>> decoder.kind, decoder.errors(np.array([[0b011], [0b111]], np.uint64)).round(12).tolist()
    ('cycle-gaps', [0.333333333333, 0.0])
    """

    kind: str
    exact_threshold: float

    def __init__(
        self, code: Code | ArrayLike, use_structure: bool = True, use_lookup: bool = True
    ) -> None:
        code = _as_code(code)
        self._code = code
        structure = code.structure if use_structure else General()
        self._kernel = self._pick(structure)
        self.kind = self._kernel.kind
        self.exact_threshold = 0.0
        if isinstance(structure, General):
            self.exact_threshold = max(1e-9, 1e3 * _EPSILON * self.condition) * code.k
        #: Where the tables derived from B come from: equal bits everywhere, or for equal builds.
        self.linear_algebra = "compiled" if max(code.B.shape) <= _LARGEST_COMPILED else "LAPACK"
        self._table: Errors | None = None
        if use_lookup and code.n <= _MOST_LOOKED_UP and isinstance(structure, General | Intervals):
            self._table = self._tabulate()
            self._kernel = _Lookup(self._table)
            self.kind = self._kernel.kind

    def _pick(self, structure: Structure) -> _Kernel:
        """The kernel for a structure."""
        if isinstance(structure, Groups):
            return _Groups(structure)
        if isinstance(structure, CycleGaps):
            return _CycleGaps(structure)
        if isinstance(structure, Intervals):
            return _Intervals(structure)
        if self.condition <= _LARGEST_CONDITION:
            return _LeastSquares(self._scaled, self._decomposition)
        return _Orthogonal(self._scaled)

    @cached_property
    def _scaled(self) -> NDArray[np.float64]:
        """B with columns scaled by powers of two to lengths near 1."""
        return _scale_columns(self._code.B)[0]

    @cached_property
    def _decomposition(self) -> _Decomposition:
        return _Decomposition.of(self._scaled)

    @cached_property
    def condition(self) -> float:
        """Largest over smallest non-zero singular value of B with its columns scaled."""
        return self._decomposition.condition

    def errors(self, packed: Packed) -> Errors:
        """Errors of packed patterns.

        Parameters
        ----------
        packed : uint64 array (T, words)
            Bit j % 64 of word j // 64 is set if worker j survived; unused bits are 0.

        Returns
        -------
        float64 array (T,)
        """
        packed = np.ascontiguousarray(packed, dtype=np.uint64)
        words = -(-self._code.n // 64)
        if packed.ndim != 2 or packed.shape[1] != words:
            raise FastgcError(
                f"packed: must have {words} words for each pattern of {self._code.n} workers "
                f"(got shape {packed.shape})"
            )
        out = np.empty(len(packed))
        for first in range(0, len(packed), _CHUNK):
            part = slice(first, first + _CHUNK)
            self._kernel.errors(packed[part], out[part])
        return out

    def table(self) -> Errors:
        """Errors of all 2ⁿ patterns, at the pattern's survivor bits read as a number.

        Raises
        ------
        FastgcError
            If n is larger than 24.
        """
        if self._code.n > MOST_TABULATED:
            raise FastgcError(
                f"table: 2ⁿ errors are tabulated for n ≤ {MOST_TABULATED} (got n={self._code.n})"
            )
        return self._tabulate() if self._table is None else self._table

    def _tabulate(self) -> Errors:
        out = np.empty(1 << self._code.n)
        for first in range(0, out.size, _CHUNK):
            last = min(first + _CHUNK, out.size)
            packed = np.arange(first, last, dtype=np.uint64)[:, np.newaxis]
            self._kernel.errors(packed, out[first:last])
        out.flags.writeable = False
        return out


class _Kernel(Protocol):
    """Errors of up to 65536 patterns into ``out``."""

    kind: str

    def errors(self, packed: Packed, out: Errors) -> None: ...


class _Groups:
    kind = "groups"

    def __init__(self, structure: Groups) -> None:
        self._structure = structure

    def errors(self, packed: Packed, out: Errors) -> None:
        own = self._structure
        groups.errors(packed, own.labels, own.weights, own.uncovered, out)


class _CycleGaps:
    kind = "cycle-gaps"

    def __init__(self, structure: CycleGaps) -> None:
        self._n = structure.n

    def errors(self, packed: Packed, out: Errors) -> None:
        cycle_gaps.errors(packed, self._n, out)


class _Intervals:
    kind = "intervals"

    def __init__(self, structure: Intervals) -> None:
        ends = np.array([0, structure.k], dtype=np.int64)
        points = np.unique(np.concatenate([structure.start, structure.stop, ends]))
        self._start = np.searchsorted(points, structure.start).astype(np.int64)
        self._stop = np.searchsorted(points, structure.stop).astype(np.int64)
        self._lengths = np.diff(points)

    def errors(self, packed: Packed, out: Errors) -> None:
        intervals.errors(packed, self._start, self._stop, self._lengths, out)


class _Lookup:
    kind = "lookup"

    def __init__(self, table: Errors) -> None:
        self._errors = table

    def errors(self, packed: Packed, out: Errors) -> None:
        lookup.errors(packed, self._errors, out)


class _Orthogonal:
    kind = "orthogonal"

    def __init__(self, scaled: NDArray[np.float64]) -> None:
        self._columns = np.ascontiguousarray(scaled.T)

    def errors(self, packed: Packed, out: Errors) -> None:
        orthogonal.errors(packed, self._columns, out)


class _LeastSquares:
    """The kernel on stragglers; patterns that it cannot decide go to the orthogonal one."""

    kind = "least-squares"

    def __init__(self, scaled: NDArray[np.float64], parts: _Decomposition) -> None:
        rank = parts.rank
        self._k = float(scaled.shape[0])
        inverse = parts.V[:rank] / parts.S[:rank, np.newaxis]
        self._H = jacobi.gram(inverse)
        self._x = jacobi.combine(parts.coefficients[:rank], inverse)
        self._e0 = parts.remainder
        null = np.ascontiguousarray(parts.V[rank:])
        self._null_rows = np.ascontiguousarray(null.T)
        self._P = jacobi.gram(null)
        self._component, self._ranks = _components(self._P, len(null))
        if self._ranks.size == 0:
            least_squares.normalise(self._H, self._x)
        self._fallback = _Orthogonal(scaled)

    def errors(self, packed: Packed, out: Errors) -> None:
        doubtful = np.empty(len(packed), np.uint8)
        least_squares.errors(
            packed,
            self._H,
            self._P,
            self._component,
            self._ranks,
            self._x,
            self._e0,
            self._k,
            out,
            doubtful,
        )
        if doubtful.any():
            least_squares.confirm(packed, self._null_rows, doubtful)
            left = np.flatnonzero(doubtful)
            errors = np.empty(left.size)
            self._fallback.errors(packed[left], errors)
            out[left] = errors


@dataclass(frozen=True, eq=False)
class _Decomposition:
    """Singular value decomposition of a matrix, with the ones in its left singular vectors."""

    S: NDArray[np.float64]
    V: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    rank: int
    remainder: float

    @staticmethod
    def of(B: NDArray[np.float64]) -> _Decomposition:
        ones = np.ones(len(B))
        if max(B.shape) <= _LARGEST_COMPILED:
            S, V, coefficients, left = jacobi.svd(B, ones)
        else:
            U, S, V = np.linalg.svd(B)
            coefficients = ones @ U
            left = math.fsum(coefficients[S.size :] ** 2)
        # As LAPACK's least squares cuts, with room for the rounding of small matrices.
        cut = 2.0 * _EPSILON * (max(B.shape) + 8)
        rank = int(np.count_nonzero(cut * S[0] < S)) if S.size else 0
        remainder = math.fsum([left, *(coefficients[rank : S.size] ** 2)])
        return _Decomposition(S, V, coefficients, rank, remainder)

    @property
    def condition(self) -> float:
        return float(self.S[0] / self.S[self.rank - 1]) if self.rank else 1.0


def _components(
    P: NDArray[np.float64], nullity: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Blocks of workers that depend on each other: the block of each worker, and their ranks.

    A worker whose column is independent of all others is in block −1.
    """
    n = len(P)
    linked = np.abs(P) > _ZERO_IN_P
    component = np.full(n, -1, dtype=np.int64)
    traces: list[float] = []
    for first in range(n):
        if component[first] >= 0 or not linked[first].any():
            continue
        members = np.zeros(n, dtype=bool)
        fresh = members.copy()
        fresh[first] = True
        while fresh.any():
            members |= fresh
            fresh = linked[fresh].any(axis=0) & ~members
        component[members] = len(traces)
        traces.append(math.fsum(P.diagonal()[members]))
    ranks = np.rint(traces).astype(np.int64)
    if ranks.sum() != nullity or np.any(np.abs(traces - ranks) > 1e-6):
        return np.zeros(n, dtype=np.int64), np.array([nullity])  # one block: always true
    return component, ranks


def _scale_columns(
    B: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Scale columns by powers of two to lengths in [1/2, 1); B is the result times 2^exponents."""
    largest = np.frexp(np.abs(B).max(axis=0, initial=0.0))[1]
    scaled = np.ldexp(B, -largest)
    lengths = np.frexp(np.sqrt((scaled * scaled).sum(axis=0)))[1]
    return np.ldexp(scaled, -lengths), (largest + lengths).astype(np.int64)


def _least_squares(A: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Error and shortest minimiser of ‖A x − 1‖².

    The rank is decided on scaled columns, x is shortest for A itself.
    """
    k, r = A.shape
    if r == 0:
        return float(k), np.empty(0)
    scaled, exponents = _scale_columns(A)
    parts = _Decomposition.of(scaled)
    rank = parts.rank
    S, V, coefficients = parts.S[:rank], parts.V[:rank], parts.coefficients[:rank]
    vector = jacobi.combine(coefficients, V / S[:, np.newaxis])
    columns = np.ascontiguousarray(scaled.T)
    error = min(orthogonal.distance(columns, np.arange(r), vector), float(k))
    if rank == r or np.ptp(exponents) == 0:
        return error, np.ldexp(vector, -exponents)
    # A = U·rows, where the columns of rows take back the scaling.
    order = np.argsort(-exponents, kind="stable")
    middle = (int(exponents.max()) + int(exponents.min())) // 2
    within = np.clip(exponents - middle, -400, 400)[order]  # squares must not overflow
    rows = np.ldexp(V[:, order] * S[:, np.newaxis], within)
    vector[order] = np.ldexp(jacobi.shortest(rows, coefficients), within - exponents[order])
    return error, vector


def _as_code(code: Any) -> Code:
    return code if isinstance(code, Code) else code_of(code, "B")


def _indices(survivors: ArrayLike, n: int) -> NDArray[np.int64]:
    """Check survivors and return their indices."""
    try:
        given = np.asarray(survivors)
    except ValueError:
        given = np.empty((0, 0))
    if given.ndim != 1 or not (given.size == 0 or given.dtype.kind in "bui"):
        raise FastgcError(
            f"survivors: must be a list of workers' indices or of {n} booleans (got {survivors!r})"
        )
    if given.dtype.kind == "b":
        if given.size != n:
            raise FastgcError(f"survivors: must have {n} booleans, one a worker (got {given.size})")
        return np.flatnonzero(given)
    outside = given[(given < 0) | (given >= n)]
    if outside.size:
        raise FastgcError(
            f"survivors: every index must be from 0 to {n - 1} (got {int(outside[0])})"
        )
    indices = given.astype(np.int64)
    found, times = np.unique(indices, return_counts=True)
    if np.any(times > 1):
        raise FastgcError(
            f"survivors: every worker can be listed once (got {int(found[times > 1][0])} twice)"
        )
    return indices
