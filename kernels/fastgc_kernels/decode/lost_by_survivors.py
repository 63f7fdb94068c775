"""How many groups are lost, by the number of survivors; nothing is expanded.

A group is lost when none of its workers answers. Survivors and lost groups are counted in
bit-sliced vertical counters, 64 patterns a word.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import inline, jit
from fastgc_kernels.draw.bits import popcount

U64 = np.uint64
ZERO = U64(0)
ONE = U64(1)
ALL = U64(0xFFFFFFFFFFFFFFFF)
WIDTH = 256  # words side by side


@inline
def _count(counter, carry, lanes, high):
    """Add a bit to each count, of which no one was ``high`` or more before."""
    b = 0
    while high:
        for t in range(lanes):
            both = counter[b, t] & carry[t]
            counter[b, t] ^= carry[t]
            carry[t] = both
        high >>= 1
        b += 1


@jit
def lost_by_survivors(
    planes: NDArray[np.uint64],
    order: NDArray[np.int64],
    offsets: NDArray[np.int64],
    stratum: NDArray[np.int64],
    patterns: int,
    out: NDArray[np.int64],
) -> None:
    """Patterns and lost groups in each stratum, ``out`` (strata, 2), of the first ``patterns``.

    Group g is the workers ``order[offsets[g]:offsets[g + 1]]``; ``planes`` (n, M) are survival
    planes; ``stratum`` (n + 1,) is that of every number of survivors, rising.
    """
    n, columns = planes.shape
    groups = offsets.size - 1
    digits = 1
    while (1 << digits) <= n:
        digits += 1
    alive = np.empty((digits, WIDTH), np.uint64)
    gone = np.empty((digits, WIDTH), np.uint64)
    carry = np.empty(WIDTH, np.uint64)
    lost = np.empty(WIDTH, np.uint64)
    below = np.empty((out.shape[0] + 1, WIDTH), np.uint64)
    out[:] = 0
    used = 1
    while (1 << used) <= groups:
        used += 1
    for start in range(0, (patterns + 63) // 64, WIDTH):
        lanes = min(WIDTH, columns - start)
        alive[:] = ZERO
        gone[:] = ZERO
        for j in range(n):
            for t in range(lanes):
                carry[t] = planes[j, start + t]
            _count(alive, carry, lanes, j + 1)
        for g in range(groups):
            for t in range(lanes):
                lost[t] = ALL
            for e in range(offsets[g], offsets[g + 1]):
                for t in range(lanes):
                    lost[t] &= ~planes[order[e], start + t]
            _count(gone, lost, lanes, g + 1)
        # which patterns have fewer survivors than a stratum begins with
        for t in range(lanes):
            below[0, t] = ZERO
            left = patterns - 64 * (start + t)
            below[out.shape[0], t] = ALL
            if left < 64:
                below[out.shape[0], t] = (ONE << U64(left)) - ONE if left > 0 else ZERO
        place = 1
        for r in range(1, n + 1):
            if stratum[r] == stratum[r - 1]:
                continue
            for t in range(lanes):
                carry[t] = ZERO  # of the digits so far, the lowest first: count < r
            for b in range(digits):
                if (r >> b) & 1:
                    for t in range(lanes):
                        carry[t] |= ~alive[b, t]
                else:
                    for t in range(lanes):
                        carry[t] &= ~alive[b, t]
            for t in range(lanes):
                below[place, t] = carry[t] & below[out.shape[0], t]
            place += 1
        for i in range(out.shape[0]):
            total = ZERO
            for t in range(lanes):
                carry[t] = below[i + 1, t] & ~below[i, t]
                total += popcount(carry[t])
            out[i, 0] += np.int64(total)
            for b in range(used):
                total = ZERO
                for t in range(lanes):
                    total += popcount(carry[t] & gone[b, t])
                out[i, 1] += np.int64(total) << b
