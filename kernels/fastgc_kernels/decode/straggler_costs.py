"""What stragglers add to the decoding error, for patterns with equally many of them.

Where B's columns depend on each other, N holds an orthonormal basis of its null space, and P = NNᵀ
is the projector on it: stragglers whose rows of N are independent cost nothing.

Patterns are handled side by side, one in each lane: elimination without roots (LDLᵀ) of all lanes
at once; where N has rows, after Householder's reflections (1958) from both sides. All is written
vector by vector (`straggler_vectors`, `reflection_vectors`), with the bits of the loops over 64
lanes, the shortest that the compiler makes vectors of, that it replaces.
"""

from typing import NamedTuple

import numpy as np

from fastgc_kernels._arrays import Bytes, Floats, Numbers, Words
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.decode.reflection_vectors import LANES as SIXTEEN
from fastgc_kernels.decode.reflection_vectors import reflect
from fastgc_kernels.decode.straggler_lists import list_many_words
from fastgc_kernels.decode.straggler_vectors import LANES as FEW
from fastgc_kernels.decode.straggler_vectors import ROWS, list_stragglers, panels, store

DECIDED = np.uint8(0)
UNDECIDED = np.uint8(1)

# A pivot of P is the square of a distance: between this and rounding it says too little.
_CLEAR_PIVOT = 1e-6
# What elimination must leave of a diagonal entry of H lest too many digits cancel: measured to
# keep errors below 1e-11·k. Less will do where stragglers cost little.
_CLEAR_PART = 1e-4
LEAST_PART = 1e-6
CLEAR = _CLEAR_PART * _CLEAR_PART
_EPSILON = 2.0**-52


class Cost(NamedTuple):
    """What forcing x to vanish costs: H (n, n), x (n,), the error without stragglers, and k."""

    H: Floats
    x: Floats
    e0: float
    k: float


class Sorted(NamedTuple):
    """Packed patterns, and their order by number of stragglers; see `straggler_lists.sort`."""

    packed: Words
    order: Numbers


class Found(NamedTuple):
    """What is filled: errors, and how much they are worth."""

    error: Floats
    doubtful: Bytes


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
    limits = e0, k, LEAST_PART, CLEAR
    columns, rows, _, _, _, _, cost, part, _ = room
    before = _fill_up(s, H.shape[0], room)
    n, words = H.shape[0], packed.shape[1]
    for at in range(first, last, FEW):
        if words == 1:
            list_stragglers(1, packed, order, at, s, n, before, H, columns, rows)
        elif words == 2:
            list_stragglers(2, packed, order, at, s, n, before, H, columns, rows)
        else:
            list_many_words(packed, order, at, s, before, H, columns, rows)
        panels(1, room, before + s, before, x)
        store(1, cost, part, order, at, last, limits, found)


@jit
def free(
    patterns: Sorted, first: int, last: int, s: int, P: Floats, e0: float, room: Room, found: Found
) -> None:
    """Patterns with s ≤ nullity stragglers: they cost nothing if their rows of N are independent.

    That they are is shown by Cholesky of P_TT.
    """
    packed, order = patterns
    limits = e0, e0, _CLEAR_PIVOT, e0
    columns, rows, _, _, _, _, cost, part, _ = room
    before = _fill_up(s, P.shape[0], room)
    n, words = P.shape[0], packed.shape[1]
    for at in range(first, last, FEW):
        if words == 1:
            list_stragglers(1, packed, order, at, s, n, before, P, columns, rows)
        elif words == 2:
            list_stragglers(2, packed, order, at, s, n, before, P, columns, rows)
        else:
            list_many_words(packed, order, at, s, before, P, columns, rows)
        panels(0, room, before + s, before, cost)
        store(0, cost, part, order, at, last, limits, found)


@jit
def reflected(
    patterns: Sorted, first: int, last: int, s: int, terms: Cost, N: Floats, found: Found
) -> None:
    """Patterns with s stragglers, more than the nullity: Householder's QR of their rows of N.

    Reflections that leave N_T as a triangle on its first rows, applied to H_TT on both sides and to
    x_T, make the first stragglers free; the Cholesky of `independent` is that of the others. M
    (s, s + 1, lanes) is H_TT and x_T; A (nullity, s, lanes) has the columns of N_T. A column of
    which nothing is left takes no row: ``used`` is how many are taken.
    """
    packed, order = patterns
    H, x, e0, k = terms
    limits = e0, k, LEAST_PART, CLEAR
    n, words = H.shape[0], packed.shape[1]
    nullity = N.shape[0]
    zero = 2.0 * _EPSILON * (n + 8)
    columns = np.empty((SIXTEEN // FEW, s, FEW), np.uint64)
    rows = np.empty((SIXTEEN // FEW, s, FEW), np.uint64)
    lists, places = columns[0], rows[0]
    others, other_places = columns[1], rows[1]
    M = np.empty(s * (s + 1) * SIXTEEN)
    A = np.empty(nullity * s * SIXTEEN)
    p = np.empty(s * SIXTEEN)
    used = np.empty(SIXTEEN, np.int64)
    cost = np.empty(SIXTEEN)
    part = np.empty(SIXTEEN)
    cost_8, part_8 = cost[FEW:], part[FEW:]
    room = columns, rows, M, A, p, used, cost, part
    for at in range(first, last, SIXTEEN):
        after = at + FEW if at + FEW < last else at
        if words == 1:
            list_stragglers(1, packed, order, at, s, n, 0, H, lists, places)
            list_stragglers(1, packed, order, after, s, n, 0, H, others, other_places)
        elif words == 2:
            list_stragglers(2, packed, order, at, s, n, 0, H, lists, places)
            list_stragglers(2, packed, order, after, s, n, 0, H, others, other_places)
        else:
            list_many_words(packed, order, at, s, 0, H, lists, places)
            list_many_words(packed, order, after, s, 0, H, others, other_places)
        reflect(s, nullity, x, N, n, zero, room)
        store(1, cost, part, order, at, last, limits, found)
        if after > at:
            store(1, cost_8, part_8, order, after, last, limits, found)
