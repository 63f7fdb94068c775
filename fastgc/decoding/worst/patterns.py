"""Errors of patterns that are given by their stragglers, and what searches found."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc.decoding.decoder import Decoder
from fastgc.decoding.survivors import packed

Sets = NDArray[np.int64]
#: The largest error of a search, its stragglers, and how many starts of how many ended there.
Found = tuple[float, list[int], int, int]
_SAME = 1e-9


def errors_with(decoder: Decoder, sets: Sets, n: int) -> NDArray[np.float64]:
    """Return the errors of sets (T, s) of stragglers among n workers."""
    survived = np.ones((len(sets), n), bool)
    np.put_along_axis(survived, sets, False, axis=1)
    return decoder.errors(packed(survived))


def number_of_best(errors: NDArray[np.float64], k: int) -> int:
    """Return how many errors are the largest, but for rounding, of a code of k partitions."""
    return int(np.count_nonzero(errors >= errors.max() - _SAME * k))
