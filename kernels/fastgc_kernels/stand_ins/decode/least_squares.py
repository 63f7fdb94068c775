"""Stand-ins for decoding errors of any matrix from its stragglers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.decode.least_squares import _CLEAR_LENGTH, _EPSILON
from fastgc_kernels.decode.straggler_costs import (
    DECIDED,
    RESTS_ON_ZERO,
    UNDECIDED,
    Cost,
    Dependences,
)
from fastgc_kernels.stand_ins.bits import workers_of
from fastgc_kernels.stand_ins.decode.orthogonal import dots
from fastgc_kernels.stand_ins.decode.straggler_costs import dependent_costs, independent_costs

MOST = 1 << 26  # multiplications
SIDE_BY_SIDE = 1 << 17  # entries of all patterns' matrices

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def normalise(H: Floats, x: Floats) -> object:
    """All entries side by side."""
    if H.size > MOST // 64:
        return NotImplemented
    scale = 1.0 / np.sqrt(np.diagonal(H))
    x *= scale
    H *= scale[:, None] * scale
    return None


def errors(
    packed: NDArray[np.uint64],
    H: Floats,
    P: Floats,
    component: Integers,
    ranks: Integers,
    x: Floats,
    e0: float,
    k: float,
    out: Floats,
    doubtful: NDArray[np.uint8],
) -> object:
    """Patterns with equally many stragglers side by side."""
    n = x.size
    lost = workers_of(packed, n) == 0
    number = lost.sum(axis=1)
    if np.sum(number.astype(float) ** 3) > MOST:
        return NotImplemented
    terms = Cost(H, x, e0, k)
    nullity = int(ranks.sum())
    null = Dependences(P, component, ranks, nullity)
    doubtful[:] = DECIDED
    for s in np.unique(number).tolist():
        own = np.flatnonzero(number == s)
        stragglers = np.nonzero(lost[own])[1].reshape(own.size, s).T
        if s in (0, n):
            out[own] = e0 if s == 0 else k
        elif s == 1 and nullity == 0:
            out[own] = np.minimum(e0 + x * x, k)[stragglers[0]]
        else:
            lanes = max(1, SIDE_BY_SIDE // (s * s))
            for start in range(0, own.size, lanes):
                some = own[start : start + lanes]
                index = stragglers[:, start : start + lanes]
                standing = np.full(some.size, DECIDED)
                out[some] = (
                    dependent_costs(index, terms, null, standing)
                    if nullity
                    else independent_costs(index, terms, standing)
                )
                doubtful[some] = standing
    return None


def confirm(packed: NDArray[np.uint64], null_rows: Floats, doubtful: NDArray[np.uint8]) -> object:
    """Gram and Schmidt on the patterns with equally many stragglers side by side."""
    n, nullity = null_rows.shape
    open_ones = np.flatnonzero(doubtful == RESTS_ON_ZERO)
    lost = workers_of(packed[open_ones], n) == 0
    number = lost.sum(axis=1)
    if np.sum(number.astype(float) ** 2) * nullity > MOST // 8:
        return NotImplemented
    for s in np.unique(number).tolist():
        own = np.flatnonzero(number == s)
        rows = null_rows[np.nonzero(lost[own])[1].reshape(own.size, s)]
        doubtful[open_ones[own]] = _standing(rows, 2.0 * _EPSILON * (n + 8))
    return None


def _standing(rows: Floats, zero: float) -> NDArray[np.uint8]:
    """Whether each pattern's rows (P, s, nullity) come to an end that is rounding, or to none."""
    found = np.full(rows.shape[0], DECIDED)
    left = np.arange(rows.shape[0])
    for step in range(rows.shape[1]):
        each = np.arange(left.size)
        lengths = dots(rows[:, step:], rows[:, step:], 0)
        pivot = step + np.argmax(lengths, axis=1)
        longest = np.sqrt(lengths[each, pivot - step])
        unclear = ~(longest <= zero) & (longest < _CLEAR_LENGTH)
        found[left[unclear]] = UNDECIDED
        on = ~(longest <= zero) & ~unclear
        left, pivot, longest, rows = left[on], pivot[on], longest[on], rows[on]
        each = np.arange(left.size)
        first = rows[each, pivot] / longest[:, None]
        rows[each, pivot] = rows[:, step]
        rows[:, step] = first
        along = dots(first[:, None], rows[:, step + 1 :], 0)
        rows[:, step + 1 :] -= along[:, :, None] * first[:, None]
    return found
