"""Bits of 64-bit words as arrays of bytes, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def bits_of(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Bits (m, 64 · w) of rows of words (m, w), the lowest first."""
    rows = np.ascontiguousarray(words, dtype="<u8")
    return np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")


def words_of(bits: NDArray[Any], words: int) -> NDArray[np.uint64]:
    """Words (m, w) of rows of bits, padded with zeros."""
    padded = np.zeros((bits.shape[0], 64 * words), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def workers_of(packed: NDArray[np.uint64], n: int) -> NDArray[np.uint8]:
    """Whether each of n workers (T, n) survives in packed patterns (T, words)."""
    return bits_of(packed)[:, :n]
