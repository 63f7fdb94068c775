"""The library that draws, which the base installation does without."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fastgc.errors import FastgcError


def matplotlib(module: str = "") -> Any:
    """Import matplotlib, or one of its modules.

    Raises
    ------
    FastgcError
        If it is not installed, with the command that installs it.
    """
    try:
        return import_module(f"matplotlib.{module}" if module else "matplotlib")
    except ImportError as problem:
        raise FastgcError(
            f"pictures need matplotlib, which cannot be used ({problem}); install the extra: "
            "pip install 'fastgc-sim[plot]'"
        ) from None
