"""Fallbacks for what stragglers lose, groups of workers and partitions, and for linear systems."""

import itertools

import numpy as np

from fastgc_kernels._arrays import ONE, ZERO, Floats, Integers, Words
from fastgc_kernels.decode.elimination import _EPSILON, _MOST_REFINEMENTS, exact_product, exact_sum
from fastgc_kernels.fallbacks.draw_fallbacks import bits_of

MOST = 1 << 24
MOST_UNKNOWNS = 32


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


def _factor(A: Floats, order: Integers) -> bool:
    m = A.shape[0]
    order[:] = np.arange(m)
    for step in range(m):
        pivot = step + int(np.argmax(np.abs(A[step:, step])))
        if A[pivot, step] == 0.0:
            return False
        A[[step, pivot]] = A[[pivot, step]]
        order[[step, pivot]] = order[[pivot, step]]
        A[step + 1 :, step] /= A[step, step]
        A[step + 1 :, step + 1 :] -= A[step + 1 :, step, None] * A[step, step + 1 :]
    return True


def _substitute(LU: Floats, order: Integers, b: Floats, x: Floats) -> None:
    m = b.size
    x[:] = b[order]
    for j in range(m):
        x[j + 1 :] -= LU[j + 1 :, j] * x[j]
    # from the last unknown on, of which each equation takes those that follow in order
    for i in range(m - 1, -1, -1):
        parts = np.concatenate([x[i : i + 1], -(LU[i, i + 1 :] * x[i + 1 :])])
        x[i] = np.cumsum(parts)[-1] / LU[i, i]


def solve(A: Floats, b: Floats, x: Floats) -> object:
    """The kernel's steps."""
    m = b.size
    if m > MOST_UNKNOWNS:
        return NotImplemented
    LU = A.copy()
    order = np.empty(m, np.int64)
    if not _factor(LU, order):
        return False
    step = np.empty(m)
    _substitute(LU, order, b, x)
    before = np.inf
    for _ in range(_MOST_REFINEMENTS):
        high, low = b.copy(), np.zeros(m)
        for j in range(m):  # one unknown's part of all equations after the other
            product, lost = exact_product(-A[:, j], x[j])
            high, more = exact_sum(high, product)
            low += lost + more
        rest = high + low
        _substitute(LU, order, rest, step)
        largest = float(np.abs(x).max(initial=0.0))
        correction = float(np.abs(step).max(initial=0.0))
        if not correction <= 0.5 * before:
            return correction <= 2.0 * _EPSILON * largest
        x += step
        before = correction
        if correction <= 0.25 * _EPSILON * largest:
            return True
    return False
