"""Stand-ins of the draws of straggler patterns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.draw.patterns import ALL, ONE, ZERO
from fastgc_kernels.draw.philox import ATTEMPT, MASK32, SHIFT32, halves, philox
from fastgc_kernels.stand_ins.bits import bits_of, words_of

U64 = np.uint64
MOST_WORDS = 1 << 19
MOST_BITS = 1 << 23

Words = NDArray[np.uint64]
Integers = NDArray[np.int64]


def addresses(
    first_group: np.uint64,
    iterations: int,
    groups: int,
    low: Words,
    iteration: Words,
    high: Words,
) -> None:
    """Count groups in each iteration."""
    group = np.tile(first_group + np.arange(groups, dtype=np.uint64), iterations)
    low[:] = group & MASK32
    iteration[:] = np.repeat(np.arange(iterations, dtype=np.uint64), groups)
    high[:] = group >> SHIFT32


def bernoulli(
    digits: Words,
    pairs: Integers,
    other_digits: Words,
    other_pairs: Integers,
    classes: Words,
    key: np.uint64,
    low: Words,
    iteration: Words,
    high: Words,
    out: Words,
) -> object:
    """All words of all workers side by side, as long as a comparison in them is undecided."""
    n, columns = out.shape
    if n * columns > MOST_WORDS:
        return NotImplemented
    k0, k1 = halves(key)
    two = classes.shape[0] > 0
    last = np.maximum(pairs, other_pairs) if two else pairs
    straggles = np.zeros(n * columns, np.uint64)
    undecided = np.full(n * columns, ALL)
    place = np.arange(n * columns)
    for pair in range(int(last.max(initial=0))):
        place = place[undecided[place] != ZERO]
        worker = place // columns
        place = place[last[worker] > pair]
        worker = place // columns
        column = place - worker * columns
        address = (32 * worker + pair).astype(np.uint64)
        a, b, c, d = philox(low[column], iteration[column], address, high[column], k0, k1)
        for digit, x in enumerate((a | (b << SHIFT32), c | (d << SHIFT32))):
            threshold = digits[worker, 2 * pair + digit]
            if two:
                other = other_digits[worker, 2 * pair + digit]
                threshold = threshold ^ ((threshold ^ other) & classes[worker, column])
            u = undecided[place]
            straggles[place] |= u & ~x & threshold
            undecided[place] = u & ~(x ^ threshold)
    out[:] = ~straggles.reshape(n, columns)
    return None


def subsets(
    survivors: Integers,
    n: int,
    first_trial: np.uint64,
    trials: int,
    key: np.uint64,
    out: Words,
) -> object:
    """Floyd's algorithm, one step of all patterns at a time."""
    patterns = out.shape[0]
    survivors = np.asarray(survivors[:patterns])
    least = np.minimum(survivors, n - survivors)
    most = int(least.max(initial=0))
    if patterns * max(most, out.shape[1]) > MOST_WORDS:
        return NotImplemented
    k0, k1 = halves(key)
    number = np.arange(patterns)
    trial = first_trial + (number % trials).astype(np.uint64)
    place = (trial & MASK32, (number // trials).astype(np.uint64), trial >> SHIFT32)
    chosen = np.zeros((patterns, n), np.uint8)
    drawn: tuple[Words, ...] = ()
    for step in range(most):
        low, iteration, high = place
        if step % 4 == 0:
            drawn = philox(low, iteration, U64(step // 4), high, k0, k1)
        wanted = np.flatnonzero(least > step)
        top = (n - least[wanted] + step).astype(np.uint64)
        bound = top + ONE
        product = drawn[step % 4][wanted] * bound
        smallest = ((MASK32 - bound) + ONE) % bound
        attempt = ZERO
        while (again := np.flatnonzero((product & MASK32) < smallest)).size:
            attempt += ONE
            who = wanted[again]
            address = U64(step) + attempt * ATTEMPT
            a, _, _, _ = philox(low[who], iteration[who], address, high[who], k0, k1)
            product[again] = a * bound[again]
        pick = (product >> SHIFT32).astype(np.int64)
        pick = np.where(chosen[wanted, pick] == 1, top.astype(np.int64), pick)
        chosen[wanted, pick] = 1
    chosen[2 * survivors > n] ^= 1
    out[:] = words_of(chosen, out.shape[1])
    return None


def pack(planes: Words, out: Words) -> object:
    """Bit by bit."""
    if planes.size * 64 > MOST_BITS:
        return NotImplemented
    out[:] = words_of(bits_of(planes).T, out.shape[1])
    return None


def unpack(packed: Words, out: Words) -> object:
    """Bit by bit."""
    if out.size * 64 > MOST_BITS:
        return NotImplemented
    n, columns = out.shape
    out[:] = words_of(bits_of(packed[: 64 * columns])[:, :n].T, columns)
    return None


def count_survivors(planes: Words, out: Integers) -> object:
    """Bit by bit."""
    if planes.size * 64 > MOST_BITS:
        return NotImplemented
    out[: 64 * planes.shape[1]] = bits_of(planes).sum(axis=0, dtype=np.int64)
    return None
