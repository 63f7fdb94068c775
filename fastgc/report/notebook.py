"""What notebooks show of results, verdicts, rankings and codes: a table each."""

import functools
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Any

from fastgc.codes.code import Code
from fastgc.decoding.inspection import Datasheet
from fastgc.report import advised, datasheets, ranking, tables, wording
from fastgc.report.document import Cell, Table
from fastgc.report.html import table
from fastgc.report.measurement import remarks, times
from fastgc.report.searched import how, rivals
from fastgc.report.verdicts import summary
from fastgc.results.advised import Advice
from fastgc.results.measurements import Measurement
from fastgc.results.ranking import Ranking
from fastgc.results.rows import Measurements, PointResult, Result
from fastgc.results.verdicts import Verdict, Verdicts
from fastgc.searching.found import Found

MOST_LINES = 100  # of a table in a notebook
LARGEST_MATRIX = 24  # workers and partitions of a code whose matrix is shown


@functools.singledispatch
def html(thing: Any) -> str:
    """Return an object as a fragment of HTML.

    >>> import fastgc
    >>> "P(exact)" not in html(fastgc.codes.frc(n=4, d=2))
    True
    """
    return f"<pre>{escape(repr(thing))}</pre>"


@html.register
def _result(found: Result) -> str:
    if found.verdicts:
        return _verdicts(Verdicts(found.verdicts))
    caption = f"{found.title or 'Result'} ({tables.end_of(found)})"
    parts = [f"<p>{escape(caption)}</p>"]
    for block in tables.as_blocks(found.rows(), "rows() has"):
        if isinstance(block, Table):
            parts.append(_shown(block))
        else:
            parts.append(f"<p>{escape(block.text)}</p>")
    return "\n".join(parts)


@html.register(PointResult)
@html.register(Measurements)
def _point(found: PointResult | Measurements) -> str:
    return _shown(replace(tables.row_table(found.rows()), caption=found.place))


@html.register
def _search(found: Found) -> str:
    made = found.certificate
    return _shown(replace(rivals(made), caption=f"{made['statement']}. {how(made)}"))


@html.register
def _verdicts(found: Verdicts) -> str:
    heads = ["claim", "verdict", "", "theory", "measured", "statement"]
    rows = [
        [
            each.claim,
            wording.outcome(each),
            f"{wording.quantity(wording.deciding(each).case)} {each.relation}",
            wording.theory(wording.deciding(each)),
            wording.measured(wording.deciding(each)),
            each.statement,
        ]
        for each in found
    ]
    return _cut(heads, rows, summary(found).replace("\n", " ") if found else "no verdicts")


@html.register
def _verdict(found: Verdict) -> str:
    return _verdicts(Verdicts([found]))


@html.register
def _ranking(found: Ranking) -> str:
    said = (f"<p>{escape(each)}</p>" for each in (found.statement, *ranking.remarks(found)))
    return "\n".join([*map(_shown, ranking.tables(found)), *said])


@html.register
def _advice(found: Advice) -> str:
    data = found.as_dict()
    said = (f"<p><b>{head}</b>: {escape(text)}</p>" for head, text in advised.said(data))
    below = (f"<p>{escape(each)}</p>" for each in advised.notes(data))
    return "\n".join([*said, *map(_shown, advised.tables(data)), *below])


@html.register
def _measurement(found: Measurement) -> str:
    said = (
        f"<p><b>{each['comparison']} {each['verdict']}</b>: {escape(each['sentence'])}</p>"
        for each in found.verdicts
    )
    below = (f"<p>{escape(each)}</p>" for each in remarks(found))
    return "\n".join([*said, _shown(times(found)), *below])


@html.register
def _code(code: Code) -> str:
    loads = sorted(set(code.loads.tolist()))
    held = str(loads[0]) if len(loads) == 1 else f"{loads[0]} to {loads[-1]}"
    tolerance = "not known" if code.tolerance is None else str(code.tolerance)
    caption = (
        f"{code.name}: {code.n} workers, {code.k} partitions, {held} a worker; stragglers that it "
        f"is sure to survive: {tolerance}"
    )
    if max(code.n, code.k) > LARGEST_MATRIX:
        return f"<p>{escape(caption)}</p>"
    heads = ["partition", *(f"worker {worker}" for worker in range(code.n))]
    rows = [
        [str(place), *("" if weight == 0 else f"{weight:.4g}" for weight in row)]
        for place, row in enumerate(code.B.tolist())
    ]
    return table(heads, rows, caption)


@html.register
def _datasheet(sheet: Datasheet) -> str:
    data = sheet.as_dict()
    said = "; ".join(" ".join(pair) for pair in datasheets.properties(data))
    heads, *rows = datasheets.by_stragglers(data)
    return _cut(heads, rows, f"{sheet.name}: {said}")


def _shown(made: Table) -> str:
    """A table of so many lines that a notebook can be scrolled."""
    caption = made.caption
    if len(made.rows) > MOST_LINES:
        caption += f" (the first {MOST_LINES} of {len(made.rows)} lines; rows() has all)"
    return table(made.columns, made.rows[:MOST_LINES], caption, heads=made.heads)


def _cut(heads: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str) -> str:
    return _shown(Table(caption, heads, rows))
