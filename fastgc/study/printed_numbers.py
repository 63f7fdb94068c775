"""Numbers that a paper prints, and what of a study they are compared with: ``[[printed]]``."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from fastgc import theory
from fastgc.experiments.table import Point
from fastgc.registry import Table
from fastgc.registry.complaints import Complaint, show, unknown
from fastgc.registry.given import is_at
from fastgc.results.rows import PREFERENCE, Row
from fastgc.study.claims.claim_table import Index, Statistic, reporting
from fastgc.theory.papers.claim import Case, Claim

Text = Annotated[str, Field(min_length=1)]


class PrintedNumber(NamedTuple):
    """A printed number in full: ``half`` is half a unit of its last digit.

    ``missing`` says what it would take to compute it as the paper did, and is not to be had.
    """

    value: float
    half: float
    place: str
    what: str
    missing: str


class PrintedTable(Table):
    """A number that a paper prints, and the measured number that stands beside it.

    It takes no part in what is measured. Without ``experiment`` nothing in the study measures it.

    * ``place`` (str, optional): Where it is printed, like "Figure 8"; by default the claim's.
    * ``what`` (str, optional): What it is, in words; by default as the claim's case has it.
    * ``value`` (float, optional): The number; left out where a claim has it.
    * ``digits`` (int, optional): Its printed decimals; -3 for thousands. A number is right to half
      a unit of the last one.
    * ``claim`` (str, optional): Id of a claim of fastgc that has the number.
    * ``case`` (dict): Which of the claim's cases: keys of its point with their values.
    * ``experiment`` (str, optional): The experiment that measures it, or "a/b" for a ratio.
    * ``quantity`` (str or list of str, optional): The measure; the first one by default. Several
      are added.
    * ``factor`` (float): What the measured number is multiplied by to be in the printed unit; 1 by
      default.
    * ``statistic`` (str, optional): As in a claim; the mean by default.
    * ``index`` (int or str, optional): Which number of a measure that has several.
    * ``point`` (dict): Values of swept keys, where the experiment has several points.
    * ``missing`` (str): What it would take to compute the number as the paper did, and is not
      printed or not to be had, like "the step size is not printed"; by default what the claim says.
    """

    place: str = ""
    what: str = ""
    value: Annotated[float | None, Field(allow_inf_nan=False)] = None
    digits: Annotated[int | None, Field(ge=-300, le=300)] = None
    claim: str | None = None
    case: Annotated[dict[str, Any], Field(default_factory=dict)]
    experiment: str | None = None
    quantity: Text | Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    factor: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    statistic: Statistic | None = None
    index: Index | None = None
    point: Annotated[dict[str, Any], Field(default_factory=dict)]
    missing: str = ""

    @cached_property
    def number(self) -> PrintedNumber:
        """The number, with what the claim says of it."""
        value, digits, place, what, missing = self.value, self.digits, "", "", ""
        if self.claim is not None and (claim := _claim(self.claim)) is not None:
            case = _cases(claim, self.case)[0]
            value, digits, missing = case.theory, case.digits, claim.missing
            place = claim.citation.removeprefix(f"{claim.source}, ")
            at = ", ".join(f"{key} = {each}" for key, each in self.case.items())
            what = f"{case.quantity.replace('_', ' ')}" + f" ({at})" * bool(at)
        assert value is not None
        half = 0.0 if digits is None else 0.5 * 10.0**-digits
        own = self.place or place, self.what or what, self.missing or missing
        return PrintedNumber(value, half, *own)

    @property
    def quantities(self) -> tuple[str, ...]:
        """The measures that are added; none for the first one."""
        if self.quantity is None:
            return ()
        return (self.quantity,) if isinstance(self.quantity, str) else self.quantity

    def rows(self, every: Sequence[Row]) -> list[Row]:
        """Return the measured numbers that are added, each by the sharpest method; none if one is
        not there."""
        own = [row for row in every if row.experiment == self.experiment]
        own = [row for row in own if is_at(row.point, self.point)]
        statistic = self.statistic or ("ratio" if "/" in (self.experiment or "") else "mean")
        found = []
        for quantity in self.quantities or tuple(row.quantity for row in own[:1]):
            wanted = quantity, statistic, self.index
            fitting = [row for row in own if (row.quantity, row.statistic, row.index) == wanted]
            if not fitting:
                return []
            found.append(min(fitting, key=lambda row: PREFERENCE.index(row.method)))
        return found

    def conflicts(
        self, points: Sequence[Point], ratio: Sequence[tuple[str, str]]
    ) -> Iterator[Complaint]:
        """Yield what is sound but does not fit together, or not to the study."""
        if self.claim is not None:
            claim = _claim(self.claim)
            if self.value is not None:
                yield Complaint(("value",), "is what the claim has; leave one of both out")
            elif claim is None:
                known = [each.id for each in _of_paper(self.claim) or theory.claims()]
                yield Complaint(("claim",), unknown("claim", self.claim, known))
            elif len({case.theory for case in _cases(claim, self.case)}) != 1:
                many = f"{len(_cases(claim, self.case))} of {len(claim.cases)}"
                sentence = f"must be cases of {self.claim} with one number (fits {many})"
                yield Complaint(("case",), sentence)
            if self.digits is not None and self.value is None:
                yield Complaint(("digits",), "is what the claim has; leave it out")
        elif self.value is None:
            yield Complaint(("value",), "must be given, or a claim that has it")
        else:
            needed = {"place": "where it is printed", "what": "what it is"}
            needed["digits"] = "how many decimals are printed"
            for key, said in needed.items():
                if getattr(self, key) in (None, ""):
                    yield Complaint((key,), f"missing; say {said}")
        if self.experiment is None:
            for key in ("quantity", "statistic", "index", "point"):
                if getattr(self, key):
                    yield Complaint((key,), "is of an experiment; say which, or leave it out")
            if not self.missing and (self.claim is None or not self.number.missing):
                sentence = "missing; say which measures the number, or say in `missing` why none"
                yield Complaint(("experiment",), sentence)
            return
        pairs = {f"{a}/{b}": a for a, b in ratio}
        names = [*dict.fromkeys(point.experiment for point in points), *pairs]
        if self.experiment not in names:
            said = unknown("experiment or ratio", self.experiment, names)
            yield Complaint(("experiment",), said)
            return
        name = pairs.get(self.experiment, self.experiment)
        own = [point for point in points if point.experiment == name]
        fitting = [point for point in own if is_at(point.sweep, self.point)]
        if len(fitting) != 1:
            which = f"{len(fitting)} of {len(own)} points of {name}"
            swept = ", ".join(own[0].sweep) or "nothing"
            yield Complaint(("point",), f"must be one point (is {which}, which sweeps {swept})")
            return
        table: Any = fitting[0].table
        for quantity in self.quantities:
            if quantity not in table.measure:
                yield Complaint(("quantity",), unknown("measure", quantity, table.measure))
        for key, [level] in reporting(self.statistic or "mean").items():
            if level not in getattr(table, key):
                sentence = f"is not asked for; add {show(level)} to {key} of {self.experiment}"
                yield Complaint(("statistic",), sentence)


def _claim(name: str) -> Claim | None:
    return next((claim for claim in _of_paper(name) if claim.id == name), None)


def _cases(claim: Claim, point: Mapping[str, Any]) -> list[Case]:
    return [case for case in claim.cases if is_at(dict(case.point), point)]


def _of_paper(name: str) -> tuple[Claim, ...]:
    # whose ids begin as a name does, without loading those of other papers
    group = name.partition(".")[0]
    return theory.paper(group).claims if group in theory.paper_names() else ()


def compared(tables: Sequence[PrintedTable], rows: Sequence[Row]) -> list[Row]:
    """Return rows that know the printed numbers that they alone are compared with."""
    found: dict[int, tuple[float, ...]] = {}
    for table in tables:
        own = table.rows(rows)
        if len(own) == 1:
            found[id(own[0])] = (*found.get(id(own[0]), ()), table.number.value / table.factor)
    return [replace(row, printed=found[id(row)]) if id(row) in found else row for row in rows]
