"""What an expression may be made of, and arithmetic that refuses before it computes."""

import ast
import math
import operator
import warnings
from collections.abc import Callable
from fractions import Fraction

from fastgc.errors import FastgcError
from fastgc.registry.complaints import show

Number = int | float | Fraction  # a fraction is what a float is where nothing is to be rounded
Value = Number | str | list["Value"]

LARGEST_BITS = 2**15  # of an integer: binomial(32 000, 16 000) has fewer
LONGEST, DEEPEST = 4000, 200  # characters; levels: a sum of so many terms is so deep


class RefusedError(ArithmeticError):
    """A result that is not computed, and why: "is …" after the part of the expression."""


def _refuse_large(bits: float) -> None:
    """Refuse an integer of so many bits before it is made."""
    if bits > LARGEST_BITS:
        raise RefusedError(f"is an integer of more than {LARGEST_BITS} bits; use logarithms")


def real(found: object) -> Number:
    """Return a result if it is a finite real number."""
    if isinstance(found, complex):
        raise RefusedError("is complex, no real number")
    if isinstance(found, bool) or not isinstance(found, int | float | Fraction):
        raise RefusedError("is no number")
    if not isinstance(found, float):
        _refuse_large(max(abs(found.numerator), found.denominator).bit_length())
    elif not math.isfinite(found):
        raise RefusedError("is no number (nan)" if math.isnan(found) else "is infinite")
    return found


def times(a: Number, b: Number) -> Number:
    """Return a · b."""
    if isinstance(a, int) and isinstance(b, int):
        _refuse_large(a.bit_length() + b.bit_length() - 1)
    return a * b


def _power(a: Number, b: Number) -> Number:
    if isinstance(a, int) and isinstance(b, int) and b > 0 and abs(a) > 1:
        _refuse_large(b * (abs(a).bit_length() - 1))
    if isinstance(a, Fraction) and isinstance(b, int):
        _refuse_large(abs(b) * a.denominator.bit_length())
    return real(a**b)


def factorial(n: Number) -> int:
    """Return n!."""
    count = _whole(n)
    if count > 1:
        _refuse_large(math.lgamma(min(count, 10**300) + 1) / math.log(2))
    return math.factorial(count)


def binomial(n: Number, k: Number) -> int:
    """Return the number of ways to choose k of n, 0 where k is below 0 or above n."""
    total, chosen = _whole(n), _whole(k, below_zero=True)
    fewer = min(chosen, total - chosen)
    if fewer > 0:
        _refuse_large(fewer * (math.log2(total) - math.log2(fewer)))  # (n/k)^k is at most C(n, k)
    return math.comb(total, chosen) if fewer >= 0 else 0


def harmonic(n: Number) -> float:
    """Return 1 + 1/2 + … + 1/n."""
    count = _whole(n)
    if count <= 1000:
        return math.fsum(1 / i for i in range(1, count + 1))
    # Euler and Maclaurin: the next term is below 1e-26
    euler = 0.577215664901532860606512090082402431
    return math.log(count) + euler + 1 / (2 * count) - 1 / (12 * count**2) + 1 / (120 * count**4)


def _whole(x: Number, *, below_zero: bool = False) -> int:
    """Return a whole number as an integer; 4.0 is one, for it may come of a division."""
    if x != int(x):
        raise RefusedError(f"wants whole numbers (got {float(x):.12g})")
    if x < 0 and not below_zero:
        raise RefusedError(f"wants a number of at least 0 (got {int(x)})")
    return int(x)


BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: times,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
COMPARE: dict[type[ast.cmpop], Callable[[Number, Number], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
#: Other nodes that may stand anywhere; which constants, calls, sums and names may is said below.
_PLAIN = ast.Name | ast.BoolOp | ast.IfExp | ast.Subscript | ast.List | ast.comprehension
_SIGNS = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
_WHAT = "write numbers, names, + - * / // % **, parentheses, and functions by name, like n * q**d"


def parse(text: str) -> ast.expr:
    """Return the tree of an expression.

    Raises FastgcError if it cannot be read, or holds anything but arithmetic, names and calls by
    name.
    """
    if len(text) > LONGEST:
        raise FastgcError(
            f"is too long: {len(text)} characters, and at most {LONGEST} are read; name parts of "
            "it in where"
        )
    if not text.strip():
        raise FastgcError(f"is empty; {_WHAT}")
    deep = FastgcError(
        f"is nested too deeply: more than {DEEPEST} levels; name parts of it in where"
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what Python warns of, like 1if, is no formula
            tree = ast.parse(text.strip(), mode="eval").body
    except (RecursionError, MemoryError):
        raise deep from None
    except (SyntaxError, ValueError, SyntaxWarning, DeprecationWarning) as problem:
        if "nested" in str(problem):
            raise deep from None
        reason = ""
        if isinstance(problem, SyntaxError) and problem.offset is not None:
            reason = f" ({problem.msg.partition('(')[0].strip()}, at character {problem.offset})"
        raise FastgcError(f"cannot be read as an expression{reason}; {_WHAT}") from None
    levels: list[list[tuple[ast.AST, ast.AST | None]]] = [[(tree, None)]]
    while levels[-1]:
        if len(levels) > DEEPEST:
            raise deep
        below = ((each, node) for node, _ in levels[-1] for each in ast.iter_child_nodes(node))
        levels.append([pair for pair in below if not isinstance(pair[0], _SIGNS)])
    for node, above in (each for level in levels for each in level):
        wrong = _wrong(node, above)
        if wrong:
            raise FastgcError(wrong)
    return tree


def _wrong(node: ast.AST, above: ast.AST | None) -> str:
    """Return what is wrong with a node under another; nothing if it may stand there."""
    match node:
        case ast.BinOp(op=ast.BitXor()):
            return f"{part(node)}: ^ is no power; write **"
        case ast.BinOp(op=op) if type(op) in BINARY:
            return ""
        case ast.UnaryOp(op=ast.UAdd() | ast.USub() | ast.Not()):
            return ""
        case ast.Compare(ops=ops):
            known = all(type(op) in COMPARE for op in ops)
            return "" if known else f"{part(node)}: numbers are compared by < <= > >= == !="
        case ast.Constant(value=str(text)):
            is_argument = isinstance(above, ast.Call | ast.keyword)
            return "" if is_argument else f"the text {show(text)} is no number"
        case ast.Constant(value=value):
            is_real = isinstance(value, int | float) and not isinstance(value, bool)
            return "" if is_real else f"{part(node)} is no real number"
        case ast.Call() | ast.Attribute():
            name = dotted(node.func if isinstance(node, ast.Call) else node)
            if name is None:
                rule = "only functions and names are called by name, like agc.theorem1"
                return f"{part(node)}: {rule}"
            return f"{part(node)}: no name here has two underscores" if "__" in name else ""
        case ast.keyword(arg=name, value=value):
            return "" if name else f"{part(value)}: arguments must be named one by one, like n=8"
        case ast.GeneratorExp(generators=[ast.comprehension(target=ast.Name(), ifs=[])]) if (
            isinstance(above, ast.Call)
        ):
            return ""
        case ast.GeneratorExp():
            return f"{part(node)}: sums are written sum(p**i for i in range(n))"
    return "" if isinstance(node, _PLAIN) else f"{part(node)} is no arithmetic; {_WHAT}"


def dotted(node: ast.expr) -> str | None:
    """Return a name with dots, like ``code.n``; None if it is anything else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def part(node: ast.AST) -> str:
    """Return a part of an expression as one writes it, for messages."""
    text = ast.unparse(node)
    return text if len(text) <= 60 else text[:57] + "…"
