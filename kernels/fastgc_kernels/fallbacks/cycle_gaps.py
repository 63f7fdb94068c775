"""Fallback for the cycle of workers."""

import numpy as np

from fastgc_kernels._arrays import ALL, ONE, Floats, Words
from fastgc_kernels.draw.bits import popcount
from fastgc_kernels.fallbacks.patterns import workers_of

MOST = 1 << 22


def errors(packed: Words, n: int, out: Floats) -> object:
    """All patterns side by side."""
    if packed.shape[0] * n > MOST:
        return NotImplemented
    if packed.shape[1] == 1:
        _small(packed[:, 0], n, out)
    else:
        _large(packed, n, out)
    return None


def _small(packed: Words, n: int, out: Floats) -> None:
    turned = ~packed & (ALL >> np.uint64(64 - n))
    waiting = turned
    out[:] = 0.0
    v = 0
    while waiting.any() or v == 0:
        word = (turned >> ONE) | ((turned & ONE) << np.uint64(n - 1))
        out += (1.0 / (v + 1)) * popcount(waiting & word).astype(np.int64)
        waiting = waiting & ~word
        turned = (word >> ONE) | ((word & ONE) << np.uint64(n - 1))
        waiting = waiting & ~turned
        v += 2


def _large(packed: Words, n: int, out: Floats) -> None:
    cost = np.zeros(n + 1)
    for v in range(1, n + 1, 2):
        cost[v] = 1.0 / v
    pattern, straggler = np.nonzero(workers_of(packed, n) == 0)
    number = np.bincount(pattern, minlength=packed.shape[0])
    first = np.cumsum(number) - number
    out[:] = 0.0
    for step in range(1, int(number.max(initial=0))):
        some = np.flatnonzero(number > step)
        here = first[some] + step
        out[some] += cost[straggler[here] - straggler[here - 1]]
    some = np.flatnonzero(number > 0)
    start = straggler[first[some]]
    stop = straggler[first[some] + number[some] - 1]
    out[some] += cost[n - stop + start]
