"""Fallback for Gram–Schmidt on stragglers' rows, pattern by pattern."""

import numpy as np

from fastgc_kernels._arrays import Booleans, Bytes, Floats, Words
from fastgc_kernels.decode.gram_schmidt import (
    _CLEAR_PART,
    _EPSILON,
    _FEW,
    DECIDED,
    RESTS_ON_SHORT,
    UNDECIDED,
    Limits,
)
from fastgc_kernels.fallbacks.orthogonal import dots
from fastgc_kernels.fallbacks.patterns import workers_of

MOST = 1 << 14  # pairs of stragglers


def by_rows(
    packed: Words,
    rows: Floats,
    nullity: int,
    c: Floats,
    values: Floats,
    e0: float,
    k: float,
    limits: Limits,
    out: Floats,
    standing: Bytes,
) -> object:
    """Few patterns."""
    straggling = workers_of(packed, len(rows)) == 0
    if np.sum(straggling.sum(axis=1).astype(float) ** 2) > MOST:
        return NotImplemented
    fill(packed, rows, nullity, c, values, e0, k, limits, out, standing)
    return None


def fill(
    packed: Words,
    rows: Floats,
    nullity: int,
    c: Floats,
    values: Floats,
    e0: float,
    k: float,
    limits: Limits,
    out: Floats,
    standing: Bytes,
) -> None:
    """One pattern after the other."""
    straggling = workers_of(packed, len(rows)) == 0
    given = nullity, c, values, e0, k, limits
    for t, own in enumerate(straggling):
        out[t], rests, decided = _read(limits.zero, rows, own, given)
        standing[t] = DECIDED if decided else UNDECIDED
        if decided and rests:
            other, _, decided = _read(limits.clear, rows, own, given)
            if not decided or not abs(other - out[t]) <= limits.most:
                standing[t] = RESTS_ON_SHORT


def _read(
    zero: float,
    rows: Floats,
    straggling: Booleans,
    given: tuple[int, Floats, Floats, float, float, Limits],
) -> tuple[float, bool, bool]:
    """The error if rows up to ``zero`` are 0, whether it rests on short ones, its worth."""
    nullity, c, values, e0, k, limits = given
    work = rows[straggling]
    null = work.shape[1] - c.size
    used, rests = _free(work, nullity, null, zero, limits.clear)
    cost, rest, found = _cost(work[used:, null:], c, 2.0 * _EPSILON * (len(rows) + 8))
    error = min(e0 + cost, k)
    square = _in_order(rest / values)
    free = work[:used]
    along = dots(free[:, null:], rest, 0)
    for part, length in zip(along, dots(free[:, :null], free[:, :null], 0), strict=True):
        square += part * part / length
    rounding = limits.lost * np.sqrt(square)
    return error, rests, found and bool(rounding * (np.sqrt(error) + rounding) <= limits.most)


def _free(work: Floats, nullity: int, null: int, zero: float, clear: float) -> tuple[int, bool]:
    """Take free directions out of a pattern's rows in place, the longest first; how many.

    Beside it whether one of them is no longer than ``clear``.
    """
    is_short = False
    s = len(work)
    length = dots(work[:, :null], work[:, :null], 0) if nullity else np.empty(s)
    whole = length.copy()
    for step in range(min(nullity, s)):
        pivot = step + int(np.argmax(length[step:]))
        longest = dots(work[pivot, :null], work[pivot, :null], 0)
        if not longest > zero * zero:
            return step, is_short
        is_short |= not longest > clear * clear
        work[[step, pivot]] = work[[pivot, step]]
        length[pivot], whole[pivot] = length[step], whole[step]
        f = dots(work[step, :null], work[step + 1 :, :null], 0) / longest
        work[step + 1 :] -= f[:, None] * work[step]
        length[step + 1 :] -= f * f * longest
        low = step + 1 + np.flatnonzero(~(length[step + 1 :] > _CLEAR_PART * whole[step + 1 :]))
        length[low] = whole[low] = dots(work[low, :null], work[low, :null], 0)
    return min(nullity, s), is_short


def _cost(basis: Floats, c: Floats, nothing: float) -> tuple[float, Floats, bool]:
    """What rows cost that are not free, what they leave of c, and whether none is lost."""
    cost = 0.0
    rest = c.copy()
    inverse = np.empty(len(basis))
    for a, row in enumerate(basis):
        whole = left = dots(row, row, 0)
        for _ in range(2):
            along = (dots(basis[:a], row, 0) if a < _FEW else _products(basis[:a], row)) * inverse[
                :a
            ]
            for factor, other in zip(along, basis, strict=False):
                row -= factor * other
            left = dots(row, row, 0)
            if left > _CLEAR_PART * whole:
                break
        if not left > nothing * nothing * whole:
            return cost, rest, False
        inverse[a] = 1.0 / left
        y = dots(row, rest, 0)
        cost += y * y * inverse[a]
        rest -= y * inverse[a] * row
    return cost, rest, True


def _products(basis: Floats, row: Floats) -> Floats:
    """Inner products of a row with others, four entries at a time."""
    terms = (basis * row).reshape(len(basis), -1, 4)
    found = np.zeros(len(basis))
    for four in range(terms.shape[1]):
        x = terms[:, four]
        found += (x[:, 0] + x[:, 1]) + (x[:, 2] + x[:, 3])
    return found


def _in_order(parts: Floats) -> float:
    """Sum of squares, one after the other."""
    total = 0.0
    for part in parts.tolist():
        total += part * part
    return total
