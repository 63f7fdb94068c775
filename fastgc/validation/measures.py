"""What finite statements can name: the public functions of some files, each name once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

Measure = Callable[..., Any]


def of(*modules: ModuleType) -> dict[str, Measure]:
    """Return the public functions that these files define, and their tables ``MEASURES``.

    Raises
    ------
    ValueError
        If a name comes twice.

    Examples
    --------
    >>> from fastgc.validation.enumerations import words
    >>> sorted(of(words))[0]
    'cycle_classes'
    """
    found: dict[str, Measure] = {}
    for module in modules:
        functions = inspect.getmembers(module, inspect.isfunction)
        own = {
            name: function
            for name, function in functions
            if not name.startswith("_") and function.__module__ == module.__name__
        }
        table: Mapping[str, Measure] = getattr(module, "MEASURES", {})
        for name, function in (own | dict(table)).items():
            if found.setdefault(name, function) is not function:
                raise ValueError(f"two finite statements are called {name}")
    return found
