"""Vector code for what stragglers add to the decoding error; see `straggler_costs`.

Left-looking elimination in panels of four rows: the sums of a tile of four rows and some columns
stay in registers, where right-looking elimination stores an entry once a product. Each entry is
still made less by the same products in the same order, so that the bits are those of the plain
form. Rows of H are found once a tile. Decoding is so 1.4, 2.7 and 2.7 times as fast as by loops
over 64 lanes with registers of eight lanes, 1.3, 1.8 and 2.6 times with those of four (n = 20 and
50 with p = 0.2, n = 100 with 20 stragglers).

Stragglers are listed eight lanes side by side: ``columns[a, v]`` is the a-th of lane v, and
``rows[a, v]`` the address of its row of H. Panels end with the last straggler, so that what is no
multiple of four comes first: three rows as four, the first of a worker that does not exist, whose
entries are those of the identity; one or two as panels of one row (as four, with two or three such
workers: half as long again for 5 and 9 stragglers).
"""

from functools import partial
from typing import Any

from fastgc_kernels._jit import emit
from fastgc_kernels._emit import Code, Value

LANES = 8
ROWS = 4


@emit
def list_stragglers(code, words, packed, order, at, s, n, before, H, columns, rows):
    """List the stragglers of eight patterns of one or two words, from place ``before`` on."""
    b, word = code.b, code.word
    s, before = code.number(s), code.number(before)

    def every(value: int) -> Value:
        return code.of(word, LANES, value)

    left = []
    for w in range(words):
        # unused bits, which are 0, must not count as stragglers
        last = b.lshr(code.number(-1), b.sub(code.number(64 * words), n))
        used = code.number(-1) if w < words - 1 else last
        found = code.of(word, LANES)
        for v in range(LANES):
            t = b.zext(code.entry(order, at, v), word)
            alive = code.entry(packed, code.times(t, words), w)
            found = code.with_lane(found, v, b.and_(b.not_(alive), used))
        left.append(found)
    base = code.splat(b.ptrtoint(H, word), LANES)
    stride = code.splat(code.times(n, 8), LANES)
    small = every((1 << 32) - 1)  # products of these are one instruction

    def lowest(bits: Value) -> Value:
        return b.and_(bits, b.sub(every(0), bits))

    def next_one(a: Value, left: list[Value]) -> list[Value]:
        if words == 1:
            low = lowest(left[0])
            own = code.ones(b.sub(low, every(1)), LANES)
            rest = [b.xor(left[0], low)]
        else:
            second = b.sext(b.icmp_signed("==", left[0], every(0)), every(0).type)
            low = lowest(b.or_(left[0], b.and_(left[1], second)))
            own = b.or_(code.ones(b.sub(low, every(1)), LANES), b.and_(every(64), second))
            first = b.and_(low, b.xor(second, every(-1)))
            rest = [b.xor(left[0], first), b.xor(left[1], b.and_(low, second))]
        place = code.times(b.add(a, before), LANES)
        code.store(own, columns, place)
        row = b.mul(b.and_(own, small), b.and_(stride, small))
        code.store(b.add(base, row), rows, place)
        return rest

    code.repeat(0, s, 1, left, next_one)


class _Gather:
    def __init__(self, code: Code, width: int, columns: Value, rows: Value, first: Value) -> None:
        self.code, self.width = code, width
        self.columns, self.rows, self.first = columns, rows, first

    def column(self, place: Value, v: int) -> Value:
        return self.code.entry(self.columns, self.code.times(place, LANES), self.first, v)

    def block(self, places: list[Value], others: list[Value], wanted: Any) -> dict[Any, Value]:
        code, b = self.code, self.code.b
        found = {pair: code.of(code.double, self.width) for pair in wanted}
        for v in range(self.width):
            begin = {}
            for i in sorted({i for i, _ in wanted}):
                row = code.entry(self.rows, code.times(places[i], LANES), self.first, v)
                begin[i] = b.inttoptr(row, code.double.as_pointer())
            own = {j: self.column(others[j], v) for j in sorted({j for _, j in wanted})}
            for i, j in wanted:
                entry = b.load(b.gep(begin[i], [own[j]]))
                found[i, j] = code.with_lane(found[i, j], v, entry)
        return found

    def of_vector(self, x: Value, place: Value) -> Value:
        found = self.code.of(self.code.double, self.width)
        for v in range(self.width):
            entry = self.code.entry(x, self.column(place, v))
            found = self.code.with_lane(found, v, entry)
        return found


@emit
def panels(code, unit, room, size, before, x):
    """Eliminate H_TT of eight patterns by panels, of which ``size`` is a multiple.

    ``unit``: 1 for a unit diagonal and 1/pivots, as `independent` has them, with x_T as another
    column, whose cost is stored; 0 for any diagonal and division, as `free` does. ``before`` rows
    are those of workers that do not exist. ``room``: see `straggler_costs.Room`.
    """
    width = 8 if code.wide else 4
    columns, rows, *own, cost, part, _ = room
    sizes = code.number(size), code.number(before)

    def some(first: Value) -> None:
        gather = _Gather(code, width, columns, rows, first)
        _Panels(code, unit, gather, sizes, x, own).write((cost, part))

    code.each(0, LANES, width, some)


class _Panels:
    def __init__(self, code, unit, gather, sizes, x, room):
        self.code, self.unit, self.width, self.gather = code, unit, gather.width, gather
        self.size, self.before = sizes
        self.x = x
        self.U, self.F, self.diagonal, self.Y = room
        self.across = 4 if code.wide else 2  # columns of a tile: its sums fill the registers
        self.one = code.of(code.double, self.width, 1.0)

    def _u(self, a: Value, column: Value) -> Value:
        # columns of a tile are side by side
        within = self.code.b.and_(column, self.code.number(self.across - 1))
        tile = self.code.times(self.code.b.sub(column, within), self.size)
        row = self.code.times(a, self.across)
        return self.code.times(self.code.sum(tile, row, within), self.width)

    def _f(self, a: Value, i: int) -> Value:
        return self.code.times(self.code.sum(self.code.times(a, ROWS), i), self.width)

    def _scaled(self, entry: Value, pivot: Value) -> Value:
        b = self.code.b
        return b.fmul(entry, pivot) if self.unit else b.fdiv(entry, pivot)

    def write(self, out: tuple[Value, Value]) -> None:
        # panels of one row, up to the first multiple of four, and of four; where one row alone is
        # missing to four, it is that of a worker that does not exist
        code, b = self.code, self.code.b
        carried = [code.of(code.double, self.width, 0.0), self.one]
        alone = b.icmp_signed(">", self.before, code.number(1))
        four = b.select(alone, code.number(ROWS), code.number(0))
        for rows, first, last in ((1, self.before, four), (ROWS, four, self.size)):
            carried = code.repeat(first, last, rows, carried, partial(self._panel, rows))
        for value, pointer in zip(carried, out, strict=True):
            code.store(value, pointer, self.gather.first)

    def _panel(self, rows, c, carried):
        code, b, width = self.code, self.code.b, self.width
        places = [code.sum(c, i) for i in range(rows)]
        upper = [(i, j) for i in range(rows) for j in range(i, rows)]
        wanted = [(i, j) for i, j in upper if i < j or not self.unit]
        found = self.gather.block(places, places, wanted)
        sums = [found.get(pair, self.one) for pair in upper]
        if self.unit:
            sums += [self.gather.of_vector(self.x, place) for place in places]

        def less_row(a: Value, sums: list[Value]) -> list[Value]:
            own = [code.load(self.U, width, self._u(a, place)) for place in places]
            pivot = code.load(self.diagonal, width, code.times(a, width))
            f = [self._scaled(entry, pivot) for entry in own]
            for i in range(rows):
                code.store(f[i], self.F, self._f(a, i))
            if self.unit:
                own.append(code.load(self.Y, width, code.times(a, width)))
            pairs = [*upper, *((i, rows) for i in range(rows))]
            return [
                code.less_product(sums[q], f[i], own[j])
                for q, (i, j) in enumerate(pairs[: len(sums)])
            ]

        sums = code.repeat(self.before, c, 1, sums, less_row)
        D, y = dict(zip(upper, sums, strict=False)), sums[len(upper) :]
        cost, part = carried
        f: dict[tuple[int, int], Value] = {}
        for i in range(rows):
            pivot = D[i, i]
            part = code.least(pivot, part)
            kept = b.fdiv(self.one, pivot) if self.unit else pivot
            code.store(kept, self.diagonal, code.times(places[i], width))
            for j in range(i + 1, rows):
                f[i, j] = self._scaled(D[i, j], kept)
                for k in range(j, rows):
                    D[j, k] = code.less_product(D[j, k], f[i, j], D[i, k])
            if self.unit:
                cost = b.fadd(cost, b.fmul(b.fmul(y[i], y[i]), kept))
                code.store(y[i], self.Y, code.times(places[i], width))
                for j in range(i + 1, rows):
                    y[j] = code.less_product(y[j], f[i, j], y[i])
        beyond = b.and_(code.sum(c, rows), code.number(-self.across))
        code.each(beyond, self.size, self.across, partial(self._tile, c, places, f))
        return [cost, part]

    def _tile(self, c, places, f, column):
        code, width, rows = self.code, self.width, range(len(places))
        columns = [code.sum(column, w) for w in range(self.across)]
        pairs = [(i, w) for i in rows for w in range(self.across)]
        found = self.gather.block(places, columns, pairs)

        def less_row(a: Value, sums: list[Value]) -> list[Value]:
            start = self._u(a, column)
            own = [code.load(self.U, width, start, w * width) for w in range(self.across)]
            factors = [code.load(self.F, width, self._f(a, i)) for i in rows]
            return [
                code.less_product(total, factors[i], own[w])
                for total, (i, w) in zip(sums, pairs, strict=True)
            ]

        first = [found[pair] for pair in pairs]
        T = dict(zip(pairs, code.repeat(self.before, c, 1, first, less_row), strict=True))
        for i in rows:
            start = self._u(places[i], column)
            for w in range(self.across):
                code.store(T[i, w], self.U, start, w * width)
                for j in rows[i + 1 :]:
                    T[j, w] = code.less_product(T[j, w], f[i, j], T[i, w])


@emit
def line(code, s, columns, rows, x, cost, part):
    """Eliminate H_TT of eight patterns with s stragglers without a loop."""
    b = code.b
    width = 8 if code.wide or s <= 6 else 4

    def some(first: Value) -> None:
        gather = _Gather(code, width, columns, rows, first)
        one = code.of(code.double, width, 1.0)
        least, total = one, code.of(code.double, width, 0.0)
        U: dict[tuple[int, int], Value] = {}
        F: dict[tuple[int, int], Value] = {}
        places = [code.number(a) for a in range(s)]
        for c in range(s):
            if c % 2 == 0:  # two rows at once: their columns are looked up once
                pairs = [(i, k) for i in (c, c + 1) if i < s for k in range(i + 1, s)]
                U |= gather.block(places, places, pairs)
            for a in range(c):
                for k in range(c + 1, s):
                    U[c, k] = code.less_product(U[c, k], F[a, c], U[a, k])
            pivot, y = one, gather.of_vector(x, places[c])
            for a in range(c):
                pivot = code.less_product(pivot, F[a, c], U[a, c])
                y = code.less_product(y, F[a, c], U[a, s])
            least = code.least(pivot, least)
            inverse = b.fdiv(one, pivot)
            for k in range(c + 1, s):
                F[c, k] = b.fmul(U[c, k], inverse)
            U[c, s] = y
            total = b.fadd(total, b.fmul(b.fmul(y, y), inverse))
        code.store(total, cost, first)
        code.store(least, part, first)

    code.each(0, LANES, width, some)


@emit
def store(code, unit, cost, part, order, at, last, limits, found):
    """Store the errors of eight patterns, as far as they are before ``last``, and their worth.

    ``cost`` is what stragglers add (``unit``: 1; else nothing is), ``part`` the least part of a
    diagonal entry that was left, ``limits`` are e0, k, least and clear: an error is doubtful unless
    part > least and, with what stragglers add, part²·k > clear·cost.
    """
    e0, k, least, clear = limits
    error, doubtful = found
    b = code.b
    own = code.load(part, LANES, 0)
    # what is no number is doubtful, too
    good = b.fcmp_ordered(">", own, code.splat(least, LANES))
    errors = code.splat(e0, LANES)
    if unit:
        added = code.load(cost, LANES, 0)
        square = b.fmul(b.fmul(own, own), code.splat(k, LANES))
        enough = b.fmul(code.splat(clear, LANES), added)
        good = b.and_(good, b.fcmp_ordered(">", square, enough))
        errors = code.least(code.splat(k, LANES), b.fadd(errors, added))
    bad = b.bitcast(b.not_(good), code.ir.IntType(LANES))
    code.store(errors, cost, 0)
    left = b.sub(last, at)

    def write(v: Value) -> None:
        t = b.zext(code.entry(order, at, v), code.word)
        b.store(code.entry(cost, v), code.place(error, t))

    def doubt(v: Value) -> None:
        t = b.zext(code.entry(order, at, v), code.word)
        bit = b.and_(b.lshr(b.zext(bad, code.word), v), code.number(1))
        b.store(b.trunc(bit, doubtful.type.pointee), code.place(doubtful, t))

    with b.if_else(b.icmp_signed("<", left, code.number(LANES))) as (few, all_of_them):
        with few:
            code.each(0, left, 1, write)
        with all_of_them:
            for v in range(LANES):
                write(code.number(v))
    with b.if_then(b.icmp_unsigned("!=", bad, bad.type(0)), likely=False):
        least_of = b.select(b.icmp_signed("<", left, code.number(LANES)), left, code.number(LANES))
        code.each(0, least_of, 1, doubt)
