"""Vector code for `orthogonal.factor`: reflections of four columns side by side.

An inner product is that of `orthogonal.dot`, eight partial sums in one vector. Groups of eight
begin where its do, so that the bits are the same; those of the squares are the ones in which a
column is changed, which is thus read twice and not three times.
"""

from collections.abc import Callable

from fastgc_kernels._jit import emit
from fastgc_kernels._vectors import Code, Value
from fastgc_kernels.decode.row_vectors import FOUR, TOGETHER, added_up

#: Changes an entry, or eight, of a column, and gives two factors to be added up.
Term = Callable[[int, Value, int], tuple[Value, Value]]


def _load(code: Code, pointer: Value, i: Value, width: int) -> Value:
    return code.entry(pointer, i) if width == 1 else code.load(pointer, width, i)


def _summed(code, columns, start, size, term):
    b = code.b
    whole = b.and_(b.sub(size, start), code.number(-TOGETHER))
    whole = code.sum(start, whole)

    def step(width: int) -> Callable[[Value, list[Value]], list[Value]]:
        def one(i: Value, sums: list[Value]) -> list[Value]:
            return [b.fadd(total, b.fmul(*term(j, i, width))) for j, total in enumerate(sums)]

        return one

    zeros = [code.of(code.double, TOGETHER, 0.0)] * columns
    sums = code.repeat(start, whole, TOGETHER, zeros, step(TOGETHER))
    first = code.repeat(whole, size, 1, [code.lane(each, 0) for each in sums], step(1))
    sums = [code.with_lane(each, 0, own) for each, own in zip(sums, first, strict=True)]
    found = added_up(code, sums if columns == FOUR else sums * FOUR)
    return [code.lane(found, j) for j in range(columns)]


@emit
def inner_products(code, rows, i, j, count, size, out):
    """Inner products of row i with four from j on, the last of the ``count`` rows for others."""
    b = code.b
    own = code.place(rows, code.times(i, size))
    places = [code.sum(j, each) for each in range(FOUR)]
    last = code.sum(count, -1)
    places = [b.select(b.icmp_signed("<", at, last), at, last) for at in places]
    others = [code.place(rows, code.times(at, size)) for at in places]

    def term(each: int, at: Value, width: int) -> tuple[Value, Value]:
        return _load(code, own, at, width), _load(code, others[each], at, width)

    found = _summed(code, FOUR, code.number(0), size, term)
    for each, value in enumerate(found):
        b.store(value, code.place(out, code.number(each)))


@emit
def reflect_rest(code, columns, step, count, size, beta, norms):
    """Apply the reflection I − beta·v·vᵀ to the columns after v, that in place ``step``.

    ``columns`` (count, size) holds one column a row; ``norms`` takes the squared length of what is
    below row ``step`` of each.
    """
    b = code.b
    v = code.place(columns, code.times(step, size))
    below = code.sum(step, 1)

    def some(number: int, j: Value) -> None:
        own = [code.place(columns, code.times(code.sum(j, i), size)) for i in range(number)]
        along = _summed(
            code,
            number,
            step,
            size,
            lambda i, at, width: (_load(code, v, at, width), _load(code, own[i], at, width)),
        )
        f = {1: [b.fmul(beta, each) for each in along]}
        f[TOGETHER] = [code.splat(each, TOGETHER) for each in f[1]]

        def changed(i: int, at: Value, width: int) -> tuple[Value, Value]:
            left = code.less_product(
                _load(code, own[i], at, width), f[width][i], _load(code, v, at, width)
            )
            if width == 1:
                b.store(left, code.place(own[i], at))
            else:
                code.store(left, own[i], at)
            return left, left

        for i in range(number):
            changed(i, step, 1)
        for i, square in enumerate(_summed(code, number, below, size, changed)):
            b.store(square, code.place(norms, j, code.number(i)))

    fours = code.sum(below, b.and_(b.sub(count, below), code.number(-FOUR)))
    code.each(below, fours, FOUR, lambda j: some(FOUR, j))
    code.each(fours, count, 1, lambda j: some(1, j))
