"""Whole rows of one pattern, for `gram_schmidt`: their entries eight side by side.

Rows of V are made left-looking: those that are subtracted lie still, and the sums of four rows are
in registers. Every entry is made less by the same products in the same order as row after row, so
that the bits are the same. Sizes are multiples of eight.
"""

from fastgc_kernels._jit import inline
from fastgc_kernels._vectors import (
    added,
    bits,
    entry,
    if_wide,
    lane,
    load,
    numbers,
    spread,
    store,
    where,
)  # fmt: skip
from fastgc_kernels.decode.orthogonal import FOUR, TOGETHER, dots

TWICE = 2 * TOGETHER  # entries, where registers are many and wide


@inline
def squared_length(rows, place, size):
    """Squared length of the row that begins at a place."""
    total = spread(0.0, TOGETHER)
    i = 0
    while i < size:
        x = load(rows, place + i, TOGETHER)
        total += x * x
        i += TOGETHER
    return added(total)


@inline
def products(rows, count, row, out):
    """Inner products of the first ``count`` rows with another, four at a time."""
    size = row.size
    a = 0
    while a < count:
        p = a * size
        places = p, p + size, p + 2 * size, p + 3 * size
        store(out, a, dots(row, 0, rows, places, 0, size))
        a += FOUR


@inline
def products_by_columns(turned, count, row, out):
    """Inner products of a row with columns of ``turned`` (size, across), four entries at a time."""
    size, across = turned.shape
    a = 0
    while a < count:
        total = spread(0.0, TOGETHER)
        i = 0
        while i < size:
            p = i * across + a
            x0 = entry(row, i) * load(turned, p, TOGETHER)
            x1 = entry(row, i + 1) * load(turned, p + across, TOGETHER)
            x2 = entry(row, i + 2) * load(turned, p + 2 * across, TOGETHER)
            x3 = entry(row, i + 3) * load(turned, p + 3 * across, TOGETHER)
            total += (x0 + x1) + (x2 + x3)
            i += FOUR
        store(out, a, total)
        a += TOGETHER


@inline
def less_rows(row, rows, count, along, inverse, rest):
    """Subtract along·inverse times the first rows from a row, one after the other.

    Returns what is left times itself, and times ``rest``.
    """
    size = row.size
    square = product = spread(0.0, TOGETHER)
    i = 0
    while i < size:
        left = load(row, i, TOGETHER)
        for a in range(count):
            left -= entry(along, a) * entry(inverse, a) * load(rows, a * size + i, TOGETHER)
        store(row, i, left)
        square += left * left
        product += left * load(rest, i, TOGETHER)
        i += TOGETHER
    return added(square), added(product)


@inline
def _higher(one, place, other, other_place):
    # the higher number with its place; of equal ones the first
    first = (other > one) | ((other == one) & (other_place < place))
    return where(first, other, one), where(first, other_place, place)


@inline
def project(room, sizes, q, step, s, longest, part):
    """Make rows of N orthogonal to that in place ``step``, whose squared length is ``longest``.

    ``room``, of some patterns of which this is the q-th: rows of N, slots of places, squares of
    rows' lengths in their places, and before the last time that they were taken anew, and factors.
    Factors and N are in slots. ``sizes``: the most stragglers of a pattern, and entries of a row of
    N. Returns the place of the longest, and whether one of them has no more left than ``part``.
    Three rows beyond s are read.
    """
    N, slots, length, whole, F = room
    most, null = sizes
    across = F.shape[2]
    own, first = q * (most + FOUR), q * (most + 1)
    chosen = (first + slots[q, step]) * null
    highest, places = spread(-2.0, FOUR), numbers(FOUR)
    low = highest > 0.0
    a = step + 1
    while a < s:
        b0, b1 = first + entry(slots, own + a), first + entry(slots, own + a + 1)
        b2, b3 = first + entry(slots, own + a + 2), first + entry(slots, own + a + 3)
        p0, p1, p2, p3 = b0 * null, b1 * null, b2 * null, b3 * null
        f = dots(N, chosen, N, (p0, p1, p2, p3), 0, null) / longest
        left = load(length, own + a, FOUR) - f * f * longest
        store(length, own + a, left)
        low |= ~(left > part * load(whole, own + a, FOUR))
        f0, f1, f2, f3 = lane(f, 0), lane(f, 1), lane(f, 2), lane(f, 3)
        store(F, b0 * across + step, f0)
        store(F, b1 * across + step, f1)
        store(F, b2 * across + step, f2)
        store(F, b3 * across + step, f3)
        i = 0
        while i < null:
            x = load(N, chosen + i, TOGETHER)
            store(N, p0 + i, load(N, p0 + i, TOGETHER) - f0 * x)
            store(N, p1 + i, load(N, p1 + i, TOGETHER) - f1 * x)
            store(N, p2 + i, load(N, p2 + i, TOGETHER) - f2 * x)
            store(N, p3 + i, load(N, p3 + i, TOGETHER) - f3 * x)
            i += TOGETHER
        higher = left > highest
        highest = where(higher, left, highest)
        places = where(higher, numbers(FOUR) + a, places)
        a += FOUR
    even = _higher(lane(highest, 0), lane(places, 0), lane(highest, 2), lane(places, 2))
    odd = _higher(lane(highest, 1), lane(places, 1), lane(highest, 3), lane(places, 3))
    return _higher(even[0], even[1], odd[0], odd[1])[1], bits(low) != 0


@inline
def _settle_columns(table, workers, slots, F, sizes, V, i, together):
    ready, used, s = sizes
    width, size = table.shape[1], V.shape[1]
    i0 = width - size + i
    odd = used & (FOUR - 1)
    across = F.shape[1]
    for c in range(ready, odd):
        b0 = slots[c]
        f0 = b0 * across
        left = load(table, workers[b0] * width + i0, together)
        for a in range(c):
            left -= entry(F, f0 + a) * load(V, a * size + i, together)
        store(V, c * size + i, left)
    c = odd | ready  # from ``odd`` or ``used`` on
    while c < s:
        b0, b1, b2, b3 = slots[c], slots[c + 1], slots[c + 2], slots[c + 3]
        f0, f1, f2, f3 = b0 * across, b1 * across, b2 * across, b3 * across
        x0 = load(table, workers[b0] * width + i0, together)
        x1 = load(table, workers[b1] * width + i0, together)
        x2 = load(table, workers[b2] * width + i0, together)
        x3 = load(table, workers[b3] * width + i0, together)
        for a in range(min(c, used)):
            x = load(V, a * size + i, together)
            x0 -= entry(F, f0 + a) * x
            x1 -= entry(F, f1 + a) * x
            x2 -= entry(F, f2 + a) * x
            x3 -= entry(F, f3 + a) * x
        if c < used:
            x1 -= entry(F, f1 + c) * x0
            x2 -= entry(F, f2 + c) * x0
            x2 -= entry(F, f2 + c + 1) * x1
            x3 -= entry(F, f3 + c) * x0
            x3 -= entry(F, f3 + c + 1) * x1
            x3 -= entry(F, f3 + c + 2) * x2
        p = c * size + i
        store(V, p, x0)
        store(V, p + size, x1)
        store(V, p + 2 * size, x2)
        store(V, p + 3 * size, x3)
        c += FOUR


@inline
def settle(table, workers, slots, F, sizes, V):
    """Make rows of V from those of the table, with the factors of those in the first places.

    ``sizes``: rows that stand (none, or those up to ``used``), ``used`` and s.
    Rows of places up to ``used`` are made less by those before, the others by these alone.
    """
    size = V.shape[1]
    width = if_wide(TWICE, TOGETHER)
    whole = size & -width
    i = 0
    while i < whole:
        _settle_columns(table, workers, slots, F, sizes, V, i, width)
        i += width
    i = whole
    while i < size:
        _settle_columns(table, workers, slots, F, sizes, V, i, TOGETHER)
        i += TOGETHER
