"""A paper: its name and citation, and the formulas and claims that register with it.

A formula stands in the file of its subject, and beside it the claims that test it::

    @paper.elementwise
    def theorem1(n: int, d: int, …) -> float:
        \"\"\"Mean error of frc …\"\"\"

    @paper.claim("theorem1.corrected", "Theorem 1, corrected")
    def _() -> Cases:
        \"\"\"With random shuffling … the docstring is the statement.\"\"\"
        for n, d, m in POINTS:
            yield error(frc(n, d), …, theorem1(n, d, m))
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

from fastgc.theory.common.numerics import elementwise
from fastgc.theory.papers.claim import (
    AS_N_GROWS,
    CONFIRMED,
    EVERYWHERE,
    KINDS,
    NOT_REPRODUCIBLE,
    OWN_DERIVATION,
    REFUTED,
    Case,
    Category,
    Claim,
    Holds,
    Kind,
    Limit,
    Relation,
    category_of,
)

_Formula = TypeVar("_Formula", bound=Callable[..., Any])
_Maker = TypeVar("_Maker", bound=Callable[[], Iterable[Case]])


class Paper:
    """A paper whose theory is here.

    * ``name`` (str): Names the paper in ids of claims and in ``fastgc.theory``.
    * ``citation`` (str): Authors and title, as every claim cites it; empty where each claim names
      its own source.
    * ``subjects`` (sequence of str): The files of ``fastgc.theory.NAME``, in the order in which the
      paper treats them.
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
    ) -> None:
        self.name = name
        self.citation = citation
        self.subjects = tuple(subjects)
        self._sources = sources or {}
        self._formulas: dict[str, Callable[..., Any]] = {}
        self._claims: dict[str, Claim] = {}

    def formula(self, function: _Formula) -> _Formula:
        """Register a closed form under its own name: ``fastgc.theory.PAPER.NAME``."""
        name = function.__name__
        if hasattr(type(self), name) or name in self.subjects:
            raise ValueError(f"formula {self.name}.{name} has the name of something else there")
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
        holds: Holds = EVERYWHERE,
        limit: Limit | None = None,
        kind: Kind | None = None,
        corrects: str | None = None,
        reads: str | None = None,
        proof: str = "",
        printed: str = "",
        needs: str = "",
        own_points: int = 0,
        category: Category | None = None,
        missing: str = "",
    ) -> Callable[[_Maker], _Maker]:
        """Register a claim; the decorated function makes its cases on their first use.

        The function, or the one inside a ``functools.partial``, stands in a file of ``subjects``.

        Parameters
        ----------
        name : str
            The id without the paper's name, like ``"theorem1.printed"``.
        place : str
            Where the paper says it: theorem, equation, section; or the claim's own source.
        expected : str
            The verdict it should get; of a claim with a ``kind`` it is "refuted", of one with
            something ``missing`` "not reproducible".
        relation : str
            "measured RELATION theory".
        statement : str, optional
            In fastgc's own words; by default the function's docstring.
        holds, limit, kind, proof, printed, needs, own_points, category, missing : optional
            As attributes of a `Claim`; one with a ``limit`` holds as n grows.
        corrects, reads : str, optional
            Ids of claims of this paper, without its name; ``"x.corrected"`` corrects
            ``"x.printed"`` by default.
        """
        if kind is not None:
            expected = REFUTED
        if missing:
            expected = NOT_REPRODUCIBLE
        if kind not in KINDS and (kind is not None or expected == REFUTED):
            raise ValueError(f"claim {self.name}.{name}: kind is one of {', '.join(KINDS)}")
        if not missing and expected == NOT_REPRODUCIBLE:
            raise ValueError(
                f"claim {self.name}.{name}: what is not reproducible says what is missing"
            )
        if corrects is None and name.endswith(".corrected"):
            corrects = f"{name.removesuffix('.corrected')}.printed"

        def register(make: _Maker) -> _Maker:
            said = " ".join((statement or make.__doc__ or "").split()).removesuffix(".")
            # python -OO drops every docstring: then claims are tested without their words
            if not said and sys.flags.optimize < 2:
                raise ValueError(f"claim {self.name}.{name} says nothing")
            full = f"{self.name}.{name}"
            if full in self._claims:
                raise ValueError(f"there are two claims {full}")
            if _subject(make) not in self.subjects:
                raise ValueError(f"claim {full} stands in no subject of its paper")
            citation = f"{self.citation}, {place}" if self.citation else place
            self._claims[full] = Claim(
                id=full,
                paper=self.name,
                statement=said,
                citation=citation,
                relation=relation,
                expected=expected,
                make=make,
                holds=holds if limit is None else AS_N_GROWS,
                limit=limit or "ratio",
                kind=kind,
                corrects=self._named(corrects),
                reads=self._named(reads),
                proof=proof,
                printed=printed,
                needs=needs,
                own_points=own_points,
                category=category_of(full, category),
                missing=missing,
                source=self.citation or self._source(place),
            )
            return make

        return register

    def _source(self, place: str) -> str:
        """Return the source that a citation names, the first of those known."""
        found = (source for mark, source in self._sources.items() if mark in place)
        return next(found, OWN_DERIVATION)

    def _named(self, claim: str | None) -> str | None:
        return None if claim is None else f"{self.name}.{claim}"

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
        place = {subject: number for number, subject in enumerate(self.subjects)}
        return tuple(sorted(self._claims.values(), key=lambda claim: place[_subject(claim.make)]))

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


def _subject(make: Callable[[], Iterable[Case]]) -> str:
    written = make.func if isinstance(make, partial) else make
    return written.__module__.rpartition(".")[2]
