"""Arithmetic on numbers that may come from a stranger: exact integers up to a size, real floats."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable

Number = int | float
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
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise RefusedError(
            "is complex, no real number" if isinstance(found, complex) else "is no number"
        )
    if isinstance(found, int):
        refuse_large(found.bit_length())
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
    if isinstance(x, float):
        if not x.is_integer():
            raise RefusedError(f"wants whole numbers (got {x:.12g})")
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
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}

COMPARE: dict[type[ast.cmpop], Callable[[Number, Number], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
