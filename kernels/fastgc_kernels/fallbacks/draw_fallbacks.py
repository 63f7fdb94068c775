"""Fallbacks for elementary functions and draws of patterns.

Bits of 64-bit words are arrays of bytes here, and back.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._arrays import ALL, ONE, U64, ZERO, Bytes, Floats, Integers, Words
from fastgc_kernels.draw.elementary import LEAST, MOST, SCALE, error_of_product, log_parts
from fastgc_kernels.draw.philox import ATTEMPT, MASK32, SHIFT32, halves, philox, words_at
from fastgc_kernels.draw.variates import LN2, _split, log, normal_centre, normal_far, normal_near

MOST_WORDS = 1 << 19
MOST_BITS = 1 << 23


def bits_of(words: Words) -> Bytes:
    """Bits (m, 64 · w) of rows of words (m, w), the lowest first."""
    rows = np.ascontiguousarray(words, dtype="<u8")
    return np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")


def words_of(bits: NDArray[Any], words: int) -> Words:
    """Words (m, w) of rows of bits, padded with zeros."""
    padded = np.zeros((bits.shape[0], 64 * words), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def words(counters: Words, key: U64, out: Words) -> object:
    """All counters side by side."""
    if counters.shape[0] > MOST_WORDS:
        return NotImplemented
    drawn = philox(*counters.T, *halves(key))
    for i in range(4):
        out[:, i] = drawn[i]
    return None


def bernoulli(
    own: tuple[Words, Integers],
    other: tuple[Words, Integers],
    classes: Words,
    key: U64,
    counters: tuple[Words, Words, Words],
    out: Words,
) -> object:
    """All words of all workers side by side, as long as a comparison in them is undecided."""
    n, columns = out.shape
    if n * columns > MOST_WORDS:
        return NotImplemented
    digits, pairs = own
    other_digits, other_pairs = other
    low, iteration, high = counters
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
                turned = threshold ^ other_digits[worker, 2 * pair + digit]
                threshold = threshold ^ (turned & classes[worker, column])
            u = undecided[place]
            straggles[place] |= u & ~x & threshold
            undecided[place] = u & ~(x ^ threshold)
    out[:] = ~straggles.reshape(n, columns)
    return None


def _bounded(
    words: Words, bound: Words, trial: Words, iteration: Words, step: int, key: U64
) -> Integers:
    """Numbers below ``bound``; the few that are refused are drawn again."""
    product = words * bound
    least = ((MASK32 - bound) + ONE) % bound
    address = U64(step)
    while (again := np.flatnonzero((product & MASK32) < least)).size:
        address += ATTEMPT
        word = words_at(trial[again], iteration[again], address, *halves(key))[0]
        product[again] = word * bound[again]
    return (product >> SHIFT32).astype(np.int64)


def subsets(
    survivors: Integers, n: int, first_trial: U64, trials: int, key: U64, out: Words
) -> object:
    """Floyd's algorithm, one step of all patterns at a time."""
    patterns = out.shape[0]
    survivors = np.asarray(survivors[:patterns])
    least = np.minimum(survivors, n - survivors)
    most = int(least.max(initial=0))
    if patterns * max(most, out.shape[1]) > MOST_WORDS:
        return NotImplemented
    number = np.arange(patterns, dtype=np.uint64)
    trial, iteration = first_trial + number % U64(trials), number // U64(trials)
    chosen = np.zeros((patterns, n), np.uint8)
    drawn: tuple[Words, ...] = ()
    for step in range(most):
        if step % 4 == 0:
            drawn = words_at(trial, iteration, step // 4, *halves(key))
        some = np.flatnonzero(least > step)
        top = n - least[some] + step
        bound = (top + 1).astype(np.uint64)
        pick = _bounded(drawn[step % 4][some], bound, trial[some], iteration[some], step, key)
        pick = np.where(chosen[some, pick] == 1, top, pick)
        chosen[some, pick] = 1
    chosen[2 * survivors > n] ^= 1
    out[:] = words_of(chosen, out.shape[1])
    return None


def unpack(packed: Words, out: Words) -> object:
    """Bit by bit."""
    if out.size * 64 > MOST_BITS:
        return NotImplemented
    n, columns = out.shape
    out[:] = words_of(bits_of(packed[: 64 * columns])[:, :n].T, columns)
    return None


def pack(planes: Words, out: Words) -> object:
    """Bit by bit."""
    if planes.size * 64 > MOST_BITS:
        return NotImplemented
    out[:] = words_of(bits_of(planes).T, out.shape[1])
    return None


def count_survivors(planes: Words, out: Integers) -> object:
    """Bit by bit."""
    if planes.size * 64 > MOST_BITS:
        return NotImplemented
    out[: 64 * planes.shape[1]] = bits_of(planes).sum(axis=0, dtype=np.int64)
    return None


def exp(x: Floats) -> Floats:
    """The exponential function."""
    q, scale = _split(np.minimum(np.maximum(x, -708.0), 709.79))
    value = 2.0 * (scale + scale * q)
    return np.where(x < -708.0, 0.0, value)


def probability_below(e: Floats) -> Floats:
    """1 − exp(−e) for e ≥ 0."""
    q, scale = _split(-np.minimum(e, 708.0))
    found: Floats = (1.0 - 2.0 * scale) - 2.0 * scale * q
    return found


def normal_above(e: Floats) -> Floats:
    """The z with P(Z > z) = exp(−e)."""
    below = probability_below(e)
    q = below - 0.5
    root = np.sqrt(np.where(e > LN2, e, -log(below)))
    tail = np.where(root <= 5.0, normal_near(root), normal_far(root))
    tail = np.where(e > LN2, tail, -tail)
    return np.where(np.abs(q) <= 0.425, normal_centre(q), tail)


def _parts_of_log(x: Floats) -> tuple[Floats, Floats]:
    # log x = high + low
    small = x < LEAST
    normal = np.minimum(np.maximum(np.where(small, x * SCALE, x), LEAST), MOST)
    high, low = log_parts(normal, np.where(small, 54.0, 0.0))
    high = np.where(x == np.inf, x, high)
    return np.where(x >= 0.0, np.where(x == 0.0, -np.inf, high), np.nan), low


def exps(x: Floats, out: Floats) -> None:
    """Fill ``out`` with e^x."""
    out[:] = exp(x)


def expm1s(x: Floats, out: Floats) -> None:
    """Fill ``out`` with e^x − 1."""
    q, scale = _split(np.minimum(np.maximum(x, -708.0), 709.79))
    out[:] = 2.0 * ((scale - 0.5) + scale * q)


def logs(x: Floats, out: Floats) -> None:
    """Fill ``out`` with log x."""
    out[:] = _parts_of_log(x)[0]


def log1ps(x: Floats, out: Floats) -> None:
    """Fill ``out`` with log(1 + x)."""
    above = 1.0 + x
    lost = above - 1.0
    alike = (lost == 0.0) | (above == np.inf)
    found = _parts_of_log(above)[0] * (x / np.where(alike, 1.0, lost))
    out[:] = np.where(alike, x, found)


def powers(x: Floats, exponent: float, out: Floats) -> None:
    """Fill ``out`` with x^exponent."""
    high, low = _parts_of_log(x)
    value = exp(exponent * high)
    plain = (value == 0.0) | (value == np.inf) | (exponent == 0.0)
    high = np.where(plain, 0.0, high)
    rest = error_of_product(exponent, high, exponent * high) + exponent * low
    out[:] = np.where(plain, 1.0 if exponent == 0.0 else value, value + value * rest)


def normals(uniforms: Floats, out: Floats) -> None:
    """Fill ``out`` with the normal number that is exceeded with each probability."""
    out[:] = normal_above(-log(uniforms))
