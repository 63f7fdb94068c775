"""Decoding error of the 0/1 circulant with two partitions a worker: a cycle of workers.

Partition = vertex, worker = edge. Stragglers cut the cycle into paths; a path of v vertices costs
1/v when v is odd and nothing when v is even. Without stragglers the error is 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit
from fastgc_kernels.bits import trailing_zeros

U64 = np.uint64
ZERO = U64(0)
ONE = U64(1)
ALL = U64(0xFFFFFFFFFFFFFFFF)


@jit
def errors(packed: NDArray[np.uint64], n: int, out: NDArray[np.float64]) -> None:
    """Error ``out`` (T,) of packed patterns (T, words) on the circulant of n workers, d = 2."""
    patterns, words = packed.shape
    cost = np.zeros(n + 1)
    for v in range(1, n + 1, 2):
        cost[v] = 1.0 / v
    for i in range(patterns):
        error = 0.0
        first = -1
        before = -1
        for w in range(words):
            held = min(64, n - 64 * w)
            full = ALL if held == 64 else (ONE << U64(held)) - ONE
            stragglers = ~packed[i, w] & full
            while stragglers != ZERO:
                j = 64 * w + np.int64(trailing_zeros(stragglers))
                stragglers &= stragglers - ONE
                if first < 0:
                    first = j
                else:
                    error += cost[j - before]
                before = j
        if first >= 0:
            error += cost[n - before + first]
        out[i] = error
