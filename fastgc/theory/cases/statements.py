"""Cases of finite statements (a matrix, a count, a load), of limits and of printed numbers."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from fastgc.theory.papers.claim import Case, Cases, Measure, by_name


def _case(kind: str, name: str, theory: float, scale: float = 1.0, **arguments: Any) -> Case:
    return Case(arguments, float(theory), {kind: name, **arguments}, name, scale=scale)


#: Compare the enumeration of this name with a theory; ``scale`` is used where that is 0.
finite = partial(_case, "finite")
#: Compare with a theory what the enumeration of this name finds of what fastgc builds.
built = partial(_case, "built")


def both(name: str, theory: float, scale: float = 1.0, **arguments: Any) -> Cases:
    """Compare a theory with brute force, and with what fastgc builds."""
    yield finite(name, theory, scale, **arguments)
    yield built(name, theory, scale, **arguments)


def _measured(
    make: Callable[..., Case], name: str, arguments: Callable[..., Any] | None = None, **fixed: Any
) -> Measure:
    def measure(theory: float, **point: Any) -> Case:
        given = point if arguments is None else by_name(arguments, point)
        return make(name, theory, **given, **fixed)

    return measure


#: Measure a formula by the enumeration of this name, or on what fastgc builds. ``arguments`` makes
#: those of the enumeration from the formula's, which are the same otherwise; ``fixed`` are more of
#: them, and ``scale``.
brute, as_built = partial(_measured, finite), partial(_measured, built)


# ---- printed numbers, numbers that are not reproducible


def printed_number(digits: int, case: Case) -> Case:
    """Return a case whose theory is a printed number of so many decimals; −3 for thousands."""
    return replace(case, digits=digits)


def not_reproducible(quantity: str, printed: float, digits: int, **point: Any) -> Case:
    """Return the case of a printed number that is only shown, for it cannot be recomputed."""
    return Case(point, float(printed), {}, quantity, digits=digits)
