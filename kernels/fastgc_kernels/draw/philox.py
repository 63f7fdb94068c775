"""Philox4x32-10 (Salmon et al., SC 2011): 128 random bits from a 128-bit counter and a 64-bit key.

Words of 32 bits are held in uint64, the form that compilers turn into vector instructions.
"""

import numpy as np

from fastgc_kernels._arrays import U64, Words
from fastgc_kernels._jit import inline, jit

MASK32 = U64(0xFFFFFFFF)
SHIFT32 = U64(32)
MULTIPLIER_0 = U64(0xD2511F53)
MULTIPLIER_1 = U64(0xCD9E8D57)
WEYL_0 = U64(0x9E3779B9)
WEYL_1 = U64(0xBB67AE85)
#: Addresses lie below it; the i-th redraw of a rejected number is this many times i further on.
ATTEMPT = U64(1 << 20)
SPREAD = U64(0xD1342543DE82EF95)


@inline
def philox(c0, c1, c2, c3, k0, k1):
    """Four random 32-bit words (in uint64) of counter (c0, c1, c2, c3) under key (k0, k1)."""
    for _ in range(10):
        p0 = MULTIPLIER_0 * c0
        p1 = MULTIPLIER_1 * c2
        n0 = (p1 >> SHIFT32) ^ c1 ^ k0
        n2 = (p0 >> SHIFT32) ^ c3 ^ k1
        c1 = p1 & MASK32
        c3 = p0 & MASK32
        c0 = n0
        c2 = n2
        k0 = (k0 + WEYL_0) & MASK32
        k1 = (k1 + WEYL_1) & MASK32
    return c0, c1, c2, c3


@inline
def halves(key):
    """Key (k0, k1) of the generator in 32-bit words."""
    return key & MASK32, key >> SHIFT32


@inline
def apart(key, number):
    """Key of what is drawn for one of many numbers, so that their draws have nothing in common."""
    return key ^ (U64(number) * SPREAD)


@inline
def words_at(trial, iteration, address, k0, k1):
    """Four random 32-bit words of a draw's address: of one trial in one iteration."""
    return philox(trial & MASK32, U64(iteration), U64(address), trial >> SHIFT32, k0, k1)


@jit
def words(counters: Words, key: np.uint64, out: Words) -> None:
    """Fill ``out`` (m, 4) with the random 32-bit words of ``counters`` (m, 4) under ``key``."""
    k0, k1 = halves(key)
    for i in range(counters.shape[0]):
        a, b, c, d = philox(counters[i, 0], counters[i, 1], counters[i, 2], counters[i, 3], k0, k1)
        out[i, 0] = a
        out[i, 1] = b
        out[i, 2] = c
        out[i, 3] = d
