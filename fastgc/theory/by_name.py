"""Closed forms by name, for the command ``fastgc theory``."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fastgc import theory
from fastgc.errors import FastgcError
from fastgc.registry.complaints import unknown


def names() -> dict[str, str]:
    """Return every closed form, like ``agc.frc_mean_error``, and the first line of what it says."""
    return {name: (function.__doc__ or "").split("\n")[0] for name, function in _all().items()}


def evaluate(name: str, arguments: Sequence[str]) -> Any:
    """Evaluate a closed form.

    Parameters
    ----------
    name : str
        Like ``agc.frc_mean_error``.
    arguments : sequence of str
        ``key=value``, values as in JSON; a word is text.

    Raises
    ------
    FastgcError
        If there is no such formula, or the arguments are not its own.

    Examples
    --------
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

    Raises
    ------
    FastgcError
        If there is no such formula, or the arguments are not its own.

    Examples
    --------
    >>> round(call("agc.frc_mean_error", 8, 2, survivors=5), 9)
    0.857142857
    """
    known = _all()
    if name not in known:
        raise FastgcError(f"theory: {unknown('formula', name, known)}")
    function = known[name]
    try:
        inspect.signature(function).bind(*values, **named)
    except TypeError as problem:
        usage = ", ".join(str(p) for p in inspect.signature(function).parameters)
        raise FastgcError(f"{name}: {problem}; it takes {usage}") from None
    try:
        return function(*values, **named)
    except FastgcError:
        raise
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError):
        said = [*map(repr, values), *(f"{key}={value!r}" for key, value in named.items())]
        raise FastgcError(f"{name}: cannot be evaluated at {', '.join(said)}") from None


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
