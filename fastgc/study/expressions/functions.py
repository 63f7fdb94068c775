"""Functions that an expression may call: of mathematics, closed forms, of packages, of B."""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from fastgc import theory
from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.registry import plugins
from fastgc.registry.cached import cached_property
from fastgc.registry.complaints import nearest, show
from fastgc.study.expressions import syntax
from fastgc.study.expressions.syntax import Number, RefusedError, Value, real
from fastgc.theory import by_name

#: Whole numbers that a closed form is given: larger ones would fill the memory, or take long where
#: no deadline is heard, as in a convolution of NumPy.
LARGEST_ARGUMENT = 10**5

_REALS = (
    "sqrt exp expm1 log1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
    "erf erfc gamma lgamma floor ceil"
)
#: Functions of numbers, each with the least and the most arguments it takes.
_NUMERIC: dict[str, tuple[Callable[..., Number], int, int]] = {
    **{name: (getattr(math, name), 1, 1) for name in _REALS.split()},
    "abs": (abs, 1, 1),
    "log": (math.log, 1, 2),
    "factorial": (syntax.factorial, 1, 1),
    "binomial": (syntax.binomial, 2, 2),
    "comb": (syntax.binomial, 2, 2),
    "harmonic": (syntax.harmonic, 1, 1),
}


def _total(numbers: Sequence[Number]) -> Number:
    if all(isinstance(x, int | Fraction) for x in numbers):
        return sum(numbers)
    return math.fsum(numbers)


def _product(numbers: Sequence[Number]) -> Number:
    found: Number = 1
    for x in numbers:
        found = real(syntax.times(found, x))
    return found


#: Functions of a list of numbers: given as one list, as a sum over a range, or one by one.
_LISTED: dict[str, Callable[[Sequence[Number]], Number]] = {
    "sum": _total,
    "prod": _product,
    "min": min,
    "max": max,
    "len": len,
}


def names() -> list[str]:
    """Return the names of functions that are fastgc's own, without the closed forms."""
    return sorted([*_NUMERIC, *_LISTED])


def call(name: str, given: list[Value], named: dict[str, Value]) -> Value:
    """Return a function's value.

    Raises FastgcError if there is no such function, it takes other arguments, or has no value
    there.
    """
    if name in _NUMERIC or name in _LISTED:
        if named:
            raise FastgcError(f"{name} takes numbers without names (got {', '.join(named)}=)")
        if name in _LISTED:
            return _listed(name, given)
        function, least, most = _NUMERIC[name]
        if not least <= len(given) <= most:
            wanted = str(most) if least == most else f"{least} or {most}"
            raise FastgcError(f"{name} takes {wanted} numbers (got {len(given)})")
        return function(*(number(value, name) for value in given))
    if name.partition(".")[0] not in theory.paper_names():
        return _of_package(name, given, named)
    if name not in by_name.formulas():
        near = nearest(name, by_name.formulas()) or "; `fastgc help theory` lists them"
        raise FastgcError(f"there is no closed form {name}{near}")
    bounded = {key: _bounded(value) for key, value in named.items()}
    return _value(name, by_name.call(name, *map(_bounded, given), **bounded))


def _listed(name: str, given: list[Value]) -> Number:
    items = given[0] if len(given) == 1 and isinstance(given[0], list) else given
    if name in ("sum", "prod", "len") and items is given:
        raise FastgcError(f"{name} takes one list, or {name}(x for i in range(n))")
    if name in ("min", "max") and not items:
        raise FastgcError(f"{name} needs at least one number")
    if name == "len":
        return len(items)
    return _LISTED[name]([number(value, name) for value in items])


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
    if value == int(value) and not -LARGEST_ARGUMENT <= value <= LARGEST_ARGUMENT:
        raise RefusedError(f"has a whole argument above {LARGEST_ARGUMENT}")
    return value


def _value(name: str, found: Any) -> Value:
    if isinstance(found, np.ndarray | np.generic):
        found = found.tolist()
    if isinstance(found, list | tuple):
        return [_value(name, item) for item in found]
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise FastgcError(f"{name} must return a number (got {type(found).__name__})")
    return found


def _of_package(name: str, given: list[Value], named: dict[str, Value]) -> Value:
    found = [entry for entry in plugins.of_group(plugins.FUNCTIONS) if entry.name == name]
    if not found:
        known = [entry.name for entry in plugins.of_group(plugins.FUNCTIONS)]
        known = sorted({*names(), *known})
        near = nearest(name, known) or f"; there are {', '.join(known)}, and closed forms by name"
        raise FastgcError(f"there is no function {name}{near}")
    [entry, *others] = found
    if others:
        raise FastgcError(f"there are {len(found)} packages with a function {name}; uninstall one")
    function = plugins.load(entry)
    place = f"function {name}{plugins.of_package(entry)}"
    if not callable(function):
        raise FastgcError(f"{place} is no function; repair or uninstall it")
    try:
        result = function(*given, **named)
    except Exception as problem:
        said = f"{type(problem).__name__}: {problem}"
        raise FastgcError(f"{place} failed ({said}); repair the plug-in") from problem
    return _value(place, result)


#: Entries of B, at most: a decomposition of more would take longer than expressions may.
_MOST = 1_000_000


class MatrixFunctions:
    """``sigma(i)``, the i-th largest singular value of B, its ``rank`` and ``trace``.

    ``build``: makes B (k, n); it is called when a function is first used.

    >>> functions = MatrixFunctions(lambda: np.diag([1.0, 3.0, 0.0]))
    >>> functions.call("sigma", 2), functions.call("rank"), functions.call("trace")
    (1.0, 2, 4.0)
    """

    #: How many numbers each takes.
    ARGUMENTS: ClassVar[Mapping[str, int]] = {"sigma": 1, "rank": 0, "trace": 0}

    def __init__(self, build: Callable[[], Values]) -> None:
        self._build = build

    @cached_property
    def _matrix(self) -> Values:
        B = self._build()
        if B.size > _MOST:
            k, n = B.shape
            raise FastgcError(f"B has {k} × {n} entries; sigma, rank and trace take {_MOST}")
        return B

    @cached_property
    def _singular_values(self) -> Values:
        return np.asarray(np.linalg.svd(self._matrix, compute_uv=False), np.float64)

    def call(self, name: str, *given: object) -> float:
        """Return a function's value.

        Raises FastgcError if it takes other numbers, B is too large, or B has no trace.
        """
        if len(given) != self.ARGUMENTS[name]:
            wanted = "one number, sigma(1) being the largest" if name == "sigma" else "no number"
            raise FastgcError(f"{name} takes {wanted} (got {len(given)})")
        if name == "rank":
            least = max(self._matrix.shape) * np.finfo(np.float64).eps * self._singular_values[0]
            return int(np.count_nonzero(self._singular_values > least))
        if name == "trace":
            if self._matrix.shape[0] != self._matrix.shape[1] or np.iscomplexobj(self._matrix):
                raise FastgcError("trace needs a square and real B")
            return float(np.trace(self._matrix))
        [i] = given
        last = len(self._singular_values)
        if not isinstance(i, int) or not 1 <= i <= last:
            raise FastgcError(f"sigma takes a whole number from 1 to {last} (got {i})")
        return float(self._singular_values[i - 1])
