"""How many partitions no survivor holds: bit-sliced vertical counters, 64 patterns a word.

Vertical counters: Knuth, The Art of Computer Programming 4A, section 7.1.3.
"""

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._arrays import ONE, U64, ZERO, Integers, Words
from fastgc_kernels._jit import jit

WIDTH = 128  # words side by side


@jit
def lost_partitions(
    planes: Words, holders: Integers, offsets: Integers, out: NDArray[np.unsignedinteger]
) -> None:
    """Partitions ``out`` (T,) that no survivor holds, in the first T of some patterns.

    ``planes`` (n, M) are survival planes; partition i is held by the columns
    ``holders[offsets[i]:offsets[i + 1]]`` of B.
    """
    partitions = offsets.size - 1
    trials = out.size
    words = (trials + 63) // 64
    digits = 1
    while (1 << digits) <= partitions:
        digits += 1
    lost = np.empty((digits, WIDTH), np.uint64)
    both = np.empty((2, WIDTH), np.uint64)
    for start in range(0, words, WIDTH):
        lanes = min(WIDTH, words - start)
        lost[:] = ZERO
        for i in range(partitions):
            gone = both[i % 2]
            for t in range(lanes):
                gone[t] = ZERO
            for e in range(offsets[i], offsets[i + 1]):
                plane = planes[holders[e], start : start + lanes]
                for t in range(lanes):
                    gone[t] |= plane[t]
            for t in range(lanes):
                gone[t] = ~gone[t]
            if i % 2 == 0 and i + 1 < partitions:
                continue  # two are added at once
            carry = both[0]
            if i % 2:
                other = both[1]
                row = lost[0]
                for t in range(lanes):
                    either = carry[t] ^ other[t]
                    carry[t] = (carry[t] & other[t]) | (either & row[t])
                    row[t] ^= either
            high = (i + 1) >> (i % 2)  # no count exceeds i + 1
            b = i % 2
            while high:
                row = lost[b]
                left = ZERO
                for t in range(lanes):
                    more = row[t] & carry[t]
                    row[t] ^= carry[t]
                    carry[t] = more
                    left |= more
                high = high >> 1 if left else 0
                b += 1
        for t in range(lanes):
            first = 64 * (start + t)
            here = out[first : min(trials, first + 64)]
            here[:] = 0
            for b in range(digits):
                word = lost[b, t]
                if word == ZERO:  # most are where few partitions are lost
                    continue
                if here.size == 64:
                    for i in range(64):
                        here[i] |= np.int64(((word >> U64(i)) & ONE) << U64(b))
                else:
                    for i in range(here.size):
                        here[i] |= np.int64(((word >> U64(i)) & ONE) << U64(b))
