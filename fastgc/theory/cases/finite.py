"""Cases that the claims of paper binary share: finite statements about a matrix."""

from __future__ import annotations

from typing import Any

from fastgc.theory.papers.claim import Case

CITATION = "Charalambides, Mahdavifar, Hero, Numerically Stable Binary Gradient Coding"

#: The paper's example.
EXAMPLE = (11, 3)


def finite(name: str, theory: float, scale: float = 1.0, **arguments: Any) -> Case:
    """Compare an enumeration with a theory."""
    experiment = {"finite": name, **arguments}
    return Case(arguments, float(theory), experiment, name, scale=scale)
