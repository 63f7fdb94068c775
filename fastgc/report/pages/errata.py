"""A page on a paper: what of it is confirmed, and each erratum with what is right instead.

`page` makes plain data of verdicts; `document` and `as_text` put these into words.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from fastgc.report import wording
from fastgc.report.columns import columns, distinct
from fastgc.report.document import (
    Block,
    Code,
    Document,
    Number,
    Paragraph,
    Section,
    Statement,
    Statements,
    Table,
)
from fastgc.report.verdicts import NARROWEST, verdict_row
from fastgc.results.verdicts import CONFIRMED, LOOSE, REFUTED, UNDECIDED, Verdict
from fastgc.statistics.numbers import number
from fastgc.theory.papers.claim import NOT_REPRODUCIBLE, RESULTS, SOMEWHERE

Entry = dict[str, Any]

#: A page shows so many points of a statement, its paper's own first; JSON has all of them.
MOST_POINTS = 6


def page(
    paper: str,
    found: Sequence[Verdict],
    *,
    version: str,
    seed: int | None = None,
    options: str = "",
) -> dict[str, Any]:
    """Return the page on a paper as plain data.

    Parameters
    ----------
    paper : str
        Its name in ids of claims.
    found : sequence of Verdict
        Verdicts on its claims.
    version : str
        Of the fastgc that measured.
    seed : int, optional
        With which it measured.
    options : str
        What else has to stand in a command that repeats a measurement.

    Returns
    -------
    dict
        ``confirmed``: what the paper says and measurement confirms; ``errata``: what it says and
        measurement refutes, each with its kinder ``readings`` that hold and its ``corrections``;
        ``not_reproducible``: printed numbers that cannot be recomputed, with what is missing;
        ``added``: what fastgc says beside the paper and belongs to no erratum; ``undecided``: of
        both, what is open; ``counts``: how many there are of each among theorems, numbers, figures
        and algorithms, and ``beside`` these among definitions, arithmetic and what is derived.
        Each entry is as `verdict_rows` has it, with ``place`` and ``outcome`` in words, ``what``
        each case measures, ``numbers`` of the case that decided, and ``repeat``: the command that
        measures it again.
    """
    entries = {each.claim: _entry(each, seed, options) for each in found}
    said = [each for each in found if is_of_the_paper(each.claim)]
    errata = [each for each in said if each.verdict == REFUTED]
    attached: set[str] = set()
    written = []
    for erratum in errata:
        readings = [each.claim for each in found if each.reads == erratum.claim]
        corrections = [each.claim for each in found if each.corrects == erratum.claim]
        attached.update(readings, corrections)
        own = list(dict.fromkeys([erratum.claim, *readings, *corrections]))
        written.append(
            entries[erratum.claim]
            | {
                "readings": [entries[claim] for claim in readings],
                "corrections": [entries[claim] for claim in corrections],
                "repeat": _command(own, seed, options),
            }
        )
    beside = [e for e in found if not is_of_the_paper(e.claim) and e.claim not in attached]
    return {
        "paper": paper,
        "citation": wording.source(f"{paper}."),
        "fastgc": version,
        "seed": seed,
        "counts": _counts([each for each in said if each.category in RESULTS])
        | {"beside": _counts([each for each in said if each.category not in RESULTS])},
        "confirmed": [entries[each.claim] for each in said if each.verdict in (CONFIRMED, LOOSE)],
        "errata": written,
        "not_reproducible": [
            entries[each.claim] for each in found if each.verdict == NOT_REPRODUCIBLE
        ],
        "undecided": [
            entries[each.claim] for each in [*said, *beside] if each.verdict == UNDECIDED
        ],
        "added": [
            entries[each.claim]
            for each in beside
            if each.verdict not in (UNDECIDED, NOT_REPRODUCIBLE)
        ],
    }


def _counts(said: Sequence[Verdict]) -> dict[str, Any]:
    return {
        "said": len(said),
        "confirmed": sum(each.verdict in (CONFIRMED, LOOSE) for each in said),
        "errata": sum(each.verdict == REFUTED for each in said),
        "not_reproducible": sum(each.verdict == NOT_REPRODUCIBLE for each in said),
        "undecided": sum(each.verdict == UNDECIDED for each in said),
    }


def is_of_the_paper(claim: str) -> bool:
    """Return whether the paper says it; corrections and derived statements are fastgc's.

    >>> is_of_the_paper("agc.lemma1.printed"), is_of_the_paper("agc.theorem1.corrected")
    (True, False)
    """
    return not claim.endswith((".corrected", ".derived"))


def _entry(found: Verdict, seed: int | None, options: str) -> Entry:
    row = verdict_row(found)
    for case, finding in zip(row["cases"], found.findings, strict=True):
        case["what"] = wording.quantity(finding.case)
    return row | {
        "place": wording.place(found),
        "numbers": _deciding_numbers(found),
        "outcome": wording.outcome(found),
        "share": wording.share_of_points(found),
        "as_expected": found.as_expected,
        "repeat": _command([found.claim], seed, options),
    }


def _deciding_numbers(found: Verdict) -> str:
    """What was said and measured in the case that decided, and where."""
    shown = wording.deciding(found)
    said = f"{wording.quantity(shown.case)} {wording.sign(found.relation)} {wording.theory(shown)}"
    where = wording.point(found.point)
    return f"{said}, {wording.found(shown)}" + (f" at {where}" if where else "")


def _command(claims: Sequence[str], seed: int | None, options: str) -> str:
    words = ["fastgc validate", *claims]
    if seed is not None:
        words.append(f"--seed {seed}")
    return " ".join([*words, *([options] if options else [])])


def shown_cases(entry: Entry) -> list[dict[str, Any]]:
    """Return the points to print: the first ones, and the one that decided where it is later."""
    cases = _different(entry["cases"])
    first = cases[:MOST_POINTS]
    decided = [
        case
        for case in cases[MOST_POINTS:]
        if (case["point"], case["value"]) == (entry["point"], entry["value"])
    ]
    return [*first[: MOST_POINTS - 1], decided[0]] if decided else first


def _different(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each case once, although it is measured by enumeration and on what fastgc builds."""
    shown = ("what", "point", "theory", "value", "verdict")
    found: dict[str, dict[str, Any]] = {}
    for case in cases:
        found.setdefault(repr([case[key] for key in shown]), case)
    return list(found.values())


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


def _cells(entry: Entry) -> list[list[str]]:
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


def _caption(entry: Entry) -> str:
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


def document(page: dict[str, Any]) -> Document:
    """Return the page as a document; what is undecided stands last."""
    lead = f"{overview(page)} {measured_with(page)}"
    return Document(title(page), [lead], [*judged(page), *undecided(page)])


def judged(page: dict[str, Any], prefix: str = "") -> list[Section]:
    """Return the sections on what is decided: confirmed, errata, and what fastgc adds.

    The sections' names begin with ``prefix``.
    """
    caption = "What the paper says and measurement confirms"
    found = _listed(f"{prefix}confirmed", "Confirmed", caption, page["confirmed"])
    if page["errata"]:
        errata = [_erratum(entry) for entry in page["errata"]]
        found.append(Section(f"{prefix}errata", "Errata", errata))
    caption = "Numbers that cannot be recomputed, with what is missing"
    entries = page["not_reproducible"]
    found += _listed(f"{prefix}not-reproducible", "Not reproducible", caption, entries)
    caption = "What fastgc says beside the paper"
    return [*found, *_listed(f"{prefix}added", "Added by fastgc", caption, page["added"])]


def undecided(page: dict[str, Any], prefix: str = "") -> list[Section]:
    """Return the section on what is not decided, if there is anything."""
    caption = "What more measurement would decide"
    return _listed(f"{prefix}undecided", "Undecided", caption, page["undecided"])


def _listed(name: str, title: str, caption: str, entries: Sequence[Entry]) -> list[Section]:
    if not entries:
        return []
    said = [
        Statement(
            claim=entry["claim"],
            place=entry["place"],
            text=entry["statement"],
            verdict=at_points(entry),
            numbers=entry["numbers"],
            doubt=doubt(entry),
            name=entry["claim"],
        )
        for entry in entries
    ]
    return [Section(name, title, [Statements(caption, said)])]


def _erratum(entry: Entry) -> Section:
    blocks: list[Block] = []
    for reading in entry["readings"]:
        where = f"({reading['place']}; {at_points(reading)})"
        said = f"{reading['statement']}. {where}"
        blocks.append(Paragraph(said, "In a kinder reading it holds"))
    blocks.append(Paragraph(f"{entry['statement']}.", "It says"))
    blocks += _points(entry)
    for right in entry["corrections"]:
        blocks.append(Paragraph(f"{right['statement']}.", "Right is"))
        if right["proof"]:
            blocks.append(Paragraph(right["proof"], "Because"))
        blocks += _points(right)
    blocks += [Paragraph("Repeat it:"), Code(entry["repeat"])]
    return Section(entry["claim"], heading(entry), blocks)


def _points(entry: Entry) -> list[Block]:
    heads, *rows = _cells(entry)
    own = len(heads) - len(NUMBERS)  # columns of parameters
    cells = [
        (*row[:own], _said(entry, case), _measured(case), case["verdict"])
        for row, case in zip(rows, shown_cases(entry), strict=True)
    ]
    warning = [Paragraph(doubt(entry), "Beware")] if doubt(entry) else []
    return [Table(_caption(entry), heads, cells, own), *warning]


def _said(entry: Entry, case: dict[str, Any]) -> Number | str:
    if case["theory"] is None:
        return f"{wording.sign(entry['relation'])} infinite"
    return Number(case["theory"], before=wording.sign(entry["relation"]))


def _measured(case: dict[str, Any]) -> Number:
    return Number(case["value"], case["standard_error"])


def as_text(page: dict[str, Any], width: int = NARROWEST) -> str:
    """Return the page as text, wrapped to a width of at least 80 columns."""
    wide = max(width, NARROWEST)
    lines = [
        *_wrapped(title(page), wide),
        *_wrapped(f"{overview(page)} {measured_with(page)}", wide),
    ]
    lines += _list("Confirmed", page["confirmed"], wide)
    if page["errata"]:
        lines += ["", "Errata"]
    for place, entry in enumerate(page["errata"], 1):
        lines += ["", *_erratum_lines(place, entry, wide)]
    lines += _list("Not reproducible", page["not_reproducible"], wide)
    lines += _list("Added by fastgc", page["added"], wide)
    lines += _list("Undecided", page["undecided"], wide)
    return "\n".join(lines)


def _list(head: str, entries: list[Entry], width: int) -> list[str]:
    if not entries:
        return []
    lines = ["", head, ""]
    for entry in entries:
        lines += _wrapped(f"{entry['place']}: {entry['statement']}.", width, 2, 4)
        lines += _wrapped(f"{at_points(entry)}; {entry['claim']}", width, 4, 6)
        lines += _wrapped(doubt(entry), width, 4, 6)
    return lines


def _erratum_lines(place: int, entry: Entry, width: int) -> list[str]:
    lines = [f"{place}. {heading(entry)}"]
    for reading in entry["readings"]:
        lines += _wrapped(f"In a kinder reading it holds: {reading['statement']}.", width, 3, 5)
        lines += _wrapped(f"{reading['place']}; {at_points(reading)}", width, 5, 7)
    lines += _wrapped(f"It says: {entry['statement']}.", width, 3, 5)
    lines += _table_lines(entry, width)
    lines += _wrapped(doubt(entry), width, 3, 5)
    for right in entry["corrections"]:
        lines += _wrapped(f"Right is: {right['statement']}.", width, 3, 5)
        if right["proof"]:
            lines += _wrapped(f"Because: {right['proof']}", width, 3, 5)
        lines += _table_lines(right, width)
        lines += _wrapped(doubt(right), width, 3, 5)
    # a command is never broken into lines: it is there to be copied
    return [*lines, f"   Repeat it: {entry['repeat']}"]


def _table_lines(entry: Entry, width: int) -> list[str]:
    """The points in columns, their parameters last: these may go on in the next line."""
    table = _cells(entry)
    numbers = columns([row[-len(NUMBERS) :] for row in table])
    place = max(map(len, numbers)) + 7
    lines = _wrapped(f"{_caption(entry)}.", width, 3, 5)
    for row, said in zip(table, numbers, strict=True):
        parameters = row[: -len(NUMBERS)]  # none where all points share them
        first, *more = _wrapped("".join(parameters), width - place) or [""]
        lines.append(f"{' ' * 5}{said:{place - 5}}{first}".rstrip())
        lines += [" " * place + line for line in more]
    return lines


def _wrapped(text: str, width: int, first: int = 0, later: int = 0) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=" " * first,
        subsequent_indent=" " * later,
        break_long_words=False,
        break_on_hyphens=False,
    )
