"""The numbers of an experiment as tables: a row for every point and road."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from fastgc.registry.numbers import spaced
from fastgc.report.columns import distinct
from fastgc.report.document import Block, Cell, Number, Paragraph, Section, Table
from fastgc.report.entries import STEPS, spread
from fastgc.report.pages import words
from fastgc.report.pages.answers import interval
from fastgc.report.pages.words import Data
from fastgc.results.rows import (
    CLOSED_FORM,
    DESCENDING_CHAIN,
    ENUMERATION,
    ENUMERATION_BOUNDS,
    EXACT,
    LOWER_BOUND,
    MONTE_CARLO,
    UNION_SAMPLING,
)

#: Rows of one number, by the road on which it was reached.
Line = dict[str, Data]

#: Heads of the columns that each road has.
_ROADS = {
    EXACT: ["exact"],
    ENUMERATION: ["enumerated"],
    LOWER_BOUND: ["at least"],
    ENUMERATION_BOUNDS: ["enumerated in part", "bounds"],
    UNION_SAMPLING: ["union sampling", "95 % interval", "draws"],
    DESCENDING_CHAIN: ["descending chain", "95 % interval", "draws"],
    MONTE_CARLO: ["sampled", "95 % interval", "trials"],
    CLOSED_FORM: ["closed form"],
}

NO_BREAK = "\N{NO-BREAK SPACE}"

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
    """A line for each number, with all roads to it side by side."""
    shown = spread(rows, STEPS if statistics != ["variance"] else 0)
    keys = list(dict.fromkeys(key for row in shown for key in row["point"]))
    roads = [road for road in _ROADS if any(row["method"] == road for row in shown)]
    lines = sorted(_lines(shown), key=lambda line: _order(line, statistics))
    has_several = len({_what(line, kind) for line in lines}) > 1
    has_remarks = any(map(_remark, lines))
    heads = [*keys, *["number"] * has_several] or ["number"]
    cells = []
    for line in lines:
        first = next(iter(line.values()))
        point = [
            words.setting(first["point"][key]) if key in first["point"] else "" for key in keys
        ]
        names = [_what(line, kind)] * (has_several or not keys)
        values = [cell for road in roads for cell in _cells(line.get(road), road)]
        cells.append([*point, *names, *values, *[_remark(line)] * has_remarks])
    what = rows[0]["quantity"].replace("_", " ") if has_several else _what(lines[0], kind)
    unit = f", in {words.unit(shown[0])}" if words.unit(shown[0]) else ""
    values = [head for road in roads for head in _ROADS[road]]
    columns = [*heads, *values, *["remark"] * has_remarks]
    yield Table(f"{name}: {what}{unit}", columns, cells, len(heads))
    left = len({row["index"] for row in rows} - {row["index"] for row in shown})
    if left:
        yield Paragraph(f"{left} more entries stand in the file: fastgc show --csv.")


def _lines(rows: Sequence[Data]) -> list[Line]:
    """The rows of each number, by road."""
    found: dict[str, Line] = {}
    for row in rows:
        place = json.dumps([row["point"], row["statistic"], row["index"]])
        found.setdefault(place, {})[row["method"]] = row
    return list(found.values())


def _order(line: Line, statistics: Sequence[str]) -> int:
    """Each statistic by itself, as the study asks for them; within it the file's order."""
    return statistics.index(next(iter(line.values()))["statistic"])


def _cells(row: Data | None, road: str) -> list[Cell]:
    columns = len(_ROADS[road])
    if row is None:
        return [""] * columns
    trials = spaced(row["trials"] or 0).replace(" ", NO_BREAK)
    cells = [Number(row["value"], row["standard_error"]), interval(row), trials]
    return cells[:columns]


def _what(line: Line, kind: str) -> str:
    return words.quantity(next(iter(line.values())), kind)


def _remark(line: Line) -> str:
    notes = [row.get("note") for row in line.values()]
    notes += [row["claim"] for road, row in line.items() if road == CLOSED_FORM]
    return ", ".join(dict.fromkeys(note for note in notes if note))
