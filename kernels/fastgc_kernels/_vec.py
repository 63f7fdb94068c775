"""A type of Numba that is a vector of registers: ``Vec(8)``, eight doubles side by side.

A kernel is then a function with loops and arithmetic that reads as its scalar form does, and may be
that form called with other arguments: ``+ − * / & | ^ >> ~``, comparisons, and the functions of
`_vectors`. LLVM makes of a vector whatever registers a processor has: two of AVX2 for eight lanes,
four of SSE2 or NEON. Each lane does what the scalar operations would, in their order, and nothing
is contracted, so that the bits are the same on every processor. A number that meets a vector is
the same in all lanes.

This is the one file in which LLVM's instructions are written.
"""

import inspect
import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

from llvmlite import ir
from numba import extending, types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, lower_cast

Value = Any  # of LLVM
Write = Callable[..., Value]
_DOUBLE, _WORD, _INT32 = ir.DoubleType(), ir.IntType(64), ir.IntType(32)


class Vec(types.Type):
    """So many elements side by side: doubles, words or truths."""

    def __init__(self, count: int, element: Any = types.float64) -> None:
        self.count, self.element = count, element
        super().__init__(f"Vec({count}, {element})")

    def can_convert_from(self, context: Any, other: Any) -> Any:
        """A number becomes a vector where a variable is one first, and the other later."""
        return Conversion.safe if types.unliteral(other) == self.element else None


@extending.register_model(Vec)
class _Model(extending.models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Vec) -> None:
        element = manager.lookup(kind.element).get_value_type()
        super().__init__(manager, kind, ir.VectorType(element, kind.count))


def _undefined(element: Value, count: int) -> Value:
    return ir.Constant(ir.VectorType(element, count), ir.Undefined)


def _shuffled(b: Any, one: Value, other: Value, lanes: Any) -> Value:
    return b.shuffle_vector(one, other, ir.Constant(ir.VectorType(_INT32, len(lanes)), [*lanes]))


def _spread(b: Any, value: Value, count: int) -> Value:
    """A vector of a number; a vector as it is."""
    if isinstance(value.type, ir.VectorType):
        return value
    nothing = _undefined(value.type, count)
    return _shuffled(b, b.insert_element(nothing, value, _INT32(0)), nothing, [0] * count)


# ---- Operators

#: The builder's instruction for doubles, and for words and truths.
ARITHMETIC = {
    operator.add: ("fadd", "add"),
    operator.sub: ("fsub", "sub"),
    operator.mul: ("fmul", "mul"),
    operator.truediv: ("fdiv", ""),
    operator.and_: ("", "and_"),
    operator.or_: ("", "or_"),
    operator.xor: ("", "xor"),
    operator.rshift: ("", "lshr"),
    operator.neg: ("fneg", "neg"),
    operator.invert: ("", "not_"),
}
ARITHMETIC |= {
    getattr(operator, f"i{each.__name__.rstrip('_')}"): names
    for each, names in ARITHMETIC.items()
    if each not in (operator.neg, operator.invert)
}
ORDER = {
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
}


def _calculate(b: Any, names: tuple[str, str], element: Any, *values: Value) -> Value:
    name = names[element != types.float64]
    return getattr(b, "ashr" if name == "lshr" and element.signed else name)(*values)


def _compare(b: Any, sign: str, element: Any, one: Value, other: Value) -> Value:
    if element == types.float64:
        return b.fcmp_ordered(sign, one, other)
    return (b.icmp_signed if element.signed else b.icmp_unsigned)(sign, one, other)


def _define(function: Callable[..., Any], write: Write, how: Any, truths: bool) -> None:
    class Operation(AbstractTemplate):
        def generic(self, args: Any, _: Any) -> Any:
            vectors = {kind for kind in args if isinstance(kind, Vec)}
            others = [kind for kind in args if kind not in vectors]
            if len(vectors) != 1 or not all(isinstance(kind, types.Number) for kind in others):
                return None
            (own,) = vectors
            result = Vec(own.count, types.boolean) if truths else own
            return signature(result, *(kind if kind == own else own.element for kind in args))

    def lower(context: Any, builder: Any, sig: Any, values: Any) -> Value:
        own = next(kind for kind in sig.args if isinstance(kind, Vec))
        spread = (_spread(builder, value, own.count) for value in values)
        return write(builder, how, own.element, *spread)

    infer_global(function)(Operation)
    for kinds in ([Vec], [Vec, Vec], [Vec, types.Number], [types.Number, Vec]):
        lower_builtin(function, *kinds)(lower)


for _each, _names in ARITHMETIC.items():
    _define(_each, _calculate, _names, truths=False)
for _each, _sign in ORDER.items():
    _define(_each, _compare, _sign, truths=True)


@lower_cast(types.Number, Vec)  # type: ignore[untyped-decorator]
def _cast(context: Any, builder: Any, number: Any, vector: Any, value: Value) -> Value:
    own = context.cast(builder, value, number, vector.element)
    return _spread(builder, own, vector.count)


# ---- Functions

#: Functions of vectors by name; kernels import them from `_vectors`.
FUNCTIONS: dict[str, Any] = {}


def _function(result: Callable[..., Any]) -> Callable[[Write], Write]:
    """Make an intrinsic of a function that writes its code, given the builder and arguments.

    Of arrays it gets pointers to their first entries, of constants numbers of Python. ``result``
    gives the type of what it returns by those of the arguments.
    """

    def defined(write: Write) -> Write:
        def typed(context: Any, *kinds: Any) -> Any:
            def written(context: Any, builder: Any, sig: Any, values: Any) -> Value:
                own = [
                    context.make_array(kind)(context, builder, value).data
                    if isinstance(kind, types.Array)
                    else getattr(kind, "literal_value", value)
                    for kind, value in zip(sig.args, values, strict=True)
                ]
                return write(builder, *own) or context.get_dummy_value()

            if any(isinstance(kind, types.Array) and kind.layout != "C" for kind in kinds):
                return None  # places are counted in entries that lie side by side
            return result(*kinds)(*kinds), written

        typed.__signature__ = inspect.signature(write)
        FUNCTIONS[write.__name__] = extending.intrinsic(prefer_literal=True)(typed)
        return write

    return defined


def _chosen(wide: Any, narrow: Any) -> Any:
    # no features are named where NUMBA_CPU_FEATURES is empty
    features = str(cpu_target.target_context.codegen().magic_tuple()[2])
    return wide if "+avx512f" in features else narrow


def _number(b: Any, value: Value) -> Value:
    if isinstance(value, int):
        return _WORD(value)
    return value if value.type == _WORD else b.zext(value, _WORD)


def _place(b: Any, array: Value, *terms: Value) -> Value:
    for term in terms:
        array = b.gep(array, [_number(b, term)])
    return array


@_function(lambda array, place, count: Vec(count.literal_value, array.dtype))
def load(b: Any, array: Value, place: Value, count: int) -> Value:
    kind = ir.VectorType(array.type.pointee, count).as_pointer()
    return b.load(b.bitcast(_place(b, array, place), kind), align=8)


@_function(lambda array: types.CPointer(array.dtype))
def pointer(b: Any, array: Value) -> Value:
    return array


@_function(lambda arrays: types.void)
def keep(b: Any, arrays: Value) -> None:
    pass


@_function(lambda array, place, value: types.void)
def store(b: Any, array: Value, place: Value, value: Value) -> None:
    b.store(value, b.bitcast(_place(b, array, place), value.type.as_pointer()), align=8)


@_function(lambda array, place: array.dtype)
def entry(b: Any, array: Value, place: Value) -> Value:
    return b.load(_place(b, array, place))


def _gathered(b: Any, pointers: list[Value]) -> Value:
    found = _undefined(pointers[0].type.pointee, len(pointers))
    for v, pointer in enumerate(pointers):
        found = b.insert_element(found, b.load(pointer), _INT32(v))
    return found


@_function(lambda array, place, picks, at, step, count: Vec(count.literal_value, array.dtype))
def gather(
    b: Any, array: Value, place: Value, picks: Value, at: Value, step: int, count: int
) -> Value:
    start, own = _place(b, array, place), _place(b, picks, at)
    numbers = (_number(b, b.load(_place(b, own, v))) for v in range(count))
    return _gathered(b, [_place(b, start, b.mul(each, _WORD(step))) for each in numbers])


@_function(lambda array, place, picks: Vec(picks.count, array.dtype))
def look_up(b: Any, array: Value, place: Value, picks: Value) -> Value:
    start = _place(b, array, place)
    own = (b.extract_element(picks, _INT32(v)) for v in range(picks.type.count))
    return _gathered(b, [_place(b, start, each) for each in own])


@_function(lambda array, picks, vector: types.void)
def scatter(b: Any, array: Value, picks: Value, vector: Value) -> None:
    for v in range(vector.type.count):
        pointer = _place(b, array, b.load(_place(b, picks, v)))
        b.store(b.extract_element(vector, _INT32(v)), pointer)


@_function(
    lambda rows, i, picks, j, count, columns, across: Vec(
        count.literal_value * columns.literal_value
    )
)
def gather_rows(
    b: Any, rows: Value, i: Value, picks: Value, j: Value, count: int, columns: int, across: int
) -> Value:
    found = []
    for v in range(count):
        row = b.inttoptr(b.load(_place(b, rows, i, v)), _DOUBLE.as_pointer())
        found += [
            _place(b, row, b.load(_place(b, picks, j, v + c * across))) for c in range(columns)
        ]
    return _gathered(b, [found[v * columns + c] for c in range(columns) for v in range(count)])


@_function(lambda vector, times: Vec(vector.count * times.literal_value, vector.element))
def repeat(b: Any, vector: Value, times: int) -> Value:
    return _shuffled(b, vector, vector, [*range(vector.type.count)] * times)


@_function(lambda vector: Vec(vector.count, types.uint64))
def as_words(b: Any, vector: Value) -> Value:
    return b.bitcast(vector, ir.VectorType(_WORD, vector.type.count))


@_function(lambda vector: Vec(vector.count))
def as_doubles(b: Any, vector: Value) -> Value:
    return b.bitcast(vector, ir.VectorType(_DOUBLE, vector.type.count))


@_function(lambda vector: vector)
def root(b: Any, vector: Value) -> Value:
    name = f"llvm.sqrt.v{vector.type.count}f64"
    kind = ir.FunctionType(vector.type, [vector.type])
    return b.call(cgutils.get_or_insert_function(b.module, kind, name), [vector])


@_function(_chosen)
def if_wide(b: Any, wide: int, narrow: int) -> Value:
    return _WORD(_chosen(wide, narrow))


@_function(lambda count: Vec(count.literal_value, types.int64))
def numbers(b: Any, count: int) -> Value:
    return ir.Constant(ir.VectorType(_WORD, count), [*range(count)])


@_function(lambda truths: types.uint64)
def bits(b: Any, truths: Value) -> Value:
    return b.zext(b.bitcast(truths, ir.IntType(truths.type.count)), _WORD)


@_function(lambda value, count: Vec(count.literal_value, types.unliteral(value)))
def spread(b: Any, value: Value, count: int) -> Value:
    return _spread(b, value, count)


@_function(lambda truths, one, other: one)
def where(b: Any, truths: Value, one: Value, other: Value) -> Value:
    return b.select(truths, one, other)


@_function(lambda vector, lane: vector.element)
def lane(b: Any, vector: Value, lane: int) -> Value:
    return b.extract_element(vector, _INT32(lane))


@_function(lambda vector, lane, value: vector)
def with_lane(b: Any, vector: Value, lane: int, value: Value) -> Value:
    return b.insert_element(vector, value, _INT32(lane))


def _halves_added(b: Any, vector: Value) -> Value:
    half = vector.type.count // 2
    low, high = (range(start, start + half) for start in (0, half))
    return b.fadd(_shuffled(b, vector, vector, low), _shuffled(b, vector, vector, high))


@_function(lambda vector: vector.element)
def added(b: Any, vector: Value) -> Value:
    while vector.type.count > 1:
        vector = _halves_added(b, vector)
    return b.extract_element(vector, _INT32(0))


@_function(lambda vector, count: Vec(count.literal_value, vector.element))
def parts_added(b: Any, vector: Value, count: int) -> Value:
    starts = range(0, vector.type.count, count)
    parts = (_shuffled(b, vector, vector, range(start, start + count)) for start in starts)
    return reduce(b.fadd, parts)


@_function(lambda v0, v1, v2, v3: Vec(4))
def sums(b: Any, v0: Value, v1: Value, v2: Value, v3: Value) -> Value:
    halves = [_halves_added(b, each) for each in (v0, v1, v2, v3)]
    low, high = (
        b.fadd(_shuffled(b, one, other, (0, 1, 4, 5)), _shuffled(b, one, other, (2, 3, 6, 7)))
        for one, other in (halves[:2], halves[2:])
    )
    return b.fadd(_shuffled(b, low, high, (0, 2, 4, 6)), _shuffled(b, low, high, (1, 3, 5, 7)))
