"""Vector code for exponential numbers: the draws of many trials, operation by operation.

A loop over trials waits for each operation of a trial's draw before the next. Here four vectors go
side by side, so that each operation is followed by three that need not wait. With the words turned
into numbers by two additions, which AVX2 has, other than conversions, this takes 0.83 times as long
as loops with registers of eight lanes and 0.75 times with those of four.

Each lane does what `pairs` says, in its order. Within a number 2⁵² + i, i < 2⁵², the bits of i
stand as they are, and so with any other power of two: that is how integers are converted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from fastgc_kernels._jit import emit
from fastgc_kernels._vectors import Code, Value
from fastgc_kernels.draw.philox import MASK32, SHIFT32, philox
from fastgc_kernels.draw.variates import HALF_ROOT, MANTISSA, log_of_parts

STREAMS = 4  # vectors side by side
BLOCK = 32  # trials of these, or of twice as many with registers of four lanes
_ONE = 1023  # the exponent's bits of 1
_philox = cast(Any, philox).py_func
_log_of_parts = cast(Any, log_of_parts).py_func


def _power(exponent: int) -> int:
    """The bits of a power of two."""
    return (_ONE + exponent) << int(MANTISSA)


class Side:
    """Vectors side by side, for which Python's operators write code, one vector after the other."""

    __array_ufunc__ = None  # NumPy's numbers leave operations to this

    def __init__(self, code: Code, vectors: Sequence[Value]) -> None:
        self.code, self.vectors = code, vectors

    def _with(self, write: Callable[..., Value], other: Any, swapped: bool = False) -> Side:
        kind = self.vectors[0].type
        if not isinstance(other, Side):
            number = float(other) if kind.element == self.code.double else int(other)
            one = self.code.of(kind.element, kind.count, number)
            other = Side(self.code, [one] * len(self.vectors))
        pairs = zip(self.vectors, other.vectors, strict=True)
        return Side(self.code, [write(b, a) if swapped else write(a, b) for a, b in pairs])

    def _floats(self) -> bool:
        return bool(self.vectors[0].type.element == self.code.double)

    def __add__(self, other: Any) -> Side:
        return self._with(self.code.b.fadd if self._floats() else self.code.b.add, other)

    def __sub__(self, other: Any) -> Side:
        return self._with(self.code.b.fsub if self._floats() else self.code.b.sub, other)

    def __rsub__(self, other: Any) -> Side:
        return self._with(self.code.b.fsub, other, swapped=True)

    def __mul__(self, other: Any) -> Side:
        return self._with(self.code.b.fmul if self._floats() else self.code.b.mul, other)

    def __truediv__(self, other: Any) -> Side:
        return self._with(self.code.b.fdiv, other)

    def __and__(self, other: Any) -> Side:
        return self._with(self.code.b.and_, other)

    def __or__(self, other: Any) -> Side:
        return self._with(self.code.b.or_, other)

    def __xor__(self, other: Any) -> Side:
        return self._with(self.code.b.xor, other)

    def __rshift__(self, other: Any) -> Side:
        return self._with(self.code.b.lshr, other)

    def __lshift__(self, other: Any) -> Side:
        return self._with(self.code.b.shl, other)

    # sums and products do not depend on the order of two
    __radd__, __rmul__ = __add__, __mul__

    def view(self, kind: Value) -> Side:
        """The same bits as numbers of another kind."""
        vector = self.code.ir.VectorType(kind, self.vectors[0].type.count)
        return Side(self.code, [self.code.b.bitcast(each, vector) for each in self.vectors])


def _unit(high: Side, low: Side) -> Side:
    """`variates.unit`: high · 2²¹ + ⌊low/2¹¹⌋ + ½ is rounded once there, and here."""
    double = high.code.double
    above = (high | _power(52 + 21)).view(double) - (2.0**73 + 2.0**51)
    below = ((low >> 10) | (_power(51) | 1)).view(double)
    return (above + below) * 2.0**-53


def _negative_log(x: Side) -> Side:
    """0 − log of normal numbers x > 0, as in `variates.log`."""
    code, moved = x.code, x.view(x.code.word) - HALF_ROOT
    exponent = (((moved + _power(1)) >> MANTISSA) | _power(52)).view(code.double) - (2.0**52 + 1024)
    f = ((moved & ((1 << int(MANTISSA)) - 1)) + HALF_ROOT).view(code.double) - 1.0
    return 0.0 - cast(Side, _log_of_parts(exponent, f))


def _words(code: Code, first: Value, at: Value, given: Sequence[Value]) -> list[Side]:
    """`philox.words_at` for the trials of a block."""
    width = BLOCK // STREAMS if code.wide else BLOCK // STREAMS // 2
    lanes = code.ir.Constant(code.ir.VectorType(code.word, width), list(range(width)))
    starts = [code.splat(code.sum(first, at, s * width), width) for s in range(STREAMS)]
    trials = Side(code, [code.b.add(start, lanes) for start in starts])
    iteration, address, *key = (Side(code, [code.splat(v, width)] * STREAMS) for v in given)
    counter = (trials & MASK32, iteration, address, trials >> SHIFT32)
    return list(_philox(*counter, *key))


def _for_blocks(code: Code, count: Value, write: Callable[[Value], None]) -> None:
    """Write a loop over the blocks of so many trials, a multiple of ``BLOCK``."""

    def body(at: Value, _: list[Value]) -> list[Value]:
        write(at)
        return []

    code.repeat(0, count, BLOCK if code.wide else BLOCK // 2, [], body)


def _store(numbers: Side, pointer: Value, at: Value) -> None:
    width = numbers.vectors[0].type.count
    for s, vector in enumerate(numbers.vectors):
        numbers.code.store(vector, pointer, at, numbers.code.number(s * width))


@emit
def exponentials(
    code: Code,
    first: Value,
    iteration: Value,
    address: Value,
    k0: Value,
    k1: Value,
    count: Value,
    even: Value,
    odd: Value,
) -> None:
    """Two exponential numbers of each of so many trials, a multiple of ``BLOCK``."""

    def write(at: Value) -> None:
        a, b, c, d = _words(code, first, at, (iteration, address, k0, k1))
        for numbers, pointer in ((_unit(a, b), even), (_unit(c, d), odd)):
            _store(_negative_log(numbers), pointer, at)

    _for_blocks(code, count, write)


@emit
def points(
    code: Code,
    first: Value,
    iteration: Value,
    address: Value,
    k0: Value,
    k1: Value,
    count: Value,
    places: Sequence[Value],
) -> None:
    """Two uniform numbers of each trial, and the word from which the first has its lower bits."""

    def write(at: Value) -> None:
        a, b, c, d = _words(code, first, at, (iteration, address, k0, k1))
        for numbers, pointer in zip((_unit(a, b), _unit(c, d), b), places, strict=True):
            _store(numbers, pointer, at)

    _for_blocks(code, count, write)


@emit
def negative_logs(code: Code, count: Value, numbers: Value) -> None:
    """Put 0 − log x in place of each number x > 0."""

    def write(at: Value) -> None:
        width = BLOCK // STREAMS if code.wide else BLOCK // STREAMS // 2
        x = [code.load(numbers, width, at, code.number(s * width)) for s in range(STREAMS)]
        _store(_negative_log(Side(code, x)), numbers, at)

    _for_blocks(code, count, write)
