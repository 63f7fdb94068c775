"""Decoding error of codes whose workers fall into groups that hold the same partitions.

Fractional repetition and uncoded work: a group is lost when none of its workers answers, and costs
as many partitions as it holds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit

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
        for u in range(groups + 1):
            total = ZERO
            for t in range(lanes):
                here = ALL
                left = patterns - 64 * (start + t)
                if left < 64:
                    here = (ONE << U64(left)) - ONE if left > 0 else ZERO
                for b in range(digits):
                    here &= counter[b, t] if (u >> b) & 1 else ~counter[b, t]
                # population count of a word, digit pairs first
                here = here - ((here >> ONE) & U64(0x5555555555555555))
                here = (here & U64(0x3333333333333333)) + (
                    (here >> U64(2)) & U64(0x3333333333333333)
                )
                here = (here + (here >> U64(4))) & U64(0x0F0F0F0F0F0F0F0F)
                total += (here * U64(0x0101010101010101)) >> U64(56)
            counts[u] += np.int64(total)
