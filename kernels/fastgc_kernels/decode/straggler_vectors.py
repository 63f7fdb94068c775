"""What stragglers add to the decoding error, eight patterns side by side; see `straggler_costs`.

Left-looking elimination in panels of four rows: the sums of a tile of four rows and some columns
stay in registers, where right-looking elimination stores an entry once a product. Each entry is
still made less by the same products in the same order, so that the bits are those of the plain
form. Rows of H are found once a tile. Decoding is so 1.4, 2.7 and 2.7 times as fast as by loops
over 64 lanes with registers of eight lanes, 1.3, 1.8 and 2.6 times with those of four (n = 20 and
50 with p = 0.2, n = 100 with 20 stragglers).

``columns[a, v]`` is the a-th straggler of lane v, and ``rows[a, v]`` the address of its row of H.
Panels end with the last straggler, so that what is no multiple of four comes first: three rows as
four, the first of a worker that does not exist, whose entries are those of the identity; one or two
as panels of one row (as four, with two or three such workers: half as long again for 5 and 9
stragglers).
"""

import numpy as np

from fastgc_kernels._arrays import ONE
from fastgc_kernels._jit import inline, jit
from fastgc_kernels._vectors import (
    bits,
    gather,
    gather_rows,
    if_wide,
    load,
    pointer,
    repeat,
    spread,
    store,
    where,
)
from fastgc_kernels.draw.bits import popcount, trailing_zeros

LANES = 8
ROWS = 4
_NARROW = 4  # lanes where registers hold no more
_FEW, _MANY = 2, 4  # columns of a tile: its sums fill the registers
_WIDE_TILE, _NARROW_TILE = LANES * _MANY, _NARROW * _FEW
_SMALL = np.uint64((1 << 32) - 1)  # products of these are one instruction


@inline
def used_bits(n: int, words: int) -> np.uint64:
    """The bits of a pattern's last word that are workers."""
    return ~np.uint64(0) >> np.uint64(64 * words - n)


@inline
def pointers(patterns, H, columns, rows):
    """Patterns, their order and the address of H; lists of stragglers and of their rows."""
    given = pointer(patterns.packed), pointer(patterns.order), np.uint64(H.ctypes.data)
    return given, (pointer(columns), pointer(rows))


@inline
def list_stragglers(given, at, sizes, s, before, lists, lanes):
    """List the stragglers of patterns in order, from place ``before`` on."""
    packed, order, begin = given
    columns, rows = lists
    n, words = sizes
    last = used_bits(n, words)
    none, stride = spread(np.uint64(0), lanes), spread(np.uint64(8 * n), lanes)
    if words == 1:
        # unused bits, which are 0, must not count as stragglers
        left = ~gather(packed, 0, order, at, 1, lanes) & last
        for a in range(before, before + s):
            low = left & (none - left)
            left ^= low
            own = popcount(low - ONE)
            store(columns, a * lanes, own)
            store(rows, a * lanes, begin + (own & _SMALL) * (stride & _SMALL))
    elif words == 2:
        left = ~gather(packed, 0, order, at, 2, lanes)
        second = ~gather(packed, 1, order, at, 2, lanes) & last
        for a in range(before, before + s):
            is_empty = left == none
            found = where(is_empty, second, left)
            low = found & (none - found)
            left ^= where(is_empty, none, low)
            second ^= where(is_empty, low, none)
            own = popcount(low - ONE) + where(is_empty, none + np.uint64(64), none)
            store(columns, a * lanes, own)
            store(rows, a * lanes, begin + (own & _SMALL) * (stride & _SMALL))
    else:
        for v in range(lanes):
            a = before
            for w in range(words):
                word = ~packed[order[at + v] * words + w]
                if w == words - 1:
                    word &= last
                # no more than there is room for: beyond a group's end come longer lists
                while word != np.uint64(0) and a < before + s:
                    straggler = np.uint64(64 * w) + trailing_zeros(word)
                    word &= word - ONE
                    columns[a * lanes + v] = straggler
                    rows[a * lanes + v] = begin + straggler * np.uint64(8 * n)
                    a += 1


@inline
def store_errors(unit, results, order, at, last, limits, found, lanes):
    """Store the errors of patterns side by side, before ``last``, and their worth.

    ``results``: what stragglers add (``unit``: 1; else nothing is), and the least part of a
    diagonal entry that was left. ``limits`` are e0, k, least and clear: an error is doubtful unless
    part > least and, with what stragglers add, part²·k > clear·cost.
    """
    e0, k, least, clear = limits
    error, doubtful = found
    cost, part = results
    own = load(part, 0, lanes)
    good = own > least  # what is no number is doubtful, too
    errors = spread(e0, lanes)
    if unit:
        added = load(cost, 0, lanes)
        good &= own * own * k > clear * added
        errors += added
        errors = where(errors > k, spread(k, lanes), errors)
    store(cost, 0, errors)
    bad = bits(~good)
    if last - at >= lanes:
        for v in range(lanes):
            error[order[at + v]] = cost[v]
    else:
        for v in range(last - at):
            error[order[at + v]] = cost[v]
    if bad != np.uint64(0):
        for v in range(min(last - at, lanes)):
            doubtful[order[at + v]] = (bad >> np.uint64(v)) & ONE


@jit
def _scaled(unit, entries, pivot):
    return entries * pivot if unit else entries / pivot


@jit
def _u(a, column, size):
    # where row a of U has a column: those of a tile are side by side
    across = if_wide(_MANY, _FEW)
    within = column & (across - 1)
    return ((column - within) * size + a * across + within) * if_wide(LANES, _NARROW)


@jit
def _entries(lists, i, j, first):
    # of the i-th straggler's row and the j-th one's column of H
    columns, rows = lists
    lanes = if_wide(LANES, _NARROW)
    return gather_rows(rows, i * LANES + first, columns, j * LANES + first, lanes, 1, LANES)


@jit
def _tile_entries(lists, i, j, first):
    columns, rows = lists
    lanes, across = if_wide(LANES, _NARROW), if_wide(_MANY, _FEW)
    return gather_rows(rows, i * LANES + first, columns, j * LANES + first, lanes, across, LANES)


@jit
def _triangle(unit, lists, c, first):
    # of the four rows from c on; diagonals that are 1 need no gathering
    d00 = d11 = d22 = d33 = spread(1.0, if_wide(LANES, _NARROW))
    if not unit:
        d00, d11 = _entries(lists, c, c, first), _entries(lists, c + 1, c + 1, first)
        d22, d33 = _entries(lists, c + 2, c + 2, first), _entries(lists, c + 3, c + 3, first)
    d01, d02 = _entries(lists, c, c + 1, first), _entries(lists, c, c + 2, first)
    d03, d12 = _entries(lists, c, c + 3, first), _entries(lists, c + 1, c + 2, first)
    d13, d23 = _entries(lists, c + 1, c + 3, first), _entries(lists, c + 2, c + 3, first)
    return d00, d01, d02, d03, d11, d12, d13, d22, d23, d33


@jit
def _of_x(unit, columns, x, i, first):
    lanes = if_wide(LANES, _NARROW)
    return gather(x, 0, columns, i * LANES + first, 1, lanes) if unit else spread(0.0, lanes)


@jit
def _keep(unit, diagonal, Y, c, pivot, y, carried):
    # keeps what later rows need of row c, and adds what it costs
    lanes = if_wide(LANES, _NARROW)
    cost, part = carried
    part = where(pivot < part, pivot, part)
    kept = 1.0 / pivot if unit else pivot
    store(diagonal, c * lanes, kept)
    if unit:
        store(Y, c * lanes, y)
        cost += y * y * kept
    return kept, (cost, part)


@inline
def _one_row(unit, room, sizes, c, x, first, carried):
    """Eliminate up to row c, a panel alone."""
    lists, U, F, diagonal, Y = room
    size, before = sizes
    lanes, across = if_wide(LANES, _NARROW), if_wide(_MANY, _FEW)
    d = spread(1.0, lanes) if unit else _entries(lists, c, c, first)
    y = _of_x(unit, lists[0], x, c, first)
    for a in range(before, c):
        u = load(U, _u(a, c, size), lanes)
        f = _scaled(unit, u, load(diagonal, a * lanes, lanes))
        store(F, a * ROWS * lanes, f)
        d -= f * u
        if unit:
            y -= f * load(Y, a * lanes, lanes)
    _, carried = _keep(unit, diagonal, Y, c, d, y, carried)
    column = (c + 1) & -across
    while column < size:
        t = _tile_entries(lists, c, column, first)
        for a in range(before, c):
            u = load(U, _u(a, column, size), if_wide(_WIDE_TILE, _NARROW_TILE))
            t -= repeat(load(F, a * ROWS * lanes, lanes), across) * u
        store(U, _u(c, column, size), t)
        column += across
    return carried


@inline
def _four_rows(unit, room, sizes, c, x, first, carried):
    """Eliminate up to the panel of rows c to c + 3: the triangle, and a tile after the other."""
    lists, U, F, diagonal, Y = room
    size, before = sizes
    lanes, across = if_wide(LANES, _NARROW), if_wide(_MANY, _FEW)
    d00, d01, d02, d03, d11, d12, d13, d22, d23, d33 = _triangle(unit, lists, c, first)
    y0, y1 = _of_x(unit, lists[0], x, c, first), _of_x(unit, lists[0], x, c + 1, first)
    y2, y3 = _of_x(unit, lists[0], x, c + 2, first), _of_x(unit, lists[0], x, c + 3, first)
    for a in range(before, c):
        u0, u1 = load(U, _u(a, c, size), lanes), load(U, _u(a, c + 1, size), lanes)
        u2, u3 = load(U, _u(a, c + 2, size), lanes), load(U, _u(a, c + 3, size), lanes)
        pivot = load(diagonal, a * lanes, lanes)
        f0, f1 = _scaled(unit, u0, pivot), _scaled(unit, u1, pivot)
        f2, f3 = _scaled(unit, u2, pivot), _scaled(unit, u3, pivot)
        place = a * ROWS * lanes
        store(F, place, f0)
        store(F, place + lanes, f1)
        store(F, place + 2 * lanes, f2)
        store(F, place + 3 * lanes, f3)
        d00, d01, d02, d03 = d00 - f0 * u0, d01 - f0 * u1, d02 - f0 * u2, d03 - f0 * u3
        d11, d12, d13 = d11 - f1 * u1, d12 - f1 * u2, d13 - f1 * u3
        d22, d23, d33 = d22 - f2 * u2, d23 - f2 * u3, d33 - f3 * u3
        if unit:
            y = load(Y, a * lanes, lanes)
            y0, y1, y2, y3 = y0 - f0 * y, y1 - f1 * y, y2 - f2 * y, y3 - f3 * y
    kept, carried = _keep(unit, diagonal, Y, c, d00, y0, carried)
    f01, f02, f03 = _scaled(unit, d01, kept), _scaled(unit, d02, kept), _scaled(unit, d03, kept)
    d11, d12, d13 = d11 - f01 * d01, d12 - f01 * d02, d13 - f01 * d03
    d22, d23, d33 = d22 - f02 * d02, d23 - f02 * d03, d33 - f03 * d03
    y1, y2, y3 = y1 - f01 * y0, y2 - f02 * y0, y3 - f03 * y0
    kept, carried = _keep(unit, diagonal, Y, c + 1, d11, y1, carried)
    f12, f13 = _scaled(unit, d12, kept), _scaled(unit, d13, kept)
    d22, d23, d33 = d22 - f12 * d12, d23 - f12 * d13, d33 - f13 * d13
    y2, y3 = y2 - f12 * y1, y3 - f13 * y1
    kept, carried = _keep(unit, diagonal, Y, c + 2, d22, y2, carried)
    f23 = _scaled(unit, d23, kept)
    _, carried = _keep(unit, diagonal, Y, c + 3, d33 - f23 * d23, y3 - f23 * y2, carried)
    column = (c + ROWS) & -across
    while column < size:
        factors = f01, f02, f03, f12, f13, f23
        _four_rows_of_tile((U, F, lists), sizes, c, column, first, factors)
        column += across
    return carried


@inline
def _four_rows_of_tile(room, sizes, c, column, first, factors):
    U, F, lists = room
    size, before = sizes
    lanes, across = if_wide(LANES, _NARROW), if_wide(_MANY, _FEW)
    t0, t1 = _tile_entries(lists, c, column, first), _tile_entries(lists, c + 1, column, first)
    t2, t3 = _tile_entries(lists, c + 2, column, first), _tile_entries(lists, c + 3, column, first)
    for a in range(before, c):
        u = load(U, _u(a, column, size), if_wide(_WIDE_TILE, _NARROW_TILE))
        place = a * ROWS * lanes
        t0 -= repeat(load(F, place, lanes), across) * u
        t1 -= repeat(load(F, place + lanes, lanes), across) * u
        t2 -= repeat(load(F, place + 2 * lanes, lanes), across) * u
        t3 -= repeat(load(F, place + 3 * lanes, lanes), across) * u
    f01, f02, f03, f12, f13, f23 = factors
    t1 -= repeat(f01, across) * t0
    t2 -= repeat(f02, across) * t0
    t3 -= repeat(f03, across) * t0
    t2 -= repeat(f12, across) * t1
    t3 -= repeat(f13, across) * t1
    t3 -= repeat(f23, across) * t2
    store(U, _u(c, column, size), t0)
    store(U, _u(c + 1, column, size), t1)
    store(U, _u(c + 2, column, size), t2)
    store(U, _u(c + 3, column, size), t3)


@inline
def panels(unit, lists, own, sizes, x, results):
    """Eliminate H_TT of eight patterns by panels, of which the first of ``sizes`` is a multiple.

    ``unit``: 1 for a unit diagonal and 1/pivots, as `independent` has them, with x_T as another
    column, whose cost is stored; 0 for any diagonal and division, as `free` does. The second of
    ``sizes`` counts rows of workers that do not exist. ``own``: see `straggler_costs.Room`.
    """
    U, F, diagonal, Y = own
    size, before = sizes
    lanes = if_wide(LANES, _NARROW)
    first = 0
    while first < LANES:
        carried = spread(0.0, lanes), spread(1.0, lanes)
        # where one row alone is missing to four, it is that of a worker that does not exist
        alone = ROWS if before > 1 else 0
        room = lists, U, F, diagonal, Y
        for c in range(before, alone):
            carried = _one_row(unit, room, sizes, c, x, first, carried)
        c = alone
        while c < size:
            carried = _four_rows(unit, room, sizes, c, x, first, carried)
            c += ROWS
        store(results[0], first, carried[0])
        store(results[1], first, carried[1])
        first += lanes
