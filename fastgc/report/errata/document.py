"""A page on a paper as a document, which is printed as HTML, Markdown or LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastgc.report import wording
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
from fastgc.report.errata import sentences
from fastgc.report.errata.page import Entry, shown_cases


def document(page: dict[str, Any]) -> Document:
    """Return the page as a document; what is undecided stands last."""
    lead = f"{sentences.overview(page)} {sentences.measured_with(page)}"
    return Document(sentences.title(page), [lead], [*judged(page), *undecided(page)])


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
            verdict=sentences.at_points(entry),
            numbers=entry["numbers"],
            doubt=sentences.doubt(entry),
            name=entry["claim"],
        )
        for entry in entries
    ]
    return [Section(name, title, [Statements(caption, said)])]


def _erratum(entry: Entry) -> Section:
    blocks: list[Block] = []
    for reading in entry["readings"]:
        where = f"({reading['place']}; {sentences.at_points(reading)})"
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
    return Section(entry["claim"], sentences.heading(entry), blocks)


def _points(entry: Entry) -> list[Block]:
    heads, *rows = sentences.table(entry)
    own = len(heads) - len(sentences.NUMBERS)  # columns of parameters
    cells = [
        (*row[:own], _said(entry, case), _measured(case), case["verdict"])
        for row, case in zip(rows, shown_cases(entry), strict=True)
    ]
    doubt = sentences.doubt(entry)
    warning = [Paragraph(doubt, "Beware")] if doubt else []
    return [Table(sentences.caption(entry), heads, cells, own), *warning]


def _said(entry: Entry, case: dict[str, Any]) -> Number | str:
    if case["theory"] is None:
        return f"{wording.sign(entry['relation'])} infinite"
    return Number(case["theory"], before=wording.sign(entry["relation"]))


def _measured(case: dict[str, Any]) -> Number:
    return Number(case["value"], case["standard_error"])
