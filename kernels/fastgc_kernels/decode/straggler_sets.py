"""All sets of so many stragglers, one after the other."""

import numpy as np

from fastgc_kernels._arrays import ONE, Floats, Integers, Words
from fastgc_kernels._jit import jit


@jit
def combinations(current: Integers, n: int, odds: Floats, packed: Words, products: Floats) -> int:
    """List the sets of stragglers from ``current`` (s,) on, in lexicographic order.

    Fills ``packed`` (m, words) with their survivors and ``products`` (m,) with the product of
    their odds, and returns how many there were: fewer than m at the end. ``current`` is advanced.
    """
    s = current.size
    for i in range(packed.shape[0]):
        if s and current[0] > n - s:
            return i
        for w in range(packed.shape[1]):
            held = min(64, n - 64 * w)
            packed[i, w] = ~np.uint64(0) if held == 64 else (ONE << np.uint64(held)) - ONE
        product = 1.0
        for a in range(s):
            j = current[a]
            packed[i, j // 64] &= ~(ONE << np.uint64(j % 64))
            product *= odds[j]
        products[i] = product
        if s == 0:
            return i + 1
        place = s - 1
        while place > 0 and current[place] == n - s + place:
            place -= 1
        current[place] += 1
        for a in range(place + 1, s):
            current[a] = current[a - 1] + 1
    return packed.shape[0]
