"""Algorithms for any real matrix, in tiers: what a fast one leaves undecided goes to the next."""

import numpy as np
from numpy.typing import NDArray

from fastgc.decoding.algorithms import CHUNK, Errors, Matrix, Optimal, Packed
from fastgc.decoding.factorization import EPSILON, Decomposition, scale_columns
from fastgc.registry.cached import cached_property
from fastgc_kernels.decode import (
    gram_schmidt,
    jacobi,
    least_squares,
    orthogonal,
    pattern_tree,
    straggler_costs,
)

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
            errors = np.empty(left.size)
            self._next.errors(packed[left], errors)
            out[left] = errors

    def tier_of(self, packed: Packed) -> NDArray[np.uint8]:
        """Return by which of ``tiers`` each error is found, (T,), without the slowest's work."""
        found = np.zeros(len(packed), np.uint8)
        left = self.attempt(packed, np.empty(len(packed)))
        if left.size:
            found[left] = 1 + self._next.tier_of(packed[left])
        return found

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
        limits = gram_schmidt.Limits(zero, zero * parts.condition, _LOST, most)
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
        for first in range(0, left.size, CHUNK):
            own = left[first : first + CHUNK]
            errors = np.empty(own.size)
            self._next.errors(own.astype(np.uint64)[:, np.newaxis], errors)
            out[own] = errors
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
