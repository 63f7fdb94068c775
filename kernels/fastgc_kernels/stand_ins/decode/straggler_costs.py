"""What stragglers add to the error, for all patterns with equally many side by side.

The steps of `fastgc_kernels.decode.straggler_costs` in their order, with a pattern a lane.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.decode.straggler_costs import (
    _CLEAR_PART,
    _CLEAR_PIVOT,
    _EPSILON,
    _LEAST_PART,
    _REFLECTED,
    UNDECIDED,
    Cost,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Standing = NDArray[np.uint8]


def independent_costs(index: Integers, terms: Cost, standing: Standing) -> Floats:
    """Errors of patterns with stragglers ``index`` (s, v), B's columns independent."""
    s, lanes = index.shape
    M = np.empty((s, s + 1, lanes))
    M[:, :s] = terms.H[index[:, None], index[None]]
    M[np.arange(s), np.arange(s)] = 1.0
    M[:, s] = terms.x[index]
    cost = np.zeros(lanes)
    part = np.ones(lanes)
    for a in range(s):
        pivot, y = M[a, a], M[a, s]
        part = np.where(pivot < part, pivot, part)
        inverse = 1.0 / pivot
        cost += y * y * inverse
        _eliminate(M, a, inverse)
    return _stored(cost, part, terms, standing)


def _eliminate(M: Floats, a: int, inverse: Floats) -> None:
    s = M.shape[0]
    multiple = M[a, a + 1 : s] * inverse
    M[a + 1 :, a + 1 :] -= multiple[:, None] * M[None, a, a + 1 :]


def _stored(cost: Floats, part: Floats, terms: Cost, standing: Standing) -> Floats:
    k = terms.k
    good = (part > _LEAST_PART) & (part * part * k > _CLEAR_PART * _CLEAR_PART * cost)
    standing[~good] = UNDECIDED
    found: Floats = np.minimum(terms.e0 + cost, k)
    return found


def free_costs(index: Integers, P: Floats, e0: float, standing: Standing) -> Floats:
    """Errors of patterns with no more stragglers ``index`` (s, v) than the nullity."""
    s, lanes = index.shape
    A = P[index[:, None], index[None]]
    least = np.ones(lanes)
    for a in range(s):
        pivot = A[a, a]
        least = np.where(pivot < least, pivot, least)
        f = A[a, a + 1 :] / pivot
        A[a + 1 :, a + 1 :] -= f[:, None] * A[None, a, a + 1 :]
    standing[~(least > _CLEAR_PIVOT)] = UNDECIDED
    return np.full(lanes, e0)


def reflected_costs(index: Integers, terms: Cost, N: Floats, standing: Standing) -> Floats:
    """Errors of patterns with more stragglers ``index`` (s, v) than the nullity."""
    s, lanes = index.shape
    M = np.empty((s, s + 1, lanes))
    M[:, :s] = terms.H[index[:, None], index[None]]
    M[:, s] = terms.x[index]
    whole = np.max(M[np.arange(s), np.arange(s)], axis=0, initial=0.0)
    part = np.ones(lanes)
    A = N[:, index]
    used = np.zeros(lanes, np.int64)
    zero = 2.0 * _EPSILON * (terms.x.size + 8)
    for j in range(len(N)):
        _reflect(M, A, j, used, zero, part)
    cost = np.zeros(lanes)
    for a in range(int(used.min(initial=s)), s):
        pivot, y = M[a, a], M[a, s]
        own = a >= used
        left = _REFLECTED * pivot / whole
        part = np.where(own & (left < part), left, part)
        inverse = np.where(own, 1.0 / pivot, 0.0)
        cost += y * y * inverse
        _eliminate(M, a, inverse)
    return _stored(cost, part, terms, standing)


def _reflect(M: Floats, A: Floats, j: int, used: Integers, zero: float, part: Floats) -> None:
    """One reflection of columns of N_T, H_TT on both sides, and x_T, in rows that are not taken."""
    s, lanes = M.shape[0], np.arange(M.shape[2])
    least = int(used.min(initial=s))
    u = np.where(np.arange(least, s)[:, None] >= used, A[j, least:], 0.0)
    square = _dot(u, u)
    length = np.sqrt(square)
    taken = length > zero
    place = np.minimum(used - least, len(u) - 1)
    first = u[place, lanes]
    part[:] = np.where(taken & (length < part), length, part)
    inverse = np.where(taken, 1.0 / np.where(taken, square + length * abs(first), 1.0), 0.0)
    u[place, lanes] += np.where(taken, np.where(first >= 0.0, length, -length), 0.0)
    used += taken
    for column in A[j + 1 :, least:]:
        column -= _dot(u, column) * inverse * u
    own = M[least:, least:s]
    p = _dot(own.swapaxes(0, 1), u[:, None])
    f = _dot(p, u) * (0.5 * inverse * inverse)
    q = p * inverse - f * u
    y = M[least:, s]
    y -= _dot(u, y) * inverse * u
    own -= u[:, None] * q[None] + q[:, None] * u[None]


def _dot(a: Floats, b: Floats) -> Floats:
    """Sum of products along the first axis, in order."""
    found = np.zeros(np.broadcast_shapes(a.shape[1:], b.shape[1:]))
    for one, other in zip(a, b, strict=True):
        found += one * other
    return found
