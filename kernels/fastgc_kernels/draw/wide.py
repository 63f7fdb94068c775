"""Draws of straggler patterns of many workers and few trials: vector registers hold workers.

The same bits as those of ``patterns``, whose registers hold words of trials: a draw's address says
what it is, not who else is drawn beside it. The algorithms are those of `patterns`. The two are not
one kernel: there a worker's thresholds are the same for all lanes, here each lane loads its own.
"""

import numpy as np

from fastgc_kernels._arrays import ALL, ONE, U64, ZERO, Integers, Words
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.draw.bits import popcount
from fastgc_kernels.draw.pattern_words import (
    FIRST_PAIRS,
    SQUARES,
    bounded,
    choose,
    complement,
    decide,
    move_undecided,
    transpose,
)
from fastgc_kernels.draw.philox import SHIFT32, halves, philox

LANES = 512  # workers drawn side by side: few enough for the first cache
DRAWS = 1024  # numbers of a subset drawn at once


@inline
def compare(worker, p, q, slow, undecided, straggles, lanes, pair, counter, k0, k1):
    """Compare two more digits of U with those of p, or of q where ``slow`` is set."""
    low, iteration, high = counter
    shift0 = U64(63 - 2 * pair)
    shift1 = U64(62 - 2 * pair)
    for t in range(lanes):
        address = U64(32) * worker[t] + U64(pair)
        drawn = philox(low, iteration, address, high, k0, k1)
        p0 = ZERO - ((p[t] >> shift0) & ONE)
        p1 = ZERO - ((p[t] >> shift1) & ONE)
        q0 = ZERO - ((q[t] >> shift0) & ONE)
        q1 = ZERO - ((q[t] >> shift1) & ONE)
        threshold0 = p0 ^ ((p0 ^ q0) & slow[t])
        threshold1 = p1 ^ ((p1 ^ q1) & slow[t])
        straggles[t], undecided[t] = decide(
            drawn, threshold0, threshold1, straggles[t], undecided[t]
        )


@jit
def bernoulli(
    p: Words,
    q: Words,
    pairs: int,
    classes: Words,
    key: np.uint64,
    counters: tuple[Words, Words, Words],
    first: int,
    out: Words,
) -> None:
    """Survival planes ``out`` (n, M) of workers first … first + n − 1, each for itself: U < p_j.

    ``p`` and ``q``: 2⁶⁴ times the probabilities, of each worker of the code or one for all; ``q``
    is that of workers whose bit in ``classes`` (n, M) is set, where (0, 0) means nowhere.
    ``pairs``: pairs of binary digits up to the last one that is set in any of them.
    """
    low, iteration, high = counters
    k0, k1 = halves(key)
    n, columns = out.shape
    two = classes.shape[0] > 0
    straggles = np.empty(LANES, np.uint64)
    undecided = np.empty(LANES, np.uint64)
    slow = np.zeros(LANES, np.uint64)
    worker = np.empty(LANES, np.uint64)
    fast_p = np.empty(LANES, np.uint64)
    slow_p = np.empty(LANES, np.uint64)
    place = np.empty(LANES, np.int64)
    few_undecided = np.empty(LANES, np.uint64)
    few_straggles = np.empty(LANES, np.uint64)
    for m in range(columns):
        for start in range(0, n, LANES):
            lanes = min(LANES, n - start)
            for t in range(lanes):
                j = first + start + t
                worker[t] = U64(j)
                fast_p[t] = p[0] if p.size == 1 else p[j]
                slow_p[t] = fast_p[t]
                straggles[t] = ZERO
                undecided[t] = ALL
            if two:
                for t in range(lanes):
                    slow[t] = classes[start + t, m]
                    slow_p[t] = q[0] if q.size == 1 else q[first + start + t]
            pair = 0
            while pair < min(FIRST_PAIRS, pairs):
                compare(
                    worker, fast_p, slow_p, slow, undecided, straggles, lanes, pair,
                    (low[m], iteration[m], high[m]), k0, k1,
                )  # fmt: skip
                pair += 1
            left = 0
            if pair < pairs:
                for t in range(lanes):
                    place[left] = t
                    left += np.int64(undecided[t] != ZERO)
                for i in range(left):
                    t = place[i]
                    worker[i] = worker[t]
                    fast_p[i] = fast_p[t]
                    slow_p[i] = slow_p[t]
                    slow[i] = slow[t]
                    few_undecided[i] = undecided[t]
                    few_straggles[i] = straggles[t]
            while pair < pairs and left > 0:
                compare(
                    worker, fast_p, slow_p, slow, few_undecided, few_straggles, left, pair,
                    (low[m], iteration[m], high[m]), k0, k1,
                )  # fmt: skip
                pair += 1
                moved = worker, fast_p, slow_p, slow
                left = move_undecided(place, straggles, moved, few_straggles, few_undecided, left)
            for t in range(lanes):
                out[start + t, m] = ~straggles[t]


@jit
def subsets(
    survivors: Integers, n: int, first_trial: np.uint64, trials: int, key: np.uint64, out: Words
) -> None:
    """Packed patterns with ``survivors[i]`` survivors each, all sets of that size alike (Floyd).

    As ``patterns.subsets``, one pattern after the other and its numbers side by side.
    """
    k0, k1 = halves(key)
    patterns = out.shape[0]
    draws = np.empty(DRAWS, np.uint64)
    for i in range(patterns):
        trial = first_trial + U64(i % trials)
        low, high, iteration = trial & U64(0xFFFFFFFF), trial >> SHIFT32, U64(i // trials)
        size = min(survivors[i], n - survivors[i])
        row = out[i]
        row[:] = ZERO
        for start in range(0, size, DRAWS):
            count = min(DRAWS, size - start)
            for quad in range((count + 3) // 4):
                a, b, c, d = philox(low, iteration, U64(start // 4 + quad), high, k0, k1)
                draws[4 * quad] = a
                draws[4 * quad + 1] = b
                draws[4 * quad + 2] = c
                draws[4 * quad + 3] = d
            for place in range(count):
                step = U64(start + place)
                top = U64(n - size) + step
                pick = bounded(draws[place], top + ONE, low, iteration, step, high, k0, k1)
                choose(row, pick, top)
        if 2 * survivors[i] > n:
            complement(row, n)


@jit
def pack(planes: Words, word: int, out: Words) -> None:
    """Words ``word`` … of packed patterns ``out`` (64 · M, words), of planes (64 · words, M)."""
    n, columns = planes.shape
    words = (n + 63) // 64
    square = np.zeros((64, SQUARES), np.uint64)
    for m in range(columns):
        for start in range(0, words, SQUARES):
            lanes = min(SQUARES, words - start)
            for v in range(lanes):
                first = 64 * (start + v)
                held = min(64, n - first)
                for j in range(held):
                    square[j, v] = planes[first + j, m]
                for j in range(held, 64):
                    square[j, v] = ZERO
            transpose(square)
            for t in range(64):
                for v in range(lanes):
                    out[64 * m + t, word + start + v] = square[t, v]


@jit
def count_survivors(packed: Words, out: Integers) -> None:
    """Number of survivors ``out`` (T,) of packed patterns (T, words)."""
    for i in range(packed.shape[0]):
        total = ZERO
        for w in range(packed.shape[1]):
            total += popcount(packed[i, w])
        out[i] = np.int64(total)
