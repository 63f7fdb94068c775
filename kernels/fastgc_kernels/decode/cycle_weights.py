"""Weights that decoding gives the partitions of the 0/1 circulant with two partitions a worker.

Partition = vertex, worker = edge. Stragglers cut the cycle into paths; on a path of v vertices all
weights are 1 when v is even, and 1 ∓ 1/v, beginning with 1 − 1/v, when v is odd.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit

U64 = np.uint64
ZERO = U64(0)
ONE = U64(1)
SIX = U64(6)
LOW = U64(63)


@jit
def weights(packed: NDArray[np.uint64], n: int, out: NDArray[np.float64]) -> None:
    """Fill ``out`` (T, n) for packed patterns (T, words): worker j holds partitions j and j + 1."""
    lost = np.empty(n + 1, np.int64)
    for t in range(packed.shape[0]):
        own = out[t]
        count = 0
        for j in range(n):
            own[j] = 1.0
            lost[count] = j
            alive = (packed[t, U64(j) >> SIX] >> (U64(j) & LOW)) & ONE
            count += np.int64(alive == ZERO)
        lost[count] = n + lost[0] if count > 0 else 0
        for i in range(count):
            vertices = lost[i + 1] - lost[i]
            if vertices % 2:
                change = -1.0 / vertices
                for v in range(lost[i] + 1, lost[i + 1] + 1):
                    own[v if v < n else v - n] = 1.0 + change
                    change = -change
