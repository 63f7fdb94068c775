"""Counting bits of 64-bit words by arithmetic alone, so that every processor can vectorise it.

Sideways addition (Knuth, The Art of Computer Programming 4A, section 7.1.3).
"""

import numpy as np

from fastgc_kernels._arrays import ONE
from fastgc_kernels._jit import inline

_PAIRS = np.uint64(0x5555555555555555)
_NIBBLES = np.uint64(0x3333333333333333)
_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
_SUM = np.uint64(0x0101010101010101)
_S1, _S2, _S4, _S56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@inline
def popcount(word: np.uint64) -> np.uint64:
    """Count the set bits of a word."""
    pairs = word - ((word >> _S1) & _PAIRS)
    nibbles = (pairs & _NIBBLES) + ((pairs >> _S2) & _NIBBLES)
    return (((nibbles + (nibbles >> _S4)) & _BYTES) * _SUM) >> _S56


@inline
def count_up(counter, carry, lanes, most):
    """Add bits to counts up to ``most``, digit b of 64 counts being a word of ``counter[b]``.

    Vertical counters, section 7.1.3; ``carry`` (lanes,), the words to be added, is overwritten.
    """
    b = 0
    while most:  # no digit is needed beyond this
        for t in range(lanes):
            both = counter[b, t] & carry[t]
            counter[b, t] ^= carry[t]
            carry[t] = both
        most >>= 1
        b += 1


@inline
def trailing_zeros(word: np.uint64) -> np.uint64:
    """Give the position of the lowest set bit; 64 for the empty word."""
    low = word & (~word + ONE)
    return popcount(low - ONE)
