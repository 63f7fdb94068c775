"""Cases of finite statements (a matrix, a count, a load), of limits and of printed numbers."""

from dataclasses import replace
from typing import Any

from fastgc.theory.papers.claim import Case, Cases


def finite(name: str, theory: float, scale: float = 1.0, **arguments: Any) -> Case:
    """Compare the enumeration of this name with a theory; ``scale`` is used where that is 0."""
    experiment = {"finite": name, **arguments}
    return Case(arguments, float(theory), experiment, name, scale=scale)


def built(name: str, theory: float, scale: float = 1.0, **arguments: Any) -> Case:
    """Compare with a theory what the enumeration of this name finds of what fastgc builds."""
    experiment = {"built": name, **arguments}
    return Case(arguments, float(theory), experiment, name, scale=scale)


def both(name: str, theory: float, scale: float = 1.0, **arguments: Any) -> Cases:
    """Compare a theory with brute force, and with what fastgc builds."""
    yield finite(name, theory, scale, **arguments)
    yield built(name, theory, scale, **arguments)


# ---- statements as n grows, printed numbers, numbers that are not reproducible


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
