"""Who straggles: patterns sorted by their number of stragglers, and these listed lane by lane.

Sorting by distribution counting (Knuth, The Art of Computer Programming 3, Algorithm 5.2D).
"""

import numpy as np

from fastgc_kernels._arrays import ONE, Integers, Numbers, Words
from fastgc_kernels._jit import inline
from fastgc_kernels.draw.bits import popcount, trailing_zeros


@inline
def sort(packed: Words, n: int, absent: Words, start: Integers, order: Numbers) -> None:
    """Sort patterns by number of stragglers: those with s are ``order[start[s] : start[s + 1]]``.

    ``absent`` (words, patterns) gets the stragglers' bits, in sorted order.
    """
    patterns, words = packed.shape
    # counting sort; start[s + 2] counts first, so that places can be given out from start[s + 1]
    number = np.empty(patterns, np.uint16)
    start[:] = 0
    for t in range(patterns):
        survivors = popcount(packed[t, 0])
        for w in range(1, words):
            survivors += popcount(packed[t, w])
        number[t] = np.uint64(n) - survivors
    for t in range(patterns):
        start[np.int64(number[t]) + 2] += 1
    for s in range(n + 1):
        start[s + 2] += start[s + 1]
    for t in range(patterns):
        s = np.int64(number[t]) + 1
        place = start[s]
        start[s] = place + 1
        order[place] = t
        for w in range(words):
            workers = min(64, n - 64 * w)
            every = ~np.uint64(0) >> np.uint64(64 - workers)
            absent[w, place] = packed[t, w] ^ every


@inline
def list_stragglers(
    absent: Words, first: int, lanes: int, s: int, word: Words, index: Words
) -> None:
    """List the stragglers of patterns side by side, lane by lane."""
    if absent.shape[0] == 1:
        for v in range(lanes):
            word[v] = absent[0, first + v]
        for a in range(s):
            for v in range(lanes):
                low = word[v] & (
                    ~word[v] + ONE
                )  # the lowest bit; below it are as many as its place
                index[a, v] = popcount(low - ONE)
                word[v] ^= low
    else:
        for v in range(lanes):
            a = 0
            for w in range(absent.shape[0]):
                bits = absent[w, first + v]
                while bits != np.uint64(0):
                    index[a, v] = np.uint64(64 * w) + trailing_zeros(bits)
                    bits &= bits - ONE
                    a += 1
