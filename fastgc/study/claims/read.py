"""Claims from a study file or from data: every mistake in them, each with its place."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fastgc.errors import StudyError
from fastgc.registry.complaints import Complaint, Location, check, lines, one_line, show
from fastgc.registry.given import plain
from fastgc.study.claims.cases import Theory, cases_of
from fastgc.study.claims.points import SAID
from fastgc.study.claims.table import ClaimTable, PaperTable
from fastgc.study.expressions.expression import Deadline
from fastgc.study.shorthand import experiment_in_full, with_defaults
from fastgc.study.source import Source
from fastgc.study.study import Study
from fastgc.theory.papers.claim import (
    CONFIRMED,
    NOT_REFUTED,
    NOT_REPRODUCIBLE,
    Case,
    Claim,
    category_of,
)

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
        complaints += _twice(tables)
        tables = [_with_defaults(table, data.get("defaults")) for table in tables]
        claims, wrong = _each(tables, given.folder, Deadline(interrupted=interrupted), paper)
        complaints += wrong
    complaints = [*_header(data), *complaints]
    if complaints:
        raise StudyError(_written(complaints, tables, given.where))
    return claims


def _paper(data: dict[str, Any]) -> tuple[PaperTable | None, list[Complaint]]:
    if "paper" not in data:
        return None, []
    paper, wrong = check(PaperTable, data.pop("paper"))
    return paper, [Complaint(("paper", *at), sentence) for at, sentence in wrong]


def made(table: Mapping[str, Any], theory: Theory | None = None) -> Claim:
    """Return one claim from the keys of its table; ``theory`` may be a function.

    Raises StudyError with one line for every mistake.
    """
    data, complaints = plain({**table, "theory": 0} if theory is not None else dict(table))
    claim = None
    if not complaints:
        claim, complaints = _made(data, Path(), Deadline(), theory)
    if claim is None:
        placed = [Complaint(("claim", 0, *at), sentence) for at, sentence in complaints]
        raise StudyError(_written(placed, [data], None))
    return claim


def _header(data: dict[str, Any]) -> list[Complaint]:
    alone = "experiment" not in data
    own = {key: value for key, value in data.items() if key not in ("claim", "experiment")}
    found = [
        Complaint((key,), "is for experiments, and there are none; leave it out")
        for key in _OF_EXPERIMENTS
        if alone and key in own
    ]
    _, wrong = check(Study, {**own, "experiment": []})
    said = [each.location for each in found]
    return found + [each for each in wrong if each.location[:1] not in said]


def _with_defaults(table: dict[str, Any], defaults: Any) -> dict[str, Any]:
    """Return a claim's table with what all experiments share, but for what the claim says."""
    own = table.get("experiment")
    if not isinstance(defaults, dict) or not isinstance(own, dict):
        return table
    shared = {key: value for key, value in defaults.items() if key not in SAID}
    return table | {"experiment": with_defaults(own, shared)}


def _twice(tables: list[dict[str, Any]]) -> list[Complaint]:
    seen: dict[Any, int] = {}
    found = []
    for i, table in enumerate(tables):
        name = table.get("id")
        if isinstance(name, str) and seen.setdefault(name, i) != i:
            sentence = f"{show(name)} is the id of claim[{seen[name]}]; choose another"
            found.append(Complaint(("claim", i, "id"), sentence))
    return found


def _each(
    tables: list[dict[str, Any]],
    folder: Path,
    deadline: Deadline,
    paper: PaperTable | None,
    *,
    is_sound: bool = False,
) -> tuple[list[Claim], list[Complaint]]:
    """Make a file's claims; ``is_sound``: cases are made on their first use."""
    claims, complaints = [], []
    for i, table in enumerate(tables):
        claim, wrong = _made(table, folder, deadline, None, paper, is_sound=is_sound)
        complaints += [Complaint(("claim", i, *at), sentence) for at, sentence in wrong]
        claims += [] if claim is None else [claim]
        if deadline.is_over:
            break
    return claims, complaints


def _made(
    table: dict[str, Any],
    folder: Path,
    deadline: Deadline,
    theory: Theory | None,
    paper: PaperTable | None = None,
    *,
    is_sound: bool = False,
) -> tuple[Claim | None, list[Complaint]]:
    in_short: list[Complaint] = []
    for key in ("experiment", "against"):
        if isinstance(table.get(key), dict):
            own, wrong = experiment_in_full(table[key])
            table = table | {key: own}
            in_short += [Complaint((key, *at), said) for at, said in wrong]
    found, complaints = check(ClaimTable, table)
    complaints += in_short
    if found is not None and paper is not None:
        complaints += paper.conflicts(found)
    if found is None or complaints:
        return None, complaints

    def later() -> list[Case]:
        cases, complaints = cases_of(found, folder, Deadline())
        if complaints:
            raise StudyError(_written(complaints, [], found.id))
        return cases

    make = later
    if not is_sound:
        cases, complaints = cases_of(found, folder, deadline, theory)
        if complaints:
            return None, complaints
        make = lambda: cases  # noqa: E731
    place = one_line(" ".join(found.citation.split()))
    source = one_line(paper.citation) if paper is not None else place
    expected: str = found.expected
    if found.missing:
        expected = NOT_REPRODUCIBLE
    elif found.relation != "=" and expected == CONFIRMED:
        expected = NOT_REFUTED  # a bound that is loose is no surprise
    claim = Claim(
        id=found.id,
        paper=found.id.partition(".")[0],
        statement=one_line(" ".join(found.statement.split())).removesuffix("."),
        citation=place if paper is None else ", ".join(filter(None, (source, place))),
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


def of_paper(text: str) -> tuple[PaperTable, list[Claim]]:
    """Return a paper and its claims from the text of its file; cases are made on their first use.

    Raises StudyError with one line for every mistake in its tables; what is wrong with cases is
    said when they are made.
    """
    data, complaints = plain(tomllib.loads(text))
    paper, wrong = _paper(data)
    complaints += wrong
    tables = [_with_defaults(table, data.get("defaults")) for table in data.get("claim", [])]
    claims, wrong = _each(tables, Path(), Deadline(), paper, is_sound=True)
    complaints += [*wrong, *_twice(tables)]
    if paper is None and not complaints:
        complaints = [Complaint(("paper",), "missing; say whose claims they are")]
    if complaints or paper is None:
        raise StudyError(_written(complaints, tables, None))
    return paper, claims


def _written(
    complaints: list[Complaint], tables: list[dict[str, Any]], where: str | None
) -> list[str]:
    ids = [table.get("id") for table in tables]

    def at(location: Location) -> Location:
        if len(location) < 3 or location[0] != "claim" or not isinstance(location[1], int):
            return location
        name = ids[location[1]]
        if not isinstance(name, str) or ids.count(name) > 1 or location[2] == "id":
            return location if where is not None else location[2:]
        return ("claim", *name.split("."), *location[2:])

    written = lines(Complaint(at(location), sentence) for location, sentence in complaints)
    return [line if where is None else f"{where}: {line}" for line in written]
