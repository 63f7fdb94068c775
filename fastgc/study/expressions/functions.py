"""Functions that an expression may call: of mathematics, closed forms, of B."""

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
from fastgc.study.expressions.syntax import (
    Number,
    RefusedError,
    Value,
    binomial,
    factorial,
    harmonic,
    real,
    times,
)
from fastgc.theory import by_name

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


def _total(numbers: Sequence[Number]) -> Number:
    return (
        sum(numbers) if all(isinstance(x, int | Fraction) for x in numbers) else math.fsum(numbers)
    )


def _product(numbers: Sequence[Number]) -> Number:
    found: Number = 1
    for x in numbers:
        found = real(times(found, x))
    return found


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

    Raises FastgcError if there is no such function, it takes other arguments, or has no value
    there.
    """
    if name in _NUMERIC or name in _LISTED:
        if named:
            raise FastgcError(f"{name} takes numbers without names (got {', '.join(named)}=)")
        return _of_numbers(name, given)
    if name.partition(".")[0] not in theory.paper_names():
        known = sorted({*_NUMERIC, *_LISTED})
        near = nearest(name, known) or f"; there are {', '.join(known)}, and closed forms by name"
        raise FastgcError(f"there is no function {name}{near}")
    bounded = {key: _bounded(value) for key, value in named.items()}
    return _value(name, by_name.call(name, *map(_bounded, given), **bounded))


def _of_numbers(name: str, given: list[Value]) -> Number:
    if name in _NUMERIC:
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
            k, n = B.shape
            raise FastgcError(f"B has {k} × {n} entries; sigma takes {_MOST}")
        found: list[float] = np.linalg.svd(B, compute_uv=False).tolist()
        return found

    def sigma(*given: object) -> float:
        if len(given) != 1:
            said = "sigma takes one number, sigma(1) being the largest"
            raise FastgcError(f"{said} (got {len(given)})")
        [i], last = given, len(all_values())
        if not isinstance(i, int) or not 1 <= i <= last:
            raise FastgcError(f"sigma takes a whole number from 1 to {last} (got {i})")
        return all_values()[i - 1]

    return sigma
