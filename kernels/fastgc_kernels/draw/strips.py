"""Beta numbers with whole parameters: a density under a staircase of strips of equal area.

A strip is taken at random and a point in it, and the point is kept if it lies under the density
(Ahrens' table method, Computing 54, 1995): all but about one in a hundred are kept at once. The
densities are those of exp(−e) for an order statistic e of exponential numbers, so the support ends
at 0 and 1 and there are no tails to care for.
"""

import numpy as np

from fastgc_kernels._arrays import ONE, U64, ZERO, Floats
from fastgc_kernels._jit import jit
from fastgc_kernels.draw import variate_vectors
from fastgc_kernels.draw.bits import trailing_zeros
from fastgc_kernels.draw.pairs import in_blocks
from fastgc_kernels.draw.philox import ATTEMPT, halves, words_at
from fastgc_kernels.draw.variate_vectors import MASK
from fastgc_kernels.draw.variates import exp, log, unit

STRIPS = 512
PICK = U64(STRIPS - 1)
#: Rows of a table of strips: lower end, width, share of the strip's height that is under the
#: density everywhere, logarithm of the height. Then, in the last row: powers of x and of 1 − x, and
#: the logarithm of the density's maximum.
LOWER, WIDTH, SURE, HEIGHT, POWERS = 0, 1, 2, 3, 4
ROWS = 5


@jit
def _density(x, rising, falling, highest):
    # its logarithm at 0 < x < 1, 0 at the mode
    value = -highest
    if rising > 0.0:
        value += rising * log(x)
    if falling > 0.0:
        value += falling * log(1.0 - x)
    return value


@jit
def _side(area, mode, direction, start, powers, table):
    # lays strips of an area from the mode outwards on one side; returns how many there are then,
    # one more than fit where they do not fit
    inner = mode
    level = 0.0
    end = 1.0 if direction > 0.0 else 0.0
    # a strip begins at ``inner`` with the density's height there, e^level, so that it covers the
    # density, which falls from the mode outwards
    while (end - inner) * direction > 0.0:
        if start == STRIPS:
            return STRIPS + 1
        width = area * exp(-level)
        outer = inner + direction * width
        if 0.0 < outer < 1.0:
            next_level = _density(outer, powers[0], powers[1], powers[2])
            table[SURE, start] = exp(next_level - level)
        else:
            # the last strip ends where the support does and is higher instead
            outer = end
            width = abs(end - inner)
            level = log(area / width)
            next_level = level
            table[SURE, start] = 0.0
        table[LOWER, start] = min(inner, outer)
        table[WIDTH, start] = width
        table[HEIGHT, start] = level
        level = next_level
        inner = outer
        start += 1
    return start


@jit
def lay(n: int, k: int, table: Floats) -> None:
    """Table (ROWS, STRIPS) for exp(−e), e the k-th smallest of n exponential numbers."""
    powers = table[POWERS]
    # exp(−e) is a Beta number: its density is x^(n − k) (1 − x)^(k − 1), up to a factor
    powers[0] = n - k
    powers[1] = k - 1
    powers[2] = 0.0
    mode = powers[0] / (powers[0] + powers[1]) if n > 1 else 0.5
    if 0.0 < mode < 1.0:
        powers[2] = _density(mode, powers[0], powers[1], 0.0)
    none = np.int64(0)
    # bisection for the smallest area whose strips reach both ends
    low = 0.0
    high = 1.0
    for _ in range(60):
        area = 0.5 * (low + high)
        count = _side(area, mode, 1.0, none, powers, table)
        if count <= STRIPS:
            count = _side(area, mode, -1.0, count, powers, table)
        if count <= STRIPS:
            high = area
        else:
            low = area
    count = _side(high, mode, 1.0, none, powers, table)
    count = _side(high, mode, -1.0, count, powers, table)
    for i in range(count, STRIPS):
        # what is drawn here lies outside the support
        table[LOWER, i] = -1.0
        table[WIDTH, i] = 0.0
        table[SURE, i] = 0.0
        table[HEIGHT, i] = 0.0


@jit
def numbers(
    table: Floats, key: np.uint64, first: np.uint64, iteration: int, address: int, out: Floats
) -> None:
    """Order statistics e ``out`` of a run of trials, whose addresses lie below 2²⁰."""
    k0, k1 = halves(key)
    whole = in_blocks(first, out)
    room = np.empty((3, whole + MASK), np.uint64)
    left, waiting, found = room[0], room[1], room[2].view(np.float64)
    step, count = U64(address), 0
    if whole > 0:
        # where the height is sure to be under the density the number is settled
        draw = first, U64(iteration), step, k0, k1
        variate_vectors.strips(draw, whole, table, STRIPS, out, left)
    for i in range(whole // MASK):
        while left[i] != ZERO:
            waiting[count] = U64(i * MASK) + trailing_zeros(left[i])
            left[i] &= left[i] - ONE
            count += 1
    while count > 0:
        blocks = (count + MASK - 1) // MASK * MASK
        draw = first, U64(iteration), step, k0, k1
        variate_vectors.settle(draw, blocks, table, STRIPS, waiting, found, left)
        tried, count = count, 0
        for i in range(tried):
            waiting[count] = waiting[i]
            out[np.int64(waiting[i])] = found[i]
            count += np.int64((left[i // MASK] >> U64(i % MASK)) & ONE)
        step += ATTEMPT
    for t in range(whole, out.size):
        out[t] = _drawn(table, k0, k1, first + U64(t), iteration, address)


@jit
def _drawn(table, k0, k1, trial, iteration, address):
    # −log of the first point that lies under the density
    step = U64(address)
    powers = table[POWERS]
    while True:
        # 53 bits of (a, b) are the place in a strip, of (c, d) the height; the strip is of b's
        # lowest nine, which the place does not use
        a, b, c, d = words_at(trial, iteration, step, k0, k1)
        strip = np.int64(b & PICK)
        x = table[LOWER, strip] + table[WIDTH, strip] * unit(a, b)
        height = unit(c, d)
        if height < table[SURE, strip]:
            break
        if 0.0 < x < 1.0:
            level = _density(x, powers[0], powers[1], powers[2])
            if log(height) + table[HEIGHT, strip] < level:
                break
        step += ATTEMPT
    return 0.0 - log(x)  # never −0
