"""Draws of straggler patterns.

Patterns come bit-sliced ("planes": bit t of ``planes[j, m]`` says whether worker j survived in
pattern 64·m + t) or packed (bit j % 64 of ``packed[i, j // 64]`` says it of worker j in pattern i).
A draw is addressed by trial, iteration, worker and digit alone, so no blocking changes it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import inline, jit
from fastgc_kernels.philox import MASK32, SHIFT32, philox

U64 = np.uint64
ZERO = U64(0)
ONE = U64(1)
ALL = U64(0xFFFFFFFFFFFFFFFF)
SIX = U64(6)
LOW6 = U64(63)
LANES = 32  # words drawn side by side: four AVX-512 registers, and few enough to stop early
FIRST_PAIRS = 5  # ten binary digits decide all but one pattern in a thousand
ATTEMPT = U64(1 << 20)  # where redraws of a rejected bounded number have their addresses


@jit
def addresses(
    first_group: np.uint64,
    iterations: int,
    groups: int,
    low: NDArray[np.uint64],
    iteration: NDArray[np.uint64],
    high: NDArray[np.uint64],
) -> None:
    """Counter words of every 64-trial group and iteration, iteration-major, each (L · groups)."""
    for l in range(iterations):  # noqa: E741
        for w in range(groups):
            group = first_group + U64(w)
            m = l * groups + w
            low[m] = group & MASK32
            iteration[m] = U64(l)
            high[m] = group >> SHIFT32


@jit
def bernoulli(
    digits: NDArray[np.uint64],
    pairs: NDArray[np.int64],
    other_digits: NDArray[np.uint64],
    other_pairs: NDArray[np.int64],
    classes: NDArray[np.uint64],
    key: np.uint64,
    low: NDArray[np.uint64],
    iteration: NDArray[np.uint64],
    high: NDArray[np.uint64],
    out: NDArray[np.uint64],
) -> None:
    """Survival planes of workers that straggle independently: worker j straggles iff U < p_j.

    U is compared with p digit by digit from the most significant one, 64 patterns a word, and only
    until every comparison of a chunk is decided (two digits a call of the generator).

    ``digits`` (n, 64): binary digits of p_j as all-zero or all-one words; ``pairs`` (n,): pairs of
    digits up to the last one that is set. Where bit t of ``classes[j, m]`` is set, ``other_digits``
    and ``other_pairs`` are used instead; ``classes`` of shape (0, 0) means nowhere.
    """
    k0 = key & MASK32
    k1 = key >> SHIFT32
    n, columns = out.shape
    two = classes.shape[0] > 0
    straggles = np.empty(LANES, np.uint64)
    undecided = np.empty(LANES, np.uint64)
    slow = np.zeros(LANES, np.uint64)
    for j in range(n):
        last = max(pairs[j], other_pairs[j]) if two else pairs[j]
        for start in range(0, columns, LANES):
            lanes = min(LANES, columns - start)
            for t in range(lanes):
                straggles[t] = ZERO
                undecided[t] = ALL
            if two:
                for t in range(lanes):
                    slow[t] = classes[j, start + t]
            pair = 0
            stop = min(FIRST_PAIRS, last)
            while pair < last:
                while pair < stop:
                    address = U64(32 * j + pair)
                    p0 = digits[j, 2 * pair]
                    p1 = digits[j, 2 * pair + 1]
                    if two:
                        q0 = other_digits[j, 2 * pair]
                        q1 = other_digits[j, 2 * pair + 1]
                        for t in range(lanes):
                            m = start + t
                            a, b, c, d = philox(low[m], iteration[m], address, high[m], k0, k1)
                            x = a | (b << SHIFT32)
                            y = c | (d << SHIFT32)
                            p = (slow[t] & q0) | (~slow[t] & p0)
                            u = undecided[t]
                            s = straggles[t] | (u & ~x & p)
                            u &= ~(x ^ p)
                            p = (slow[t] & q1) | (~slow[t] & p1)
                            straggles[t] = s | (u & ~y & p)
                            undecided[t] = u & ~(y ^ p)
                    else:
                        for t in range(lanes):
                            m = start + t
                            a, b, c, d = philox(low[m], iteration[m], address, high[m], k0, k1)
                            x = a | (b << SHIFT32)
                            y = c | (d << SHIFT32)
                            u = undecided[t]
                            s = straggles[t] | (u & ~x & p0)
                            u &= ~(x ^ p0)
                            straggles[t] = s | (u & ~y & p1)
                            undecided[t] = u & ~(y ^ p1)
                    pair += 1
                left = ZERO
                for t in range(lanes):
                    left |= undecided[t]
                if left == ZERO:
                    break
                stop = min(pair + 1, last)
            for t in range(lanes):
                out[j, start + t] = ~straggles[t]


@inline
def bounded(word, bound, trial_low, iteration, step, trial_high, k0, k1):
    """A number in 0 … bound − 1, all alike (Lemire's multiplication with rejection)."""
    product = word * bound
    if (product & MASK32) < bound:
        least = ((MASK32 - bound) + ONE) % bound
        attempt = ZERO
        while (product & MASK32) < least:
            attempt += ONE
            a, _, _, _ = philox(trial_low, iteration, step + attempt * ATTEMPT, trial_high, k0, k1)
            product = a * bound
    return product >> SHIFT32


@jit
def subsets(
    survivors: NDArray[np.int64],
    n: int,
    first_trial: np.uint64,
    trials: int,
    key: np.uint64,
    out: NDArray[np.uint64],
) -> None:
    """Packed patterns with ``survivors[i]`` survivors each, all sets of that size alike (Floyd).

    Pattern i belongs to trial first_trial + i % trials and iteration i // trials; ``out`` is
    (patterns, words). The smaller of the two sets is drawn, the other is its complement.
    """
    k0 = key & MASK32
    k1 = key >> SHIFT32
    patterns, words = out.shape
    draws = np.empty((n // 2 + 4, LANES), np.uint64)
    for start in range(0, patterns, LANES):
        lanes = min(LANES, patterns - start)
        most = 0
        for t in range(lanes):
            r = survivors[start + t]
            most = max(most, min(r, n - r))
        for quad in range((most + 3) // 4):
            for t in range(lanes):
                i = start + t
                trial = first_trial + U64(i % trials)
                a, b, c, d = philox(
                    trial & MASK32, U64(i // trials), U64(quad), trial >> SHIFT32, k0, k1
                )
                draws[4 * quad, t] = a
                draws[4 * quad + 1, t] = b
                draws[4 * quad + 2, t] = c
                draws[4 * quad + 3, t] = d
        for t in range(lanes):
            i = start + t
            trial = first_trial + U64(i % trials)
            r = survivors[i]
            size = min(r, n - r)
            if words == 1:
                mask = ZERO
                for step in range(size):
                    top = U64(n - size + step)
                    pick = bounded(
                        draws[step, t],
                        top + ONE,
                        trial & MASK32,
                        U64(i // trials),
                        U64(step),
                        trial >> SHIFT32,
                        k0,
                        k1,
                    )
                    if (mask >> pick) & ONE:
                        pick = top
                    mask |= ONE << pick
                out[i, 0] = mask
            else:
                for w in range(words):
                    out[i, w] = ZERO
                for step in range(size):
                    top = U64(n - size + step)
                    pick = bounded(
                        draws[step, t],
                        top + ONE,
                        trial & MASK32,
                        U64(i // trials),
                        U64(step),
                        trial >> SHIFT32,
                        k0,
                        k1,
                    )
                    if (out[i, np.int64(pick >> SIX)] >> (pick & LOW6)) & ONE:
                        pick = top
                    out[i, np.int64(pick >> SIX)] |= ONE << (pick & LOW6)
            if r > n - r:
                for w in range(words):
                    held = min(64, n - 64 * w)
                    full = ALL if held == 64 else (ONE << U64(held)) - ONE
                    out[i, w] = ~out[i, w] & full


@inline
def transpose(square, lanes):
    """Transpose ``lanes`` 64 × 64 bit matrices held in ``square`` (64, 8) in place."""
    width = 32
    mask = U64(0x00000000FFFFFFFF)
    while width:
        shift = U64(width)
        row = 0
        while row < 64:
            for v in range(8):
                swap = ((square[row, v] >> shift) ^ square[row + width, v]) & mask
                square[row, v] ^= swap << shift
                square[row + width, v] ^= swap
            row = (row + width + 1) & ~width
        width >>= 1
        mask ^= mask << U64(width)


@jit
def pack(planes: NDArray[np.uint64], out: NDArray[np.uint64]) -> None:
    """Packed patterns ``out`` (64 · M, words) of survival planes (n, M)."""
    n, columns = planes.shape
    words = out.shape[1]
    square = np.empty((64, 8), np.uint64)
    for start in range(0, columns, 8):
        lanes = min(8, columns - start)
        for w in range(words):
            held = min(64, n - 64 * w)
            for j in range(held):
                for v in range(lanes):
                    square[j, v] = planes[64 * w + j, start + v]
            for j in range(held, 64):
                for v in range(8):
                    square[j, v] = ZERO
            transpose(square, lanes)
            for v in range(lanes):
                for t in range(64):
                    out[64 * (start + v) + t, w] = square[t, v]


@jit
def unpack(packed: NDArray[np.uint64], out: NDArray[np.uint64]) -> None:
    """Survival planes ``out`` (n, M) of packed patterns (64 · M, words)."""
    n, columns = out.shape
    words = packed.shape[1]
    square = np.empty((64, 8), np.uint64)
    for start in range(0, columns, 8):
        lanes = min(8, columns - start)
        for w in range(words):
            for v in range(lanes):
                for t in range(64):
                    square[t, v] = packed[64 * (start + v) + t, w]
            transpose(square, lanes)
            for j in range(min(64, n - 64 * w)):
                for v in range(lanes):
                    out[64 * w + j, start + v] = square[j, v]


@jit
def count_survivors(planes: NDArray[np.uint64], out: NDArray[np.int64]) -> None:
    """Number of survivors ``out`` (64 · M,) in each pattern of ``planes`` (n, M).

    Vertical counters: digit b of all 64 counts of a column is one word.
    """
    n, columns = planes.shape
    digits = 1
    while (1 << digits) <= n:
        digits += 1
    counter = np.empty(digits, np.uint64)
    for m in range(columns):
        for b in range(digits):
            counter[b] = ZERO
        for j in range(n):
            carry = planes[j, m]
            b = 0
            while carry != ZERO:
                both = counter[b] & carry
                counter[b] ^= carry
                carry = both
                b += 1
        for t in range(64):
            total = ZERO
            for b in range(digits):
                total |= ((counter[b] >> U64(t)) & ONE) << U64(b)
            out[64 * m + t] = np.int64(total)
