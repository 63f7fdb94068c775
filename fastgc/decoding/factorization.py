"""The singular value decomposition of an encoding matrix, and its scaled columns.

Up to n = 1000 everything comes from compiled code and has the same bits everywhere.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.registry.cached import cached_property
from fastgc_kernels.decode import jacobi, orthogonal

_FEWEST_KEPT = 64  # rows or columns of a matrix whose decomposition takes long
LARGEST_COMPILED = 1000  # the compiled SVD takes 3 s here and grows with the cube
EPSILON = 2.0**-52
#: Share of the largest eigenvalue of BᵀB that is added to all, so that none is 0.
_RIDGE = 1e-8


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Singular value decomposition of a matrix, and the coefficients of 1 in its basis."""

    S: Values
    V: Values
    coefficients: Values
    rank: int
    remainder: float

    @staticmethod
    def of(B: Values) -> "Decomposition":
        """Decompose B, cutting the rank as LAPACK's least squares does."""
        if not _FEWEST_KEPT <= max(B.shape) <= LARGEST_COMPILED:
            return Decomposition._of(B)
        return _kept(B.tobytes(), B.shape)

    @staticmethod
    def _of(B: Values) -> "Decomposition":
        ones = np.ones(len(B))
        if max(B.shape) <= LARGEST_COMPILED:
            S, V, coefficients, left = jacobi.svd(B, ones)
        else:
            U, S, V = np.linalg.svd(B)
            coefficients = ones @ U
            left = math.fsum(coefficients[S.size :] ** 2)
        # As LAPACK's least squares cuts, with room for the rounding of small matrices.
        cut = 2.0 * EPSILON * (max(B.shape) + 8)
        rank = int(np.count_nonzero(cut * S[0] < S)) if S.size else 0
        remainder = math.fsum([left, *(coefficients[rank : S.size] ** 2)])
        return Decomposition(S, V, coefficients, rank, remainder)

    @property
    def inverse(self) -> Values:
        """Rows of V over their singular values, (rank, n): the pseudo-inverse in U's basis."""
        return self.V[: self.rank] / self.S[: self.rank, np.newaxis]

    @property
    def shortest(self) -> Values:
        """B⁺1, (n,): the weights of all workers that decode best, the shortest of them."""
        return jacobi.combine(self.coefficients[: self.rank], self.inverse)

    @cached_property
    def ridge(self) -> tuple[Values, Values]:
        """(BᵀB + λ)⁻¹, (n, n), and that of Bᵀ1, with a small λ: what searches take."""
        r = len(self.S)
        squares = self.S**2 + _RIDGE * self.S[0] ** 2
        x = jacobi.combine(self.coefficients[:r] * self.S / squares, self.V[:r])
        H = jacobi.gram(self.V[:r] / np.sqrt(squares)[:, np.newaxis])
        if len(self.V) > r:
            H += jacobi.gram(np.ascontiguousarray(self.V[r:])) / (_RIDGE * self.S[0] ** 2)
        return H, x

    @property
    def condition(self) -> float:
        """The largest singular value over the smallest one that counts towards the rank."""
        return float(self.S[0] / self.S[self.rank - 1]) if self.rank else 1.0


@functools.lru_cache(2)
def _kept(entries: bytes, shape: tuple[int, int]) -> Decomposition:
    return Decomposition._of(np.frombuffer(entries).reshape(shape).copy())


def scale_columns(B: Values) -> tuple[Values, NDArray[np.int64]]:
    """Return columns scaled by powers of two to lengths in [1/2, 1), and their exponents.

    B is the result times 2^exponents.
    """
    largest = np.frexp(np.abs(B).max(axis=0, initial=0.0))[1]
    scaled = np.ldexp(B, -largest)
    lengths = np.frexp(np.sqrt((scaled * scaled).sum(axis=0)))[1]
    return np.ldexp(scaled, -lengths), (largest + lengths).astype(np.int64)


def least_squares(A: Values) -> tuple[float, Values]:
    """Return the least ‖A x − 1‖² and the shortest x that attains it.

    The rank is decided on scaled columns, x is shortest for A itself.
    """
    k, r = A.shape
    if r == 0:
        return float(k), np.empty(0)
    scaled, exponents = scale_columns(A)
    parts = Decomposition.of(scaled)
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
