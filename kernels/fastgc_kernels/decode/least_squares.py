"""Decoding errors of any matrix from its stragglers: the cost falls with their number.

With H = B⁺B⁺ᵀ, x = B⁺1, e₀ = ‖1 − Bx‖² and stragglers T, forcing x to vanish on T costs
xᵀ_T H_TT⁻¹ x_T more than e₀ if B's columns are independent. If they are not, directions of the
null space are free: a pivoted elimination of P_TT, P the projector on the null space, removes
them, and the same steps applied to H_TT and x_T leave a positive definite rest that is not free.

Patterns are sorted by their number of stragglers and handled side by side, one in each lane. Loops
over lanes have no fixed length: those that have are unrolled, and then never become vectors.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import inline, jit
from fastgc_kernels.decode.orthogonal import dot
from fastgc_kernels.draw.bits import popcount, trailing_zeros

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Words = NDArray[np.uint64]

DECIDED = np.uint8(0)
RESTS_ON_ZERO = np.uint8(1)
UNDECIDED = np.uint8(2)

_ONE = np.uint64(1)
_LANES = 64  # eight registers of eight, so that the compiler's loops are worth their start
# A pivot of P is the square of a distance: between this and rounding it says too little.
_CLEAR_PIVOT = 1e-6
# Just above the root of _CLEAR_PIVOT: what is clear here was clear there.
_CLEAR_LENGTH = 1.001e-3
# What elimination must leave of a diagonal entry of H lest too many digits cancel: measured to
# keep errors below 1e-11·k. Less will do where stragglers cost little.
_CLEAR_PART = 1e-4
_LEAST_PART = 1e-6
_EPSILON = 2.0**-52


@inline
def _subtract(target: Floats, source: Floats, f: Floats, lanes: int) -> None:
    """Subtract f times an entry of one row from another's, in all lanes."""
    for v in range(lanes):
        target[v] -= f[v] * source[v]


@inline
def _sort(packed: Words, n: int, absent: Words, start: Integers, order: NDArray[np.int32]) -> None:
    """Sort patterns by number of stragglers: those with s are ``order[start[s] : start[s + 1]]``.

    ``absent`` (words, patterns) gets the stragglers' bits, in sorted order.
    """
    patterns, words = packed.shape
    number = np.empty(patterns, np.uint16)
    start[:] = 0
    for t in range(patterns):
        survivors = popcount(packed[t, 0])
        for w in range(1, words):
            survivors += popcount(packed[t, w])
        number[t] = np.uint64(n) - survivors
    for t in range(patterns):
        start[np.int64(number[t]) + 2] += 1
    for s in range(n + 1):
        start[s + 2] += start[s + 1]
    for t in range(patterns):
        s = np.int64(number[t]) + 1
        place = start[s]
        start[s] = place + 1
        order[place] = t
        for w in range(words):
            workers = min(64, n - 64 * w)
            every = ~np.uint64(0) >> np.uint64(64 - workers)
            absent[w, place] = packed[t, w] ^ every


@inline
def _list_stragglers(
    absent: Words, first: int, lanes: int, s: int, word: Words, index: Words
) -> None:
    """List the stragglers of patterns side by side, lane by lane."""
    if absent.shape[0] == 1:
        for v in range(lanes):
            word[v] = absent[0, first + v]
        for a in range(s):
            for v in range(lanes):
                low = word[v] & (~word[v] + _ONE)
                index[a, v] = popcount(low - _ONE)
                word[v] ^= low
    else:
        for v in range(lanes):
            a = 0
            for w in range(absent.shape[0]):
                bits = absent[w, first + v]
                while bits != np.uint64(0):
                    index[a, v] = np.uint64(64 * w) + trailing_zeros(bits)
                    bits &= bits - _ONE
                    a += 1


@inline
def _store(
    cost: Floats,
    part: Floats,
    lanes: int,
    first: int,
    order: NDArray[np.int32],
    e0: float,
    k: float,
    out: Floats,
    doubtful: NDArray[np.uint8],
) -> None:
    """Store the errors of patterns side by side.

    ``cost`` is what the stragglers add, ``part`` the least part of a diagonal entry that was left.
    """
    for v in range(lanes):
        t = order[first + v]
        out[t] = min(e0 + cost[v], k)
        least = part[v]
        if not (least > _LEAST_PART and least * least * k > _CLEAR_PART * _CLEAR_PART * cost[v]):
            doubtful[t] = UNDECIDED


@jit
def _independent(
    absent: Words,
    order: NDArray[np.int32],
    first: int,
    last: int,
    s: int,
    H: Floats,
    x: Floats,
    e0: float,
    k: float,
    M: Floats,
    index: Words,
    out: Floats,
    doubtful: NDArray[np.uint8],
) -> None:
    """Patterns with s stragglers, B's columns independent: Cholesky of H_TT bordered by x_T."""
    word = np.empty(_LANES, np.uint64)
    cost = np.empty(_LANES)
    part = np.empty(_LANES)
    inverse = np.empty(_LANES)
    f = np.empty(_LANES)
    for at in range(first, last, _LANES):
        lanes = min(_LANES, last - at)
        _list_stragglers(absent, at, lanes, s, word, index)
        for a in range(s):
            for v in range(lanes):
                M[a, s, v] = x[index[a, v]]
                M[a, a, v] = 1.0
            for c in range(a + 1, s):
                for v in range(lanes):
                    M[a, c, v] = H[index[a, v], index[c, v]]
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
        _store(cost, part, lanes, at, order, e0, k, out, doubtful)


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
def _dependent(
    absent: Words,
    order: NDArray[np.int32],
    first: int,
    last: int,
    s: int,
    H: Floats,
    P: Floats,
    component: Integers,
    ranks: Integers,
    nullity: int,
    x: Floats,
    e0: float,
    k: float,
    M: Floats,
    A: Floats,
    index: Words,
    out: Floats,
    doubtful: NDArray[np.uint8],
) -> None:
    """Patterns with s stragglers of a B whose null space is not empty."""
    word = np.empty(_LANES, np.uint64)
    cost = np.empty(_LANES)
    part = np.empty(_LANES)
    inverse = np.empty(_LANES)
    multiple = np.empty(_LANES)
    f = np.empty((s, _LANES))
    g = np.empty((s, _LANES))
    used = np.empty(_LANES, np.int64)
    size = np.empty((s, _LANES))
    weakest = np.empty(_LANES)
    most = min(nullity, s)
    for at in range(first, last, _LANES):
        lanes = min(_LANES, last - at)
        _list_stragglers(absent, at, lanes, s, word, index)
        for a in range(s):
            for v in range(lanes):
                M[a, s, v] = x[index[a, v]]
            for c in range(a, s):
                for v in range(lanes):
                    M[a, c, v] = H[index[a, v], index[c, v]]
                    A[a, c, v] = P[index[a, v], index[c, v]]
            for v in range(lanes):
                size[a, v] = M[a, a, v]
        for v in range(lanes):
            used[v] = -1
            weakest[v] = 1.0
            part[v] = 1.0
        going = lanes
        for step in range(most):
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
        for v in range(lanes):
            if used[v] < most and not _explained(index, used[v], s, v, component, ranks):
                doubtful[order[at + v]] = RESTS_ON_ZERO
        _store(cost, part, lanes, at, order, e0, k, out, doubtful)


@jit
def normalise(H: Floats, x: Floats) -> None:
    """Scale workers in place so that H has a unit diagonal; the errors do not change by that."""
    n = x.size
    scale = np.empty(n)
    for j in range(n):
        scale[j] = 1.0 / np.sqrt(H[j, j])
        x[j] *= scale[j]
    for i in range(n):
        for j in range(n):
            H[i, j] *= scale[i] * scale[j]


@jit
def errors(
    packed: NDArray[np.uint64],
    H: NDArray[np.float64],
    P: NDArray[np.float64],
    component: NDArray[np.int64],
    ranks: NDArray[np.int64],
    x: NDArray[np.float64],
    e0: float,
    k: float,
    out: NDArray[np.float64],
    doubtful: NDArray[np.uint8],
) -> None:
    """Fill ``out`` with the decoding error of each packed pattern, ``doubtful`` with its standing.

    H and x are as ``normalise`` leaves them if B's columns are independent, else as above.
    ``component`` (n,) gives the block of P that a worker belongs to, −1 if it is in no dependence;
    ``ranks`` the rank of each block; their sum is the nullity. A pattern is ``RESTS_ON_ZERO`` if
    its error is right provided that pivots of P found to be small are zero, which ``confirm``
    checks; ``UNDECIDED`` if its error is not to be used.
    """
    patterns, words = packed.shape
    n = x.size
    nullity = np.sum(ranks)
    start = np.zeros(n + 3, np.int64)
    order = np.empty(patterns, np.int32)
    absent = np.empty((words, patterns), np.uint64)
    _sort(packed, n, absent, start, order)
    most = n - 1
    while most > 1 and start[most] == start[most + 1]:
        most -= 1
    index = np.empty((n, _LANES), np.uint64)
    store_M = np.empty(most * (most + 1) * _LANES)
    store_A = np.empty(most * most * _LANES if nullity > 0 else 0)
    single = np.empty(n)
    doubtful[:] = DECIDED
    for s in range(n + 1):
        first, last = start[s], start[s + 1]
        if first == last:
            continue
        if s == 0 or s == n:
            for i in range(first, last):
                out[order[i]] = e0 if s == 0 else k
        elif s == 1 and nullity == 0:
            for j in range(n):
                single[j] = min(e0 + x[j] * x[j], k)
            _list_singles(absent, order, first, last, single, out)
        else:
            M = store_M[: s * (s + 1) * _LANES].reshape(s, s + 1, _LANES)
            if nullity == 0:
                _independent(absent, order, first, last, s, H, x, e0, k, M, index, out, doubtful)
            else:
                A = store_A[: s * s * _LANES].reshape(s, s, _LANES)
                _dependent(
                    absent, order, first, last, s, H, P, component, ranks, nullity, x, e0, k,
                    M, A, index, out, doubtful,
                )  # fmt: skip


@jit
def _list_singles(
    absent: Words, order: NDArray[np.int32], first: int, last: int, single: Floats, out: Floats
) -> None:
    """Patterns with one straggler: its error from the list."""
    for i in range(first, last):
        w = 0
        while absent[w, i] == np.uint64(0):
            w += 1
        out[order[i]] = single[64 * w + np.int64(trailing_zeros(absent[w, i]))]


@jit
def confirm(
    packed: NDArray[np.uint64], null_rows: NDArray[np.float64], doubtful: NDArray[np.uint8]
) -> None:
    """Decide the patterns whose error rests on zero pivots of P, where that can be decided.

    ``null_rows`` (n, nullity) are the workers' rows of an orthonormal basis of B's null space.
    Orthogonalising the stragglers' rows shows a length of 1e-8 that its square in P hides.
    """
    n, nullity = null_rows.shape
    rows = np.empty((n, nullity))
    zero = 2.0 * _EPSILON * (n + 8)
    for t in range(packed.shape[0]):
        if doubtful[t] != RESTS_ON_ZERO:
            continue
        s = 0
        for j in range(n):
            if (packed[t, j >> 6] >> np.uint64(j & 63)) & _ONE == np.uint64(0):
                for i in range(nullity):
                    rows[s, i] = null_rows[j, i]
                s += 1
        doubtful[t] = UNDECIDED
        for step in range(s):
            pivot = step
            longest = -1.0
            for a in range(step, s):
                length = dot(rows[a], rows[a], 0)
                if length > longest:
                    longest = length
                    pivot = a
            longest = np.sqrt(longest)
            if longest <= zero:
                doubtful[t] = DECIDED
                break
            if longest < _CLEAR_LENGTH:
                break
            for i in range(nullity):
                first = rows[pivot, i] / longest
                rows[pivot, i] = rows[step, i]
                rows[step, i] = first
            for a in range(step + 1, s):
                along = dot(rows[step], rows[a], 0)
                for i in range(nullity):
                    rows[a, i] -= along * rows[step, i]
        else:
            doubtful[t] = DECIDED
