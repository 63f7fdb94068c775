"""Vector code for patterns with more stragglers than the nullity; see `straggler_costs.reflected`.

Sixteen lanes side by side: sums depend on the sum before, and two registers or four hide some of
that; the triangle of sixteen lanes stays in the first cache, where that of 64 did not. So it is 1.6
times as fast as loops over 64 lanes (n = 50, nullity 5, 10 stragglers).
"""

from collections.abc import Callable, Sequence

from fastgc_kernels._jit import emit
from fastgc_kernels._emit import Code, Value

LANES = 16
# Reflections spread rounding of the largest entry over all: parts of it are worth less.
REFLECTED = 0.1
_LISTED = 8  # side by side in a list of stragglers


@emit
def reflect(code, s, nullity, x, N, n, zero, room):
    """Fill in what the stragglers of sixteen patterns add, and the least part that was left.

    ``room``: two lists of s stragglers and of their rows; M (s, s + 1, lanes), A (nullity, s,
    lanes), p (s, lanes) and ``used`` (lanes), which are filled; where to store what is found. A
    length up to ``zero`` is none.
    """
    columns, rows, *own, cost, part = room
    _Reflection(code, (s, nullity), own).write((columns, rows, x, N, n), zero, (cost, part))


class _Reflection:
    def __init__(self, code: Code, sizes: tuple[Value, Value], room: Sequence[Value]) -> None:
        self.code, self.b = code, code.b
        self.s, self.nullity = sizes
        self.M, self.A, self.p, self.used = room

    def at(self, *terms: Value) -> Value:
        return self.code.times(self.code.sum(*terms), LANES)

    def m(self, a: Value, c: Value) -> Value:
        # column s of M is x_T
        return self.at(self.code.times(a, self.code.sum(self.s, 1)), c)

    def load(self, array: Value, place: Value) -> Value:
        return self.code.load(array, LANES, place)

    def constant(self, value: float) -> Value:
        return self.code.of(self.code.double, LANES, value)

    def summed(self, first: Value, term: Callable[[Value], tuple[Value, Value]]) -> Value:
        def one(a: Value, total: list[Value]) -> list[Value]:
            return [self.b.fadd(total[0], self.b.fmul(*term(a)))]

        return self.code.repeat(first, self.s, 1, [self.constant(0.0)], one)[0]

    def change(self, array: Value, place: Value, f: Value, entry: Value) -> None:
        self.code.store(self.code.less_product(self.load(array, place), f, entry), array, place)

    def write(self, given: tuple[Value, ...], zero: Value, out: tuple[Value, Value]) -> None:
        code = self.code
        whole = self.gather(*given)
        code.store(code.of(code.word, LANES, 0), self.used, 0)

        def step(j: Value, carried: list[Value]) -> list[Value]:
            return self.step(j, carried[0], carried[1], code.splat(zero, LANES))

        start = [code.number(0), self.constant(1.0)]
        least, part = code.repeat(0, self.nullity, 1, start, step)

        def eliminated(a: Value, carried: list[Value]) -> list[Value]:
            return self.eliminated(a, carried[0], carried[1], whole)

        found = code.repeat(least, self.s, 1, [self.constant(0.0), part], eliminated)
        for value, pointer in zip(found, out, strict=True):
            code.store(value, pointer, 0)

    def gather(self, columns: Value, rows: Value, x: Value, N: Value, n: Value) -> Value:
        # fills M and A; returns the largest diagonal entries
        code, b = self.code, self.b

        def listed(array: Value, a: Value) -> list[Value]:
            second = code.times(self.s, _LISTED)
            place = code.times(a, _LISTED)
            whole = [code.sum(place, v) for v in range(_LISTED)]
            return [code.entry(array, at) for at in whole] + [
                code.entry(array, at, second) for at in whole
            ]

        def loaded(pointers: list[Value], own: list[Value]) -> Value:
            found = code.of(code.double, LANES)
            for v in range(LANES):
                found = code.with_lane(found, v, code.entry(pointers[v], own[v]))
            return found

        def row(a: Value, largest: list[Value]) -> list[Value]:
            own = listed(columns, a)
            begin = [b.inttoptr(one, code.double.as_pointer()) for one in listed(rows, a)]
            code.store(loaded([x] * LANES, own), self.M, self.m(a, self.s))

            def entry(c: Value) -> None:
                code.store(loaded(begin, listed(columns, c)), self.M, self.m(a, c))

            def direction(j: Value) -> None:
                pointers = [code.place(N, code.times(j, n))] * LANES
                code.store(loaded(pointers, own), self.A, self.at(code.times(j, self.s), a))

            code.each(a, self.s, 1, entry)
            code.each(0, self.nullity, 1, direction)
            diagonal = self.load(self.M, self.m(a, a))
            return [b.select(b.fcmp_ordered(">", diagonal, largest[0]), diagonal, largest[0])]

        return code.repeat(0, self.s, 1, [self.constant(0.0)], row)[0]

    def step(self, j: Value, least: Value, part: Value, zero: Value) -> list[Value]:
        # the reflection of column j of N_T on the rows that are not taken
        code, b, s, M, A, p = self.code, self.b, self.s, self.M, self.A, self.p
        begin = code.times(j, s)

        def u(a: Value) -> Value:
            return self.load(A, self.at(begin, a))

        # rows that a lane has taken do not count
        def clear(v: Value) -> None:
            taken = code.entry(self.used, v)
            code.each(
                least,
                taken,
                1,
                lambda a: b.store(code.double(0.0), code.place(A, self.at(begin, a), v)),
            )

        code.each(0, LANES, 1, clear)
        # I − u uᵀ·inverse takes u to its first entry that is not taken
        square = self.summed(least, lambda a: (u(a), u(a)))
        length = code.root(square)
        is_taken = b.fcmp_ordered(">", length, zero)
        number = self.load(self.used, code.number(0))
        places = [code.place(A, self.at(begin, code.lane(number, v)), v) for v in range(LANES)]
        first = code.of(code.double, LANES)
        for v in range(LANES):
            first = code.with_lane(first, v, b.load(places[v]))
        positive = b.fcmp_ordered(">=", first, self.constant(0.0))
        size = b.select(positive, first, b.fneg(first))
        inverse = b.fdiv(self.constant(1.0), b.fadd(square, b.fmul(length, size)))
        inverse = b.select(is_taken, inverse, self.constant(0.0))
        longer = b.fadd(first, b.select(positive, length, b.fneg(length)))
        longer = b.select(is_taken, longer, first)
        for v in range(LANES):
            b.store(code.lane(longer, v), places[v])
        part = b.select(is_taken, code.least(length, part), part)
        number = b.add(number, b.zext(is_taken, number.type))
        code.store(number, self.used, 0)

        def other(i: Value) -> None:
            own = code.times(i, s)
            f = self.summed(least, lambda a: (u(a), self.load(A, self.at(own, a))))
            f = b.fmul(f, inverse)
            code.each(least, s, 1, lambda a: self.change(A, self.at(own, a), f, u(a)))

        code.each(code.sum(j, 1), self.nullity, 1, other)
        # M − u qᵀ − q uᵀ with q = p − (uᵀp/2f) u and p = M u/f
        code.each(least, s, 1, lambda a: code.store(self.constant(0.0), p, self.at(a)))

        def product(a: Value) -> None:
            own = u(a)
            diagonal = b.fmul(self.load(M, self.m(a, a)), own)
            start = b.fadd(self.load(p, self.at(a)), diagonal)

            def across(c: Value, total: list[Value]) -> list[Value]:
                entry = self.load(M, self.m(a, c))
                added = b.fadd(self.load(p, self.at(c)), b.fmul(entry, own))
                code.store(added, p, self.at(c))
                return [b.fadd(total[0], b.fmul(entry, u(c)))]

            total = code.repeat(code.sum(a, 1), s, 1, [start], across)[0]
            code.store(total, p, self.at(a))

        code.each(least, s, 1, product)
        half = b.fmul(b.fmul(self.constant(0.5), inverse), inverse)
        f = b.fmul(self.summed(least, lambda a: (self.load(p, self.at(a)), u(a))), half)
        g = self.summed(least, lambda a: (u(a), self.load(M, self.m(a, s))))
        g = b.fmul(g, inverse)
        code.each(
            least,
            s,
            1,
            lambda a: code.store(
                code.less_product(b.fmul(self.load(p, self.at(a)), inverse), f, u(a)), p, self.at(a)
            ),
        )
        # rows that all lanes have taken are not needed any more
        least = code.lane(number, 0)
        for v in range(1, LANES):
            one = code.lane(number, v)
            least = b.select(b.icmp_signed("<", one, least), one, least)

        def changed(a: Value) -> None:
            own, q = u(a), self.load(p, self.at(a))
            self.change(M, self.m(a, s), g, own)

            def entry(c: Value) -> None:
                both = b.fadd(b.fmul(own, self.load(p, self.at(c))), b.fmul(q, u(c)))
                place = self.m(a, c)
                code.store(b.fsub(self.load(M, place), both), M, place)

            code.each(a, s, 1, entry)

        code.each(least, s, 1, changed)
        return [least, part]

    def eliminated(self, a: Value, cost: Value, part: Value, whole: Value) -> list[Value]:
        # in lanes that have not taken row a
        code, b, s, M = self.code, self.b, self.s, self.M
        own = b.icmp_signed(">=", code.splat(a, LANES), self.load(self.used, code.number(0)))
        pivot, y = self.load(M, self.m(a, a)), self.load(M, self.m(a, s))
        left = b.fdiv(b.fmul(self.constant(REFLECTED), pivot), whole)
        part = b.select(own, code.least(left, part), part)
        inverse = b.select(own, b.fdiv(self.constant(1.0), pivot), self.constant(0.0))

        def row(c: Value) -> None:
            f = b.fmul(self.load(M, self.m(a, c)), inverse)
            code.each(
                c,
                code.sum(s, 1),
                1,
                lambda column: self.change(
                    M, self.m(c, column), f, self.load(M, self.m(a, column))
                ),
            )

        code.each(code.sum(a, 1), s, 1, row)
        return [b.fadd(cost, b.fmul(b.fmul(y, y), inverse)), part]
