"""A page on a paper as text for the terminal."""

from __future__ import annotations

import textwrap
from typing import Any

from fastgc.report.columns import columns
from fastgc.report.errata import sentences
from fastgc.report.errata.page import Entry
from fastgc.report.verdicts import NARROWEST


def as_text(page: dict[str, Any], width: int = NARROWEST) -> str:
    """Return the page as text, wrapped to a width of at least 80 columns."""
    wide = max(width, NARROWEST)
    lines = [
        *_wrapped(sentences.title(page), wide),
        *_wrapped(f"{sentences.overview(page)} {sentences.measured_with(page)}", wide),
    ]
    lines += _list("Confirmed", page["confirmed"], wide)
    if page["errata"]:
        lines += ["", "Errata"]
    for number, entry in enumerate(page["errata"], 1):
        lines += ["", *_erratum(number, entry, wide)]
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
        lines += _wrapped(f"{sentences.at_points(entry)}; {entry['claim']}", width, 4, 6)
        lines += _wrapped(sentences.doubt(entry), width, 4, 6)
    return lines


def _erratum(number: int, entry: Entry, width: int) -> list[str]:
    lines = [f"{number}. {sentences.heading(entry)}"]
    for reading in entry["readings"]:
        lines += _wrapped(f"In a kinder reading it holds: {reading['statement']}.", width, 3, 5)
        lines += _wrapped(f"{reading['place']}; {sentences.at_points(reading)}", width, 5, 7)
    lines += _wrapped(f"It says: {entry['statement']}.", width, 3, 5)
    lines += _table(entry, width)
    lines += _wrapped(sentences.doubt(entry), width, 3, 5)
    for right in entry["corrections"]:
        lines += _wrapped(f"Right is: {right['statement']}.", width, 3, 5)
        if right["proof"]:
            lines += _wrapped(f"Because: {right['proof']}", width, 3, 5)
        lines += _table(right, width)
        lines += _wrapped(sentences.doubt(right), width, 3, 5)
    # a command is never broken into lines: it is there to be copied
    return [*lines, f"   Repeat it: {entry['repeat']}"]


def _table(entry: Entry, width: int) -> list[str]:
    """The points in columns, their parameters last: these may go on in the next line."""
    table = sentences.table(entry)
    numbers = columns([row[-len(sentences.NUMBERS) :] for row in table])
    place = max(map(len, numbers)) + 7
    lines = _wrapped(f"{sentences.caption(entry)}.", width, 3, 5)
    for row, said in zip(table, numbers, strict=True):
        parameters = row[: -len(sentences.NUMBERS)]  # none where all points share them
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
