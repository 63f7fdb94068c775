"""What stragglers add to the decoding error, for patterns with equally many of them.

Where B's columns depend on each other, N holds an orthonormal basis of its null space, and P = NNᵀ
is the projector on it: stragglers whose rows of N are independent cost nothing.

Patterns are handled side by side, one in each lane: elimination without roots (LDLᵀ) of all lanes
at once; where N has rows, after Householder's reflections (1958) from both sides. `independent` and
`free` are written vector by vector (`straggler_vectors`): 1.5 to 2.7 times as fast, with the same
bits, as loops over 64 lanes, the shortest that the compiler makes vectors of. `reflected` is such
loops.
"""

from typing import NamedTuple

import numpy as np

from fastgc_kernels._arrays import Bytes, Floats, Numbers, Words
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.decode.straggler_lists import list_many_words
from fastgc_kernels.decode.straggler_vectors import LANES as FEW
from fastgc_kernels.decode.straggler_vectors import ROWS, list_stragglers, panels, store

DECIDED = np.uint8(0)
UNDECIDED = np.uint8(1)

LANES = 64  # of `reflected`: so that the compiler's loops are worth their start
# A pivot of P is the square of a distance: between this and rounding it says too little.
_CLEAR_PIVOT = 1e-6
# What elimination must leave of a diagonal entry of H lest too many digits cancel: measured to
# keep errors below 1e-11·k. Less will do where stragglers cost little.
_CLEAR_PART = 1e-4
LEAST_PART = 1e-6
CLEAR = _CLEAR_PART * _CLEAR_PART
# Reflections spread rounding of the largest entry over all: parts of it are worth less.
_REFLECTED = 0.1
_EPSILON = 2.0**-52


class Cost(NamedTuple):
    """What forcing x to vanish costs: H (n, n), x (n,), the error without stragglers, and k."""

    H: Floats
    x: Floats
    e0: float
    k: float


class Dependences(NamedTuple):
    """B's null space: an orthonormal basis N (nullity, n), and the projector P (n, n) on it."""

    N: Floats
    P: Floats


class Sorted(NamedTuple):
    """Packed patterns, and their order by number of stragglers; see `straggler_lists.sort`."""

    packed: Words
    order: Numbers


class Found(NamedTuple):
    """What is filled: errors, and how much they are worth."""

    error: Floats
    doubtful: Bytes


@inline
def _subtract(target: Floats, source: Floats, f: Floats, lanes: int) -> None:
    """Subtract f times an entry of one row from another's, in all lanes."""
    for v in range(lanes):
        target[v] -= f[v] * source[v]


@inline
def _dot(a: Floats, b: Floats, first: int, last: int, out: Floats, lanes: int) -> None:
    """Sum of products of some rows of two blocks, in all lanes."""
    for v in range(lanes):
        out[v] = 0.0
    for i in range(first, last):
        a_i, b_i = a[i], b[i]
        for v in range(lanes):
            out[v] += a_i[v] * b_i[v]


@inline
def _reflect(
    target: Floats, u: Floats, first: int, last: int, inverse: Floats, f: Floats, lanes: int
) -> None:
    """Apply the reflection I − u uᵀ·inverse to some rows of a block, in all lanes."""
    _dot(u, target, first, last, f, lanes)
    for v in range(lanes):
        f[v] *= inverse[v]
    for i in range(first, last):
        _subtract(target[i], u[i], f, lanes)


@inline
def _eliminate(M: Floats, a: int, inverse: Floats, f: Floats, lanes: int) -> None:
    """Eliminate straggler a from those after it, in all lanes; ``inverse`` are 1/pivots."""
    s = M.shape[0]
    for c in range(a + 1, s):
        entry = M[a, c]
        for v in range(lanes):
            f[v] = entry[v] * inverse[v]
        for column in range(c, M.shape[1]):
            _subtract(M[c, column], M[a, column], f, lanes)


class Room(NamedTuple):
    """Room for vector code, and the row of a worker that does not exist."""

    columns: Words
    rows: Words
    U: Floats
    F: Floats
    diagonal: Floats
    Y: Floats
    cost: Floats
    part: Floats
    identity: Floats


@inline
def room_for(most: int, n: int) -> Room:
    """Room for up to ``most`` stragglers of n workers."""
    size = most + ROWS - 1
    identity = np.zeros(n + 1)
    identity[n] = 1.0
    return Room(
        np.empty((size, FEW), np.uint64),
        np.empty((size, FEW), np.uint64),
        np.empty(size * size * FEW),
        np.empty(size * ROWS * FEW),
        np.empty(size * FEW),
        np.empty(size * FEW),
        np.empty(FEW),
        np.empty(FEW),
        identity,
    )


@inline
def _fill_up(s: int, n: int, room: Room) -> int:
    """List workers that do not exist until there is a multiple of four; say how many."""
    before = -s % ROWS
    identity = room.identity
    for i in range(before):
        for v in range(FEW):
            # where more than one is missing, they are only loaded beside what is used
            room.columns[i, v] = np.uint64(n if before == 1 else 0)
            room.rows[i, v] = np.uint64(identity.ctypes.data)
    return before


@jit
def independent(
    patterns: Sorted, first: int, last: int, s: int, terms: Cost, room: Room, found: Found
) -> None:
    """Patterns with s stragglers, B's columns independent: Cholesky of H_TT bordered by x_T.

    H has a unit diagonal after `normalise`; x is followed by a 0, of a worker that does not exist.
    Each eliminated straggler adds y²/pivot to xᵀ_T H_TT⁻¹ x_T; pivots are the parts that
    are left of diagonal entries of 1.
    """
    packed, order = patterns
    H, x, e0, k = terms
    error, doubtful = found
    columns, rows, U, F, diagonal, Y, cost, part, _ = room
    before = _fill_up(s, H.shape[0], room)
    n, words = H.shape[0], packed.shape[1]
    for at in range(first, last, FEW):
        if words == 1:
            list_stragglers(1, packed, order, at, s, n, before, H, columns, rows)
        elif words == 2:
            list_stragglers(2, packed, order, at, s, n, before, H, columns, rows)
        else:
            list_many_words(packed, order, at, s, before, H, columns, rows)
        panels(1, columns, rows, before + s, before, x, U, F, diagonal, Y, cost, part)
        store(1, cost, part, order, at, last, e0, k, LEAST_PART, CLEAR, error, doubtful)


@jit
def free(
    patterns: Sorted, first: int, last: int, s: int, P: Floats, e0: float, room: Room, found: Found
) -> None:
    """Patterns with s ≤ nullity stragglers: they cost nothing if their rows of N are independent.

    That they are is shown by Cholesky of P_TT.
    """
    packed, order = patterns
    error, doubtful = found
    columns, rows, U, F, diagonal, Y, cost, part, _ = room
    before = _fill_up(s, P.shape[0], room)
    n, words = P.shape[0], packed.shape[1]
    for at in range(first, last, FEW):
        if words == 1:
            list_stragglers(1, packed, order, at, s, n, before, P, columns, rows)
        elif words == 2:
            list_stragglers(2, packed, order, at, s, n, before, P, columns, rows)
        else:
            list_many_words(packed, order, at, s, before, P, columns, rows)
        panels(0, columns, rows, before + s, before, cost, U, F, diagonal, Y, cost, part)
        store(0, cost, part, order, at, last, e0, e0, _CLEAR_PIVOT, e0, error, doubtful)


@inline
def _store(
    cost: Floats, part: Floats, lanes: int, first: int, order: Numbers, terms: Cost, found: Found
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
        if not (least > LEAST_PART and least * least * k > CLEAR * cost[v]):
            found.doubtful[t] = UNDECIDED


@jit
def reflected(
    patterns: Sorted,
    first: int,
    last: int,
    s: int,
    terms: Cost,
    N: Floats,
    M: Floats,
    A: Floats,
    room: Room,
    found: Found,
) -> None:
    """Patterns with s stragglers, more than the nullity: Householder's QR of their rows of N.

    Reflections that leave N_T as a triangle on its first rows, applied to H_TT on both sides and to
    x_T, make the first stragglers free; the Cholesky of `independent` is that of the others. ``M``
    (s, s + 1, lanes) is as there; ``A`` (nullity, s, lanes) has the columns of N_T. A column of
    which nothing is left takes no row: ``used`` is how many are taken.
    """
    packed, order = patterns
    columns, rows = room.columns, room.rows
    n, words = terms.H.shape[0], packed.shape[1]
    H, x = terms.H, terms.x
    nullity = N.shape[0]
    zero = 2.0 * _EPSILON * (x.size + 8)
    used = np.empty(LANES, np.int64)
    index = np.empty((s, LANES), np.uint64)
    cost = np.empty(LANES)
    part = np.empty(LANES)
    whole = np.empty(LANES)
    inverse = np.empty(LANES)
    f = np.empty(LANES)
    p = np.empty((s, LANES))
    for at in range(first, last, LANES):
        lanes = min(LANES, last - at)
        for some in range(0, lanes, FEW):
            if words == 1:
                list_stragglers(1, packed, order, at + some, s, n, 0, H, columns, rows)
            elif words == 2:
                list_stragglers(2, packed, order, at + some, s, n, 0, H, columns, rows)
            else:
                list_many_words(packed, order, at + some, s, 0, H, columns, rows)
            for a in range(s):
                for v in range(min(FEW, lanes - some)):
                    index[a, some + v] = columns[a, v]
        for v in range(lanes):
            cost[v] = 0.0
            part[v] = 1.0
            whole[v] = 0.0
            used[v] = 0
        for a in range(s):
            for v in range(lanes):
                M[a, s, v] = x[index[a, v]]
            for c in range(a, s):
                for v in range(lanes):
                    M[a, c, v] = H[index[a, v], index[c, v]]
            for v in range(lanes):
                whole[v] = max(whole[v], M[a, a, v])
            for j in range(nullity):
                for v in range(lanes):
                    A[j, a, v] = N[j, index[a, v]]
        least = 0
        for j in range(nullity):
            # I − u uᵀ/f takes column u of N_T to its first entry that is not taken; f is what u² is
            # twice of
            u = A[j]
            for v in range(lanes):
                for a in range(least, used[v]):
                    u[a, v] = 0.0
            _dot(u, u, least, s, inverse, lanes)
            for v in range(lanes):
                length = np.sqrt(inverse[v])
                if length > zero:
                    first = u[used[v], v]
                    part[v] = min(part[v], length)
                    inverse[v] = 1.0 / (inverse[v] + length * abs(first))
                    u[used[v], v] += length if first >= 0.0 else -length
                    used[v] += 1
                else:
                    inverse[v] = 0.0
            for i in range(j + 1, nullity):
                _reflect(A[i], u, least, s, inverse, f, lanes)
            # M − u qᵀ − q uᵀ with q = p − (uᵀp/2f) u and p = M u/f
            for a in range(least, s):
                for v in range(lanes):
                    p[a, v] = 0.0
            for a in range(least, s):
                p_a, u_a = p[a], u[a]
                for v in range(lanes):
                    p_a[v] += M[a, a, v] * u_a[v]
                for c in range(a + 1, s):
                    p_c, u_c, entry = p[c], u[c], M[a, c]
                    for v in range(lanes):
                        p_a[v] += entry[v] * u_c[v]
                        p_c[v] += entry[v] * u_a[v]
            _dot(p, u, least, s, f, lanes)
            for v in range(lanes):
                f[v] *= 0.5 * inverse[v] * inverse[v]
            for a in range(least, s):
                p_a, u_a = p[a], u[a]
                for v in range(lanes):
                    p_a[v] = p_a[v] * inverse[v] - f[v] * u_a[v]
            for v in range(lanes):
                f[v] = 0.0
            for a in range(least, s):
                u_a, y = u[a], M[a, s]
                for v in range(lanes):
                    f[v] += u_a[v] * y[v]
            for v in range(lanes):
                f[v] *= inverse[v]
            # rows that all lanes have taken are not needed any more
            least = used[0]
            for v in range(lanes):
                least = min(least, used[v])
            for a in range(least, s):
                p_a, u_a = p[a], u[a]
                _subtract(M[a, s], u_a, f, lanes)
                for c in range(a, s):
                    p_c, u_c, entry = p[c], u[c], M[a, c]
                    for v in range(lanes):
                        entry[v] -= u_a[v] * p_c[v] + p_a[v] * u_c[v]
        for a in range(least, s):
            pivot, y = M[a, a], M[a, s]
            for v in range(lanes):
                inverse[v] = 0.0
                if a >= used[v]:
                    left = _REFLECTED * pivot[v] / whole[v]
                    part[v] = left if left < part[v] else part[v]
                    inverse[v] = 1.0 / pivot[v]
                cost[v] += y[v] * y[v] * inverse[v]
            _eliminate(M, a, inverse, f, lanes)
        _store(cost, part, lanes, at, patterns.order, terms, found)
