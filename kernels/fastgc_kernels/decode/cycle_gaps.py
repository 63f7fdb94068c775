"""Error and weights of the 0/1 circulant with two partitions a worker: a cycle of workers.

Partition = vertex, worker = edge. Stragglers cut the cycle into paths; a path of v vertices costs
1/v when v is odd and nothing when v is even. Without stragglers the error is 0. The weights of the
partitions of a path are all 1 when v is even, and 1 ∓ 1/v, beginning with 1 − 1/v, when v is odd.
"""

import numpy as np

from fastgc_kernels._arrays import ALL, LOW6, ONE, SIX, U64, ZERO, Floats, Words
from fastgc_kernels._jit import jit
from fastgc_kernels.draw.bits import popcount, trailing_zeros

LANES = 32  # patterns handled side by side


@jit
def errors(packed: Words, n: int, out: Floats) -> None:
    """Error ``out`` (T,) of packed patterns (T, words) on the circulant of n workers, d = 2."""
    if packed.shape[1] == 1:
        _small(packed[:, 0], n, out)
    else:
        _large(packed, n, out)


@jit
def _small(packed: Words, n: int, out: Floats) -> None:
    """At most 64 workers: turn the stragglers' word by v and see which meet the next straggler."""
    full = ALL >> U64(64 - n)
    turned = np.empty(LANES, np.uint64)
    waiting = np.empty(LANES, np.uint64)
    error = np.empty(LANES)
    for start in range(0, packed.size, LANES):
        lanes = min(LANES, packed.size - start)
        for t in range(lanes):
            turned[t] = ~packed[start + t] & full
            waiting[t] = turned[t]
            error[t] = 0.0
        v = 0
        left = ONE
        while left != ZERO:
            # Gaps come in pairs: an odd one, which costs, and an even one, which does not.
            cost = 1.0 / (v + 1)
            left = ZERO
            for t in range(lanes):
                word = (turned[t] >> ONE) | ((turned[t] & ONE) << U64(n - 1))
                rest = waiting[t]
                error[t] += cost * np.int64(popcount(rest & word))
                rest &= ~word
                word = (word >> ONE) | ((word & ONE) << U64(n - 1))
                rest &= ~word
                turned[t] = word
                waiting[t] = rest
                left |= rest
            v += 2
        for t in range(lanes):
            out[start + t] = error[t]


@jit
def _large(packed: Words, n: int, out: Floats) -> None:
    """Any number of workers, from one straggler to the next."""
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


@jit
def weights(packed: Words, n: int, out: Floats) -> None:
    """Fill ``out`` (T, n) for packed patterns (T, words): worker j holds partitions j and j + 1."""
    lost = np.empty(n + 1, np.int64)
    for t in range(packed.shape[0]):
        own = out[t]
        count = 0
        for j in range(n):
            own[j] = 1.0
            lost[count] = j
            alive = (packed[t, U64(j) >> SIX] >> (U64(j) & LOW6)) & ONE
            count += np.int64(alive == ZERO)
        lost[count] = n + lost[0] if count > 0 else 0
        for i in range(count):
            vertices = lost[i + 1] - lost[i]
            if vertices % 2:
                change = -1.0 / vertices
                for v in range(lost[i] + 1, lost[i + 1] + 1):
                    own[v if v < n else v - n] = 1.0 + change
                    change = -change
