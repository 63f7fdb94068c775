"""Vector code for exponential numbers: the draws of many trials, operation by operation.

A loop over trials waits for each operation of a trial's draw before the next. Here eight vectors go
side by side, so that each operation is followed by seven that need not wait: .68 times the cycles
of loops with registers of eight lanes and .59 times with those of four. Of that, fewer operations
bring 10 and 3 %: what is the same for all trials is computed once, words become numbers by two
additions, 2⁻⁵³ and signs go into constants.

`strips` keeps a strip's numbers in registers and settles points above the sure part side by side,
those of 2048 trials at a time: order statistics take .57 and .63 times as long. `served` keeps a
port's clock in registers from one answer to the next: .68 and .67 with four vectors.

Each lane does what `pairs`, `strips` and `order_statistics` say, in their order. In 2⁵² + i,
i < 2⁵², the bits of i stand as they are, and so with any other power of two: that is how integers
are converted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, cast

from fastgc_kernels._emit import Code, Value
from fastgc_kernels._jit import emit
from fastgc_kernels.draw.philox import MASK32, MULTIPLIER_0, MULTIPLIER_1, SHIFT32, WEYL_0, WEYL_1
from fastgc_kernels.draw.variates import HALF_ROOT, LN2_HIGH, MANTISSA, short_of

STREAMS = 8  # vectors side by side
BLOCK = 64  # trials are drawn in multiples of this
MASK = 32  # trials of a word that says which numbers are not settled, drawn side by side
_ONE = 1023  # the exponent's bits of 1
_ROUNDS = 10
_short_of = cast(Any, short_of).py_func


def _power(exponent: int) -> int:
    return (_ONE + exponent) << int(MANTISSA)


def _operator(of_doubles: str, of_words: str, swapped: bool = False) -> Callable[[Side, Any], Side]:
    def write(a: Side, other: Any) -> Side:
        b = a._like(other)
        kind = a.vectors[0].type
        is_double = getattr(kind, "element", kind) == a.code.double
        code = getattr(a.code.b, of_doubles if is_double else of_words)
        pairs = zip(b._like(a).vectors, b.vectors, strict=True)
        return Side(a.code, [code(y, x) if swapped else code(x, y) for x, y in pairs])

    return write


class Side:
    """Vectors side by side, for which Python's operators write code, one vector after the other.

    One number alone, of no vector, is the same for all.
    """

    __array_ufunc__ = None  # NumPy's numbers leave operations to this

    def __init__(self, code: Code, vectors: Sequence[Value]) -> None:
        self.code, self.vectors = code, vectors

    def _like(self, other: Any) -> Side:
        # vectors like these, unless these are one number themselves
        kind = self.vectors[0].type
        alone = not hasattr(kind, "element")
        element = kind if alone else kind.element
        if not isinstance(other, Side):
            number = float(other) if element == self.code.double else int(other)
            constant = self.code.ir.Constant
            one = constant(element, number) if alone else self.code.of(element, kind.count, number)
        elif alone or hasattr(other.vectors[0].type, "element"):
            return other
        else:
            one = self.code.splat(other.vectors[0], kind.count)
        return Side(self.code, [one] * len(self.vectors))

    __add__ = __radd__ = _operator("fadd", "add")
    __sub__ = _operator("fsub", "sub")
    __rsub__ = _operator("fsub", "sub", swapped=True)
    __mul__ = __rmul__ = _operator("fmul", "mul")
    __truediv__ = _operator("fdiv", "udiv")
    __and__ = _operator("and_", "and_")
    __or__ = _operator("or_", "or_")
    __xor__ = _operator("xor", "xor")
    __rshift__ = _operator("lshr", "lshr")

    def view(self, kind: Value) -> Side:
        """The same bits as numbers of another kind."""
        vector = self.code.ir.VectorType(kind, self.vectors[0].type.count)
        return Side(self.code, [self.code.b.bitcast(each, vector) for each in self.vectors])


def _width(code: Code) -> int:
    return 8 if code.wide else 4


def _words(code, product0, high, given, bits):
    """`philox.words_at` of trials, whose lower halves are multiplied already, with one upper half.

    What is the same for all is one number until it meets others. Bits above 32 are those given for
    the first and third word, and any in the others.
    """
    c1, c2, k0, k1 = (Side(code, [value]) for value in given)
    c3 = high
    for index in range(_ROUNDS):
        product1 = (c2 & MASK32) * MULTIPLIER_1
        if index == _ROUNDS - 1:
            k0, k1, c1, c3 = k0 ^ bits[0], k1 ^ bits[1], c1 & MASK32, c3 & MASK32
        c0, c1 = (c1 ^ k0) ^ (product1 >> SHIFT32), product1
        c2, c3 = (c3 ^ k1) ^ (product0 >> SHIFT32), product0
        product0 = (c0 & MASK32) * MULTIPLIER_0
        k0, k1 = (k0 + WEYL_0) & MASK32, (k1 + WEYL_1) & MASK32
    return c0, c1, c2, c3


def _of_block(code, first, at, given, bits, streams):
    """The words of a block of trials that lie between two multiples of 2³²."""
    width, factor = _width(code), int(MULTIPLIER_0)
    start = ((Side(code, [first]) & MASK32) + Side(code, [at])) * factor
    kind = code.ir.VectorType(code.word, width)
    own = [[factor * (s * width + i) for i in range(width)] for s in range(streams)]
    product0 = Side(code, [code.ir.Constant(kind, each) for each in own]) + start
    return _words(code, product0, Side(code, [first]) >> SHIFT32, given, bits)


_HIGH = _power(52 + 21)  # what the higher word of a uniform number stands in


def _unit53(high: Side, low: Side) -> Side:
    """2⁵³ times `variates.unit`: high · 2²¹ + ⌊low/2¹¹⌋ + ½ is rounded once there, and here."""
    double = high.code.double
    above = high.view(double) - (2.0**73 + 2.0**41)
    below = ((low & 0xFFFFF800) | (_power(41) | 0x400)).view(double)
    return above + below


def _negative_log(x: Side, scale: int = 0) -> Side:
    """0 − log of 2^−scale x for normal numbers x > 0, as in `variates.log`."""
    code = x.code
    moved = x.view(code.word) + ((1024 - scale << int(MANTISSA)) - int(HALF_ROOT)) % 2**64
    exponent = ((moved >> MANTISSA) | _power(52)).view(code.double) - (2.0**52 + 1024)
    f = ((moved & ((1 << int(MANTISSA)) - 1)) + HALF_ROOT).view(code.double) - 1.0
    return cast(Side, _short_of(exponent, f)) - exponent * LN2_HIGH  # 0 of 1, not −0


def _store(numbers: Side, pointer: Value, at: Value) -> None:
    width = numbers.vectors[0].type.count
    for s, vector in enumerate(numbers.vectors):
        numbers.code.store(vector, pointer, at, numbers.code.number(s * width))


@emit
def exponentials(code, draw, count, even, odd):
    """Two exponential numbers of each of so many trials, a multiple of ``BLOCK``.

    ``draw``, here and below: the first trial, iteration, address, and both halves of the key.
    """
    first, *given = draw

    def write(at: Value) -> None:
        a, b, c, d = _of_block(code, first, at, given, (_HIGH, _HIGH), STREAMS)
        for numbers, pointer in ((_unit53(a, b), even), (_unit53(c, d), odd)):
            _store(_negative_log(numbers, 53), pointer, at)

    code.each(0, count, STREAMS * _width(code), write)


def _columns(table: Value, size: int, picks: Side, many: int) -> list[Side]:
    # the first entries of the columns of a table, with rows of so many, that are picked
    code, width = picks.code, picks.vectors[0].type.count
    lanes = [[code.lane(vector, i) for i in range(width)] for vector in picks.vectors]

    def row(start: int, places: Sequence[Value]) -> Value:
        vector = code.of(code.double, width)
        for lane, place in enumerate(places):
            vector = code.with_lane(vector, lane, code.entry(table, start, place))
        return vector

    return [Side(code, [row(r * size, places) for places in lanes]) for r in range(many)]


def _store_bits(code: Code, truths: Sequence[Value], pointer: Value, at: Value) -> None:
    words = enumerate(map(code.bits, truths))
    moved = [code.times(word, 1 << (i * _width(code))) for i, word in words]
    code.b.store(reduce(code.b.or_, moved), code.place(pointer, code.b.udiv(at, code.number(MASK))))


@emit
def strips(code, draw, count, table, size, out, left):
    """An order statistic of each trial, as in `strips`; bits of ``left`` say which are not settled.

    ``table`` has rows of ``size`` strips: lower end, width, and the share that settles.
    """
    first, *given = draw

    def write(at: Value) -> None:
        a, b, c, _ = _of_block(code, first, at, given, (_HIGH, _power(20)), MASK // _width(code))
        lower, wide, sure = _columns(table, size, b & (size - 1), 3)
        _store(_negative_log(lower + wide * (_unit53(a, b) * 2.0**-53)), out, at)
        # the height is below its upper word and two in the last place of that
        height = c.view(code.double) - (2.0**20 - 2.0**-31)
        pairs = zip(height.vectors, sure.vectors, strict=True)
        _store_bits(code, [code.b.fcmp_unordered(">=", *pair) for pair in pairs], left, at)

    code.each(0, count, MASK, write)


@emit
def settle(code, draw, count, table, size, waiting, out, left):
    """The same for ``waiting`` trials after the first, with the density asked, too.

    Of ``out`` and the bits of ``left`` there is one for each that waits; ``table`` goes on with the
    logarithm of heights, and what the density needs.
    """
    first, *given = draw
    width, b = _width(code), code.b
    powers = [Side(code, [code.entry(table, 4 * size, i)]) for i in range(3)]
    streams = MASK // width

    def write(at: Value) -> None:
        trials = Side(code, [code.load(waiting, width, at, s * width) for s in range(streams)])
        product0 = (trials + (Side(code, [first]) & MASK32)) * MULTIPLIER_0
        words = _words(code, product0, Side(code, [first]) >> SHIFT32, given, (_HIGH, _HIGH))
        lower, wide, sure, above = _columns(table, size, words[1] & (size - 1), 4)
        x = lower + wide * (_unit53(*words[:2]) * 2.0**-53)
        height = _unit53(*words[2:]) * 2.0**-53
        e = _negative_log(x)
        # x outside the support has a logarithm without meaning
        level = (0.0 - (e * powers[0] + powers[2])) - _negative_log(1.0 - x) * powers[1]
        under = above - _negative_log(height)
        _store(e, out, at)
        each = zip(*(side.vectors for side in (x, height, sure, under, level)), strict=True)
        above_density = []
        for own, share, safe, low, high in each:
            inside = b.and_(
                b.fcmp_ordered(">", own, code.of(code.double, width, 0.0)),
                b.fcmp_ordered("<", own, code.of(code.double, width, 1.0)),
            )
            density = b.and_(inside, b.fcmp_ordered("<", low, high))
            above_density.append(b.not_(b.or_(b.fcmp_ordered("<", share, safe), density)))
        _store_bits(code, above_density, left, at)

    code.each(0, count, MASK, write)


@emit
def served(code, counts, numbers, draw, count, reached, done):
    """`order_statistics.serve` for exponential times.

    Of ``counts`` (n, need), ``numbers`` (the law's offset and factor, what receiving takes).
    """
    first, iteration, address, *key = draw
    (n, need), (offset, factor, receive) = counts, (Side(code, [each]) for each in numbers)
    width, b, streams = _width(code), code.b, STREAMS // 2

    def arrive(i: Value, e: Side, before: Sequence[Side]) -> list[Side]:
        weight = b.fdiv(code.ir.Constant(code.double, 1.0), b.sitofp(b.sub(n, i), code.double))
        total = before[0] + e * Side(code, [weight])
        arrival = total * factor + offset
        pairs = zip(arrival.vectors, before[1].vectors, strict=True)
        later = [b.select(b.fcmp_ordered(">", x, y), x, y) for x, y in pairs]
        return [total, Side(code, later) + receive]

    def write(at: Value) -> None:
        def two(i: Value, carried: list[Value]) -> list[Value]:
            now = [Side(code, carried[:streams]), Side(code, carried[streams:])]
            place = code.sum(address, b.udiv(i, code.number(2)))
            own = [iteration, place, *key]
            words = _of_block(code, first, at, own, (_HIGH, _HIGH), streams)
            now = arrive(i, _negative_log(_unit53(*words[:2]), 53), now)
            more = arrive(code.sum(i, 1), _negative_log(_unit53(*words[2:]), 53), now)
            odd = b.icmp_signed("<", code.sum(i, 1), need)
            pairs = zip(more, now, strict=True)
            return [
                b.select(odd, x, y)
                for after, here in pairs
                for x, y in zip(after.vectors, here.vectors, strict=True)
            ]

        starts = [code.number(s * width) for s in range(streams)]
        zeros = [code.of(code.double, width, 0.0)] * streams
        loaded = [code.load(done, width, at, start) for start in starts]
        found = code.repeat(0, need, 2, [*zeros, *loaded], two)
        _store(Side(code, found[:streams]), reached, at)
        _store(Side(code, found[streams:]), done, at)

    code.each(0, count, streams * width, write)
