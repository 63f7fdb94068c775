"""Vector code for `gram_schmidt`: whole rows of one pattern, their entries eight side by side.

An inner product is that of `orthogonal.dot`, eight partial sums in one vector; four are added up
together. Rows of V are made left-looking: those that are subtracted lie still, and the sums of four
rows are in registers. Every entry is made less by the same products in the same order as row after
row, so that the bits are the same.
"""

from collections.abc import Sequence
from functools import partial

from fastgc_kernels._jit import emit
from fastgc_kernels._vectors import Code, Value

TOGETHER = 8
FOUR = 4


def _shuffled(code: Code, a: Value, b: Value, lanes: Sequence[int]) -> Value:
    kind = code.ir.VectorType(code.ir.IntType(32), len(lanes))
    return code.b.shuffle_vector(a, b, code.ir.Constant(kind, list(lanes)))


def added_up(code: Code, sums: list[Value]) -> Value:
    """A vector of the sums ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)) of four vectors' entries."""
    b = code.b
    halves = [
        b.fadd(_shuffled(code, each, each, range(4)), _shuffled(code, each, each, range(4, 8)))
        for each in sums
    ]
    pairs = [
        b.fadd(_shuffled(code, one, other, (0, 1, 4, 5)), _shuffled(code, one, other, (2, 3, 6, 7)))
        for one, other in (halves[:2], halves[2:])
    ]
    return b.fadd(
        _shuffled(code, pairs[0], pairs[1], (0, 2, 4, 6)),
        _shuffled(code, pairs[0], pairs[1], (1, 3, 5, 7)),
    )


def _dots(code: Code, rows: Sequence[Value], other: Value, size: Value) -> Value:
    def eight(i: Value, sums: list[Value]) -> list[Value]:
        own = code.load(other, TOGETHER, i)
        return [
            code.b.fadd(total, code.b.fmul(code.load(row, TOGETHER, i), own))
            for total, row in zip(sums, rows, strict=True)
        ]

    start = [code.of(code.double, TOGETHER, 0.0)] * FOUR
    return added_up(code, code.repeat(0, size, TOGETHER, start, eight))


@emit
def products(code, first, count, size, row, out):
    """Inner products of rows from the address ``first`` on with another, four at a time."""

    def four(a: Value) -> None:
        rows = [code.place(first, code.times(code.sum(a, i), size)) for i in range(FOUR)]
        code.store(_dots(code, rows, row, size), out, a)

    code.each(0, count, FOUR, four)


@emit
def products_by_columns(code, turned, across, count, size, row, out):
    """Inner products of a row with columns of ``turned`` (size, across), four entries at a time."""
    b = code.b

    def eight(a: Value) -> None:
        def four(i: Value, total: list[Value]) -> list[Value]:
            x = [code.splat(code.entry(row, i, j), TOGETHER) for j in range(FOUR)]
            r = [
                code.load(turned, TOGETHER, code.times(code.sum(i, j), across), a)
                for j in range(FOUR)
            ]
            p = [b.fmul(x[j], r[j]) for j in range(FOUR)]
            return [b.fadd(total[0], b.fadd(b.fadd(p[0], p[1]), b.fadd(p[2], p[3])))]

        start = [code.of(code.double, TOGETHER, 0.0)]
        code.store(code.repeat(0, size, FOUR, start, four)[0], out, a)

    code.each(0, count, TOGETHER, eight)


@emit
def less_rows(code, row, first, count, size, along, inverse, rest, out):
    """Subtract along·inverse times rows from the address ``first`` on, one after the other.

    ``out``: what is left times itself, and times ``rest``.
    """
    b = code.b

    def eight(i: Value, sums: list[Value]) -> list[Value]:
        def less(a: Value, total: list[Value]) -> list[Value]:
            f = b.fmul(code.entry(along, a), code.entry(inverse, a))
            entry = code.load(first, TOGETHER, code.times(a, size), i)
            return [code.less_product(total[0], code.splat(f, TOGETHER), entry)]

        (left,) = code.repeat(0, count, 1, [code.load(row, TOGETHER, i)], less)
        code.store(left, row, i)
        others = left, code.load(rest, TOGETHER, i)
        return [
            b.fadd(total, b.fmul(left, other)) for total, other in zip(sums, others, strict=True)
        ]

    start = [code.of(code.double, TOGETHER, 0.0)] * 2
    sums = code.repeat(0, size, TOGETHER, start, eight)
    code.store(added_up(code, sums * 2), out, 0)


@emit
def project(code, room, sizes, q, step, s, longest, part):
    """Make rows of N orthogonal to that in place ``step``, whose squared length is ``longest``.

    ``room``, of some patterns of which this is the q-th: rows of N, slots of places, squares of
    rows' lengths in their places, and before the last time that they were taken anew, factors, and
    what is found: the place of the longest, and whether one of them has no more left than ``part``.
    Factors and N are in slots. ``sizes``: the most stragglers of a pattern, entries of a row of N
    and of factors. Three rows beyond s are read.
    """
    b = code.b
    N, slots, length, whole, F, found = room
    most, null, across = sizes
    slots, length, whole = (
        code.place(each, code.times(q, code.sum(most, FOUR))) for each in (slots, length, whole)
    )
    N = code.place(N, code.times(q, code.times(code.sum(most, 1), null)))
    F = code.place(F, code.times(q, code.times(code.sum(most, 1), across)))
    found = code.place(found, code.times(q, 2))
    chosen = code.place(N, code.times(code.entry(slots, step), null))
    square = code.splat(longest, FOUR)
    number = code.ir.Constant(code.ir.VectorType(code.word, FOUR), list(range(FOUR)))

    def four(a: Value, carried: list[Value]) -> list[Value]:
        highest, places, low = carried
        own = [code.entry(slots, a, i) for i in range(FOUR)]
        rows = [code.place(N, code.times(slot, null)) for slot in own]
        f = b.fdiv(_dots(code, rows, chosen, null), square)
        left = b.fsub(code.load(length, FOUR, a), b.fmul(b.fmul(f, f), square))
        code.store(left, length, a)
        enough = b.fmul(code.splat(part, FOUR), code.load(whole, FOUR, a))
        too_low = b.not_(b.fcmp_ordered(">", left, enough))
        factors = [code.lane(f, i) for i in range(FOUR)]
        for slot, factor in zip(own, factors, strict=True):
            b.store(factor, code.place(F, code.times(slot, across), step))
        wide = [code.splat(factor, TOGETHER) for factor in factors]

        def eight(i: Value) -> None:
            entry = code.load(chosen, TOGETHER, i)
            for row, factor in zip(rows, wide, strict=True):
                code.store(code.less_product(code.load(row, TOGETHER, i), factor, entry), row, i)

        code.each(0, null, TOGETHER, eight)
        higher = b.fcmp_ordered(">", left, highest)
        return [
            b.select(higher, left, highest),
            b.select(higher, b.add(code.splat(a, FOUR), number), places),
            b.or_(low, too_low),
        ]

    start = [
        code.of(code.double, FOUR, -2.0),
        code.of(code.word, FOUR, 0),
        code.of(code.ir.IntType(1), FOUR, 0),
    ]
    highest, places, low = code.repeat(code.sum(step, 1), s, FOUR, start, four)
    for lanes in ((2, 3, 0, 1), (1, 0, 3, 2)):
        other, at = (_shuffled(code, each, each, lanes) for each in (highest, places))
        before = b.icmp_signed("<", at, places)
        before = b.and_(before, b.fcmp_ordered("==", other, highest))
        higher = b.or_(before, b.fcmp_ordered(">", other, highest))
        highest = b.select(higher, other, highest)
        places = b.select(higher, at, places)
    b.store(code.lane(places, 0), code.place(found, 0))
    low = b.icmp_unsigned("!=", b.bitcast(low, code.ir.IntType(FOUR)), code.ir.IntType(FOUR)(0))
    b.store(b.zext(low, code.word), code.place(found, 1))


@emit
def settle(code, table, width, null, workers, slots, F, across, ready, used, s, V):
    """Make rows of V from those of the table, with the factors of those in the first places.

    Rows of places up to ``used`` are made less by those before, the others by these alone.
    ``ready``: rows that stand: none, or those up to ``used``.
    """
    b = code.b
    size = b.sub(width, null)
    odd = b.and_(used, code.number(FOUR - 1))
    even = b.or_(odd, ready)  # ``odd`` or ``used``

    def panel(chunks, i, rows, inner, c):
        own = [code.entry(slots, c, j) for j in range(rows)]
        factors = [code.place(F, code.times(slot, across)) for slot in own]
        begin = [
            code.place(table, code.times(code.entry(workers, slot), width), null, i) for slot in own
        ]
        tile = [(j, u) for j in range(rows) for u in range(chunks)]

        def less(a: Value, sums: list[Value]) -> list[Value]:
            place = code.times(a, size)
            entry = [code.load(V, TOGETHER, place, i, TOGETHER * u) for u in range(chunks)]
            f = [code.splat(code.entry(each, a), TOGETHER) for each in factors]
            return [
                code.less_product(total, f[j], entry[u])
                for total, (j, u) in zip(sums, tile, strict=True)
            ]

        start = [code.load(begin[j], TOGETHER, TOGETHER * u) for j, u in tile]
        sums = dict(zip(tile, code.repeat(0, c if inner else used, 1, start, less), strict=True))
        for j in range(rows):
            for above in range(j if inner else 0):
                f = code.splat(code.entry(factors[j], c, above), TOGETHER)
                for u in range(chunks):
                    sums[j, u] = code.less_product(sums[j, u], f, sums[above, u])
            for u in range(chunks):
                code.store(sums[j, u], V, code.times(code.sum(c, j), size), i, TOGETHER * u)

    def columns(chunks: int, i: Value) -> None:
        code.each(ready, odd, 1, partial(panel, chunks, i, 1, True))
        code.each(even, used, FOUR, partial(panel, chunks, i, FOUR, True))
        code.each(used, s, FOUR, partial(panel, chunks, i, FOUR, False))

    two = b.and_(size, code.number(-2 * TOGETHER)) if code.wide else code.number(0)
    if code.wide:
        code.each(0, two, 2 * TOGETHER, partial(columns, 2))
    code.each(two, size, TOGETHER, partial(columns, 1))
