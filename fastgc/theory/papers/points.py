"""A formula with the points at which it is tested, and how it is measured there."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fastgc.theory.papers.claim import Case, Cases

#: Makes cases of a theory's value and of a point; takes ``theory`` and what it needs of the point,
#: by the names of the formula's parameters.
Measure = Callable[..., Case | Iterable[Case]]


@dataclass(frozen=True)
class Tested:
    """A formula of numbers, its points, and how each is measured.

    * ``size``, ``rate``: of the point, where the statement is one as n grows (see `Case`).
    """

    formula: Callable[..., Any]
    points: Iterable[Any]
    measures: tuple[Measure, ...]
    size: Callable[..., float] | None
    rate: Callable[..., float] | None

    @property
    def plain(self) -> Callable[..., Any]:
        """The formula as it is written, for one point."""
        plain: Callable[..., Any] = inspect.unwrap(self.formula)
        return plain

    def cases(self) -> Cases:
        """Compare the formula's value at each point with what each of the measures makes of it."""
        names = tuple(inspect.signature(self.plain).parameters)
        for given in self.points:
            if isinstance(given, Mapping):
                point = dict(given)
            else:
                values = given if isinstance(given, tuple) else (given,)
                point = dict(zip(names[: len(values)], values, strict=True))
            theory = float(by_name(self.plain, point))
            for measure in self.measures:
                found = by_name(measure, {"theory": theory} | point)
                for case in (found,) if isinstance(found, Case) else found:
                    yield self._growing(case, point)

    def _growing(self, case: Case, point: Mapping[str, Any]) -> Case:
        if self.size is None:
            return case
        rate = None if self.rate is None else by_name(self.rate, point)
        return replace(case, size=float(by_name(self.size, point)), rate=rate)


def at(
    points: Iterable[Any],
    *measures: Measure,
    size: Callable[..., float] | None = None,
    rate: Callable[..., float] | None = None,
) -> Callable[[Callable[..., Any]], Tested]:
    """Say at which points a formula is tested, and how.

    A point has its values in the order of the formula's parameters, or by names, among which there
    may be more that the measures alone take.

    Stands below ``paper.states`` (see `fastgc.theory.papers.paper`).

    >>> from fastgc.theory.cases.statements import brute
    >>> @at([(4, 2)], brute("sum"))
    ... def total(n, s):
    ...     return n + s
    >>> [(dict(case.point), case.theory) for case in total.cases()]
    [({'n': 4, 's': 2}, 6.0)]
    """
    return lambda formula: Tested(formula, points, measures, size, rate)


def by_name(function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """Call a function with those of the values that it has parameters for, or with all of them."""
    parameters = inspect.signature(function).parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return function(**values)
    return function(**{each.name: values[each.name] for each in parameters if each.name in values})
