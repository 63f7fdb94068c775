"""Sentences and cells that every form of a page has."""

from __future__ import annotations

from typing import Any

from fastgc.report import wording
from fastgc.report.columns import distinct
from fastgc.report.errata.page import Entry, shown_cases
from fastgc.report.numbers import number
from fastgc.theory.papers.claim import RESULTS, SOMEWHERE

#: Heads of the table of an entry's points.
NUMBERS = ("said", "measured", "verdict")
HEADS = ("parameters", *NUMBERS)


def title(page: dict[str, Any]) -> str:
    """Return the paper's citation, or its name where it has none."""
    return str(page["citation"] or page["paper"])


def overview(page: dict[str, Any]) -> str:
    """Return the sentence that stands above all."""
    counts = page["counts"]
    whose = " of the paper" if page["citation"] else ""  # one's own claims are of none
    said = f"Of {counts['said']} statements{whose} {_counted(page, counts, of_results=True)}."
    beside = counts["beside"]
    if beside["said"]:
        what = "statement is a definition" if beside["said"] == 1 else "are definitions"
        said += (
            f" {beside['said']} more {what} or arithmetic: "
            f"{_counted(page, beside, of_results=False)}."
        )
    return said


def _counted(page: dict[str, Any], counts: dict[str, Any], *, of_results: bool) -> str:
    """How many statements are confirmed, refuted, not reproducible and undecided."""
    said = [f"{counts['confirmed']} {'is' if counts['confirmed'] == 1 else 'are'} confirmed"]
    if counts["errata"]:
        kinds = [
            entry["kind"] or "refuted"
            for entry in page["errata"]
            if (entry["category"] in RESULTS) == of_results
        ]
        each = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(sorted(kinds)))
        name = "erratum" if counts["errata"] == 1 else "errata"
        said.append(f"{counts['errata']} {name} ({each})" if page["citation"] else each)
    if counts["not_reproducible"]:
        said.append(f"{counts['not_reproducible']} not reproducible")
    if counts["undecided"]:
        said.append(f"{counts['undecided']} undecided")
    return ", ".join(said)


def measured_with(page: dict[str, Any]) -> str:
    """Return which fastgc measured, and with which seed."""
    seed = "" if page["seed"] is None else f", seed {page['seed']}"
    return f"Measured with fastgc {page['fastgc']}{seed}."


def heading(entry: Entry) -> str:
    """Return the head of an erratum: its place and its kind."""
    return f"{entry['place']}: {entry['kind'] or entry['verdict']}"


def doubt(entry: Entry) -> str:
    """Return a warning where a verdict is not the one that fastgc expects, else nothing."""
    if entry["as_expected"]:
        return ""
    return f"fastgc expects this to be {entry['expected']}: look at it again before you rely on it."


def table(entry: Entry) -> list[list[str]]:
    """Return the heads and the cells of an entry's points, the paper's own first.

    What all points share stands in the `caption`; if that is everything, there is no column of
    parameters.
    """
    cases = shown_cases(entry)
    shared = _shared(cases)
    differ = len(distinct(case["what"] for case in cases)) > 1
    rows = [list(HEADS)]
    for case in cases:
        own = {key: value for key, value in case["point"].items() if key not in shared}
        said = "infinite" if case["theory"] is None else number(case["theory"])
        rows.append(
            [
                ", ".join(
                    [case["what"]] * differ + [wording.point(own, case["point"])] * bool(own)
                ),
                f"{entry['relation']} {said}",
                number(case["value"], case["standard_error"]),
                case["verdict"],
            ]
        )
    return rows if any(row[0] for row in rows[1:]) else [row[1:] for row in rows]


def _shared(cases: list[dict[str, Any]]) -> dict[str, Any]:
    """The parameters that are alike at all points."""
    first = cases[0]["point"]
    return {
        key: value
        for key, value in first.items()
        if all(case["point"].get(key) == value for case in cases)
    }


def caption(entry: Entry) -> str:
    """Return what the numbers are, what their points share, and the verdict on all of them."""
    cases = shown_cases(entry)
    where = wording.point(_shared(cases))
    total = len(entry["cases"])
    left = "" if len(cases) == total else f", {len(cases)} of {total} points"
    whats = distinct(case["what"] for case in cases)
    what = whats[0] if len(whats) == 1 else "several numbers"
    said = entry["outcome"] + (f" ({entry['share']})" if _is_somewhere(entry) else "")
    return f"{what}{f' at {where}' if where else ''}{left}: {said}"


def at_points(entry: Entry) -> str:
    """Return the verdict and at how many points it was looked for, or holds."""
    points = len(entry["cases"])
    if _is_somewhere(entry):
        return f"{entry['outcome']} ({entry['share']})"
    return str(entry["outcome"]) + (f" ({points} points)" if points > 1 else "")


def _is_somewhere(entry: Entry) -> bool:
    return bool(entry["holds"] == SOMEWHERE and entry["share"])
