"""Chunks of a dataset with HDF5's checksum, made and written here: HDF5 would copy them thrice.

The checksum is Fletcher's of 32 bits over big-endian words of 16: two sums modulo 2¹⁶ − 1, of the
words and of the words times how many come from each on. Sums of little-endian words are the same
but for a factor of 2⁸, which exchanges the bytes of either.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.results.hdf5 import h5py

_SIDE = 256  # words of 64 bits are summed by row and by column of squares
_SQUARE = _SIDE * _SIDE
_LANES = np.uint64(0x0000FFFF0000FFFF)
_LANE = np.uint64(16)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_PLACES = np.arange(_SIDE, dtype=np.uint64)
_MODULUS = 0xFFFF
CHECKSUM_BYTES = 4


class Chunks:
    """Writes whole chunks, in memory that is used again."""

    def __init__(self) -> None:
        self._chunk = np.empty(0, np.uint8)
        self._square = np.empty(_SQUARE, np.uint64)

    def write(self, dataset: h5py.Dataset, first: int, values: NDArray[Any]) -> None:
        """Write the rows from ``first`` on, which are one chunk of a dataset with checksums.

        Those that are not a whole chunk, and on machines with the other byte order, HDF5 writes.
        """
        whole = values.shape == dataset.chunks and values.nbytes % 8 == 0
        if not whole or sys.byteorder != "little":
            dataset[first : first + len(values)] = values
            return
        size = values.nbytes
        if self._chunk.size != size + CHECKSUM_BYTES:
            self._chunk = np.empty(size + CHECKSUM_BYTES, np.uint8)
        self._chunk[:size].view(values.dtype).reshape(values.shape)[...] = values
        checksum = self.checksum(self._chunk[:size].view(np.uint64))
        self._chunk[size:] = np.frombuffer(checksum.to_bytes(CHECKSUM_BYTES, "little"), np.uint8)
        dataset.id.write_direct_chunk((first, *(0,) * (values.ndim - 1)), self._chunk)

    def checksum(self, words: NDArray[np.uint64]) -> int:
        """Return the checksum of words of 64 bits.

        Examples
        --------
        >>> hex(Chunks().checksum(np.array([0x0000000000000201], np.uint64)))
        '0x4080102'
        """
        total = places = before = 0
        for start in range(0, words.size, _SQUARE):
            part = words[start : start + _SQUARE]
            for lane in (0, 1):
                own, weighted = self._sums(part, lane)
                total += sum(own)
                places += sum(
                    4 * (start * each + at) + (lane + 2 * half) * each
                    for half, (each, at) in enumerate(zip(own, weighted, strict=True))
                )
        before = 4 * words.size * total - places
        return _folded(before << 8) << 16 | _folded(total << 8)

    def _sums(self, words: NDArray[np.uint64], lane: int) -> tuple[list[int], list[int]]:
        """Σ w and Σ m w over words m, of two of their four lanes: the lane, and the second next."""
        found = self._square[: words.size]
        if lane:
            np.right_shift(words, _LANE, out=found)
            words = found
        np.bitwise_and(words, _LANES, out=found)
        rows = len(found) // _SIDE
        square, rest = found[: rows * _SIDE].reshape(rows, _SIDE), found[rows * _SIDE :]
        parts = (
            (square.sum(axis=1), _PLACES[:rows] * np.uint64(_SIDE)),
            (square.sum(axis=0), _PLACES),
            (rest, _PLACES[: rest.size] + np.uint64(rows * _SIDE)),
        )
        own, weighted = [], []
        for halves in [[_half(sums, half) for sums, _ in parts] for half in (0, 1)]:
            own.append(int(halves[0].sum() + halves[2].sum()))
            weighted.append(
                sum(int(sums @ at) for sums, (_, at) in zip(halves, parts, strict=True))
            )
        return own, weighted


def _half(sums: NDArray[np.uint64], half: int) -> NDArray[np.uint64]:
    """Sums of one of two lanes: neither has more than 32 bits."""
    return sums >> _HALF if half else sums & _LOW


def _folded(number: int) -> int:
    """Remainder that is 0 for 0 alone: carries are added to the lowest bit."""
    return (number - 1) % _MODULUS + 1 if number else 0
