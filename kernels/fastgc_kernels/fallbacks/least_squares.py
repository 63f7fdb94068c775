"""Fallbacks for decoding errors of any matrix, patterns with equally many stragglers side by side.

The steps of `fastgc_kernels.decode.straggler_costs` in their order, with a pattern a lane.
"""

import numpy as np

from fastgc_kernels._arrays import Bytes, Floats, Integers, Words
from fastgc_kernels.decode.reflection_vectors import REFLECTED
from fastgc_kernels.decode.straggler_costs import (
    _CLEAR_PART,
    _CLEAR_PIVOT,
    _EPSILON,
    DECIDED,
    LEAST_PART,
    UNDECIDED,
    Cost,
)
from fastgc_kernels.fallbacks.patterns import workers_of

MOST = 1 << 26  # multiplications
SIDE_BY_SIDE = 1 << 17  # entries of all patterns' matrices

Standing = Bytes


def normalise(H: Floats, x: Floats) -> object:
    """All entries side by side."""
    if H.size > MOST // 64:
        return NotImplemented
    scale = 1.0 / np.sqrt(np.diagonal(H))
    x *= scale
    H *= scale[:, None] * scale
    return None


def dependent(
    packed: Words,
    H: Floats,
    N: Floats,
    P: Floats,
    x: Floats,
    e0: float,
    k: float,
    out: Floats,
    doubtful: Standing,
) -> object:
    """Patterns with equally many stragglers side by side."""
    number = (workers_of(packed, x.size) == 0).sum(axis=1)
    if np.sum(number.astype(float) ** 3) > MOST:
        return NotImplemented
    fill(packed, H, N, P, x, e0, k, out, doubtful)
    return None


def fill(
    packed: Words,
    H: Floats,
    N: Floats,
    P: Floats,
    x: Floats,
    e0: float,
    k: float,
    out: Floats,
    doubtful: Standing,
) -> None:
    """Do the same however long it takes."""
    n = x.size
    lost = workers_of(packed, n) == 0
    number = lost.sum(axis=1)
    terms = Cost(H, x, e0, k)
    nullity = len(N)
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
                if nullity == 0:
                    out[some] = _independent_costs(index, terms, standing)
                elif s <= nullity:
                    out[some] = _free_costs(index, P, e0, standing)
                else:
                    out[some] = _reflected_costs(index, terms, N, standing)
                doubtful[some] = standing


def _independent_costs(index: Integers, terms: Cost, standing: Standing) -> Floats:
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
    good = (part > LEAST_PART) & (part * part * k > _CLEAR_PART * _CLEAR_PART * cost)
    standing[~good] = UNDECIDED
    found: Floats = np.minimum(terms.e0 + cost, k)
    return found


def _free_costs(index: Integers, P: Floats, e0: float, standing: Standing) -> Floats:
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


def _reflected_costs(index: Integers, terms: Cost, N: Floats, standing: Standing) -> Floats:
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
        left = REFLECTED * pivot / whole
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
