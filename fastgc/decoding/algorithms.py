"""Algorithms that decode many patterns of one code, each with what it needs of the code."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code
from fastgc.codes.structure import Components, CycleGaps, Groups, Intervals, Structure
from fastgc.decoding.factorization import EPSILON, Decomposition, scale_columns
from fastgc.draws.patterns import packed as packed
from fastgc.draws.patterns import unpacked
from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc.registry.number_types import LARGEST
from fastgc_kernels.decode import (
    circulants,
    fixed_rules,
    gram_schmidt,
    graphs,
    groups,
    jacobi,
    least_squares,
    orthogonal,
    pattern_tree,
    straggler_costs,
)

Matrix = NDArray[np.float64]
Errors = Matrix
Packed = NDArray[np.uint64]

CHUNK = 65_536
_FEW_WORKERS = 2048  # up to them a mask of each group is worth its memory


class Algorithm(ABC):
    """Decodes many patterns of one code.

    ``name``: as `Decoder.algorithm` gives it; ``tiers``: names of what decodes, the fastest first,
    where patterns may be decoded in several ways.
    """

    name: str

    @property
    def tiers(self) -> tuple[str, ...]:
        """The algorithm itself, unless it leaves patterns to others."""
        return (self.name,)

    @abstractmethod
    def errors(self, packed: Packed, out: Errors) -> None:
        """Fill ``out`` (T,) with the errors of up to 65536 patterns."""

    def errors_of(self, packed: Packed) -> Errors:
        """Return the errors of any number of patterns, (T,)."""
        out = np.empty(len(packed))
        for first in range(0, len(packed), CHUNK):
            part = slice(first, first + CHUNK)
            self.errors(packed[part], out[part])
        return out

    def every_error(self, n: int) -> Errors:
        """Return the errors of all 2ⁿ patterns of n workers, their bits read as a number."""
        return self.errors_of(np.arange(1 << n, dtype=np.uint64)[:, np.newaxis])

    @abstractmethod
    def vectors(self, packed: Packed) -> NDArray[Any]:
        """Return the decoding vectors of patterns, (T, n): 0 for stragglers."""


class Optimal(Algorithm):
    """Optimal decoding: errors by a compiled function, vectors from the matrix itself.

    ``B``, float64 array (k, n) or Code: a code's matrix is asked for when vectors are;
    ``function``: called with the patterns, ``constants`` and the array to be filled; ``constants``:
    what the function needs of the code.
    """

    def __init__(
        self, name: str, B: Matrix | Code, function: Callable[..., None], *constants: Any
    ) -> None:
        self.name = name
        self._B = B
        self._function = function
        self._constants = constants

    def errors(self, packed: Packed, out: Errors) -> None:
        self._function(packed, *self._constants, out)

    def vectors(self, packed: Packed) -> Matrix:
        """Return the shortest of the optimal vectors of patterns, (T, n)."""
        B = self._B.B if isinstance(self._B, Code) else self._B
        out = np.empty((len(packed), B.shape[1]))
        jacobi.decoding_vectors(packed, np.ascontiguousarray(B.T), out)
        return out


def by_structure(code: Code, structure: Structure) -> Optimal | None:
    """Return the algorithm for a structure; None where only the matrix tells."""
    match structure:
        case Groups(labels, weights, uncovered) if code.n <= _FEW_WORKERS:
            return Optimal("groups", code, groups.errors, labels, weights, uncovered)
        case Groups(_, weights, uncovered):
            offsets, order = structure.members
            own = order, offsets, weights, uncovered
            return Optimal("groups", code, groups.errors_of_many, *own)
        case CycleGaps(n):
            return Optimal("cycle-gaps", code, circulants.gap_errors, n)
        case Components(edges, k):
            return Optimal("components", code, graphs.component_errors, edges, k)
        case Intervals(first, last, k):
            points = np.unique(np.concatenate([first, last, [0, k]]))
            if len(points) > LARGEST:
                raise FastgcError(
                    f"{code.name}: its workers' blocks begin and end at {len(points)} places, and "
                    f"errors of such codes are computed up to {LARGEST}; take fewer workers"
                )
            ends = (np.searchsorted(points, each).astype(np.int64) for each in (first, last))
            return Optimal("intervals", code, graphs.interval_errors, *ends, np.diff(points))
    return None


class Lookup(Algorithm):
    """Errors looked up among those of all patterns, which another algorithm has computed.

    ``all_errors``, float64 array (2ⁿ,): as `Decoder.errors_of_all_patterns` returns them;
    ``algorithm``: computes the vectors.
    """

    name = "lookup"

    def __init__(self, all_errors: Errors, algorithm: Algorithm) -> None:
        self._all_errors = all_errors
        self._algorithm = algorithm

    def errors(self, packed: Packed, out: Errors) -> None:
        # "wrap": what is out of range is not looked for, and bits of no worker count for nothing
        np.take(self._all_errors, packed[:, 0].view(np.int64), out=out, mode="wrap")

    def vectors(self, packed: Packed) -> NDArray[Any]:
        return self._algorithm.vectors(packed)


# ---- Any real matrix, in tiers: what a fast one leaves undecided goes to the next


_TOGETHER = 8  # rows of tables are as long as whole vectors
# What of the optimal x is rounding in the orthogonalising tier: twice what was measured.
_LOST = 4.0 * EPSILON


class Orthogonal(Optimal):
    """Errors of any code by pivoted QR of each pattern's columns: always accurate, but slow."""

    def __init__(self, B: Matrix) -> None:
        columns = np.ascontiguousarray(scale_columns(B)[0].T)
        super().__init__("orthogonal", B, orthogonal.errors, columns)


class _Tier(Optimal):
    """An algorithm that leaves some patterns to a slower one, ``_next``."""

    _next: Optimal

    @property
    def tiers(self) -> tuple[str, ...]:
        return (self.name, *self._next.tiers)

    def errors(self, packed: Packed, out: Errors) -> None:
        left = self.attempt(packed, out)
        if left.size:
            out[left] = self._next.errors_of(packed[left])

    def attempt(self, packed: Packed, out: Errors) -> NDArray[np.int64]:
        """Fill ``out`` as far as this tier decides; return the patterns that it does not."""
        left = np.empty(len(packed), np.uint8)
        self._function(packed, *self._constants, out, left)
        return np.flatnonzero(left)


class GramSchmidt(_Tier):
    """Errors of any code by orthogonalising the stragglers' rows of tables made once.

    It loses eps·cond, and leaves to `Orthogonal` the patterns whose rank it cannot tell.

    ``B``: float64 array (k, n); ``parts``: of B with its columns scaled.
    """

    def __init__(self, B: Matrix, parts: Decomposition) -> None:
        k, n = B.shape
        rank = parts.rank
        rows = np.hstack([_padded(parts.V[rank:]), _padded(parts.inverse)])
        c = _padded(parts.coefficients[:rank])
        values = np.full(c.size, np.inf)
        values[:rank] = parts.S[:rank]
        zero = 2.0 * EPSILON * (n + 8)
        most = accuracy(parts.condition) * k
        limits = gram_schmidt.Tolerances(zero, zero * parts.condition, _LOST, most)
        own = rows, n - rank, c, values, parts.remainder, float(k), limits
        super().__init__("gram-schmidt", B, gram_schmidt.errors, *own)
        self._next = Orthogonal(B)

    def every_error(self, n: int) -> Errors:
        """Return them by the next tier: what is enumerated counts as exact."""
        return self._next.every_error(n)


class LeastSquares(_Tier):
    """Errors of any code from a pattern's stragglers and squares of one decomposition's parts.

    It loses eps·cond², and leaves to `GramSchmidt` the patterns where that shows.

    ``B``: float64 array (k, n); ``parts``: of B with its columns scaled.
    """

    def __init__(self, B: Matrix, parts: Decomposition) -> None:
        rank = parts.rank
        H, x = jacobi.gram(parts.inverse), parts.shortest
        null = np.ascontiguousarray(parts.V[rank:])
        P = jacobi.gram(null)
        if len(null) == 0:
            least_squares.normalise(H, x)
        own = H, null, P, x, parts.remainder, float(B.shape[0])
        super().__init__("least-squares", B, least_squares.errors, *own)
        self._matrix, self._parts = B, parts

    @cached_property
    def _next(self) -> GramSchmidt:  # type: ignore[override]
        return GramSchmidt(self._matrix, self._parts)

    @property
    def is_enumerated_at_once(self) -> bool:
        """Whether all patterns share their steps; else each is decoded on its own."""
        return len(self._constants[1]) == 0

    def every_error(self, n: int) -> Errors:
        if not self.is_enumerated_at_once:
            return super().every_error(n)
        H, _, _, x, e0, k = self._constants
        out = np.empty(1 << n)
        pattern_tree.errors(straggler_costs.Cost(H, x, e0, k), out)
        left = np.flatnonzero(np.isnan(out))
        out[left] = self._next.errors_of(left.astype(np.uint64)[:, np.newaxis])
        return out


def _padded(columns: Matrix) -> Matrix:
    wide = np.zeros((-(-len(columns) // _TOGETHER) * _TOGETHER, *columns.shape[1:]))
    wide[: len(columns)] = columns
    return np.ascontiguousarray(wide.T)


def accuracy(condition: float) -> float:
    """Return what errors of a code may be wrong by at most, in units of k.

    Measured on codes of all conditions by `python -m bench.accuracy`, whose largest differences
    from 60 digits are smaller.
    """
    return max(1e-10, 4.0 * EPSILON * condition)


# ---- Decoders that are not optimal


def mean_column_sum(code: Code) -> float:
    """Return the mean column sum: d where each worker holds d partitions with weight 1."""
    held = code.columns
    total = len(held.values) if held.are_ones else math.fsum(held.values.tolist())
    return total / code.n


class OneStep(Algorithm):
    """One-step decoding: every survivor has the same weight ρ."""

    name = "one-step"

    def __init__(self, code: Code, rho: float | None) -> None:
        held = code.columns
        self._entries = held.places.astype(np.int64), np.ascontiguousarray(held.values)
        self._offsets = held.offsets
        self._k, self._n, self._load = code.k, code.n, mean_column_sum(code)
        self._rho = np.nan if rho is None else rho

    def errors(self, packed: Packed, out: Errors) -> None:
        own = *self._entries, self._offsets, self._k, self._load, self._rho
        fixed_rules.one_step_errors(packed, *own, out)

    def vectors(self, packed: Packed) -> Matrix:
        """Return the decoding vectors of patterns, (T, n): ρ for every survivor."""
        alive = unpacked(packed, self._n).astype(np.float64)
        survivors = alive.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            rho = self._k / (survivors * self._load) if np.isnan(self._rho) else self._rho
        return alive * np.where((survivors > 0) & np.isfinite(rho), rho, 0.0)


class CompleteClasses(Algorithm):
    """Algorithm 3 of paper ``binary``: error 0 where a class is complete, else error k."""

    name = "class"

    def __init__(self, classes: tuple[tuple[int, ...], ...], n: int, k: int) -> None:
        self._k = k
        self._members = np.zeros((len(classes) + 1, n))  # the last row: no class is complete
        for number, workers in enumerate(classes):
            self._members[number, list(workers)] = 1.0
        self._masks = packed(self._members[:-1] > 0)

    def errors(self, packed: Packed, out: Errors) -> None:
        out[:] = np.where(self._find(packed) >= 0, 0.0, float(self._k))

    def vectors(self, packed: Packed) -> Matrix:
        """Return the decoding vectors of patterns, (T, n): 1 in the first complete class."""
        return self._members[self._find(packed)]

    def _find(self, packed: Packed) -> NDArray[np.int64]:
        found = np.empty(len(packed), np.int64)
        fixed_rules.first_complete(packed, self._masks, found)
        return found


# ---- Complex codes
#
# With z = (1 + i) x, least ‖B x − 1‖² is half the least ‖B z − (1 + i) 1‖², and this is a
# real problem with twice the rows and columns whose right side is all ones.


Number = NDArray[Any]

_BITS = np.arange(256, dtype=np.uint16)[:, np.newaxis] >> np.arange(8, dtype=np.uint16) & 1
#: Of every byte the number whose bits are the byte's, each twice.
_TWICE = (_BITS * np.uint16(3) << 2 * np.arange(8, dtype=np.uint16)).sum(axis=1, dtype=np.uint16)


def real_form(B: Number) -> Matrix:
    """Return a real matrix (2k, 2n) for a complex one (k, n), a real one as it is.

    Columns 2j and 2j + 1 are worker j's, for the real and the imaginary part of its weight.
    """
    if not np.iscomplexobj(B):
        return B
    k, n = B.shape
    M = np.empty((2 * k, 2 * n))
    M[:k, 0::2], M[:k, 1::2] = B.real, -B.imag
    M[k:, 0::2], M[k:, 1::2] = B.imag, B.real
    return M


def doubled(packed: Packed, n: int) -> Packed:
    """Return patterns of 2n columns, in which those of worker j are 2j and 2j + 1."""
    twice = _TWICE[packed.view(np.uint8)].view(np.uint64)
    return np.ascontiguousarray(twice[:, : -(-2 * n // 64)])


def complex_weights(vectors: Matrix) -> NDArray[np.complex128]:
    """Return weights x (…, n) from the vector (…, 2n) of the real problem, which is (1 + i) x."""
    return np.asarray((vectors[..., 0::2] + 1j * vectors[..., 1::2]) / (1 + 1j))


class RealForm(Algorithm):
    """Decodes a complex code by the algorithm of its real form, whose right side is all ones."""

    def __init__(self, code: Code, pick: Callable[[Matrix], Algorithm]) -> None:
        self._real, self._n = pick(real_form(code.B)), code.n
        self.name = self._real.name

    def errors(self, packed: Packed, out: Errors) -> None:
        self._real.errors(doubled(packed, self._n), out)
        out *= 0.5

    def vectors(self, packed: Packed) -> Number:
        return complex_weights(self._real.vectors(doubled(packed, self._n)))

    @property
    def tiers(self) -> tuple[str, ...]:
        return self._real.tiers
