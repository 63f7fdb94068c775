"""Finite statements: about a matrix, a count or a sum, so that they are decided without sampling.

`brute_force` measures them by walking through every word and every pattern, and shares nothing with
the theory or the product. `product` measures on what fastgc builds; there, functions of
`brute_force` are handed fastgc's builder in place of their own. Every public function that returns
a number, in the files of both, is a statement by its name.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from types import ModuleType
from typing import Any

from fastgc.errors import FastgcError
from fastgc.validation.finite import brute_force, product

__all__ = ["measure", "shown"]

Measure = Callable[..., Any]

#: What a statement's function says that it returns.
_NUMBERS = (bool, float, Fraction, int)


def measure(statement: Mapping[str, Any]) -> float:
    """Measure a finite statement.

    ``statement``: ``{"finite": name, ...}``: a function of `brute_force` with its arguments. A
    ``code`` is a table as in a study, of a family that `brute_force.codes` builds. ``{"built":
    name, ...}``: a function of `product`; or one of `brute_force` that takes a ``code``, ``codes``
    or a builder, which then are fastgc's.

    It is exact for counts and sums of exact terms; errors are good to 1e-10 × partitions. Raises
    FastgcError if the name is unknown, or there is no such code.
    """
    arguments = dict(statement)
    is_built = "built" in arguments
    name = arguments.pop("built" if is_built else "finite", None)
    if is_built and name in _PRODUCT:
        return float(_PRODUCT[name](**arguments))
    if name not in _BRUTE_FORCE:
        raise FastgcError(f"finite: got {name!r}, allowed are {', '.join(sorted(_BRUTE_FORCE))}")
    return float(_called(_BRUTE_FORCE[name], arguments, is_built))


def shown(statement: Mapping[str, Any]) -> str:
    """Show what a finite statement measures: loads, a matrix; nothing where that is not known."""
    arguments = dict(statement)
    is_built = "built" in arguments
    name = f"shown_{arguments.pop('built' if is_built else 'finite')}"
    function = _SHOWN.get(name, _SHOWN["shown_code"] if "code" in arguments else None)
    said = "" if function is None else str(_called(function, arguments, is_built))
    plain = ((k, v) for k, v in statement.get("code", {}).items() if isinstance(v, int | str))
    whose = " ".join(str(v) if k == "family" else f"{k}={v}" for k, v in plain)
    return f"Code {whose}, {said}" if said and whose else said


def _called(function: Measure, arguments: dict[str, Any], is_built: bool) -> Any:
    if is_built:
        own = inspect.signature(function).parameters
        builders = {name: each for name, each in _BUILDERS.items() if name in own}
        function = partial(function, **builders)
        if "code" in arguments:
            arguments["code"] = product.rows_of(arguments["code"])
        if "codes" in arguments:
            arguments["codes"] = [product.rows_of(code) for code in arguments["codes"]]
    return function(**arguments)


def _statements(returning: tuple[type, ...], *modules: ModuleType) -> dict[str, Measure]:
    found: dict[str, Measure] = {}
    for module in modules:
        for name, function in inspect.getmembers(module, inspect.isfunction):
            returned = function.__annotations__.get("return")
            is_own = not name.startswith("_") and function.__module__ == module.__name__
            if is_own and returned in returning and found.setdefault(name, function) != function:
                raise ValueError(f"two finite statements are called {name}")
    return found


_FILES = pkgutil.iter_modules(brute_force.__path__, f"{brute_force.__name__}.")
_MODULES = [importlib.import_module(file.name) for file in _FILES]
_BRUTE_FORCE, _SHOWN = _statements(_NUMBERS, *_MODULES), _statements((str,), *_MODULES)
_PRODUCT = _statements(_NUMBERS, product)
#: What functions of `brute_force` take as a parameter, as fastgc has it.
_BUILDERS: dict[str, Measure] = {"build": product.matrix_of, "train": product.train}
