"""Cases of finite statements (a matrix, a count, a load), of limits and of printed numbers."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fastgc.theory.papers.claim import Case, Cases, Measure, by_name


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


def brute(name: str, arguments: Callable[..., Any] | None = None, **fixed: Any) -> Measure:
    """Measure a formula by the enumeration of this name.

    ``arguments`` makes those of the enumeration from the formula's, which are the same otherwise;
    ``fixed`` are more of them, and ``scale``.
    """
    return _measured(finite, name, arguments, fixed)


def as_built(name: str, arguments: Callable[..., Any] | None = None, **fixed: Any) -> Measure:
    """Measure a formula on what fastgc builds; arguments as of `brute`."""
    return _measured(built, name, arguments, fixed)


def _measured(
    make: Callable[..., Case],
    name: str,
    arguments: Callable[..., Any] | None,
    fixed: dict[str, Any],
) -> Measure:
    def measure(theory: float, **point: Any) -> Case:
        given = point if arguments is None else by_name(arguments, point)
        return make(name, theory, **given, **fixed)

    return measure


# ---- printed numbers, numbers that are not reproducible


def printed_number(digits: int, case: Case) -> Case:
    """Return a case whose theory is a printed number of so many decimals; −3 for thousands."""
    return replace(case, digits=digits)


def not_reproducible(quantity: str, printed: float, digits: int, **point: Any) -> Case:
    """Return the case of a printed number that is only shown, for it cannot be recomputed."""
    return Case(point, float(printed), {}, quantity, digits=digits)
