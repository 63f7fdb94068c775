"""Decoding errors of any matrix by Gram–Schmidt on the stragglers' rows, without squaring them.

What ``least_squares`` does to P and H, the squares of tables N and V, is done here to the tables'
rows: N holds an orthonormal basis of B's null space, V = B⁺ in the basis of left singular vectors,
and c the coefficients of 1 in it. Stragglers' rows of N are orthogonalised, the longest first, and
rows of V with them; what is then left of V's other rows spans what the stragglers cost: the squared
length of c's projection. Errors are those of eps·cond, not of eps·cond². Modified Gram–Schmidt with
reorthogonalisation (Daniel, Gragg, Kaufman, Stewart, Math. Comp. 30, 1976).

Rows of V change nothing in those of N: they are made at the end, with the factors (`row_vectors`).
Free directions of two patterns are taken in turn, as each step waits for the one before it. Where
short rows ask for a second reading, it goes on from the directions of the first. With the bits of
the plain form, n = 50 to 100 take 2.1 to 3.0 times less (1.9 to 2.4 with registers of four lanes),
3.8 times less where most patterns are read twice, n = 20 to 26 1.2 to 1.6 times less.
"""

from typing import Any, NamedTuple

import numpy as np

from fastgc_kernels._arrays import ONE, Bytes, Floats, Words
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.decode.orthogonal import FOUR, TOGETHER, aligned
from fastgc_kernels.decode.row_vectors import (
    less_rows,
    products,
    products_by_columns,
    project,
    settle,
    squared_length,
)
from fastgc_kernels.draw.bits import popcount, trailing_zeros

DECIDED = np.uint8(0)
RESTS_ON_SHORT = np.uint8(1)
UNDECIDED = np.uint8(2)

_EPSILON = 2.0**-52
# Where a row keeps so much of its square, once is enough: it is as good as orthogonal.
_CLEAR_PART = 0.01
# So few inner products are faster one by one.
_FEW = 8
# Patterns whose free directions are taken in turn.
_SIDES = 2
# The squared length of a row that does not exist; never the longest.
_NONE = -1.0


@inline
def _stragglers(word: np.uint64, left: int) -> np.uint64:
    found = ~word
    if left < 64:
        found &= (ONE << np.uint64(left)) - ONE
    return found


@inline
def _longest(length: Floats, q: int, first: int, last: int) -> int:
    pivot = first
    for a in range(first + 1, last):
        if length[q, a] > length[q, pivot]:
            pivot = a
    return pivot


@inline
def _square(rest: Floats, values: Floats, parts: Floats) -> float:
    for i in range(rest.size):
        parts[i] = rest[i] / values[i]
    square = 0.0
    for i in range(rest.size):
        square += parts[i] * parts[i]
    return square


class Tolerances(NamedTuple):
    """What decides on a pattern.

    A row of N no longer than ``zero`` counts as 0. Where one not longer than ``clear`` counts as
    more, the error is read a second time, as if it were 0, and is ``RESTS_ON_SHORT`` unless both
    agree to ``most``. It is ``UNDECIDED`` if a row of V is lost in rounding, or if it may be wrong
    by more than ``most``, where of the optimal x the part ``lost`` is rounding.
    """

    zero: float
    clear: float
    lost: float
    most: float


def errors(
    packed: Words,
    rows: Floats,
    nullity: int,
    c: Floats,
    values: Floats,
    e0: float,
    k: float,
    limits: Tolerances,
    out: Floats,
    standing: Bytes,
) -> None:
    """Fill ``out`` with the decoding error of each packed pattern, ``standing`` with its worth.

    A worker's row of ``rows`` (n, m) is that of N and, as long as ``c`` and the singular
    ``values``, that of V, each with zeros, of values infinite, to a multiple of eight. Raises
    ValueError where shapes do not fit: vector code reads addresses that nothing else checks.
    """
    n, width = rows.shape
    count = len(packed)
    null = width - c.size
    shapes: list[tuple[Any, tuple[int, ...]]] = [(packed, (count, -(-n // 64))), (rows, (n, width))]
    shapes += [(c, (c.size,)), (values, (c.size,)), (out, (count,)), (standing, (count,))]
    fit = all(given.shape == shape and given.flags.c_contiguous for given, shape in shapes)
    if not fit or not 0 <= nullity <= null or c.size % TOGETHER or null % TOGETHER:
        found = ", ".join(str(given.shape) for given, _ in shapes)
        raise ValueError(f"shapes of patterns, rows, c, values, out do not fit (got {found})")
    _by_rows(packed, rows, nullity, c, values, e0, k, limits, out, standing)


@jit
def _by_rows(packed, rows, nullity, c, values, e0, k, limits, out, standing):
    zero, clear, lost, most = limits
    n, width = rows.shape
    size = c.size
    null = width - size
    nothing = 2.0 * _EPSILON * (n + 8)
    # places of stragglers, the last slot being that of none; three beyond them are read, too
    largest = 0
    for t in range(packed.shape[0]):
        count = 0
        for w in range(packed.shape[1]):
            count += np.int64(popcount(_stragglers(packed[t, w], n - 64 * w)))
        largest = max(largest, count)
    slots = np.empty((_SIDES, largest + FOUR), np.int64)
    workers = np.zeros((_SIDES, largest + 1), np.int64)
    length, whole = np.empty((_SIDES, largest + FOUR)), np.empty((_SIDES, largest + FOUR))
    N = aligned(_SIDES * (largest + 1) * null).reshape(_SIDES, largest + 1, null)
    number, steps, clears, pivots = np.empty((4, _SIDES), np.int64)
    before_short = np.empty((_SIDES, largest + FOUR), np.int64)
    squares = np.empty((_SIDES, largest))
    V = aligned((largest + FOUR) * size).reshape(largest + FOUR, size)
    across = (largest + TOGETHER) // TOGETHER * TOGETHER
    F = np.zeros((_SIDES, largest + 1, across))
    room = N, slots, length, whole, F
    sizes = largest, null
    turned = np.zeros((size, across))
    rest = np.empty(size)
    parts = np.empty(size)
    inverse = np.empty(largest)
    along = np.empty(across + FOUR)
    own = np.empty(n)
    for a in range(n if nullity > 0 else 0):
        own[a] = squared_length(rows, a * width, null)
    at_first = _square(c, values, parts)
    for at in range(0, packed.shape[0], _SIDES):
        sides = min(_SIDES, packed.shape[0] - at)
        most_steps = 0
        for q in range(sides):
            # the stragglers' rows of N
            t = at + q
            s = 0
            for w in range(packed.shape[1]):
                word = _stragglers(packed[t, w], n - 64 * w)
                while word != np.uint64(0):
                    worker = 64 * w + np.int64(trailing_zeros(word))
                    word &= word - ONE
                    for i in range(null):
                        N[q, s, i] = rows[worker, i]
                    slots[q, s], workers[q, s] = s, worker
                    length[q, s] = whole[q, s] = own[worker]
                    s += 1
            for a in range(s, s + FOUR):
                slots[q, a] = largest
                length[q, a], whole[q, a] = _NONE, 2.0 * _NONE / _CLEAR_PART
            number[q] = s
            steps[q] = clears[q] = min(nullity, s)
            most_steps = max(most_steps, steps[q])
            pivots[q] = _longest(length, q, 0, s) if steps[q] > 0 else 0
        # the free directions, the longest first
        for step in range(most_steps):
            for q in range(sides):
                if step >= steps[q]:
                    continue
                s = number[q]
                pivot = pivots[q]
                slot = slots[q, pivot]
                longest = squared_length(N, (q * (largest + 1) + slot) * null, null)
                if not longest > zero * zero:
                    steps[q] = step
                    continue
                if clears[q] > step and not longest > clear * clear:
                    clears[q] = step
                    before_short[q] = slots[q]
                slots[q, step], slots[q, pivot] = slot, slots[q, step]
                length[q, pivot], whole[q, pivot] = length[q, step], whole[q, step]
                squares[q, step] = longest
                if step + 1 == s:
                    continue
                # squares are kept up to date, and taken anew before too little of them is left
                pivots[q], is_low = project(room, sizes, q, step, s, longest, _CLEAR_PART)
                if is_low:
                    for a in range(step + 1, s):
                        if not length[q, a] > _CLEAR_PART * whole[q, a]:
                            first = (q * (largest + 1) + slots[q, a]) * null
                            length[q, a] = whole[q, a] = squared_length(N, first, null)
                    pivots[q] = _longest(length, q, step + 1, s)
        for q in range(sides):
            t = at + q
            s = number[q]
            standing[t] = DECIDED
            for reading in range(2 if clears[q] < steps[q] else 1):
                used = steps[q] if reading == 0 else clears[q]
                places = slots[q] if reading == 0 else before_short[q]
                ready = 0 if reading == 0 else used
                settle(rows, workers[q], places, F[q], (ready, used, s), V)
                # What is left is not free. Each row is made orthogonal to those before it, a second
                # time if the first one took nearly all: rounding left too much of their directions.
                is_lost = False
                cost = 0.0
                for i in range(size):
                    rest[i] = c[i]
                basis = V[used:]
                for a in range(s - used):
                    row = basis[a]
                    before = left = y = 0.0
                    for turn in range(2):
                        if a < _FEW:
                            products(basis, a + 1, row, along)
                        else:
                            products_by_columns(turned, a, row, along)
                            along[a] = squared_length(row, 0, size)
                        if turn == 0:
                            before = along[a]
                        left, y = less_rows(row, basis, a, along, inverse, rest)
                        if left > _CLEAR_PART * before:
                            break
                    if not left > nothing * nothing * before:
                        is_lost = True
                        break
                    inverse[a] = 1.0 / left
                    cost += y * y * inverse[a]
                    f = y * inverse[a]
                    for i in range(size):
                        rest[i] -= f * row[i]
                    if s - used > _FEW:
                        for i in range(size):
                            turned[i, a] = row[i]
                error = min(e0 + cost, k)
                # ``rest`` is Bx in terms of singular vectors: how long x is, in the null space and
                # beside it
                square = at_first if used == s else _square(rest, values, parts)
                products(V, used, rest, along)
                for b in range(used):
                    square += along[b] * along[b] / squares[q, b]
                rounding = lost * np.sqrt(square)
                unclear = is_lost or not rounding * (np.sqrt(error) + rounding) <= most
                if reading == 0:
                    out[t] = error
                    if unclear:
                        standing[t] = UNDECIDED
                        break
                elif unclear or not abs(error - out[t]) <= most:
                    standing[t] = RESTS_ON_SHORT
