"""A paper: its name and citation, and the formulas and claims that register with it.

A claim is its formula, with its place, its points, and how it is measured; the docstring is the
statement::

    @paper.states("theorem1.load.printed", "Theorem 1 (5)")
    @at([(3, 2, 1), (12, 2, 5)], brute("allocated_load"), as_built("largest_share"))
    def tree_load(n: int, layers: int, s: int) -> float:
        \"\"\"CR loads the workers of the (n,L)-regular tree with r_CR = …\"\"\"
        return …

One whose cases no single formula gives makes them itself::

    @paper.claim("theorem1.survivors.corrected", "Theorem 1, corrected", proof="…")
    def _() -> Cases:
        \"\"\"With m slow workers the probability of r survivors is …\"\"\"
        yield …
"""

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

from fastgc.theory.common.numerics import elementwise
from fastgc.theory.papers.claim import (
    AS_N_GROWS,
    CONFIRMED,
    NOT_REPRODUCIBLE,
    OWN_DERIVATION,
    REFUTED,
    Case,
    Cases,
    Claim,
    Relation,
    category_of,
)

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
                    if self.size is None:
                        yield case
                        continue
                    rate = None if self.rate is None else by_name(self.rate, point)
                    yield replace(case, size=float(by_name(self.size, point)), rate=rate)


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
    """
    return lambda formula: Tested(formula, points, measures, size, rate)


def by_name(function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """Call a function with those of the values that it has parameters for, or with all of them."""
    parameters = inspect.signature(function).parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return function(**values)
    return function(**{each.name: values[each.name] for each in parameters if each.name in values})


_Formula = TypeVar("_Formula", bound=Callable[..., Any])
_Maker = TypeVar("_Maker", bound=Callable[..., Iterable[Case]])


class Paper:
    """A paper whose theory is here.

    * ``name`` (str): Names the paper in ids of claims and in ``fastgc.theory``.
    * ``citation`` (str): Authors and title, as every claim cites it; empty where each claim names
      its own source.
    * ``subjects`` (sequence of str): The files of ``fastgc.theory.NAME``, in the order in which the
      paper treats them.
    * ``not_judged`` (sequence of str, optional): What the paper says that is a definition or bare
      arithmetic, a few words each with the place: it cannot be false, so it is no claim.
    * ``sources`` (mapping of str to str, optional): Where each claim names its own source: what a
      citation of it contains, and the source.

    >>> from fastgc import theory
    >>> paper = theory.paper("agc")
    >>> paper.citation
    'Johri, Yardi, Bodas, Approximate Gradient Coding for Heterogeneous Nodes'
    >>> "theorem1" in paper.formulas
    True
    """

    def __init__(
        self,
        name: str,
        citation: str,
        subjects: Iterable[str],
        sources: Mapping[str, str] | None = None,
        not_judged: Iterable[str] = (),
    ) -> None:
        self.name = name
        self.citation = citation
        self.subjects = tuple(subjects)
        self.not_judged = tuple(not_judged)
        self._sources = sources or {}
        self._formulas: dict[str, Callable[..., Any]] = {}
        self._claims: dict[str, Claim] = {}
        self._subject: dict[str, str] = {}

    def formula(self, function: _Formula) -> _Formula:
        """Register a closed form under its own name: ``fastgc.theory.PAPER.NAME``."""
        name = function.__name__
        if self._formulas.setdefault(name, function) is not function:
            raise ValueError(f"there are two formulas {self.name}.{name}")
        return function

    def share(self, *functions: Callable[..., Any]) -> None:
        """Register closed forms that several papers share."""
        for function in functions:
            self.formula(function)

    def elementwise(self, function: Callable[..., float]) -> Callable[..., Any]:
        """Register a closed form of numbers, which then takes arrays that broadcast, too."""
        return self.formula(elementwise(function))

    def claim(
        self,
        name: str,
        place: str,
        expected: str = CONFIRMED,
        *,
        relation: Relation = "=",
        statement: str | None = None,
        of: tuple[Any, ...] = (),
        **more: Any,
    ) -> Callable[[_Maker], _Maker]:
        """Register a claim; the decorated function makes its cases on their first use.

        The function stands in a file of ``subjects``.

        * ``name``: the id without the paper's name, like ``"theorem1.printed"``.
        * ``place``: where the paper says it: theorem, equation, section; or the claim's own source.
        * ``expected``: the verdict it should get; of a claim with a ``kind`` it is "refuted", of
          one with something ``missing`` "not reproducible".
        * ``statement``: by default the function's docstring.
        * ``of``: arguments of the function, which may make the cases of several claims.
        * ``corrects``, ``reads``: ids of claims of this paper, without its name; ``"x.corrected"``
          corrects ``"x.printed"`` by default.
        * All others are attributes of a `Claim`; one with a ``limit`` holds as n grows.
        """
        full = f"{self.name}.{name}"
        if "kind" in more:
            expected = REFUTED
        if "missing" in more:
            expected = NOT_REPRODUCIBLE
        if name.endswith(".corrected"):
            more.setdefault("corrects", f"{name.removesuffix('.corrected')}.printed")
        for key in ("corrects", "reads"):
            if key in more:
                more[key] = f"{self.name}.{more[key]}"
        if "limit" in more:
            more["holds"] = AS_N_GROWS
        more["category"] = category_of(full, more.get("category"))

        def register(make: _Maker) -> _Maker:
            said = " ".join((statement or make.__doc__ or "").split()).removesuffix(".")
            # python -OO drops every docstring: then claims are tested without their words
            if not said and sys.flags.optimize < 2:
                raise ValueError(f"claim {full} says nothing")
            if full in self._claims:
                raise ValueError(f"there are two claims {full}")
            self._subject[full] = make.__module__.rpartition(".")[2]
            found = (source for mark, source in self._sources.items() if mark in place)
            self._claims[full] = Claim(
                full,
                self.name,
                said,
                f"{self.citation}, {place}" if self.citation else place,
                relation,
                expected,
                partial(make, *of),
                source=self.citation or next(found, OWN_DERIVATION),
                **more,
            )
            return make

        return register

    def states(
        self,
        name: str,
        place: str,
        says: str | None = None,
        expected: str = CONFIRMED,
        relation: Relation = "=",
        **more: Any,
    ) -> Callable[[Tested], Callable[..., Any]]:
        """Register a claim and, unless it is one already or is private, its formula.

        ``says``: the statement, where the formula's docstring is that of another claim; the other
        arguments are those of `claim`. The decorator stands above `at`, and gives the formula.
        """

        def register(tested: Tested) -> Callable[..., Any]:
            plain = tested.plain

            def make() -> Iterable[Case]:
                return tested.cases()

            make.__module__, make.__doc__ = plain.__module__, plain.__doc__
            self.claim(name, place, expected, relation=relation, statement=says, **more)(make)
            hidden = plain.__name__.startswith("_") or tested.formula is not plain
            return tested.formula if hidden else self.elementwise(plain)

        return register

    @property
    def formulas(self) -> dict[str, Callable[..., Any]]:
        """Every closed form of the paper by its name, in alphabetical order."""
        self._load()
        return dict(sorted(self._formulas.items()))

    def names(self) -> list[str]:
        """Names of the closed forms, which ``fastgc.theory.NAME`` offers."""
        return list(self.formulas)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The paper's claims, subject by subject, whichever was imported first."""
        self._load()
        place = {claim: self.subjects.index(subject) for claim, subject in self._subject.items()}
        return tuple(sorted(self._claims.values(), key=lambda claim: place[claim.id]))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """A closed form by its name."""
        if name.startswith("__"):
            raise AttributeError(name)
        self._load()
        if name not in self._formulas:
            raise AttributeError(f"paper {self.name} has no formula {name!r}")
        return self._formulas[name]

    def _load(self) -> None:
        for subject in self.subjects:
            import_module(f"fastgc.theory.{self.name}.{subject}")
