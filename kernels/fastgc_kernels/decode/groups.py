"""Decoding error of codes whose workers fall into groups that hold the same partitions.

Fractional repetition and uncoded work: a group is lost when none of its workers answers, and costs
as many partitions as it holds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit
from fastgc_kernels.draw.bits import popcount

U64 = np.uint64
ZERO = U64(0)
ONE = U64(1)
ALL = U64(0xFFFFFFFFFFFFFFFF)


@jit
def errors(
    packed: NDArray[np.uint64],
    labels: NDArray[np.int64],
    weights: NDArray[np.int64],
    uncovered: int,
    out: NDArray[np.float64],
) -> None:
    """Error ``out`` (T,) of packed patterns (T, words).

    ``labels`` (n,): group of each worker, −1 where it holds nothing; ``weights`` (g,): partitions
    of each group; ``uncovered``: partitions that nobody holds.
    """
    patterns, words = packed.shape
    groups = weights.size
    masks = np.zeros((groups, words), np.uint64)
    for j in range(labels.size):
        if labels[j] >= 0:
            masks[labels[j], j // 64] |= ONE << U64(j % 64)
    first = np.zeros(groups, np.int64)
    last = np.zeros(groups, np.int64)
    for g in range(groups):
        first[g] = words
        for w in range(words):
            if masks[g, w] != ZERO:
                first[g] = min(first[g], w)
                last[g] = w + 1
    for i in range(patterns):
        lost = uncovered
        for g in range(groups):
            seen = ZERO
            for w in range(first[g], last[g]):
                seen |= packed[i, w] & masks[g, w]
            if seen == ZERO:
                lost += weights[g]
        out[i] = lost


@jit
def lost_groups(
    planes: NDArray[np.uint64],
    order: NDArray[np.int64],
    offsets: NDArray[np.int64],
    patterns: int,
    counts: NDArray[np.int64],
) -> None:
    """Add to ``counts[u]`` the number of the first ``patterns`` patterns that lose u groups.

    Group g is the workers ``order[offsets[g]:offsets[g + 1]]``; ``planes`` (n, M) are survival
    planes. Nothing is expanded: lost groups are counted in bit-sliced vertical counters.
    """
    columns = planes.shape[1]
    groups = offsets.size - 1
    digits = 1
    while (1 << digits) <= groups:
        digits += 1
    width = 32
    counter = np.empty((digits, width), np.uint64)
    lost = np.empty(width, np.uint64)
    wanted = np.empty(width, np.uint64)
    here = np.empty(width, np.uint64)
    for start in range(0, (patterns + 63) // 64, width):
        lanes = min(width, columns - start)
        for b in range(digits):
            for t in range(lanes):
                counter[b, t] = ZERO
        for g in range(groups):
            j = order[offsets[g]]
            for t in range(lanes):
                lost[t] = ~planes[j, start + t]
            for e in range(offsets[g] + 1, offsets[g + 1]):
                j = order[e]
                for t in range(lanes):
                    lost[t] &= ~planes[j, start + t]
            high = g + 1
            b = 0
            while high:  # a count of g + 1 needs no digit beyond this
                for t in range(lanes):
                    both = counter[b, t] & lost[t]
                    counter[b, t] ^= lost[t]
                    lost[t] = both
                high >>= 1
                b += 1
        for t in range(lanes):
            left = patterns - 64 * (start + t)
            wanted[t] = ALL
            if left < 64:
                wanted[t] = (ONE << U64(left)) - ONE if left > 0 else ZERO
        for u in range(groups + 1):
            for t in range(lanes):
                here[t] = wanted[t]
            for b in range(digits):
                flip = ZERO if (u >> b) & 1 else ALL
                for t in range(lanes):
                    here[t] &= counter[b, t] ^ flip
            total = ZERO
            for t in range(lanes):
                total += popcount(here[t])
            counts[u] += np.int64(total)
