"""Gram–Schmidt row after row, with swaps: the kernel of versions up to 1.6, whose bits count."""

import numpy as np

from fastgc_kernels._arrays import ONE, Bytes, Floats, Words
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.decode.gram_schmidt import DECIDED, RESTS_ON_SHORT, UNDECIDED, Tolerances
from fastgc_kernels.decode.orthogonal import dot
from fastgc_kernels.draw.bits import trailing_zeros

_EPSILON = 2.0**-52
# Where a row keeps so much of its square, once is enough: it is as good as orthogonal.
_CLEAR_PART = 0.01
# So few inner products are faster one by one.
_FEW = 8


@inline
def _subtract(target: Floats, f: float, source: Floats) -> None:
    for i in range(target.size):
        target[i] -= f * source[i]


@inline
def _product(row: Floats, other: Floats) -> float:
    """An inner product, four entries at a time."""
    total = 0.0
    for i in range(0, row.size, 4):
        first = row[i] * other[i] + row[i + 1] * other[i + 1]
        total += first + (row[i + 2] * other[i + 2] + row[i + 3] * other[i + 3])
    return total


def errors(packed, *given):
    """One reading, and of patterns that rest on short rows another, which counts these as 0."""
    *tables, limits, out, standing = given
    reading(packed, *tables, limits, out, standing)
    short = np.flatnonzero(standing == RESTS_ON_SHORT)
    other, worth = np.empty(short.size), np.empty(short.size, np.uint8)
    reading(packed[short], *tables, limits._replace(zero=limits.clear), other, worth)
    agree = (worth == DECIDED) & (np.abs(other - out[short]) <= limits.most)
    standing[short[agree]] = DECIDED


@jit
def reading(
    packed: Words, rows: Floats, nullity: int, c: Floats, values: Floats, e0: float, k: float,
    limits: Tolerances, out: Floats, standing: Bytes,
) -> None:  # fmt: skip
    """Fill ``out`` with the decoding error of each packed pattern, ``standing`` with its worth.

    A worker's row of ``rows`` (n, m) is that of N and, as long as ``c`` and the singular
    ``values``, that of V, each with zeros, of values infinite, to a multiple of eight.
    """
    zero, clear, lost, most = limits
    n, width = rows.shape
    null = width - c.size
    nothing = 2.0 * _EPSILON * (n + 8)
    work = np.empty((n, width))
    rest = np.empty(c.size)
    inverse, along, length, whole = np.empty((4, n))
    for t in range(packed.shape[0]):
        # the stragglers' rows
        s = 0
        for w in range(packed.shape[1]):
            word = ~packed[t, w]
            if n - 64 * w < 64:
                word &= (ONE << np.uint64(n - 64 * w)) - ONE
            while word != np.uint64(0):
                source = rows[64 * w + np.int64(trailing_zeros(word))]
                word &= word - ONE
                for i in range(width):
                    work[s, i] = source[i]
                s += 1
        # the free directions, the longest first
        used = 0
        standing[t] = DECIDED
        for a in range(s if nullity > 0 else 0):
            length[a] = whole[a] = dot(work[a, :null], work[a, :null], 0)
        for step in range(min(nullity, s)):
            pivot = step
            for a in range(step + 1, s):
                if length[a] > length[pivot]:
                    pivot = a
            longest = dot(work[pivot, :null], work[pivot, :null], 0)
            if not longest > zero * zero:
                break
            if not longest > clear * clear:
                standing[t] = RESTS_ON_SHORT
            chosen = work[step]
            if pivot != step:
                for i in range(width):
                    chosen[i], work[pivot, i] = work[pivot, i], chosen[i]
                length[pivot], whole[pivot] = length[step], whole[step]
            used += 1
            if used == s:
                break
            for a in range(step + 1, s):
                f = dot(chosen[:null], work[a, :null], 0) / longest
                _subtract(work[a], f, chosen)
                # squares are kept up to date, and taken anew before too little of them is left
                length[a] -= f * f * longest
                if not length[a] > _CLEAR_PART * whole[a]:
                    length[a] = whole[a] = dot(work[a, :null], work[a, :null], 0)
        # What is left is not free. Each row is made orthogonal to those before it, a second time if
        # the first one took nearly all: then rounding left too much of their directions.
        cost = 0.0
        for i in range(c.size):
            rest[i] = c[i]
        for a in range(s - used):
            row = work[used + a, null:]
            before = left = dot(row, row, 0)
            for _ in range(2):
                for b in range(a):
                    done = work[used + b, null:]
                    along[b] = dot(done, row, 0) if a < _FEW else _product(row, done)
                for b in range(a):
                    _subtract(row, along[b] * inverse[b], work[used + b, null:])
                left = dot(row, row, 0)
                if left > _CLEAR_PART * before:
                    break
            if not left > nothing * nothing * before:
                standing[t] = UNDECIDED
                break
            inverse[a] = 1.0 / left
            y = dot(row, rest, 0)
            cost += y * y * inverse[a]
            _subtract(rest, y * inverse[a], row)
        error = min(e0 + cost, k)
        out[t] = error
        # ``rest`` is Bx in terms of singular vectors: how long x is, in and beside the null space
        square = 0.0
        for i in range(c.size):
            part = rest[i] / values[i]
            square += part * part
        for b in range(used):
            part = dot(work[b, null:], rest, 0)
            square += part * part / dot(work[b, :null], work[b, :null], 0)
        rounding = lost * np.sqrt(square)
        if not rounding * (np.sqrt(error) + rounding) <= most:
            standing[t] = UNDECIDED
