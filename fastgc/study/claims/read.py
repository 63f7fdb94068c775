"""Claims from a study file or from data: their cases, and every mistake in them with its place."""

import functools
import inspect
import itertools
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from fastgc.errors import FastgcError, StoppedError, StudyError
from fastgc.registry.complaints import Complaint, Location, check, one_line, show
from fastgc.registry.given import plain
from fastgc.study.claims.claim_points import SAID, ClaimPoint, claim_points, cross_field_errors
from fastgc.study.claims.claim_table import ClaimTable, Formula, Index, PaperTable
from fastgc.study.expressions.expression import Expression, Names, Steps, TimeBudget
from fastgc.study.expressions.functions import Number, RefusedError, real
from fastgc.study.points import experiment_in_full, with_defaults
from fastgc.study.source import Source, refusal
from fastgc.study.study import Study
from fastgc.theory.papers.claim import (
    CONFIRMED,
    NOT_REFUTED,
    NOT_REPRODUCIBLE,
    Case,
    Claim,
    category_of,
    unfit_sizes,
)

Theory = Callable[..., Any]

#: Two formulas of one theory agree to this share of it.
SAME = 1e-9
#: Theories below this share of the scale, or so near 1, are found in fractions as well, in so many
#: steps at most.
SMALL, RATIONAL = 1e-6, 10_000
#: Measures whose size is the number of partitions.
_ERRORS = ("error", "mean_error", "error_by_survivors")
#: Keys of a study that say something about its experiments alone.
_OF_EXPERIMENTS = ("seed", "stop", "common_random_numbers", "ratio", "printed", "files", "method")


def read(
    source: Mapping[str, Any] | str | Path, interrupted: Callable[[], str | None] = lambda: None
) -> list[Claim]:
    """Return the claims of a study file, or of the same as data.

    ``interrupted``: asked while expressions are evaluated; a text it returns stops the reading.

    Raises StudyError with one line for every mistake in its ``[[claim]]`` tables: file, key, what
    was found, what is allowed. Its experiments are left to `Study.parse`. Raises StoppedError if it
    was asked to stop.
    """
    given = Source.of(source)
    data, complaints = plain(given.data)
    paper, wrong = _paper(data)
    complaints += wrong
    tables = data.get("claim", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        sentence = f"must be a list of tables, each written [[claim]] (got {show(tables)})"
        complaints.append(Complaint(("claim",), sentence))
        tables = []
    elif not tables:
        sentence = "missing; what is to be validated stands in [[claim]] tables"
        if "experiment" in data:
            sentence += ", and experiments are for `fastgc run`"
        complaints.append(Complaint(("claim",), sentence))
    claims: list[Claim] = []
    if not complaints:
        reader = _ClaimReader(given.folder, TimeBudget(interrupted=interrupted), paper)
        claims, complaints = reader.claims(tables, data.get("defaults"))
    own = {key: value for key, value in data.items() if key not in ("claim", "experiment")}
    around = [
        Complaint((key,), "is for experiments, and there are none; leave it out")
        for key in _OF_EXPERIMENTS
        if "experiment" not in data and key in own
    ]
    _, wrong = check(Study, {**own, "experiment": []})
    said = [each.location for each in around]
    around += [each for each in wrong if each.location[:1] not in said]
    if around or complaints:
        raise _refusal([*around, *complaints], tables, given.where)
    return claims


def read_paper(text: str, where: str) -> tuple[PaperTable, list[Claim]]:
    """Return a paper and its claims from the text of a file; cases are made on their first use.

    Raises StudyError with one line for every mistake in its tables; what is wrong with cases is
    said when they are made.
    """
    data, complaints = plain(tomllib.loads(text))
    paper, wrong = _paper(data)
    tables = data.get("claim", [])
    claims, more = _ClaimReader(paper=paper, is_lazy=True).claims(tables, data.get("defaults"))
    complaints += wrong + more
    if paper is None and not complaints:
        said = "missing; say whose claims they are: a table [paper] with its name and citation"
        complaints = [Complaint(("paper",), said)]
    if complaints or paper is None:
        raise _refusal(complaints, tables, where)
    return paper, claims


def made(table: Mapping[str, Any], theory: Theory | None = None) -> Claim:
    """Return one claim from the keys of its table; ``theory`` may be a function.

    Raises StudyError with one line for every mistake.
    """
    data, complaints = plain({**table, "theory": 0} if theory is not None else dict(table))
    claim = None
    if not complaints:
        claim, complaints = _ClaimReader().claim(data, theory)
    if claim is None:
        placed = [Complaint(("claim", 0, *at), sentence) for at, sentence in complaints]
        raise _refusal(placed, [data], None)
    return claim


def _paper(data: dict[str, Any]) -> tuple[PaperTable | None, list[Complaint]]:
    if "paper" not in data:
        return None, []
    paper, wrong = check(PaperTable, data.pop("paper"))
    return paper, [Complaint(("paper", *at), sentence) for at, sentence in wrong]


def _refusal(
    complaints: list[Complaint], tables: list[dict[str, Any]], where: str | None
) -> StudyError:
    ids = [table.get("id") for table in tables]

    def place(location: Location) -> Location:
        if len(location) < 3 or location[0] != "claim" or not isinstance(location[1], int):
            return location
        name = ids[location[1]]
        if not isinstance(name, str) or ids.count(name) > 1 or location[2] == "id":
            return location if where is not None else location[2:]
        return ("claim", *name.split("."), *location[2:])

    return refusal(where, complaints, place)


@dataclass(frozen=True)
class _ClaimReader:
    """Makes claims of the tables of one file."""

    folder: Path = Path()
    deadline: TimeBudget = field(default_factory=TimeBudget)
    paper: PaperTable | None = None
    is_lazy: bool = False  #: Whether cases are made on their first use, and mistakes said then.

    def claims(
        self, tables: list[dict[str, Any]], defaults: Any
    ) -> tuple[list[Claim], list[Complaint]]:
        defaults = defaults if isinstance(defaults, dict) else {}
        shared = {key: value for key, value in defaults.items() if key not in SAID}
        claims, complaints = [], []
        seen: dict[Any, int] = {}
        for i, table in enumerate(tables):
            name = table.get("id")
            if isinstance(name, str) and seen.setdefault(name, i) != i:
                sentence = f"{show(name)} is the id of claim[{seen[name]}]; choose another"
                complaints.append(Complaint(("claim", i, "id"), sentence))
        for i, table in enumerate(tables):
            if isinstance(table.get("experiment"), dict):
                table = table | {"experiment": with_defaults(table["experiment"], shared)}
            claim, wrong = self.claim(table)
            complaints += [Complaint(("claim", i, *at), sentence) for at, sentence in wrong]
            claims += [] if claim is None else [claim]
            if self.deadline.is_over:
                break
        return claims, complaints

    def claim(
        self, table: dict[str, Any], theory: Theory | None = None
    ) -> tuple[Claim | None, list[Complaint]]:
        in_short: list[Complaint] = []
        for key in ("experiment", "against"):
            if isinstance(table.get(key), dict):
                own, wrong = experiment_in_full(table[key])
                table = table | {key: own}
                in_short += [Complaint((key, *at), said) for at, said in wrong]
        found, complaints = check(ClaimTable, table)
        complaints += in_short
        if found is not None and self.paper is not None:
            complaints += self.paper.conflicts(found)
        if found is None or complaints:
            return None, complaints

        def make() -> list[Case]:
            cases, complaints = make_cases(found, self.folder, TimeBudget())
            if complaints:
                raise _refusal(complaints, [], found.id)
            return cases

        if not self.is_lazy:
            cases, complaints = make_cases(found, self.folder, self.deadline, theory)
            if complaints:
                return None, complaints
            make = lambda: cases  # noqa: E731
        place = one_line(" ".join(found.citation.split()))
        source = place if self.paper is None else one_line(self.paper.citation)
        expected: str = found.expected
        if found.missing:
            expected = NOT_REPRODUCIBLE
        elif found.relation != "=" and expected == CONFIRMED:
            expected = NOT_REFUTED  # a bound that is loose is no surprise
        claim = Claim(
            id=found.id,
            paper=found.id.partition(".")[0],
            statement=one_line(" ".join(found.statement.split())).removesuffix("."),
            citation=place if self.paper is None else ", ".join(filter(None, (source, place))),
            relation=found.relation,
            expected=expected,
            make=make,
            holds=found.holds,
            limit=found.limit or "ratio",
            kind=found.kind,
            missing=" ".join(found.missing.split()),
            corrects=found.corrects,
            proof=" ".join(found.proof.split()),
            category=category_of(found.id, found.category),
            source=source,
            second="" if found.second is None else f"another formula: {found.second}",
        )
        return claim, []


# ---- cases: at each point the theory's value, and what is measured against it


def make_cases(
    claim: ClaimTable, folder: Path, deadline: TimeBudget, function: Theory | None = None
) -> tuple[list[Case], list[Complaint]]:
    """Return the cases of a claim, or everything that is wrong with it.

    ``folder``: where relative file names start; ``deadline``: of all expressions of the file;
    ``function``: in place of the claim's theory; its parameters are names at a point.
    """
    complaints = list(claim.conflicts())
    if claim.missing and not complaints:
        printed = float(claim.theory)
        at = Case(claim.experiment, printed, {}, claim.quantity, claim.statistic)
        return [replace(at, index=index, digits=claim.digits) for index in claim.indices], []
    points, wrong = claim_points(claim, folder)
    complaints += wrong
    for point in () if wrong else points:
        wrong += [Complaint(at, said + _at(point)) for at, said in cross_field_errors(claim, point)]
        if wrong:
            return [], complaints + wrong
    if complaints:
        return [], complaints
    formulas = _Formulas(claim, deadline, function)
    cases = []
    for point in points:
        for index in claim.indices:
            try:
                cases.append(formulas.case(point, index))
            except StoppedError:
                raise
            except FastgcError as problem:
                place = tuple((problem.key or "theory").split("."))
                return [], [Complaint(place, problem.sentence + _at(point))]
    if claim.holds == "as n grows":
        cases.sort(key=lambda case: case.size or 0.0)
        sizes = [case.size or 0.0 for case in cases]
        twice = next((b for b, a in itertools.pairwise(sizes) if a == b), None)
        if twice is not None:
            sentence = f"must differ at every point (got {twice:.6g} twice); make several claims"
            complaints.append(Complaint(("size",), sentence))
        elif wrong_sizes := unfit_sizes(sizes):
            complaints.append(Complaint(("size",), wrong_sizes))
        if claim.limit != "difference" and any(case.theory == 0 for case in cases):
            sentence = 'is 0 somewhere, of which there is no ratio; say limit = "difference"'
            complaints.append(Complaint(("theory",), sentence))
    return cases, complaints


#: An expression is read once, and has a value at every point.
_expression = functools.lru_cache(maxsize=1024)(Expression)


class _Formulas:
    """The formulas of a claim, with one allowance of arithmetic for all its points."""

    def __init__(self, claim: ClaimTable, deadline: TimeBudget, function: Theory | None) -> None:
        self._claim = claim
        self._function = function
        self._steps = Steps(deadline=deadline)

    def case(self, point: ClaimPoint, index: Index | None) -> Case:
        """Return the case of a point and an index."""
        claim = self._claim
        names = self._names(point.names, index)
        scale = self._optional("scale", names)
        if scale is None:  # errors count partitions, probabilities are at most 1
            counts = claim.quantity in _ERRORS and not claim.statistic.startswith("P")
            power = 2 if claim.statistic == "variance" else 1
            scale = float(point.partitions) ** power if counts else 1.0
        if self._function is None:
            theory = float(self._value("theory", claim.theory, names))
        else:
            theory = _called(self._function, names)
        if claim.second is not None:
            other = float(self._value("second", claim.second, names))
            if abs(other - theory) > SAME * max(abs(other), abs(theory), scale * SAME):
                said = f"is {other:.12g}, but the theory is {theory:.12g}"
                raise FastgcError(said, "second")
        return Case(
            point=point.shown | ({} if index is None else {"index": index}),
            theory=theory,
            experiment=point.experiment,
            quantity=claim.quantity,
            statistic=claim.statistic,
            index=index,
            against=point.against,
            scale=scale,
            how=claim.how,
            digits=claim.digits,
            tolerance=claim.tolerance,
            size=self._optional("size", names),
            rate=self._optional("rate", names),
            rounding=self._rounding(point.names, index, theory, scale),
        )

    def _rounding(
        self, names: Names, index: Index | None, theory: float, scale: float
    ) -> float | None:
        # None where arithmetic does not say, and asked only where it matters: of what is small, or
        # of a probability near 1
        if self._function is not None or min(abs(theory), abs(theory - 1)) > SMALL * scale:
            return None
        kept, self._steps = self._steps, Steps(RATIONAL, TimeBudget(1.0), is_rational=True)
        try:
            exact = self._value("theory", self._claim.theory, self._names(names, index))
        except FastgcError:
            return None
        finally:
            self._steps = kept
        if isinstance(exact, float) and isinstance(self._claim.theory, str):
            return None
        return abs(float(Fraction(theory) - exact))

    def _names(self, names: Names, index: Index | None) -> Names:
        if isinstance(index, int):
            names = names.adding("index", index)
        for name, formula in self._claim.where.items():
            if name in names:
                said = "is the name of something at the point already; take another"
                raise FastgcError(said, f"where.{name}")
            names = names.adding(name, self._value(f"where.{name}", formula, names))
        return names

    def _optional(self, key: str, names: Names) -> float | None:
        formula = getattr(self._claim, key)
        if formula is None:
            return None
        found = float(self._value(key, formula, names))
        if found <= 0:
            raise FastgcError(f"must be more than 0 (got {found:.6g})", key)
        return found

    def _value(self, key: str, formula: Formula, names: Names) -> Number:
        # integers stay exact until they are compared
        if not isinstance(formula, str):
            return formula
        try:
            found = _expression(formula).value(names, self._steps)
            float(found)
        except OverflowError:
            raise FastgcError("is too large for a number", key) from None
        except StoppedError:
            raise
        except FastgcError as problem:
            raise FastgcError(problem.sentence, key) from None
        return found


def _called(function: Theory, names: Names) -> float:
    name = getattr(function, "__name__", "theory")
    given = {}
    try:
        for each in inspect.signature(function).parameters.values():
            if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD, each.POSITIONAL_ONLY):
                raise FastgcError(f"the parameters of {name} must be names at a point (got {each})")
            if each.name in names or each.default is each.empty:
                given[each.name] = names.lookup(each.name)
        found = function(**given)
    except FastgcError as problem:
        raise FastgcError(problem.sentence, "theory") from problem
    except Exception as problem:
        said = f"{name} failed ({type(problem).__name__}: {problem})"
        raise FastgcError(said, "theory") from problem
    if isinstance(found, np.generic | np.ndarray) and found.size == 1:
        found = found.item()
    try:
        return float(real(found))
    except RefusedError as problem:
        said = f"the value of {name} {problem} (got {show(found)})"
    except OverflowError:
        said = f"the value of {name} is too large for a number"
    raise FastgcError(said, "theory")


def _at(point: ClaimPoint) -> str:
    swept = [f"{key} = {show(value)}" for key, value in point.point.sweep.items()]
    return f" (at {', '.join(swept)})" if swept else ""
