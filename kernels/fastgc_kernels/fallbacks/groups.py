"""Fallbacks for what stragglers lose: groups of workers, and partitions."""

import itertools

import numpy as np

from fastgc_kernels._arrays import ONE, ZERO, Floats, Integers, Words
from fastgc_kernels.fallbacks.patterns import bits_of

MOST = 1 << 24


def errors(
    packed: Words, labels: Integers, weights: Integers, uncovered: int, out: Floats
) -> object:
    """One group after the other."""
    patterns, words = packed.shape
    if patterns * weights.size * words > MOST:
        return NotImplemented
    masks = np.zeros((weights.size, words), np.uint64)
    for j, label in enumerate(labels):
        if label >= 0:
            masks[label, j // 64] |= ONE << np.uint64(j % 64)
    lost = np.full(patterns, uncovered, np.int64)
    for mask, weight in zip(masks, weights, strict=True):
        seen = np.zeros(patterns, np.uint64)
        for w in np.flatnonzero(mask):
            seen |= packed[:, w] & mask[w]
        lost[seen == ZERO] += weight
    out[:] = lost
    return None


def lost_groups(
    planes: Words, order: Integers, offsets: Integers, patterns: int, counts: Integers
) -> object:
    """Bit by bit."""
    if patterns * (offsets.size - 1) > MOST:
        return NotImplemented
    alive = planes[:, : (patterns + 63) // 64]
    lost = np.zeros(64 * alive.shape[1], np.int64)
    for first, last in itertools.pairwise(offsets):
        own = np.bitwise_or.reduce(alive[order[first:last]], axis=0)
        lost += bits_of(~own[None])[0]
    counts += np.bincount(lost[:patterns], minlength=counts.size)
    return None


def lost_partitions(planes: Words, holders: Integers, offsets: Integers, out: Integers) -> object:
    """Bit by bit, one partition after the other."""
    if out.size * (offsets.size - 1) > MOST:
        return NotImplemented
    own = planes[:, : (out.size + 63) // 64]
    out[:] = 0
    for first, last in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        seen = np.bitwise_or.reduce(own[holders[first:last]], axis=0)
        out += bits_of(~seen[None])[0, : out.size]
    return None
