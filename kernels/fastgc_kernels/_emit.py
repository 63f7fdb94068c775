"""Vector code written instruction by instruction, for what the compiler's loops do not become.

A `Code` writes LLVM's vectors of ``width`` doubles or words. LLVM makes of them whatever registers
a processor has: two of AVX2 for eight lanes, four of SSE2 or NEON. Each lane does what the scalar
operations would, in their order, and nothing is contracted, so that the bits are the same.

Addresses are raw: nothing is checked. Who calls sees to it that they lie within arrays.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

Value = Any  # of LLVM


class Code:
    """Writes vector instructions with one of llvmlite's builders.

    ``wide``: whether registers of eight lanes exist, so that eight are as cheap as four.
    """

    def __init__(self, builder: Any, wide: bool) -> None:
        from llvmlite import ir  # loaded by Numba

        self.ir, self.b, self.wide = ir, builder, wide
        self.word, self.double = ir.IntType(64), ir.DoubleType()

    def number(self, value: int) -> Value:
        """An integer, where it is a constant of Python."""
        return self.ir.Constant(self.word, value) if isinstance(value, int) else value

    def of(self, kind: Value, width: int, value: float | None = None) -> Value:
        """A vector of equal constants; undefined without one."""
        vector = self.ir.VectorType(kind, width)
        return self.ir.Constant(vector, self.ir.Undefined if value is None else [value] * width)

    def place(self, pointer: Value, *terms: Value) -> Value:
        """The address of an entry, whose number is the sum of terms."""
        return self.b.gep(pointer, [self.sum(*terms)])

    def sum(self, *terms: Value) -> Value:
        """A sum of integers."""
        return reduce(self.b.add, map(self.number, terms))

    def times(self, number: Value, factor: Value) -> Value:
        """A product of integers."""
        return self.b.mul(self.number(number), self.number(factor))

    def entry(self, pointer: Value, *terms: Value) -> Value:
        """Load one entry."""
        return self.b.load(self.place(pointer, *terms))

    def load(self, pointer: Value, width: int, *terms: Value) -> Value:
        """Load entries side by side."""
        vector = self.ir.VectorType(pointer.type.pointee, width).as_pointer()
        return self.b.load(self.b.bitcast(self.place(pointer, *terms), vector), align=8)

    def store(self, vector: Value, pointer: Value, *terms: Value) -> None:
        """Store entries side by side."""
        place = self.b.bitcast(self.place(pointer, *terms), vector.type.as_pointer())
        self.b.store(vector, place, align=8)

    def room(self, words: int) -> Value:
        """Room for words, kept for the whole kernel."""
        with self.b.goto_entry_block():
            return self.b.alloca(self.word, size=self.number(words))

    def splat(self, value: Value, width: int) -> Value:
        """A vector of one value."""
        one = self.b.insert_element(self.of(value.type, width), value, self._lane(0))
        same = self.of(self.ir.IntType(32), width, 0)
        return self.b.shuffle_vector(one, self.of(value.type, width), same)

    def with_lane(self, vector: Value, lane: int, value: Value) -> Value:
        """A vector in which one lane is replaced."""
        return self.b.insert_element(vector, value, self._lane(lane))

    def lane(self, vector: Value, lane: int) -> Value:
        """One lane of a vector."""
        return self.b.extract_element(vector, self._lane(lane))

    def root(self, vector: Value) -> Value:
        """Square roots, correctly rounded."""
        return self._called(f"llvm.sqrt.v{vector.type.count}f64", vector)

    def _lane(self, lane: int) -> Value:
        return self.ir.Constant(self.ir.IntType(32), lane)

    def less_product(self, target: Value, f: Value, entry: Value) -> Value:
        """The vector target − f·entry, rounded twice."""
        return self.b.fsub(target, self.b.fmul(f, entry))

    def least(self, a: Value, b: Value) -> Value:
        """In each lane a if a < b, else b."""
        return self.b.select(self.b.fcmp_ordered("<", a, b), a, b)

    def bits(self, truths: Value) -> Value:
        """A word with a bit for each lane."""
        few = self.b.bitcast(truths, self.ir.IntType(truths.type.count))
        return self.b.zext(few, self.word)

    def ones(self, words: Value, width: int) -> Value:
        """The number of set bits of each word."""
        return self._called(f"llvm.ctpop.v{width}i64", words)

    def _called(self, name: str, vector: Value) -> Value:
        function = self.b.module.globals.get(name)
        if function is None:
            kind = self.ir.FunctionType(vector.type, [vector.type])
            function = self.ir.Function(self.b.module, kind, name)
        return self.b.call(function, [vector])

    def each(self, first: Value, last: Value, step: Value, body: Callable[[Value], object]) -> None:
        """Write a loop that carries nothing; its body takes the count."""

        def one(count: Value, _: list[Value]) -> Sequence[Value]:
            body(count)
            return []

        self.repeat(first, last, step, [], one)

    def repeat(
        self,
        first: Value,
        last: Value,
        step: Value,
        carried: Sequence[Value],
        body: Callable[[Value, list[Value]], Sequence[Value]],
    ) -> list[Value]:
        """Write a loop; its body takes the count and what is carried, and gives that anew."""
        b = self.b
        before = b.block
        head, inner, after = (b.append_basic_block(each) for each in ("head", "inner", "after"))
        b.branch(head)
        b.position_at_end(head)
        count = b.phi(self.word)
        count.add_incoming(self.number(first), before)
        values = [b.phi(value.type) for value in carried]
        for value, start in zip(values, carried, strict=True):
            value.add_incoming(start, before)
        b.cbranch(b.icmp_signed("<", count, self.number(last)), inner, after)
        b.position_at_end(inner)
        found = body(count, values)
        count.add_incoming(b.add(count, self.number(step)), b.block)
        for value, result in zip(values, found, strict=True):
            value.add_incoming(result, b.block)
        b.branch(head)
        b.position_at_end(after)
        return values
