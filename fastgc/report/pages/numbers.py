"""The numbers of an experiment as tables: a row for every point and road."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fastgc.registry.counts import spaced
from fastgc.report.columns import distinct
from fastgc.report.document import Block, Cell, Number, Paragraph, Section, Table
from fastgc.report.pages import words
from fastgc.report.pages.answers import interval
from fastgc.report.pages.words import Data
from fastgc.report.tables import STEPS, spread

#: Beside a mean the ends of a sample say little; where there is none, they are what was asked.
_ENDS = ("minimum", "maximum")


def sections(rows: Sequence[Data], kinds: dict[str, str], prefix: str = "") -> list[Section]:
    """Return a section for each experiment, with a table for each of its measures."""
    found = []
    for number, name in enumerate(dict.fromkeys(row["experiment"] for row in rows)):
        mine = [row for row in rows if row["experiment"] == name]
        blocks: list[Block] = []
        for what in dict.fromkeys(row["quantity"] for row in mine):
            own = [row for row in mine if row["quantity"] == what]
            blocks += _tables(own, name, kinds.get(name, ""))
        found.append(Section(f"{prefix}numbers-{number}", name, blocks))
    return found


def _tables(rows: Sequence[Data], name: str, kind: str) -> Iterator[Block]:
    """The numbers of one measure: where it lies first, then how far it spreads."""
    statistics = distinct(row["statistic"] for row in rows)
    if set(statistics) - set(_ENDS):
        statistics = [each for each in statistics if each not in _ENDS]
    places = [each for each in statistics if each != "variance"]
    for some in (places, ["variance"] if "variance" in statistics else []):
        own = [row for row in rows if row["statistic"] in some]
        if own:
            yield from _table(own, some, name, kind)


def _table(
    rows: Sequence[Data], statistics: Sequence[str], name: str, kind: str
) -> Iterator[Block]:
    shown = spread(rows, STEPS if statistics != ["variance"] else 0)
    keys = list(dict.fromkeys(key for row in shown for key in row["point"]))
    has_several = len({_what(row, kind) for row in shown}) > 1
    remarks = [_remark(row) for row in shown]
    has_remarks, has_trials = any(remarks), any(row["trials"] for row in shown)
    has_intervals = any(interval(row) for row in shown)
    heads = [*keys, *["number"] * has_several, "road"]
    columns = [*heads, "value", *["95 % interval"] * has_intervals, *["trials"] * has_trials]
    cells: list[list[Cell]] = []
    for row, remark in zip(shown, remarks, strict=True):
        point = [words.setting(row["point"][key]) if key in row["point"] else "" for key in keys]
        line: list[Cell] = [*point, *[_what(row, kind)] * has_several, row["method"]]
        line.append(Number(row["value"], row["standard_error"]))
        line += [interval(row)] * has_intervals
        line += [spaced(row["trials"]) if row["trials"] else ""] * has_trials
        cells.append([*line, *[remark] * has_remarks])
    what = _what(shown[0], kind)
    if has_several:
        what = shown[0]["quantity"].replace("_", " ")
    unit = f", in {words.unit(shown[0])}" if words.unit(shown[0]) else ""
    yield Table(f"{name}: {what}{unit}", columns + ["remark"] * has_remarks, cells, len(heads))
    left = len({row["index"] for row in rows} - {row["index"] for row in shown})
    if left:
        yield Paragraph(
            f"{left} more entries stand in the file; fastgc show --csv prints them all."
        )


def _what(row: Data, kind: str) -> str:
    return words.quantity(row, kind)


def _remark(row: dict[str, Any]) -> str:
    return str(row.get("note") or (row["claim"] if row["method"] == "closed-form" else "") or "")
