"""Errors of patterns that are given by their stragglers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc.decoding.decoder import Decoder
from fastgc.draws.streams import WORD

Sets = NDArray[np.int64]


def errors_with(decoder: Decoder, sets: Sets, n: int) -> NDArray[np.float64]:
    """Return the errors of sets (T, s) of stragglers among n workers."""
    survived = np.ones((len(sets), WORD * -(-n // WORD)), np.uint8)
    survived[:, n:] = 0
    np.put_along_axis(survived, sets, 0, axis=1)
    packed = np.packbits(survived, axis=1, bitorder="little").view(np.uint64)
    return decoder.errors(packed)
