"""Cases of finite statements: a matrix, a count, a load, measured by enumeration."""

from __future__ import annotations

from typing import Any

from fastgc.theory.papers.claim import Case


def finite(name: str, theory: float, scale: float = 1.0, **arguments: Any) -> Case:
    """Compare the enumeration of this name with a theory; ``scale`` is used where that is 0."""
    experiment = {"finite": name, **arguments}
    return Case(arguments, float(theory), experiment, name, scale=scale)


def built(name: str, theory: float, scale: float = 1.0, **arguments: Any) -> Case:
    """Compare with a theory what the enumeration of this name finds of what fastgc builds."""
    experiment = {"built": name, **arguments}
    return Case(arguments, float(theory), experiment, name, scale=scale)
