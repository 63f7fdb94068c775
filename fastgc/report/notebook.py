"""What notebooks show of results, verdicts, rankings and datasheets: their tables."""

import functools
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Any

from fastgc.decoding.inspection import Datasheet
from fastgc.report import advised, datasheets, ranking, tables
from fastgc.report.document import Paragraph, Table
from fastgc.report.html import table
from fastgc.report.measurement import times
from fastgc.report.searched import rivals
from fastgc.report.verdicts import case_table
from fastgc.results.advised import Advice
from fastgc.results.measurements import Measurement
from fastgc.results.ranking import Ranking
from fastgc.results.rows import Measurements, PointResult, Result
from fastgc.results.verdicts import Verdict, Verdicts
from fastgc.searching.found import Found

MOST_LINES = 100  # of a table in a notebook


def html(thing: Any) -> str:
    """Return the tables of an object as a fragment of HTML."""
    return "\n".join(map(_shown, _parts(thing)))


def _shown(part: Table | Paragraph) -> str:
    """A sentence, or a table of so many lines that a notebook can be scrolled."""
    if isinstance(part, Paragraph):
        return f"<p>{escape(part.text)}</p>"
    caption = part.caption
    if len(part.rows) > MOST_LINES:
        caption += f" (the first {MOST_LINES} of {len(part.rows)} lines; rows() has all)"
    return table(part.columns, part.rows[:MOST_LINES], caption, heads=part.heads)


@functools.singledispatch
def _parts(thing: Any) -> Sequence[Table | Paragraph]:
    raise NotImplementedError(f"{type(thing).__name__} has no table")


@_parts.register
def _of_result(found: Result) -> Sequence[Table | Paragraph]:
    if found.verdicts:
        return [case_table(found.verdicts)]
    said = Paragraph(f"{found.title or 'Result'} ({tables.end_of(found)})")
    return [said, *tables.as_blocks(found.rows(), "rows() has")]


@_parts.register(PointResult)
@_parts.register(Measurements)
def _of_point(found: PointResult | Measurements) -> Sequence[Table]:
    return [replace(tables.row_table(found.rows()), caption=found.place)]


@_parts.register
def _of_search(found: Found) -> Sequence[Table]:
    return [replace(rivals(found.certificate), caption=f"{found.certificate['statement']}.")]


@_parts.register(Verdict)
@_parts.register(Verdicts)
def _of_verdicts(found: Verdict | Verdicts) -> Sequence[Table]:
    return [case_table([found] if isinstance(found, Verdict) else found)]


@_parts.register
def _of_ranking(found: Ranking) -> Sequence[Table]:
    return ranking.tables(found)


@_parts.register
def _of_advice(found: Advice) -> Sequence[Table | Paragraph]:
    return [Paragraph(found.verdict), *advised.tables(found.as_dict())]


@_parts.register
def _of_measurement(found: Measurement) -> Sequence[Table]:
    return [times(found)]


@_parts.register
def _of_datasheet(sheet: Datasheet) -> Sequence[Table]:
    heads, *rows = datasheets.by_stragglers(sheet.as_dict())
    return [Table(sheet.name, heads, rows)]
