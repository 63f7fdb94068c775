"""Packages of executors that the base installation does without."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fastgc.errors import FastgcError


def extra(module: str, name: str) -> Any:
    """Import a module of an extra.

    Raises
    ------
    FastgcError
        If it is not installed, with the command that installs it.
    """
    try:
        return import_module(module)
    except (ImportError, RuntimeError) as problem:  # without a library of MPI: a RuntimeError
        raise FastgcError(
            f'executor: "{name}" cannot be used ({in_words(problem)}); install the '
            f"extra: pip install 'fastgc-sim[{name}]'"
        ) from None


def in_words(problem: BaseException) -> str:
    """What an error says, in one line; its class where it says nothing."""
    return " ".join(str(problem).split()) or type(problem).__name__
