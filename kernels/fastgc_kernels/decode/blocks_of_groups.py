"""Lost groups of many blocks of patterns in one call, drawing included.

A block's part of this takes so little time that threads would wait for each other between calls.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit
from fastgc_kernels.decode import groups
from fastgc_kernels.draw import patterns


@jit
def lost_groups(
    digits: NDArray[np.uint64],
    pairs: NDArray[np.int64],
    key: np.uint64,
    first: NDArray[np.uint64],
    words: int,
    trials: int,
    order: NDArray[np.int64],
    offsets: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """Add to ``counts[b, u]`` how many of the first ``trials`` patterns of block b lose u groups.

    Block b is the ``words`` groups of 64 trials from group ``first[b]`` on. Workers straggle
    independently, with the binary ``digits`` (n, 64) and ``pairs`` (n,) of `patterns.bernoulli`;
    for ``order`` and ``offsets`` see `groups.lost_groups`.
    """
    low = np.empty(words, np.uint64)
    iteration = np.empty(words, np.uint64)
    high = np.empty(words, np.uint64)
    planes = np.empty((digits.shape[0], words), np.uint64)
    nobody = np.empty((0, 0), np.uint64)
    one = np.int64(1)
    for b in range(first.size):
        patterns.addresses(first[b], one, words, low, iteration, high)
        patterns.bernoulli(
            digits, pairs, digits[:0], pairs[:0], nobody, key, low, iteration, high, planes
        )
        groups.lost_groups(planes, order, offsets, trials, counts[b])
