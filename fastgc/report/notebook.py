"""What notebooks show of results, verdicts, rankings and datasheets: their tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any

from fastgc.decoding.inspection import Datasheet
from fastgc.report import codes, ranking, tables
from fastgc.report.document import Paragraph, Table
from fastgc.report.html import table
from fastgc.report.measurement import times
from fastgc.report.verdicts import case_table
from fastgc.results.measurements import Measurement
from fastgc.results.ranking import Ranking
from fastgc.results.rows import Measurements, PointResult, Result
from fastgc.results.verdicts import Verdict, Verdicts
from fastgc.searching.found import Found

MOST_LINES = 100  # of a table in a notebook


def html(thing: Any) -> str:
    """Return the tables of an object as a fragment of HTML."""
    [parts] = [parts for kind, parts in _PARTS.items() if isinstance(thing, kind)]
    return "\n".join(map(_shown, parts(thing)))


def _shown(part: Table | Paragraph) -> str:
    """A sentence, or a table of so many lines that a notebook can be scrolled."""
    if isinstance(part, Paragraph):
        return f"<p>{escape(part.text)}</p>"
    caption = part.caption
    if len(part.rows) > MOST_LINES:
        caption += f" (the first {MOST_LINES} of {len(part.rows)} lines; rows() has all)"
    return table(part.columns, part.rows[:MOST_LINES], caption, heads=part.heads)


def _of_result(found: Result) -> Sequence[Table | Paragraph]:
    if found.verdicts:
        return [case_table(found.verdicts)]
    said = Paragraph(f"{found.title or 'Result'} ({tables.end_of(found)})")
    return [said, *tables.as_blocks(found.rows(), "rows() has")]


def _of_point(found: PointResult | Measurements) -> Sequence[Table]:
    return [replace(tables.row_table(found.rows()), caption=found.place)]


_PARTS: Mapping[type, Callable[[Any], Sequence[Table | Paragraph]]] = {
    Result: _of_result,
    PointResult: _of_point,
    Measurements: _of_point,
    Verdict: lambda verdict: [case_table([verdict])],
    Verdicts: lambda verdicts: [case_table(verdicts)],
    Ranking: lambda found: [Paragraph(found.verdict), *ranking.tables(found)],
    Measurement: lambda found: [times(found)],
    Found: lambda found: [codes.rivals(found.certificate)],
    Datasheet: lambda sheet: [codes.by_stragglers(sheet.as_dict())],
}
