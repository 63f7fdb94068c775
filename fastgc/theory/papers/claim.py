"""What a theorem says, as data, and the papers that claims and formulas register with.

A claim is its formula, with its place, its points, and how it is measured; the docstring is the
statement, and behind it why it is so, and how the paper prints what is refuted::

    @paper.states("theorem1.load.printed", "Theorem 1 (5)")
    @at([(3, 2, 1), (12, 2, 5)], brute("allocated_load"), as_built("largest_share"))
    def tree_load(n: int, layers: int, s: int) -> float:
        \"\"\"CR loads the workers of the (n,L)-regular tree with r_CR = …
        Proof. Each of them …\"\"\"
        return …

One whose cases no single formula gives makes them itself, below `Paper.claim`.
"""

import functools
import inspect
import itertools
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.resources import files
from typing import Any, Literal, NamedTuple, TypeVar, get_args

from fastgc.arrays import Brief
from fastgc.theory.common.numerics import elementwise

CONFIRMED = "confirmed"
LOOSE = "confirmed, loose"
REFUTED = "refuted"
#: Expected of a bound that may be loose.
NOT_REFUTED = "not refuted"
#: Of a printed number that cannot be recomputed: parameters, hardware or data are not to be had.
NOT_REPRODUCIBLE = "not reproducible"

#: Why a statement is refuted, the gravest first.
Kind = Literal["false", "wrong number", "missing condition", "misprint", "notation"]
KINDS: tuple[Kind, ...] = get_args(Kind)

#: What sort of statement it is; the first four are results, which headline counts are of.
Category = Literal[
    "theorem", "number", "figure", "algorithm", "definition", "arithmetic", "derived"
]
CATEGORIES: tuple[str, ...] = get_args(Category)
RESULTS = CATEGORIES[:4]
#: What stands for the source of a statement that follows from definitions alone.
OWN_DERIVATION = "derived by fastgc"

#: For which of its points a statement is made.
Holds = Literal["everywhere", "somewhere", "as n grows"]
EVERYWHERE: Holds = "everywhere"
SOMEWHERE: Holds = "somewhere"
AS_N_GROWS: Holds = "as n grows"

#: Sizes of a statement as n grows: how many, over which factor, and by which each from the last.
FEWEST_SIZES, GROWTH, APART = 4, 100, 1.5
_ROUNDING = 1e-9

#: What a statement as n grows says of measured and theory: their difference goes to 0, their ratio
#: to 1, or they are of one order.
Limit = Literal["difference", "ratio", "order"]
Relation = Literal["=", "<=", ">=", "<", ">"]


@dataclass(frozen=True, repr=False)
class Case(Brief):
    """One parameter point of a claim: the theory's value and what is measured against it.

    * ``point``: parameters in fastgc's vocabulary, to be printed; ``theory``: the value there.
    * ``experiment``: one ``[[experiment]]`` table of a study as data; or a finite statement
      ``{"finite": name, ...}`` that is measured by brute force, or ``{"built": name, ...}`` on what
      fastgc builds (`fastgc.validation.finite`). Empty of a statement that is not reproducible.
    * ``quantity``, ``statistic``, ``index``: which number is compared, as in a row of results.
    * ``against``: a second experiment on the same draws; then first − second is measured, or where
      ``how`` is "ratio" first / second of the means (no index).
    * ``scale``: size of the measure, used where the theory is 0: k for errors, 1 for probabilities.
    * ``digits``: decimals of a theory that is a printed number, which is right to half a unit of
      the last: 1 for "4.0", 0 for "120", −3 for "120 000". None where the theory is a formula.
    * ``tolerance``: share of the theory to which it is confirmed, where the usual one is too dear.
    * ``size``, ``rate``: of a statement as n grows, the number that grows, and the deviation
      allowed here, up to a constant; None where it only says that the deviation vanishes.
    * ``rounding``: by how much rounding may have changed the theory, None where it is not known.

    >>> Case({"n": 4}, 0.5, {"finite": "share", "n": 4}, "share").is_finite
    True
    """

    point: Mapping[str, Any]
    theory: float
    experiment: Mapping[str, Any]
    quantity: str
    statistic: str = "mean"
    index: int | str | None = None
    against: Mapping[str, Any] | None = None
    scale: float = 1.0
    how: Literal["difference", "ratio"] = "difference"
    digits: int | None = None
    tolerance: float | None = None
    size: float | None = None
    rate: float | None = None
    rounding: float | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Refuse a ratio of anything but two means."""
        if self.how == "ratio" and (self.against is None or self.index is not None):
            raise ValueError("a ratio is of two means without index; give a second experiment")

    @property
    def is_finite(self) -> bool:
        """Whether it is a finite statement, which no experiment measures."""
        return "finite" in self.experiment or "built" in self.experiment


Cases = Iterator[Case]


@dataclass(frozen=True, repr=False)
class Claim(Brief):
    """A statement of a paper, as printed or as corrected, and the verdict it should get.

    * ``id``, ``paper``: ``paper.name.printed`` for what a paper says, in the kindest reading that
      its words admit; ``.corrected`` for what is right instead; ``.derived`` for what fastgc adds.
    * ``statement``, ``citation``: in fastgc's own words, and where it is said.
    * ``relation``: one of =, <=, >=, <, >: reads "measured RELATION theory".
    * ``expected``: a verdict: `CONFIRMED`, `LOOSE`, `REFUTED`, `NOT_REPRODUCIBLE` or `NOT_REFUTED`.
    * ``make``: makes the cases, on their first use.
    * ``holds``: "everywhere": at every point; "somewhere": at one of them at least; "as n grows":
      in the limit, judged over points whose ``size`` grows by two decades or more.
    * ``limit``: as n grows the "difference" of measured and theory goes to 0, their "ratio" to 1,
      or they are of one "order".
    * ``kind``: of a statement that is refuted: one of `KINDS`; ``printed``: how the paper prints
      it, in its own letters, a … for what is left out.
    * ``corrects``: id of the statement that this one puts right; ``reads``: of the refuted one of
      which this is another reading, which holds; ``proof``: why it is so, in a sentence or two;
      ``by_hand``: of a refuted one, how a reader sees it without a computer.
    * ``needs``: the extra that its experiments need: "data", or "" for none.
    * ``category``: one of `CATEGORIES`; what no paper prints is derived.
    * ``missing``: what is missing of a statement that is not reproducible, of which nothing is
      measured, like "the step size is not printed".
    * ``source``: the work that says it, without the place, or `OWN_DERIVATION`.
    * ``second``: how its theory was derived a second time, by other means; empty if it was not.

    >>> from fastgc import theory
    >>> theory.claims()[0].relation
    '='
    """

    id: str
    paper: str
    statement: str
    citation: str
    relation: str
    expected: str
    make: Callable[[], Iterable[Case]] = field(compare=False, repr=False)
    holds: Holds = "everywhere"
    limit: Limit = "ratio"
    kind: Kind | None = None
    corrects: str | None = None
    reads: str | None = None
    proof: str = ""
    by_hand: str = ""
    printed: str = ""
    needs: str = ""
    category: Category = "theorem"
    missing: str = ""
    source: str = ""
    second: str = ""

    @functools.cached_property
    def cases(self) -> tuple[Case, ...]:
        """The parameter points at which the statement is measured."""
        return tuple(self.make())


@dataclass(frozen=True)
class ClosedForm:
    """A closed form that applies to an experiment, addressed like a row of results.

    ``quantity``, ``statistic`` and ``index`` are as in a row; ``value`` is in the quantity's unit;
    ``claim`` is the id of the claim that tests the formula, None where there is none.

    >>> ClosedForm("error", "mean", None, 0.08, "agc.remark2.corrected").value
    0.08
    """

    quantity: str
    statistic: str
    index: int | None
    value: float
    claim: str | None


def category_of(claim: str, said: Category | None = None) -> Category:
    """Return the category of a claim with this id; ``said`` is of what a paper prints."""
    return "derived" if claim.endswith((".corrected", ".derived")) else said or "theorem"


def is_of_paper(claim: str, reads: str | None) -> bool:
    """Whether a claim with this id counts as its paper's: no addition, no reading of another."""
    return reads is None and category_of(claim) != "derived"


def unfit_sizes(sizes: Sequence[float]) -> str:
    """Return what is wrong with the sizes of a statement as n grows; nothing if they will do."""
    if len(sizes) < FEWEST_SIZES or sizes[-1] < GROWTH * sizes[0] * (1 - _ROUNDING):
        return (
            f"must grow by a factor of {GROWTH} or more over {FEWEST_SIZES} points or more "
            f"(got {sizes[0]:.6g} to {sizes[-1]:.6g} over {len(set(sizes))})"
        )
    for before, after in itertools.pairwise(sizes):
        if before <= 0 or after < APART * before * (1 - _ROUNDING):
            return (
                f"must each be at least {APART} times the one before "
                f"(got {before:.6g} and {after:.6g})"
            )
    return ""


# ---- papers, and how claims and formulas register with them

#: Makes cases of a theory's value and of a point; takes ``theory`` and what it needs of the point,
#: by the names of the formula's parameters.
Measure = Callable[..., Case | Iterable[Case]]


class TestedFormula(NamedTuple):
    """A formula of numbers, and what makes its cases: at each point, of each measure."""

    formula: Callable[..., Any]
    cases: Callable[[], Cases]


def at(
    points: Iterable[Any],
    *measures: Measure,
    size: Callable[..., float] | None = None,
    rate: Callable[..., float] | None = None,
) -> Callable[[Callable[..., Any]], TestedFormula]:
    """Say at which points a formula is tested, and how; stands below `Paper.states`.

    A point has its values in the order of the formula's parameters, or by names, among which there
    may be more that the measures alone take. ``size`` and ``rate`` are of the point, where the
    statement is one as n grows (see `Case`).
    """

    def tested(formula: Callable[..., Any]) -> TestedFormula:
        plain = inspect.unwrap(formula)

        @functools.wraps(plain)
        def cases() -> Cases:
            for values in points:
                named = values if isinstance(values, Mapping) else {}
                given = () if named else values if isinstance(values, tuple) else (values,)
                point = {**inspect.signature(plain).bind_partial(*given).arguments, **named}
                grown: dict[str, Any] = {}
                if size is not None:
                    allowed = None if rate is None else by_name(rate, point)
                    grown = {"size": float(by_name(size, point)), "rate": allowed}
                theory = float(by_name(plain, point))
                for measure in measures:
                    found = by_name(measure, {"theory": theory} | point)
                    for case in (found,) if isinstance(found, Case) else found:
                        yield replace(case, **grown) if grown else case

        return TestedFormula(formula, cases)

    return tested


def by_name(function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """Call a function with those of the values that it has parameters for, or with all of them."""
    parameters = inspect.signature(function).parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return function(**values)
    return function(**{each.name: values[each.name] for each in parameters if each.name in values})


#: Which attribute of a claim a word is.
_FLAGS = {
    word: attribute
    for attribute, words in (
        ("relation", get_args(Relation)),
        ("expected", (LOOSE, NOT_REFUTED)),
        ("kind", KINDS),
        ("limit", get_args(Limit)),
        ("holds", get_args(Holds)),
        ("category", CATEGORIES),
    )
    for word in words
}
#: What begins a line of a docstring that is a proof, what the paper prints, or another claim's.
_LABEL = re.compile(r"^(Proof\. |Printed: |\S+\.(?:printed|corrected|derived): )", re.MULTILINE)


def words(docstring: str, claim: str = "") -> dict[str, str]:
    """What a docstring says of the claim that it begins with, or of one that it names."""
    statement, *more = _LABEL.split(inspect.cleandoc(docstring))
    own = {"statement": statement.rstrip()}
    said = {"": own}
    for label, text in zip(more[::2], more[1::2], strict=True):
        if label in ("Proof. ", "Printed: "):
            own[label.lower().rstrip(".: ")] = " ".join(text.split())
        else:
            own = said[label.removesuffix(": ")] = {"statement": text.rstrip()}
    return said.get(claim, said[""])


_Formula = TypeVar("_Formula", bound=Callable[..., Any])
_Maker = TypeVar("_Maker", bound=Callable[..., Iterable[Case]])


@dataclass(eq=False, repr=False)
class Paper(Brief):
    """A paper whose theory is here.

    * ``name``: the paper in ids of claims and in ``fastgc.theory``.
    * ``citation``: authors and title; empty where each claim names its own source, by ``sources``:
      what a citation of it contains, and the source.
    * ``subjects``: the files of ``fastgc.theory.NAME``, as the paper treats them.
    * ``not_judged``: definitions and bare arithmetic, which cannot be false, a few words each.
    * ``edition``: of the text that is judged, what it prints of itself; ``by_hand``: of refuted
      claims, by their names, how a reader sees it without a computer.

    >>> from fastgc import theory
    >>> paper = theory.paper("agc")
    >>> paper.citation
    'Johri, Yardi, Bodas, Approximate Gradient Coding for Heterogeneous Nodes'
    >>> "theorem1" in paper.formulas
    True
    """

    name: str
    citation: str
    subjects: Sequence[str]
    sources: Mapping[str, str] = field(default_factory=dict)
    not_judged: Sequence[str] = ()
    edition: str = ""
    by_hand: Mapping[str, str] = field(default_factory=dict)
    _formulas: dict[str, Callable[..., Any]] = field(default_factory=dict, init=False)
    _claims: dict[str, Claim] = field(default_factory=dict, init=False)
    _subject: dict[str, str] = field(default_factory=dict, init=False)

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
        self, name: str, place: str, *flags: str, of: tuple[Any, ...] = (), **more: Any
    ) -> Callable[[_Maker], _Maker]:
        """Register a claim; the decorated function makes its cases on their first use.

        The function stands in a file of ``subjects``.

        ``name`` is the id without the paper's, ``place`` where the paper says it, or the source;
        ``flags`` are its relation, verdict, kind, limit or category, each by its word. The
        docstring is the statement; lines of it that begin so are its proof or how it is printed,
        and lines that begin with the name of another claim are what that says. ``of`` are arguments
        of the function, which may make the cases of several claims. ``corrects`` and ``reads`` are
        ids without the paper's name; ``"x.corrected"`` corrects ``"x.printed"``. All others are
        attributes of a `Claim`; one with a ``limit`` holds as n grows.
        """
        full = f"{self.name}.{name}"
        if unknown := set(flags) - set(_FLAGS):
            raise ValueError(f"claim {full}: there are no words {', '.join(sorted(unknown))}")
        more |= {_FLAGS[word]: word for word in flags}
        if "kind" in more:
            more["expected"] = REFUTED
        if "missing" in more:
            more["expected"] = NOT_REPRODUCIBLE
        if name.endswith(".corrected"):
            more.setdefault("corrects", f"{name.removesuffix('.corrected')}.printed")
        for key in ("corrects", "reads"):
            if key in more:
                more[key] = f"{self.name}.{more[key]}"
        if "limit" in more:
            more["holds"] = AS_N_GROWS
        more["category"] = category_of(full, more.get("category"))
        more["by_hand"] = self.by_hand.get(name, "")

        def register(make: _Maker) -> _Maker:
            own = words(make.__doc__ or "", name)
            said = " ".join(own.pop("statement").split()).removesuffix(".")
            # python -OO drops every docstring: then claims are tested without their words
            if not said and sys.flags.optimize < 2:
                raise ValueError(f"claim {full} says nothing")
            if full in self._claims:
                raise ValueError(f"there are two claims {full}")
            self._subject[full] = make.__module__.rpartition(".")[2]
            found = (source for mark, source in self.sources.items() if mark in place)
            self._claims[full] = Claim(
                full,
                self.name,
                said,
                f"{self.citation}, {place}" if self.citation else place,
                make=functools.partial(make, *of),
                source=self.citation or next(found, OWN_DERIVATION),
                **{"relation": "=", "expected": CONFIRMED} | more | own,
            )
            return make

        return register

    def states(
        self, name: str, place: str, *flags: str, **more: Any
    ) -> Callable[[TestedFormula], Callable[..., Any]]:
        """Register a claim and, unless it is one already or is private, its formula.

        The arguments are those of `claim`. The decorator stands above `at`, and gives the formula.
        """

        def register(tested: TestedFormula) -> Callable[..., Any]:
            plain = inspect.unwrap(tested.formula)
            self.claim(name, place, *flags, **more)(tested.cases)
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


def paper_of(name: str) -> Paper:
    """Return the paper of this name as ``papers.toml`` describes it, without formulas yet."""
    said = files(__package__).joinpath("papers.toml").read_text(encoding="utf-8")
    return Paper(name, **tomllib.loads(said)[name])
