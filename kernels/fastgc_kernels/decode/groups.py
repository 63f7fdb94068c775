"""What stragglers lose: groups of workers that hold the same partitions, and partitions.

Fractional repetition and uncoded work: a group is lost when none of its workers answers, and costs
as many partitions as it holds. What is lost is counted in bit-sliced vertical counters. The kernels
for many groups need memory and time that grow with the workers alone; those for many blocks draw in
the same call, because threads would wait for each other between calls that take so little time.
Vertical counters: Knuth, The Art of Computer Programming 4A, section 7.1.3.
"""

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._arrays import ALL, LOW6, ONE, SIX, U64, ZERO, Floats, Integers, Numbers, Words
from fastgc_kernels._jit import jit
from fastgc_kernels.draw.bits import count_up, popcount
from fastgc_kernels.draw.pattern_words import addresses, bernoulli

LANES = 16  # with many groups, counters side by side, each of every sixteenth group
DIGITS = 8
ROUNDS = (1 << DIGITS) - 1  # groups that a counter can count
WIDTH = 128  # words of patterns side by side, where partitions are counted


@jit
def errors(packed: Words, labels: Integers, weights: Integers, uncovered: int, out: Floats) -> None:
    """Error ``out`` (T,) of packed patterns (T, words).

    ``labels`` (n,): group of each worker, −1 where it holds nothing; ``weights`` (g,): partitions
    of each group; ``uncovered``: partitions that no worker holds.
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
    planes: Words, order: Integers, offsets: Integers, patterns: int, counts: Integers
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
    wanted = np.empty(width, np.uint64)
    here = np.empty(width, np.uint64)
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
            count_up(counter, lost, lanes, g + 1)
        for t in range(lanes):
            left = patterns - 64 * (start + t)
            wanted[t] = ALL
            if left < 64:
                wanted[t] = (ONE << U64(left)) - ONE if left > 0 else ZERO
        for u in range(groups + 1):
            for t in range(lanes):
                here[t] = wanted[t]
            for b in range(digits):
                flip = ZERO if (u >> b) & 1 else ALL
                for t in range(lanes):
                    here[t] &= counter[b, t] ^ flip
            total = ZERO
            for t in range(lanes):
                total += popcount(here[t])
            counts[u] += np.int64(total)


@jit
def errors_of_many(
    packed: Words, order: Numbers, offsets: Integers, weights: Integers, uncovered: int, out: Floats
) -> None:
    """Error ``out`` (T,) of packed patterns (T, words).

    Group g is the workers ``order[offsets[g]:offsets[g + 1]]`` and costs ``weights[g]`` if none of
    them survives; ``uncovered`` partitions no worker holds.
    """
    for i in range(packed.shape[0]):
        row = packed[i]
        lost = uncovered
        for g in range(weights.size):
            cost = weights[g]
            for e in range(offsets[g], offsets[g + 1]):
                j = U64(order[e])
                if (row[np.int64(j >> SIX)] >> (j & LOW6)) & ONE:
                    cost = 0
                    break
            lost += cost
        out[i] = lost


@jit
def lost_groups_of_many(planes: Words, order: Numbers, offsets: Integers, out: Integers) -> None:
    """Number of groups ``out`` (64 · M,) that each pattern of the planes (n, M) loses.

    Groups are counted in bit-sliced counters, which are emptied before they run over.
    """
    groups = offsets.size - 1
    counter = np.zeros((DIGITS, LANES), np.uint64)
    lost = np.empty(LANES, np.uint64)
    for m in range(planes.shape[1]):
        counts = out[64 * m : 64 * (m + 1)]
        counts[:] = 0
        for start in range(0, groups, ROUNDS * LANES):
            last = min(start + ROUNDS * LANES, groups)
            counter[:] = ZERO
            for first in range(start, last, LANES):
                for v in range(LANES):
                    g = first + v
                    all_gone = ZERO
                    if g < last:
                        all_gone = ALL
                        for e in range(offsets[g], offsets[g + 1]):
                            all_gone &= ~planes[order[e], m]
                    lost[v] = all_gone
                count_up(counter, lost, LANES, ROUNDS)
            for b in range(DIGITS):
                for v in range(LANES):
                    word = counter[b, v]
                    for t in range(64):
                        counts[t] += np.int64((word >> U64(t)) & ONE) << b


@jit
def lost_groups_of_blocks(
    digits: Words,
    pairs: Integers,
    key: np.uint64,
    first: Words,
    words: int,
    trials: int,
    order: Integers,
    offsets: Integers,
    counts: Integers,
) -> None:
    """Add to ``counts[b, u]`` how many of the first ``trials`` patterns of block b lose u groups.

    Block b is the ``words`` groups of 64 trials from group ``first[b]`` on. Workers straggle
    independently, with the binary ``digits`` (n, 64) and ``pairs`` (n,) of `patterns.bernoulli`;
    for ``order`` and ``offsets`` see `lost_groups`.
    """
    counters = np.empty(words, np.uint64), np.empty(words, np.uint64), np.empty(words, np.uint64)
    own, other = (digits, pairs), (digits[:0], pairs[:0])
    planes = np.empty((digits.shape[0], words), np.uint64)
    none = np.empty((0, 0), np.uint64)
    one = np.int64(1)
    for b in range(first.size):
        addresses(first[b], one, words, *counters)
        bernoulli(own, other, none, key, counters, planes)
        lost_groups(planes, order, offsets, trials, counts[b])


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
