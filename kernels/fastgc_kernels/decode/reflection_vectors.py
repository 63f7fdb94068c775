"""Patterns with more stragglers than the nullity, side by side; see `straggler_costs.reflected`.

Sixteen lanes: sums depend on the sum before, and two registers or four hide some of that; the
triangle of sixteen lanes stays in the first cache, where that of 64 did not. So it is 1.6 times as
fast as loops over 64 lanes (n = 50, nullity 5, 10 stragglers).
"""

from fastgc_kernels._jit import inline, jit
from fastgc_kernels._vectors import (
    gather,
    gather_rows,
    load,
    numbers,
    root,
    scatter,
    spread,
    store,
    where,
)

LANES = 16
# Reflections spread rounding of the largest entry over all: parts of it are worth less.
REFLECTED = 0.1


@jit
def _least(one, other):
    return where(one < other, one, other)


@jit
def _dot(one, first, other, second, step, begin, end):
    # of entries a of two arrays, each ``step`` lanes after the one before in the second
    total = spread(0.0, LANES)
    for a in range(begin, end):
        own = load(one, (first + a) * LANES, LANES)
        total += own * load(other, (second + a * step) * LANES, LANES)
    return total


@jit
def _gather_tables(lists, tables, sizes, M, A):
    # returns the largest diagonal entries
    columns, rows = lists
    x, N = tables
    s, nullity, n = sizes
    largest = spread(0.0, LANES)
    for a in range(s):
        own, row = a * LANES, a * (s + 1)
        store(M, (row + s) * LANES, gather(x, 0, columns, own, 1, LANES))
        for c in range(a, s):
            entries = gather_rows(rows, own, columns, c * LANES, LANES, 1, 0)
            store(M, (row + c) * LANES, entries)
        for j in range(nullity):
            store(A, (j * s + a) * LANES, gather(N, j * n, columns, own, 1, LANES))
        diagonal = load(M, (row + a) * LANES, LANES)
        largest = where(diagonal > largest, diagonal, largest)
    return largest


@inline
def _reflect_first(A, begin, used, places, zero, part):
    """Take u, column j of N_T, to its first entry that is not taken, by I − u uᵀ·inverse.

    ``begin``: the first place of u; returns the inverses, 0 where no length is left, and parts.
    """
    s, least = begin[1], begin[2]
    start = begin[0] * s
    # rows that a lane has taken do not count
    for v in range(LANES):
        for a in range(least, used[v]):
            A[(start + a) * LANES + v] = 0.0
    square = _dot(A, start, A, start, 1, least, s)
    length = root(square)
    is_taken = length > zero
    number = load(used, 0, LANES)
    store(places, 0, (number + start) * LANES + numbers(LANES))
    first = gather(A, 0, places, 0, 1, LANES)
    positive = first >= 0.0
    inverse = 1.0 / (square + length * where(positive, first, -first))
    longer = first + where(positive, length, -length)
    scatter(A, places, where(is_taken, longer, first))
    store(used, 0, where(is_taken, number + 1, number))
    part = where(is_taken, _least(length, part), part)
    return where(is_taken, inverse, spread(0.0, LANES)), part


@inline
def _reflect_rest(M, A, p, used, step, inverse):
    """Apply that reflection to the other columns of N_T, and to H_TT and x_T.

    M − u qᵀ − q uᵀ with q = p − (uᵀp/2f) u and p = M u/f. Returns the first row that not all lanes
    have taken; those before are not needed any more.
    """
    j, s, least, nullity = step
    u = j * s
    for i in range(j + 1, nullity):
        f = _dot(A, u, A, i * s, 1, least, s) * inverse
        for a in range(least, s):
            place = (i * s + a) * LANES
            store(A, place, load(A, place, LANES) - f * load(A, (u + a) * LANES, LANES))
    for a in range(least, s):
        store(p, a * LANES, spread(0.0, LANES))
    for a in range(least, s):
        row = a * (s + 1)
        own = load(A, (u + a) * LANES, LANES)
        total = load(p, a * LANES, LANES) + load(M, (row + a) * LANES, LANES) * own
        for c in range(a + 1, s):
            entry = load(M, (row + c) * LANES, LANES)
            store(p, c * LANES, load(p, c * LANES, LANES) + entry * own)
            total += entry * load(A, (u + c) * LANES, LANES)
        store(p, a * LANES, total)
    f = _dot(p, 0, A, u, 1, least, s) * (0.5 * inverse * inverse)
    g = _dot(A, u, M, s, s + 1, least, s) * inverse
    for a in range(least, s):
        own = load(A, (u + a) * LANES, LANES)
        store(p, a * LANES, load(p, a * LANES, LANES) * inverse - f * own)
    least = used[0]
    for v in range(LANES):
        least = min(least, used[v])
    for a in range(least, s):
        row = a * (s + 1)
        own, q = load(A, (u + a) * LANES, LANES), load(p, a * LANES, LANES)
        last = (row + s) * LANES
        store(M, last, load(M, last, LANES) - g * own)
        for c in range(a, s):
            both = own * load(p, c * LANES, LANES) + q * load(A, (u + c) * LANES, LANES)
            store(M, (row + c) * LANES, load(M, (row + c) * LANES, LANES) - both)
    return least


@inline
def _eliminate(M, used, s, least, part, largest):
    # each row in lanes that have not taken it; returns what stragglers cost
    cost = spread(0.0, LANES)
    for a in range(least, s):
        row = a * (s + 1)
        is_left = load(used, 0, LANES) <= a
        pivot, y = load(M, (row + a) * LANES, LANES), load(M, (row + s) * LANES, LANES)
        part = where(is_left, _least(REFLECTED * pivot / largest, part), part)
        inverse = where(is_left, 1.0 / pivot, spread(0.0, LANES))
        for c in range(a + 1, s):
            f = load(M, (row + c) * LANES, LANES) * inverse
            for column in range(c, s + 1):
                place = (c * (s + 1) + column) * LANES
                entry = load(M, (row + column) * LANES, LANES)
                store(M, place, load(M, place, LANES) - f * entry)
        cost += y * y * inverse
    return cost, part


@inline
def reflect(lists, tables, sizes, zero, room, results):
    """Fill in what the stragglers of sixteen patterns add, and the least part that was left.

    ``lists``: stragglers (s, lanes) and addresses of their rows of H; ``tables``: x and N;
    ``sizes``: s, the nullity and n. ``room``: M (s, s + 1, lanes), A (nullity, s, lanes), p (s,
    lanes), ``used`` and ``places`` (lanes), which are filled. A length up to ``zero`` is none.
    """
    M, A, p, used, places = room
    s, nullity, _ = sizes
    largest = _gather_tables(lists, tables, sizes, M, A)
    for v in range(LANES):
        used[v] = 0
    least, part = 0, spread(1.0, LANES)
    for j in range(nullity):
        inverse, part = _reflect_first(A, (j, s, least), used, places, zero, part)
        least = _reflect_rest(M, A, p, used, (j, s, least, nullity), inverse)
    cost, part = _eliminate(M, used, s, least, part, largest)
    store(results[0], 0, cost)
    store(results[1], 0, part)
