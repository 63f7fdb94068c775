"""Fallback for Gram–Schmidt on stragglers' rows, pattern by pattern."""

import numpy as np

from fastgc_kernels._arrays import Bytes, Floats, Words
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
    null = rows.shape[1] - c.size
    for t, own in enumerate(straggling):
        work = rows[own]
        used, standing[t] = _free(work, nullity, null, limits)
        cost, rest, found = _cost(work[used:, null:], c, 2.0 * _EPSILON * (len(rows) + 8))
        error = min(e0 + cost, k)
        out[t] = error
        square = _in_order(rest / values)
        free = work[:used]
        along = dots(free[:, null:], rest, 0)
        for part, length in zip(along, dots(free[:, :null], free[:, :null], 0), strict=True):
            square += part * part / length
        rounding = limits.lost * np.sqrt(square)
        if not found or not rounding * (np.sqrt(error) + rounding) <= limits.most:
            standing[t] = UNDECIDED


def _free(work: Floats, nullity: int, null: int, limits: Limits) -> tuple[int, np.uint8]:
    """Take free directions out of a pattern's rows in place, the longest first; how many."""
    standing = DECIDED
    s = len(work)
    length = dots(work[:, :null], work[:, :null], 0) if nullity else np.empty(s)
    whole = length.copy()
    for step in range(min(nullity, s)):
        pivot = step + int(np.argmax(length[step:]))
        longest = dots(work[pivot, :null], work[pivot, :null], 0)
        if not longest > limits.zero * limits.zero:
            return step, standing
        if not longest > limits.clear * limits.clear:
            standing = RESTS_ON_SHORT
        work[[step, pivot]] = work[[pivot, step]]
        length[pivot], whole[pivot] = length[step], whole[step]
        f = dots(work[step, :null], work[step + 1 :, :null], 0) / longest
        work[step + 1 :] -= f[:, None] * work[step]
        length[step + 1 :] -= f * f * longest
        low = step + 1 + np.flatnonzero(~(length[step + 1 :] > _CLEAR_PART * whole[step + 1 :]))
        length[low] = whole[low] = dots(work[low, :null], work[low, :null], 0)
    return min(nullity, s), standing


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
