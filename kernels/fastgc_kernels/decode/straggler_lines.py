"""Patterns with few stragglers, without loops."""

from typing import Any

from fastgc_kernels._emit import Code, Value
from fastgc_kernels._jit import emit
from fastgc_kernels.decode.straggler_vectors import LANES


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
