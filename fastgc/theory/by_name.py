"""Closed forms by name, for the command ``fastgc help theory``."""

import functools
import inspect
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from fastgc import theory
from fastgc.errors import FastgcError
from fastgc.registry.complaints import unlisted
from fastgc.registry.toml import values_of
from fastgc.theory.papers.claim import words


class Formula(NamedTuple):
    """A closed form before it is evaluated; ``text`` is what its docstring states."""

    function: Callable[..., Any]

    @property
    def text(self) -> str:
        """All that it says of itself; its first paragraph is the `summary`."""
        return words(self.function.__doc__ or "")["statement"]

    @property
    def summary(self) -> str:
        """The first paragraph of the text, in one line."""
        return " ".join(self.text.split("\n\n")[0].split())

    @property
    def usage(self) -> str:
        """The arguments as they are written, those in brackets may be left out."""
        given = inspect.signature(self.function).parameters.values()
        return " ".join(f"[{p.name}]" if p.default is not p.empty else p.name for p in given)


def formulas(paper: str | None = None) -> dict[str, Formula]:
    """Return every closed form, like ``agc.frc_mean_error``, or those of one paper."""
    return {
        f"{name}.{own}": Formula(function)
        for name in (theory.paper_names() if paper is None else [paper])
        for own, function in theory.paper(name).formulas.items()
    }


def formula(name: str) -> Formula:
    """Return one closed form. Raises FastgcError if there is no such formula."""
    if name not in (known := formulas()):
        if any(f"{each.id}.".startswith(f"{name}.") for each in theory.claims()):
            raise FastgcError(f"{name} is a claim and no closed form: see `fastgc errata {name}`")
        raise FastgcError(unlisted("closed form", name, known, "`fastgc help theory`"))
    return known[name]


def of_claim(claim: str) -> list[str]:
    """Return the closed form that a paper's claim states, and those that its cases call."""
    for make in (functools.partial(each.make) for each in theory.claims() if each.id == claim):
        own = {getattr(each, "__name__", "") for each in (make.func, *make.args)}
        names = own | _named(inspect.unwrap(make.func).__code__)
        known = formulas(claim.partition(".")[0])
        found = [each for each in known if each.rpartition(".")[2] in names]
        return sorted(found, key=lambda each: each.rpartition(".")[2] not in own)
    return []


def place(function: Callable[..., Any]) -> str:
    """Return file and line of a closed form, or of what makes a claim's cases."""
    plain = inspect.unwrap(functools.partial(function).func)
    return f"{plain.__module__.replace('.', '/')}.py:{plain.__code__.co_firstlineno}"


def _named(code: CodeType) -> set[str]:
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return {*code.co_names}.union(*map(_named, inner))


def evaluate(name: str, arguments: Sequence[str]) -> Any:
    """Evaluate a closed form.

    ``name``: like ``agc.frc_mean_error``; ``arguments``: ``key=value``, values as in TOML; a word
    is text.

    Raises FastgcError if there is no such formula, or the arguments are not its own.
    """
    found = call(name, **values_of("theory", arguments))
    return found.tolist() if isinstance(found, np.ndarray | np.generic) else found


def call(name: str, /, *values: Any, **named: Any) -> Any:
    """Return what a closed form gives for these arguments.

    Raises FastgcError if there is no such formula, or the arguments are not its own.
    """
    function = formula(name).function
    try:
        inspect.signature(function).bind(*values, **named)
    except TypeError as problem:
        usage = ", ".join(inspect.signature(function).parameters)
        raise FastgcError(f"{name}: {problem}; it takes {usage}") from None
    try:
        with np.errstate(all="ignore"):  # a value that is not finite is refused, or shown as it is
            return function(*values, **named)
    except FastgcError:
        raise
    except (ArithmeticError, LookupError, MemoryError, RecursionError, TypeError, ValueError):
        said = [*map(repr, values), *(f"{key}={value!r}" for key, value in named.items())]
        raise FastgcError(f"{name}: cannot be evaluated at {', '.join(said)}") from None
