"""Complex codes in the form that real algorithms decode.

With z = (1 + i) x, least ‖B x − 1‖² is half the least ‖B z − (1 + i) 1‖², and this is a
real problem with twice the rows and columns whose right side is all ones.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code
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
