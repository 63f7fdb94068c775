"""What an expression may be made of: numbers, names, arithmetic, calls by name, sums, a choice."""

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

#: Bits of the largest integer: binomial(32 000, 16 000) has fewer.
LARGEST_BITS = 2**15


class RefusedError(ArithmeticError):
    """A result that is not computed, and why: "is …" after the part of the expression."""


def refuse_large(bits: float) -> None:
    """Refuse an integer of so many bits before it is made."""
    if bits > LARGEST_BITS:
        raise RefusedError(f"is an integer of more than {LARGEST_BITS} bits; use logarithms")


def real(found: object) -> Number:
    """Return a result if it is a finite real number."""
    if isinstance(found, bool) or not isinstance(found, int | float | Fraction):
        raise RefusedError(
            "is complex, no real number" if isinstance(found, complex) else "is no number"
        )
    if isinstance(found, int):
        refuse_large(found.bit_length())
    elif isinstance(found, Fraction):
        refuse_large(found.denominator.bit_length())
    elif not math.isfinite(found):
        raise RefusedError("is no number (nan)" if math.isnan(found) else "is infinite")
    return found


def times(a: Number, b: Number) -> Number:
    """Return a · b."""
    if isinstance(a, int) and isinstance(b, int):
        refuse_large(a.bit_length() + b.bit_length() - 1)
    return a * b


def power(a: Number, b: Number) -> Number:
    """Return a to the power of b, which is real: 2**(10**9) and (−1)**.5 are refused."""
    if isinstance(a, int) and isinstance(b, int) and b > 0 and abs(a) > 1:
        refuse_large(b * (abs(a).bit_length() - 1))
    if isinstance(a, Fraction) and isinstance(b, int):
        refuse_large(abs(b) * a.denominator.bit_length())
    return real(a**b)


def factorial(n: Number) -> int:
    """Return n!."""
    count = whole(n, "factorial")
    if count > 1:
        refuse_large(math.lgamma(min(count, 10**300) + 1) / math.log(2))
    return math.factorial(count)


def binomial(n: Number, k: Number) -> int:
    """Return the number of ways to choose k of n, 0 where k is below 0 or above n."""
    total, chosen = whole(n, "binomial"), whole(k, "binomial", below_zero=True)
    fewer = min(chosen, total - chosen)
    if fewer < 0:
        return 0
    if fewer > 0:
        refuse_large(fewer * (math.log2(total) - math.log2(fewer)))  # (n/k)^k is at most C(n, k)
    return math.comb(total, chosen)


def harmonic(n: Number) -> float:
    """Return 1 + 1/2 + … + 1/n."""
    count = whole(n, "harmonic")
    if count <= 1000:
        return math.fsum(1 / i for i in range(1, count + 1))
    # Euler and Maclaurin: the next term is below 1e-26
    euler = 0.577215664901532860606512090082402431
    return math.log(count) + euler + 1 / (2 * count) - 1 / (12 * count**2) + 1 / (120 * count**4)


def whole(x: Number, name: str, *, below_zero: bool = False) -> int:
    """Return a whole number as an integer; 4.0 is one, for it may come of a division."""
    if not isinstance(x, int):
        if x != int(x):
            raise RefusedError(f"wants whole numbers (got {float(x):.12g})")
        x = int(x)
    if x < 0 and not below_zero:
        raise RefusedError(f"wants a number of at least 0 (got {x})")
    return x


BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: times,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: power,
}

UNARY: dict[type[ast.unaryop], Callable[[Number], Number]] = {
    ast.UAdd: operator.pos,  # type: ignore[dict-item]
    ast.USub: operator.neg,  # type: ignore[dict-item]
}

COMPARE: dict[type[ast.cmpop], Callable[[Number, Number], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


LONGEST = 4000  # characters
DEEPEST = 200  # a sum of so many terms is so deep

#: Nodes that are looked into; which of them may stand where is said by `_wrong`.
_ALLOWED = (
    ast.Constant,
    ast.Name,
    ast.Attribute,
    ast.BinOp,
    ast.UnaryOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
    ast.Call,
    ast.keyword,
    ast.Subscript,
    ast.List,
    ast.GeneratorExp,
    ast.comprehension,
)
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
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what Python warns of, like 1if, is no formula
            tree = ast.parse(text.strip(), mode="eval").body
    except (RecursionError, MemoryError):
        raise _too_deep() from None
    except (SyntaxError, ValueError, SyntaxWarning, DeprecationWarning) as problem:
        if "nested" in str(problem):
            raise _too_deep() from None
        raise FastgcError(f"cannot be read as an expression{_reason(problem)}; {_WHAT}") from None
    _check(tree)
    return tree


def dotted(node: ast.expr) -> str | None:
    """Return a name with dots, like ``code.n``; None if it is anything else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def part(node: ast.AST) -> str:
    """Return a part of an expression as one writes it, for messages."""
    text = ast.unparse(node)
    return text if len(text) <= 60 else text[:57] + "…"


def _too_deep() -> FastgcError:
    return FastgcError(
        f"is nested too deeply: more than {DEEPEST} levels; name parts of it in where"
    )


def _reason(problem: Exception) -> str:
    if isinstance(problem, SyntaxError) and problem.offset is not None:
        return f" ({problem.msg.partition('(')[0].strip()}, at character {problem.offset})"
    return ""


def _check(tree: ast.expr) -> None:
    """Refuse a tree that is too deep, else the first part of it that is not allowed."""
    levels: list[list[tuple[ast.AST, ast.AST | None]]] = [[(tree, None)]]
    while levels[-1]:
        if len(levels) > DEEPEST:
            raise _too_deep()
        below = ((each, node) for node, _ in levels[-1] for each in ast.iter_child_nodes(node))
        levels.append([pair for pair in below if not isinstance(pair[0], _SIGNS)])
    for node, parent in (each for level in levels for each in level):
        sentence = _wrong(node, parent)
        if sentence is not None:
            raise FastgcError(sentence)


def _wrong(node: ast.AST, above: ast.AST | None) -> str | None:
    """Return what is wrong with a node under another, or None."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor):
        return f"{part(node)}: ^ is no power; write **"
    if isinstance(node, ast.BinOp) and type(node.op) not in BINARY:
        return f"{part(node)} is no arithmetic; {_WHAT}"
    if isinstance(node, ast.UnaryOp) and type(node.op) not in (*UNARY, ast.Not):
        return f"{part(node)} is no arithmetic; {_WHAT}"
    if isinstance(node, ast.Compare) and any(type(op) not in COMPARE for op in node.ops):
        return f"{part(node)}: numbers are compared by < <= > >= == !="
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            named = isinstance(above, ast.Call | ast.keyword)
            return None if named else f"the text {show(node.value)} is no number"
        is_real = isinstance(node.value, int | float) and not isinstance(node.value, bool)
        return None if is_real else f"{part(node)} is no real number"
    if isinstance(node, ast.Call | ast.Attribute):
        name = dotted(node.func if isinstance(node, ast.Call) else node)
        if name is None:
            return f"{part(node)}: only functions and names are called by name, like agc.theorem1"
        if "__" in name:
            return f"{part(node)}: no name here has two underscores"
    if isinstance(node, ast.keyword) and node.arg is None:
        return f"{part(node.value)}: arguments must be named one by one, like n=8"
    if isinstance(node, ast.GeneratorExp):
        simple = len(node.generators) == 1 and not node.generators[0].ifs
        over_a_name = isinstance(node.generators[0].target, ast.Name)
        if simple and over_a_name and isinstance(above, ast.Call):
            return None
        return f"{part(node)}: sums are written sum(p**i for i in range(n))"
    if not isinstance(node, _ALLOWED):
        return f"{part(node)} is no arithmetic; {_WHAT}"
    return None
