"""How objects show themselves, and their values as JSON has them."""

import math
from collections.abc import Iterable
from importlib import import_module
from typing import Any


class NotebookTable:
    """Mixin of what has a table in a notebook."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the object as a fragment of HTML: notebooks show it in place of the repr."""
        return str(shown("tables").html(self))


def shown(name: str) -> Any:
    """Return a module of the report, which is loaded when something is shown and not before."""
    return import_module(f"fastgc.report.{name}")


def attributes(thing: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return some attributes of an object as JSON has them."""
    return {name: finite(getattr(thing, name)) for name in names}


def finite(value: Any) -> Any:
    """Return a value as JSON has it: None for a number that is not finite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
