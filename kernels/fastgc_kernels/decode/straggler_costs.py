"""What stragglers add to the decoding error, for patterns with equally many of them.

Patterns are handled side by side, one in each lane. Loops over lanes have no fixed length: those
that have are unrolled, and then never become vectors.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import inline, jit
from fastgc_kernels.decode.straggler_lists import list_stragglers

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Words = NDArray[np.uint64]

DECIDED = np.uint8(0)
RESTS_ON_ZERO = np.uint8(1)
UNDECIDED = np.uint8(2)

LANES = 64  # eight registers of eight, so that the compiler's loops are worth their start
# A pivot of P is the square of a distance: between this and rounding it says too little.
_CLEAR_PIVOT = 1e-6
# What elimination must leave of a diagonal entry of H lest too many digits cancel: measured to
# keep errors below 1e-11·k. Less will do where stragglers cost little.
_CLEAR_PART = 1e-4
_LEAST_PART = 1e-6


class Cost(NamedTuple):
    """What forcing x to vanish costs: H (n, n), x (n,), the error without stragglers, and k."""

    H: Floats
    x: Floats
    e0: float
    k: float


class Dependences(NamedTuple):
    """B's null space: its projector, and its blocks by worker (−1: in none) with their ranks."""

    P: Floats
    component: Integers
    ranks: Integers
    nullity: int


class Sorted(NamedTuple):
    """Patterns in order of their number of stragglers, and these as bits (words, patterns)."""

    absent: Words
    order: NDArray[np.int32]


class Found(NamedTuple):
    """What is filled: errors, and how much they are worth."""

    error: Floats
    doubtful: NDArray[np.uint8]


@inline
def _subtract(target: Floats, source: Floats, f: Floats, lanes: int) -> None:
    """Subtract f times an entry of one row from another's, in all lanes."""
    for v in range(lanes):
        target[v] -= f[v] * source[v]


@inline
def _store(
    cost: Floats,
    part: Floats,
    lanes: int,
    first: int,
    order: NDArray[np.int32],
    terms: Cost,
    found: Found,
) -> None:
    """Store the errors of patterns side by side.

    ``cost`` is what the stragglers add, ``part`` the least part of a diagonal entry that was left.
    """
    k = terms.k
    for v in range(lanes):
        t = order[first + v]
        found.error[t] = min(terms.e0 + cost[v], k)
        # "not" so that what is no number is undecided too
        least = part[v]
        if not (least > _LEAST_PART and least * least * k > _CLEAR_PART * _CLEAR_PART * cost[v]):
            found.doubtful[t] = UNDECIDED


@jit
def independent(
    patterns: Sorted,
    first: int,
    last: int,
    s: int,
    terms: Cost,
    M: Floats,
    index: Words,
    found: Found,
) -> None:
    """Patterns with s stragglers, B's columns independent: Cholesky of H_TT bordered by x_T.

    ``M`` (s, s + 1, lanes) is the upper triangle of H_TT, with x_T as its last column.
    """
    H, x = terms.H, terms.x
    word = np.empty(LANES, np.uint64)
    cost = np.empty(LANES)
    part = np.empty(LANES)
    inverse = np.empty(LANES)
    f = np.empty(LANES)
    for at in range(first, last, LANES):
        lanes = min(LANES, last - at)
        list_stragglers(patterns.absent, at, lanes, s, word, index)
        # H has a unit diagonal after `normalise`
        for a in range(s):
            for v in range(lanes):
                M[a, s, v] = x[index[a, v]]
                M[a, a, v] = 1.0
            for c in range(a + 1, s):
                for v in range(lanes):
                    M[a, c, v] = H[index[a, v], index[c, v]]
        # each eliminated straggler adds y²/pivot to xᵀ_T H_TT⁻¹ x_T; pivots are the parts that are
        # left of diagonal entries of 1
        for v in range(lanes):
            cost[v] = 0.0
            part[v] = 1.0
        for a in range(s):
            pivot, y = M[a, a], M[a, s]
            for v in range(lanes):
                part[v] = pivot[v] if pivot[v] < part[v] else part[v]
                inverse[v] = 1.0 / pivot[v]
                cost[v] += y[v] * y[v] * inverse[v]
            for c in range(a + 1, s):
                entry = M[a, c]
                for v in range(lanes):
                    f[v] = entry[v] * inverse[v]
                for column in range(c, s + 1):
                    _subtract(M[c, column], M[a, column], f, lanes)
        _store(cost, part, lanes, at, patterns.order, terms, found)


@inline
def _swap(M: Floats, p: int, q: int, s: int, v: int) -> None:
    """Swap rows and columns p < q of one lane's symmetric matrix, of which row p on is alive."""
    M[p, p, v], M[q, q, v] = M[q, q, v], M[p, p, v]
    for c in range(p + 1, q):
        M[p, c, v], M[c, q, v] = M[c, q, v], M[p, c, v]
    for c in range(q + 1, s):
        M[p, c, v], M[q, c, v] = M[q, c, v], M[p, c, v]


@inline
def _explained(
    index: Words, used: int, s: int, v: int, component: Integers, ranks: Integers
) -> bool:
    """Whether every zero pivot of one lane follows from the components' ranks alone."""
    for a in range(used, s):
        own = component[index[a, v]]
        if own >= 0:
            found = 0
            for b in range(used):
                if component[index[b, v]] == own:
                    found += 1
            if found != ranks[own]:
                return False
    return True


@jit
def dependent(
    patterns: Sorted,
    first: int,
    last: int,
    s: int,
    terms: Cost,
    null: Dependences,
    M: Floats,
    A: Floats,
    index: Words,
    found: Found,
) -> None:
    """Patterns with s stragglers of a B whose null space is not empty.

    ``M`` is as in `independent`; ``A`` (s, s, lanes) is the upper triangle of P_TT.
    """
    H, x, P = terms.H, terms.x, null.P
    word = np.empty(LANES, np.uint64)
    cost = np.empty(LANES)
    part = np.empty(LANES)
    inverse = np.empty(LANES)
    multiple = np.empty(LANES)
    f = np.empty((s, LANES))
    g = np.empty((s, LANES))
    used = np.empty(LANES, np.int64)
    size = np.empty((s, LANES))
    weakest = np.empty(LANES)
    most = min(null.nullity, s)
    for at in range(first, last, LANES):
        lanes = min(LANES, last - at)
        list_stragglers(patterns.absent, at, lanes, s, word, index)
        # gather H_TT, x_T and P_TT; ``size`` is what an entry of H's diagonal grows to
        for a in range(s):
            for v in range(lanes):
                M[a, s, v] = x[index[a, v]]
            for c in range(a, s):
                for v in range(lanes):
                    M[a, c, v] = H[index[a, v], index[c, v]]
                    A[a, c, v] = P[index[a, v], index[c, v]]
            for v in range(lanes):
                size[a, v] = M[a, a, v]
        # First the free directions: eliminate pivots of P, the largest first, until those left are
        # too small. ``used[v]`` says how many, −1 as long as lane v goes on.
        for v in range(lanes):
            used[v] = -1
            weakest[v] = 1.0
            part[v] = 1.0
        going = lanes
        for step in range(most):
            # each lane brings its own pivot to place ``step``; one that is done has the inverse 0,
            # so that what follows leaves it as it is
            for v in range(lanes):
                inverse[v] = 0.0
                if used[v] >= 0:
                    continue
                pivot = step
                for a in range(step + 1, s):
                    if A[a, a, v] > A[pivot, pivot, v]:
                        pivot = a
                if not A[pivot, pivot, v] > _CLEAR_PIVOT:
                    used[v] = step
                    going -= 1
                    continue
                if pivot != step:
                    _swap(A, step, pivot, s, v)
                    _swap(M, step, pivot, s, v)
                    M[step, s, v], M[pivot, s, v] = M[pivot, s, v], M[step, s, v]
                    index[step, v], index[pivot, v] = index[pivot, v], index[step, v]
                    size[step, v], size[pivot, v] = size[pivot, v], size[step, v]
                weakest[v] = min(weakest[v], A[step, step, v])
                inverse[v] = 1.0 / A[step, step, v]
            if going == 0:
                break
            # Straggler c less f_c times the pivot's is out of that direction of the null space. On
            # both sides of H that makes M_ac − f_a M_pc − f_c M_pa + f_a f_c M_pp; each g has half
            # of the last term.
            own, whole = M[step, step], size[step]
            for c in range(step + 1, s):
                f_c, g_c, size_c, A_c, M_c = f[c], g[c], size[c], A[step, c], M[step, c]
                for v in range(lanes):
                    f_c[v] = A_c[v] * inverse[v]
                    size_c[v] += f_c[v] * f_c[v] * whole[v]
                    g_c[v] = M_c[v] - 0.5 * own[v] * f_c[v]
            for a in range(step + 1, s):
                f_a, g_a = f[a], g[a]
                _subtract(M[a, s], M[step, s], f_a, lanes)
                for c in range(a, s):
                    _subtract(A[a, c], A[step, c], f_a, lanes)
                    f_c, g_c, entry = f[c], g[c], M[a, c]
                    for v in range(lanes):
                        entry[v] -= f_a[v] * g_c[v] + f_c[v] * g_a[v]
        # Then the Cholesky of `independent` on what is not free: the pivots from ``used`` on.
        for v in range(lanes):
            if used[v] < 0:
                used[v] = most
            cost[v] = 0.0
        for a in range(s):
            pivot_row, y, whole = M[a, a], M[a, s], size[a]
            for v in range(lanes):
                inverse[v] = 0.0
                if a >= used[v]:
                    inverse[v] = 1.0 / pivot_row[v]
                    # Small pivots of P magnify rounding as small ones of H do.
                    part[v] = min(part[v], pivot_row[v] * weakest[v] / whole[v])
                cost[v] += y[v] * y[v] * inverse[v]
            for c in range(a + 1, s):
                entry = M[a, c]
                for v in range(lanes):
                    multiple[v] = entry[v] * inverse[v]
                for column in range(c, s + 1):
                    _subtract(M[c, column], M[a, column], multiple, lanes)
        # Pivots of P that count as 0 are so for certain where the blocks' ranks are reached.
        for v in range(lanes):
            if used[v] < most and not _explained(index, used[v], s, v, null.component, null.ranks):
                found.doubtful[patterns.order[at + v]] = RESTS_ON_ZERO
        _store(cost, part, lanes, at, patterns.order, terms, found)
