"""Cases of statements as n grows, of printed numbers, and of those that are not reproducible."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastgc.theory.papers.claim import Case


def at_size(size: float, case: Case, rate: float | None = None) -> Case:
    """Return a case of a statement as n grows, where the growing number is ``size``.

    ``rate`` is the deviation that the statement allows there, up to a constant.
    """
    return replace(case, size=float(size), rate=rate)


def printed_number(digits: int, case: Case) -> Case:
    """Return a case whose theory is a printed number of so many decimals; −3 for thousands."""
    return replace(case, digits=digits)


def not_reproducible(quantity: str, printed: float, digits: int, **point: Any) -> Case:
    """Return the case of a printed number that is only shown, for it cannot be recomputed."""
    return Case(point, float(printed), {}, quantity, digits=digits)
