"""What an expression computes with: arithmetic that refuses before it computes, and functions.

Functions are of mathematics, closed forms, and of B.
"""

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from fastgc import theory
from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.registry.complaints import nearest, show
from fastgc.theory import by_name

Number = int | float | Fraction  # a fraction is what a float is where nothing is to be rounded
Value = Number | str | list["Value"]

LARGEST_BITS = 2**15  # of an integer: binomial(32 000, 16 000) has fewer


class RefusedError(ArithmeticError):
    """A result that is not computed, and why: "is …" after the part of the expression."""


def _refuse_large(bits: float) -> None:
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
    """Return a · b, an integer only if it is not too large."""
    if isinstance(a, int) and isinstance(b, int):
        _refuse_large(a.bit_length() + b.bit_length() - 1)
    return a * b


def power(a: Number, b: Number) -> Number:
    """Return a to the power b, an integer only if it is not too large."""
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
    # 4.0 is one, for it may come of a division
    if x != int(x):
        raise RefusedError(f"wants whole numbers (got {float(x):.12g})")
    if x < 0 and not below_zero:
        raise RefusedError(f"wants a number of at least 0 (got {int(x)})")
    return int(x)


#: Whole numbers that a closed form is given: larger ones would fill the memory, or take long where
#: no deadline is heard, as in a convolution of NumPy.
_LARGEST = 10**5
#: Entries of B, at most: a decomposition of more would take longer than expressions may.
_MOST = 1_000_000
_REALS = (
    "sqrt exp expm1 log1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
    "erf erfc gamma lgamma floor ceil"
)
#: Functions of numbers, each with the least and the most arguments it takes.
_NUMERIC: dict[str, tuple[Callable[..., Number], int, int]] = {
    **{name: (getattr(math, name), 1, 1) for name in _REALS.split()},
    "abs": (abs, 1, 1),
    "log": (math.log, 1, 2),
    "factorial": (factorial, 1, 1),
    "binomial": (binomial, 2, 2),
    "comb": (binomial, 2, 2),
    "harmonic": (harmonic, 1, 1),
}


def _product(numbers: Sequence[Number]) -> Number:
    found: Number = 1
    for x in numbers:
        found = real(times(found, x))
    return found


def _total(numbers: Sequence[Number]) -> Number:
    return math.fsum(numbers) if any(isinstance(x, float) for x in numbers) else sum(numbers)


#: Functions of a list of numbers: given as one list, as a sum over a range, or one by one.
_LISTED: dict[str, Callable[[Sequence[Number]], Number]] = {
    "sum": _total,
    "prod": _product,
    "min": min,
    "max": max,
    "len": len,
}


def call(name: str, given: list[Value], named: dict[str, Value]) -> Value:
    """Return a function's value.

    Raises FastgcError if there is no such function, it takes other arguments, or has no value.
    """
    is_numeric = name in _NUMERIC
    if not is_numeric and name not in _LISTED:
        if name.partition(".")[0] in theory.paper_names():
            bounded = {key: _bounded(value) for key, value in named.items()}
            return _value(name, by_name.call(name, *map(_bounded, given), **bounded))
        known = sorted({*_NUMERIC, *_LISTED})
        near = nearest(name, known) or f"; there are {', '.join(known)}, and closed forms by name"
        raise FastgcError(f"there is no function {name}{near}")
    if named:
        raise FastgcError(f"{name} takes numbers without names (got {', '.join(named)}=)")
    if is_numeric:
        function, least, most = _NUMERIC[name]
        if not least <= len(given) <= most:
            wanted = str(most) if least == most else f"{least} or {most}"
            raise FastgcError(f"{name} takes {wanted} numbers (got {len(given)})")
        return function(*(number(value, name) for value in given))
    items = given[0] if len(given) == 1 and isinstance(given[0], list) else given
    if name in ("sum", "prod", "len") and items is given:
        raise FastgcError(f"{name} takes one list, or {name}(x for i in range(n))")
    if name in ("min", "max") and not items:
        raise FastgcError(f"{name} needs at least one number")
    return len(items) if name == "len" else _LISTED[name]([number(x, name) for x in items])


def number(value: Value, where: str) -> Number:
    """Return a value that must be a number."""
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        what = "a list" if isinstance(value, list) else f"the text {show(value)}"
        raise FastgcError(f"{where} takes numbers (got {what})")
    return value


def _bounded(value: Value) -> Value:
    if isinstance(value, list):
        return [_bounded(item) for item in value]
    if isinstance(value, str):
        return value
    if value == int(value) and not -_LARGEST <= value <= _LARGEST:
        raise RefusedError(f"has a whole argument above {_LARGEST}")
    return value


def _value(name: str, found: Any) -> Value:
    if isinstance(found, np.ndarray | np.generic):
        found = found.tolist()
    if isinstance(found, list | tuple):
        return [_value(name, item) for item in found]
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise FastgcError(f"{name} must return a number (got {type(found).__name__})")
    return found


def singular_values(build: Callable[[], Values]) -> Callable[..., float]:
    """Return ``sigma(i)``, the i-th largest singular value of B.

    ``build``: makes B (k, n); it is called when the function is first used.
    """

    @functools.cache
    def all_values() -> list[float]:
        B = build()
        if B.size > _MOST:
            raise FastgcError(f"B has {B.shape[0]} × {B.shape[1]} entries; sigma takes {_MOST}")
        return list(map(float, np.linalg.svd(B, compute_uv=False)))

    def sigma(*given: object) -> float:
        if len(given) != 1:
            said = "sigma takes one number, sigma(1) being the largest"
            raise FastgcError(f"{said} (got {len(given)})")
        [i], last = given, len(all_values())
        if not isinstance(i, int) or not 1 <= i <= last:
            raise FastgcError(f"sigma takes a whole number from 1 to {last} (got {i})")
        return all_values()[i - 1]

    return sigma
