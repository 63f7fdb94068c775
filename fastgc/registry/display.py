"""How objects show themselves, and what a lower layer asks of a higher one when it is needed."""

import math
from collections.abc import Iterable
from importlib import import_module
from typing import Any

#: What shows objects, and what registers fastgc's own members of plug-in groups.
UPWARD = frozenset(
    {
        *(f"fastgc.report.{name}" for name in ("html", "pictures", "tables")),
        *(f"fastgc.{name}" for name in ("codes", "stragglers", "latency", "systems", "decoding")),
        *(f"fastgc.training.{name}" for name in ("problems", "optimizers", "selections")),
        "fastgc.experiments.decoding.measures",
    }
)


def load_late(module: str) -> Any:
    """Return a module of a higher layer.

    Raises KeyError if it is none of `UPWARD`.
    """
    if module not in UPWARD:
        raise KeyError(f"{module} is not imported from below")
    return import_module(module)


class Shown:
    """Mixin of what has a table in a notebook."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the object as a fragment of HTML: notebooks show it in place of the repr."""
        return str(shown("tables").html(self))


def shown(name: str) -> Any:
    """Return a module of the report, imported when something is shown and not before."""
    return load_late(f"fastgc.report.{name}")


def attributes(thing: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return some attributes of an object as JSON has them."""
    return {name: finite(getattr(thing, name)) for name in names}


def finite(value: Any) -> Any:
    """Return a value as JSON has it: None for a number that is not finite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
