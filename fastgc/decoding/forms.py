"""Complex codes and codes whose workers send pieces, in the form that real algorithms decode.

Complex: with z = (1 + i) x, least ‖B x − 1‖² is half the least ‖B z − (1 + i) 1‖², and this is a
real problem with twice the rows and columns whose right side is all ones.

Pieces: the m problems B x_u = 1 ⊗ e_u share B. A reflection Q_u of the pieces takes e_u to
1/√m, so that each is 1/m of a problem of the matrix (I ⊗ Q_u) B whose right side is all ones.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code
from fastgc.decoding import factorization
from fastgc.decoding.algorithms import Algorithm, Errors, Matrix, Packed

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


def of_pieces(code: Code) -> list[Number]:
    """Return the matrix whose problem is that of each piece: B itself where there is one."""
    m = code.pieces
    if m == 1:
        return [code.B]
    rows = code.B.reshape(code.k, m, code.n)
    found = []
    for piece in range(m):
        v = np.full(m, -1.0 / math.sqrt(m))
        v[piece] += 1.0
        scale = 2.0 / math.fsum((v * v).tolist())
        along = np.zeros_like(rows[:, 0])
        for u in range(m):  # in one order, on every machine
            along += v[u] * rows[:, u]
        turned = rows - scale * v[:, np.newaxis] * along[:, np.newaxis]
        found.append(np.ascontiguousarray(turned.reshape(code.B.shape)))
    return found


class RealForms(Algorithm):
    """Decodes a code that is complex, or whose workers send pieces, by real algorithms.

    ``pick``: returns the algorithm of a real matrix whose right side is all ones.
    """

    def __init__(self, code: Code, pick: Callable[[Matrix], Algorithm]) -> None:
        self._each = [pick(real_form(matrix)) for matrix in of_pieces(code)]
        self.name, self._n, self._is_complex = self._each[0].name, code.n, code.is_complex

    def errors(self, packed: Packed, out: Errors) -> None:
        """Fill ``out`` (T,) with the errors, of pieces on average, of up to 65536 patterns."""
        packed = self._of_columns(packed)
        part = np.empty(len(packed))
        out[:] = 0.0
        for one in self._each:
            one.errors(packed, part)
            out += part
        out /= len(self._each) ** 2 * (2 if self._is_complex else 1)

    def vectors(self, packed: Packed) -> Number:
        """Return the decoding vectors of patterns, (T, n · m): worker j's weights side by side."""
        packed, root = self._of_columns(packed), math.sqrt(len(self._each))
        found: list[Number] = [one.vectors(packed) for one in self._each]
        if self._is_complex:
            found = [complex_weights(vectors) for vectors in found]
        return np.stack([each / root for each in found], axis=-1).reshape(len(packed), -1)

    def _of_columns(self, packed: Packed) -> Packed:
        return doubled(packed, self._n) if self._is_complex else packed

    @property
    def tiers(self) -> tuple[str, ...]:
        return max((one.tiers for one in self._each), key=len)

    def tier_of(self, packed: Packed) -> NDArray[np.uint8]:
        """Return by which of ``tiers`` each pattern's slowest piece is found, (T,)."""
        packed, most = self._of_columns(packed), len(self.tiers)
        own = [one.tier_of(packed) + np.uint8(most - len(one.tiers)) for one in self._each]
        return np.asarray(np.max(own, axis=0))


def least_squares(code: Code, chosen: NDArray[np.int64]) -> tuple[float, Number, Number]:
    """Return the least error of one pattern, the shortest vector, and the residual.

    ``chosen``, int64 array (r,): survivors. The vector is an array (r,), or (r, m) for m pieces;
    the residual (k,), or (k · m, m).
    """
    m = code.pieces
    total = 0.0
    vectors: list[Number] = []
    for matrix in of_pieces(code):
        own = np.ascontiguousarray(real_form(matrix[:, chosen]))
        error, found = factorization.least_squares(own)
        vector: Number = found
        if code.is_complex:
            error, vector = 0.5 * error, complex_weights(found)
        total += error
        vectors.append(vector / math.sqrt(m) if m > 1 else vector)
    A = code.B[:, chosen]
    if m == 1:
        return total, vectors[0], A @ vectors[0] - 1.0
    X = np.stack(vectors, axis=1)
    return total / m**2, X, A @ X - np.tile(np.eye(m), (code.k, 1))
