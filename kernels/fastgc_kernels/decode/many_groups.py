"""Lost groups of codes with many groups: memory and time grow with the workers alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit

U64 = np.uint64
ZERO = U64(0)
ONE = U64(1)
ALL = U64(0xFFFFFFFFFFFFFFFF)
SIX = U64(6)
LOW6 = U64(63)
LANES = 16  # counters side by side, each of every sixteenth group
DIGITS = 8
ROUNDS = (1 << DIGITS) - 1  # groups that a counter can count


@jit
def errors(
    packed: NDArray[np.uint64],
    order: NDArray[np.int32],
    offsets: NDArray[np.int64],
    weights: NDArray[np.int64],
    uncovered: int,
    out: NDArray[np.float64],
) -> None:
    """Error ``out`` (T,) of packed patterns (T, words).

    Group g is the workers ``order[offsets[g]:offsets[g + 1]]`` and costs ``weights[g]`` if none of
    them survives; ``uncovered`` partitions nobody holds.
    """
    for i in range(packed.shape[0]):
        row = packed[i]
        lost = uncovered
        for g in range(weights.size):
            cost = weights[g]
            for e in range(offsets[g], offsets[g + 1]):
                j = U64(order[e])
                if (row[np.int64(j >> SIX)] >> (j & LOW6)) & ONE:
                    cost = 0
                    break
            lost += cost
        out[i] = lost


@jit
def lost_groups(
    planes: NDArray[np.uint64],
    order: NDArray[np.int32],
    offsets: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """Number of groups ``out`` (64 · M,) that each pattern of the planes (n, M) loses.

    Groups are counted in bit-sliced counters, which are emptied before they run over.
    """
    groups = offsets.size - 1
    counter = np.zeros((DIGITS, LANES), np.uint64)
    lost = np.empty(LANES, np.uint64)
    for m in range(planes.shape[1]):
        counts = out[64 * m : 64 * (m + 1)]
        counts[:] = 0
        for start in range(0, groups, ROUNDS * LANES):
            last = min(start + ROUNDS * LANES, groups)
            counter[:] = ZERO
            for first in range(start, last, LANES):
                for v in range(LANES):
                    g = first + v
                    all_gone = ZERO
                    if g < last:
                        all_gone = ALL
                        for e in range(offsets[g], offsets[g + 1]):
                            all_gone &= ~planes[order[e], m]
                    lost[v] = all_gone
                for b in range(DIGITS):
                    for v in range(LANES):
                        both = counter[b, v] & lost[v]
                        counter[b, v] ^= lost[v]
                        lost[v] = both
            for b in range(DIGITS):
                for v in range(LANES):
                    word = counter[b, v]
                    for t in range(64):
                        counts[t] += np.int64((word >> U64(t)) & ONE) << b
