"""Closed forms by name, for the command ``fastgc theory``."""

import inspect
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastgc import theory
from fastgc.errors import FastgcError
from fastgc.registry.complaints import unlisted


@dataclass(frozen=True)
class Formula:
    """What there is to know of a closed form before it is evaluated.

    ``arguments``: each argument, and whether it must be given; ``text``: what the formula says of
    itself: its docstring.
    """

    arguments: dict[str, bool]
    text: str

    @property
    def summary(self) -> str:
        """The first line of the text."""
        return self.text.split("\n")[0]

    @property
    def usage(self) -> str:
        """The arguments as they are written, those in brackets may be left out."""
        needed = (name if must else f"[{name}]" for name, must in self.arguments.items())
        return " ".join(needed)


def formulas(paper: str | None = None) -> dict[str, Formula]:
    """Return every closed form, like ``agc.frc_mean_error``, or those of one paper.

    >>> formulas("agc")["agc.frc_mean_error"].usage
    'n d [survivors] [p]'
    """
    return {
        name: _described(function)
        for name, function in _all().items()
        if paper is None or name.startswith(f"{paper}.")
    }


def formula(name: str) -> Formula:
    """Return what there is to know of one closed form.

    Raises FastgcError if there is no such formula.
    """
    return _described(_known(name))


def _described(function: Callable[..., Any]) -> Formula:
    parameters = inspect.signature(function).parameters.values()
    arguments = {each.name: each.default is each.empty for each in parameters}
    return Formula(arguments, inspect.getdoc(function) or "")


def evaluate(name: str, arguments: Sequence[str]) -> Any:
    """Evaluate a closed form.

    ``name``: like ``agc.frc_mean_error``; ``arguments``: ``key=value``, values as in JSON; a word
    is text.

    Raises FastgcError if there is no such formula, or the arguments are not its own.

    >>> round(evaluate("agc.frc_mean_error", ["n=8", "d=2", "survivors=5"]), 9)
    0.857142857
    """
    given = {}
    for argument in arguments:
        key, equals, text = argument.partition("=")
        if not equals:
            raise FastgcError(f"theory: arguments must be key=value (got {argument!r})")
        given[key] = _value(text)
    found = call(name, **given)
    return found.tolist() if isinstance(found, np.ndarray | np.generic) else found


def call(name: str, /, *values: Any, **named: Any) -> Any:
    """Return what a closed form gives for these arguments.

    Raises FastgcError if there is no such formula, or the arguments are not its own.

    >>> round(call("agc.frc_mean_error", 8, 2, survivors=5), 9)
    0.857142857
    """
    function = _known(name)
    try:
        inspect.signature(function).bind(*values, **named)
    except TypeError as problem:
        usage = ", ".join(str(p) for p in inspect.signature(function).parameters)
        raise FastgcError(f"{name}: {problem}; it takes {usage}") from None
    try:
        with np.errstate(all="ignore"):  # a value that is not finite is refused, or shown as it is
            return function(*values, **named)
    except FastgcError:
        raise
    except (ArithmeticError, LookupError, MemoryError, RecursionError, TypeError, ValueError):
        said = [*map(repr, values), *(f"{key}={value!r}" for key, value in named.items())]
        raise FastgcError(f"{name}: cannot be evaluated at {', '.join(said)}") from None


def _known(name: str) -> Callable[..., Any]:
    known = _all()
    if name not in known:
        raise FastgcError(f"theory: {unlisted('formula', name, known, '`fastgc theory`')}")
    return known[name]


def _all() -> dict[str, Callable[..., Any]]:
    return {
        f"{paper}.{name}": formula
        for paper in theory.paper_names()
        for name, formula in theory.paper(paper).formulas.items()
    }


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text
