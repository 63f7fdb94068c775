"""What stragglers add to the error, for all patterns with equally many side by side.

The steps of `fastgc_kernels.decode.straggler_costs` in their order, with a pattern a lane.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.decode.straggler_costs import (
    _CLEAR_PART,
    _CLEAR_PIVOT,
    _LEAST_PART,
    RESTS_ON_ZERO,
    UNDECIDED,
    Cost,
    Dependences,
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


def dependent_costs(index: Integers, terms: Cost, null: Dependences, standing: Standing) -> Floats:
    """Errors of patterns with stragglers ``index`` (s, v), B's null space not empty."""
    s, lanes = index.shape
    index = index.copy()
    H = terms.H[index[:, None], index[None]]
    A = null.P[index[:, None], index[None]]
    y = terms.x[index]
    size = H[np.arange(s), np.arange(s)].copy()
    tables = (index, y, size)
    used = np.full(lanes, -1)
    weakest = np.ones(lanes)
    most = min(null.nullity, s)
    lane = np.arange(lanes)
    for step in range(most):
        diagonal = A[np.arange(step, s), np.arange(step, s)]
        pivot = step + np.argmax(diagonal, axis=0)
        going = used < 0
        done = going & ~(A[pivot, pivot, lane] > _CLEAR_PIVOT)
        used[done] = step
        going &= ~done
        if not going.any():
            break
        _swap(H, A, tables, step, pivot, np.flatnonzero(going & (pivot != step)))
        own = A[step, step]
        weakest = np.where(going, np.minimum(weakest, own), weakest)
        inverse = np.where(going, 1.0 / own, 0.0)
        _free(H, A, y, size, step, inverse)
    used[used < 0] = most
    cost = np.zeros(lanes)
    part = np.ones(lanes)
    M = np.concatenate([H, y[:, None]], axis=1)
    for a in range(s):
        inverse = np.where(a >= used, 1.0 / M[a, a], 0.0)
        left = M[a, a] * weakest / size[a]
        part = np.where((a >= used) & (left < part), left, part)
        cost += M[a, s] * M[a, s] * inverse
        _eliminate(M, a, inverse)
    unclear = np.flatnonzero(used < most)
    rests = ~_explained(index[:, unclear], used[unclear], null.component, null.ranks)
    standing[unclear[rests]] = RESTS_ON_ZERO
    return _stored(cost, part, terms, standing)


def _swap(
    H: Floats,
    A: Floats,
    tables: tuple[NDArray[np.int64] | Floats, ...],
    p: int,
    pivot: Integers,
    some: Integers,
) -> None:
    """Bring each lane's pivot to place p: rows and columns of both matrices, and entries."""
    q = pivot[some]
    for table in tables:
        held = table[p, some].copy()
        table[p, some] = table[q, some]
        table[q, some] = held
    for square in (H, A):
        rows = square[p][:, some].copy()
        square[p][:, some] = square[q, :, some].T
        square[q, :, some] = rows.T
        columns = square[:, p, some].copy()
        square[:, p, some] = square[:, q, some]
        square[:, q, some] = columns


def _free(H: Floats, A: Floats, y: Floats, size: Floats, step: int, inverse: Floats) -> None:
    """Take one direction of the null space out of the stragglers after ``step``."""
    rest = slice(step + 1, None)
    f = A[step, rest] * inverse
    size[rest] += f * f * size[step]
    g = H[step, rest] - 0.5 * H[step, step] * f
    y[rest] -= f * y[step]
    upper = np.triu(np.ones((f.shape[0], f.shape[0]), bool))[:, :, None]
    taken = f[:, None] * A[None, step, rest]
    A[rest, rest] -= np.where(upper, taken, taken.transpose(1, 0, 2))
    H[rest, rest] -= f[:, None] * g[None] + f[None] * g[:, None]


def _explained(
    index: Integers, used: Integers, component: Integers, ranks: Integers
) -> NDArray[np.bool_]:
    """Whether every zero pivot of a lane follows from the components' ranks alone."""
    s, lanes = index.shape
    own = component[index]
    place = np.arange(s)[:, None]
    first = (place < used) & (own >= 0)
    found = np.zeros((ranks.size, lanes), np.int64)
    np.add.at(found, (own[first], np.nonzero(first)[1]), 1)
    wrong = (found != ranks[:, None])[own, np.arange(lanes)]
    explained: NDArray[np.bool_] = ~np.any((place >= used) & (own >= 0) & wrong, axis=0)
    return explained
