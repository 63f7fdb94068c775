"""Stand-in for lost groups of many blocks of patterns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.stand_ins.decode.groups import MOST
from fastgc_kernels.stand_ins.decode.groups import lost_groups as of_a_block
from fastgc_kernels.stand_ins.draw.patterns import MOST_WORDS, addresses, bernoulli

Words = NDArray[np.uint64]
Integers = NDArray[np.int64]


def lost_groups(
    digits: Words,
    pairs: Integers,
    key: np.uint64,
    first: Words,
    words: int,
    trials: int,
    order: Integers,
    offsets: Integers,
    counts: Integers,
) -> object:
    """One block after the other."""
    n = len(digits)
    if first.size * n * words > MOST_WORDS or first.size * trials * (offsets.size - 1) > MOST:
        return NotImplemented
    low, iteration, high = np.empty((3, words), np.uint64)
    planes = np.empty((n, words), np.uint64)
    nobody = np.empty((0, 0), np.uint64)
    for block, own in zip(first, counts, strict=True):
        addresses(block, 1, words, low, iteration, high)
        others = (digits[:0], pairs[:0], nobody)
        bernoulli(digits, pairs, *others, key, low, iteration, high, planes)
        of_a_block(planes, order, offsets, trials, own)
    return None
