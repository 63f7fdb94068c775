"""The tables of results: of each point, or of many beside each other; and those of any object."""

import json
import shutil
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

from fastgc.decoding.inspection import Datasheet
from fastgc.registry.numbers import counted
from fastgc.report import codes, ranking, wording
from fastgc.report.document import Cell, Paragraph, Table
from fastgc.report.measurement import times
from fastgc.report.sweeps import groups, interval, legend, sweep, value
from fastgc.report.text import table as as_text
from fastgc.report.text import wrapped
from fastgc.report.verdicts import case_table
from fastgc.results.frames import Rows
from fastgc.results.measurements import Measurement
from fastgc.results.ranking import Ranking
from fastgc.results.rows import Measurements, PointResult, Result
from fastgc.results.verdicts import Verdict, Verdicts
from fastgc.searching.found import Found

#: A measure with more entries than this is shown by a few of them, from the first to the last, its
#: variance by the last alone; ``--json`` and ``--csv`` have everything.
LONGEST_VECTOR = 24
_STEPS = 10
MOST_LINES = 100  # that Python prints of a result
#: A minimum below it, a squared residual that should be 0, is rounding.
ROUNDING = 1e-24

Blocks = Sequence[Table | Paragraph]


def of_points(rows: Rows) -> tuple[list[Table], int]:
    """Return a table for each point, with a line for each method to a number.

    Rows that say no more than others are left out; their number is returned as well.
    """
    points: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        points.setdefault((row["experiment"], json.dumps(row["point"])), []).append(row)
    made, left_out = [], 0
    for own in points.values():
        constant = {
            (row["quantity"], row["index"])
            for row in own
            if (row["statistic"], row["method"], row["value"]) == ("variance", "exact", 0)
        }
        telling = [row for row in own if not _tells_nothing(row, constant)]
        left_out += len(own) - len(telling)
        made.append(_of_point(telling, own[0]))
    return made, left_out


def _tells_nothing(row: dict[str, Any], constant: Container[tuple[str, int | str | None]]) -> bool:
    """Whether a row says no more than others: a minimum of 0, the spread of what is constant."""
    if row["statistic"] == "minimum" and row["value"] is not None and 0 <= row["value"] < ROUNDING:
        return True
    number = row["quantity"], row["index"]
    return row["statistic"] not in ("mean", "ratio") and number in constant


def _of_point(rows: Rows, first: dict[str, Any]) -> Table:
    sampled = {row["trials"] for row in rows if row["trials"]}
    trials = sampled.pop() if len(sampled) == 1 else None
    statistics: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        statistics.setdefault((row["quantity"], row["statistic"]), []).append(row)
    lines: list[list[Cell]] = []
    for (_, statistic), own in statistics.items():
        own.sort(key=lambda row: -1 if row["index"] is None else row["index"])
        shown = _spread(own, _STEPS if statistic != "variance" else 0)
        lines += [_line(row, trials) for row in shown]
        if len(shown) < len(own):
            left = len({row["index"] for row in own}) - len({row["index"] for row in shown})
            lines.append([f"… {left} more entries; --csv prints all", "", "", "", ""])
    caption = first["experiment"] + (f", {counted(trials, 'trials')}" if trials else "")
    caption += f": {wording.point(first['point'])}" if first["point"] else ""
    heads = ["number", "method", "value", "95 % interval", "remark"]
    kept = [place for place in range(5) if place < 3 or any(line[place] for line in lines)]
    cells = [[line[place] for place in kept] for line in lines]
    return Table(caption, [heads[place] for place in kept], cells, 2)


def _line(row: dict[str, Any], trials: int | None) -> list[Cell]:
    place = "" if row["index"] is None else f"[{row['index']}]"
    remark = row.get("note") or ""
    if row["trials"] and row["trials"] != trials:
        remark = counted(row["trials"], "trials") + (remark and f", {remark}")
    elif row["method"] == "closed-form" and row["claim"]:
        remark = str(row["claim"])
    name = f"{row['quantity']}{place} {row['statistic']}"
    return [name, row["method"], value(row), interval(row), remark]


def _spread(rows: Rows, steps: int) -> Rows:
    """Return all rows, or those of a few indices where a measure has very many."""
    places = sorted({row["index"] for row in rows if isinstance(row["index"], int)})
    if len(places) <= LONGEST_VECTOR:
        return rows
    last = len(places) - 1
    kept = {places[last]} | {places[round(step * last / steps)] for step in range(steps)}
    return [row for row in rows if row["index"] in kept]


def of_rows(
    rows: Rows, everything: str = "--rows prints", *, every: bool = False
) -> list[Table | Paragraph]:
    """Return the tables of rows, and what has to be said of them.

    A table has a line for each point; with ``every``, and for a single point, there is one of each
    point, with all methods and intervals. ``everything`` is what the last line says to have all.
    """
    if every or len({(row["experiment"], json.dumps(row["point"])) for row in rows}) == 1:
        made, left_out = of_points(rows)
        return [*made, *_left_out(left_out)]
    parts = groups(rows)
    return [*map(sweep, parts), *([legend(len(rows), everything)] if parts else [])]


def _left_out(rows: int) -> list[Paragraph]:
    said = "left out (minima of 0, the spread of constants); --csv prints all."
    return [Paragraph(f"{counted(rows, 'rows')} {said}")] if rows else []


def results(
    rows: Rows,
    title: str = "",
    width: int | None = None,
    *,
    every: bool = False,
    everything: str = "--rows prints",
) -> str:
    """Return the tables of `of_rows` as text; without a ``width`` lines are as long as they are."""
    parts = [as_lines(each, width) for each in of_rows(rows, everything, every=every)]
    return "\n\n".join([*([title] if title else []), *(parts or ["no results yet"])])


def as_lines(block: Table | Paragraph, width: int | None) -> str:
    """Return a table below its caption, or a sentence, as text of a width."""
    if isinstance(block, Paragraph):
        return "\n".join([block.text] if width is None else wrapped(block.text, width))
    caption = wrapped(block.caption, width) if width else [block.caption]
    return "\n".join([*caption, *as_text(block, width)])


def of_result(found: Result) -> str:
    """Return what Python prints of a result: its tables, cut where they are long, and its end."""
    width = shutil.get_terminal_size().columns
    lines = results(found.rows(), found.title, width, everything="rows() has").splitlines()
    if len(lines) > MOST_LINES:
        left = counted(len(lines) - MOST_LINES, "lines")
        lines[MOST_LINES:] = [f"… {left} more; rows() has all rows"]
    return "\n".join([*lines, _end_of(found)])


def _end_of(found: Result) -> str:
    where = "" if found.path is None else f", in {found.path}"
    return f"stopped {'' if found.complete else 'early '}by {found.stopped_by}{where}"


def html(thing: Any) -> str:
    """Return what a notebook shows of an object: its tables."""
    [parts] = [parts for kind, parts in _OF.items() if isinstance(thing, kind)]
    return "\n".join(part._repr_html_() for part in parts(thing))


def _of_result(found: Result) -> Blocks:
    if found.verdicts:
        return [case_table(found.verdicts)]
    said = Paragraph(f"{found.title or 'Result'} ({_end_of(found)})")
    return [said, *of_rows(found.rows(), "rows() has")]


#: What has tables, with those that it has.
_OF: Mapping[type, Callable[[Any], Blocks]] = {
    Result: _of_result,
    PointResult: lambda found: of_points(found.rows())[0],
    Measurements: lambda found: of_points(found.rows())[0],
    Verdict: lambda verdict: [case_table([verdict])],
    Verdicts: lambda verdicts: [case_table(verdicts)],
    Ranking: lambda found: [Paragraph(found.verdict), *ranking.tables(found)],
    Measurement: lambda found: [times(found)],
    Found: lambda found: [codes.rivals(found.certificate)],
    Datasheet: lambda sheet: [codes.by_stragglers(sheet.as_dict())],
}
