"""The tables of results, and of any object; one number of all points.

Of each point there is a table with all methods, or of many points one with a line for each and a
column for each quantity. There a cell has the sharpest value known: an exact one if there is one.
"""

import json
import math
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fastgc.decoding.inspection import Datasheet
from fastgc.errors import FastgcError
from fastgc.registry.complaints import nearest, show
from fastgc.registry.number_types import counted, spaced
from fastgc.report import datasheets, ranking, wording
from fastgc.report.document import Cell, Number, Paragraph, Table
from fastgc.report.text import as_lines, distinct
from fastgc.report.verdicts import case_table
from fastgc.results.frames import ROUNDED, Rows, grouped, is_zero_minimum
from fastgc.results.measurements import Measurement
from fastgc.results.remedies import Ranking
from fastgc.results.rows import ENUMERATION_BOUNDS, LOWER_BOUND, PREFERENCE, Measurements, Result
from fastgc.results.verdict_data import Verdict, Verdicts
from fastgc.searching.search_result import SearchResult

EXPERIMENT = "experiment"
#: A measure with more indices has one column, of its last index.
_FEW = 4
#: Statistics that have columns only where a measure has no others.
_BESIDE = {"variance", "minimum", "maximum"}
#: Measures whose mean is a probability.
_PROBABILITIES = ("exact", "decodable", "survivors", "reached", "diverged")
_LIKELY = 0.999  # a larger probability is shown as 1 less that of its failure
_LARGEST = 1e9  # integer that a number shows with all digits
#: Remarks on methods, not on values.
_ROUTINE = re.compile(r"^exact method not taken|× less variance$")
_LONGEST_REASON = 20  # of why there is no value, in the value's cell
#: A measure with more entries than this is shown by a few of them, from the first to the last, its
#: variance by the last alone; ``--json`` and ``--csv`` have everything.
LONGEST_VECTOR = 24
_STEPS = 10
MOST_LINES = 100  # that Python prints of a result

Row = dict[str, Any]
Blocks = Sequence[Table | Paragraph]


def table(
    rows: Rows,
    heads: Sequence[str],
    line: Callable[[Row], tuple[Cell, ...]],
    column: Callable[[Row], str],
    names: Sequence[str] = (),
) -> Table:
    """Return the sharpest value of each number as a table.

    ``line`` gives the cells that name a row's line, below ``heads``, and ``column`` the head of its
    column; ``names`` are all columns in order, by default that of the rows.
    """
    shown = best(rows)
    names = names or list(dict.fromkeys(map(column, shown)))
    lines: dict[tuple[str, ...], tuple[tuple[Cell, ...], dict[str, Cell]]] = {}
    for row in shown:
        own = line(row)
        lines.setdefault(tuple(map(str, own)), (own, {}))[1][column(row)] = cell(row)
    cells = [[*own, *(found.get(name, "") for name in names)] for own, found in lines.values()]
    return Table("", [*heads, *names], cells, len(heads))


def best(rows: Iterable[Row]) -> list[Row]:
    """Return one row for each number, of the sharpest method."""
    found: dict[str, Row] = {}
    for row in rows:
        names = (EXPERIMENT, "point", "quantity", "statistic", "index")
        key = json.dumps([row[name] for name in names])
        if key not in found or _rank(row) < _rank(found[key]):
            found[key] = row
    return list(found.values())


def _rank(row: Row) -> int:
    return PREFERENCE.index(row["method"]) if row["method"] in PREFERENCE else len(PREFERENCE)


def cell(row: Row) -> Cell:
    """Return a value with its standard error, or else with its interval where it is not exact.

    Of what was sampled without either both ends are ellipses.
    """
    ends = row["low"], row["high"]
    if row["value"] is None:
        note = row.get("note") or ""
        return note if 0 < len(note) <= _LONGEST_REASON else "–"
    found = value(row)
    if row["standard_error"]:
        return found
    if ends == (None, None):
        return f"{found} […, …]" if row["trials"] and not found.before else found
    if ends != (row["value"], row["value"]):
        return f"{found} {interval(row)}"
    return found if row["trials"] is None else f"{found}(0)"


def value(row: Row) -> Number:
    """Return a row's value with its standard error; a probability near 1 by its failures."""
    sampled = {"maximum": "≥", "minimum": "≤"} if row["trials"] else {}
    before, found = sampled.get(row["statistic"], ""), row["value"]
    if row["method"] == LOWER_BOUND:
        before = "≥"
    elif row["statistic"] == "maximum" and not before and 0 < (found or 0) < ROUNDED:
        found = 0.0
    if row["method"] == ENUMERATION_BOUNDS and row["low"] < row["high"]:
        # the middle of what may be far apart
        found = round(found, 1 - math.floor(math.log10(row["high"] - row["low"])))
    return Number(found, row["standard_error"], before, by_failures=_is_likely(row))


def _is_likely(row: Row) -> bool:
    if row["value"] is None or not _LIKELY <= row["value"] < 1:
        return False
    is_mean = row["statistic"] == "mean" and row["quantity"] in _PROBABILITIES
    return is_mean or bool(row["statistic"].startswith("P("))


def interval(row: Row) -> str:
    """Return the interval of what is not exact; an end that is not known is an ellipsis."""
    ends = row["low"], row["high"]
    if ends == (None, None) or (row["trials"] is None and ends[0] == ends[1]):
        return ""
    if _is_likely(row) and None not in ends:
        return f"[1 − {1 - ends[0]:.2g}, {f'1 − {1 - ends[1]:.2g}' if ends[1] < 1 else '1'}]"
    low, high = ("…" if end is None else f"{end:.6g}" for end in ends)
    return f"[{low}, {high}]"


def groups(rows: Rows) -> list[list[Row]]:
    """Part rows into those of one table each.

    An experiment of several points has its own; experiments of one point share a table where they
    have a column in common.
    """
    found: list[list[Row]] = []
    before: set[str] = set()
    for own in grouped(rows, lambda row: row[EXPERIMENT]).values():
        is_alone = all(row["point"] == own[0]["point"] for row in own)
        heads = set(map(_head, _shown(own))) if is_alone else set()
        if heads & before:
            found[-1] += own
            before |= heads
        else:
            found.append(list(own))
            before = heads
    return found


def sweep(rows: Rows) -> Table:
    """Return a group's table: a line for each point, a column for each quantity."""
    shown = best(_shown(rows))
    names = list(dict.fromkeys(row[EXPERIMENT] for row in shown))
    keys = list(dict.fromkeys(key for row in shown for key in row["point"]))
    is_named = len(names) > 1 or not keys

    def line(row: Row) -> tuple[Cell, ...]:
        settings = (setting(row["point"][key]) if key in row["point"] else "" for key in keys)
        return (*[row[EXPERIMENT]] * is_named, *settings)

    quantities = list(dict.fromkeys(row["quantity"] for row in shown))
    places = {
        _head(row): (quantities.index(row["quantity"]), row["statistic"] != "mean") for row in shown
    }
    heads = sorted(places, key=lambda head: places[head])
    made = table(shown, [*[EXPERIMENT] * is_named, *keys], line, _head, heads)
    lines = grouped(shown, lambda row: tuple(map(str, line(row))))
    trials = [max(row["trials"] or 0 for row in own) for own in lines.values()]
    more = {
        "trials": [spaced(count) if count else "" for count in trials],
        "remark": list(map(_remark, lines.values())),
    }
    more = {head: cells for head, cells in more.items() if any(cells)}
    cells = [[*own, *last] for own, *last in zip(made.rows, *more.values(), strict=True)]
    caption = "one line for each experiment" if is_named else names[0]
    return Table(caption, [*made.columns, *more], cells, made.heads)


def _remark(rows: Rows) -> str:
    # on values, and why there are none; why a method was taken has not to be known
    notes = []
    for row in rows:
        note = row.get("note") or ""
        if row["value"] is not None or len(note) > _LONGEST_REASON:
            notes.append("; ".join(x for x in note.split("; ") if not _ROUTINE.search(x)))
    return "; ".join(dict.fromkeys(filter(None, notes)))


def _shown(rows: Rows) -> list[Row]:
    """Rows that have a column: no spreads beside other statistics, of many indices the last."""
    known: dict[str, tuple[bool, dict[tuple[str, str], set[int]]]] = {}
    for quantity, own in grouped(rows, lambda row: row["quantity"]).items():
        points: dict[tuple[str, str], set[int]] = {}
        for row in own:
            if isinstance(row["index"], int):
                points.setdefault(_point(row), set()).add(row["index"])
        known[quantity] = not {row["statistic"] for row in own} <= _BESIDE, points
    found = []
    for row in rows:
        has_others, points = known[row["quantity"]]
        if row["statistic"] in _BESIDE and has_others:
            continue
        if max(map(len, points.values()), default=0) <= _FEW:
            found.append(row)
        elif row["index"] == max(points[_point(row)]):
            is_one = len(set(map(max, points.values()))) == 1
            found.append(row | {"index": row["index"] if is_one else "last"})
    return found


def _point(row: Row) -> tuple[str, str]:
    return row[EXPERIMENT], json.dumps(row["point"])


def setting(given: Any) -> Cell:
    """Return the value of a swept key as a cell."""
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    return Number(given) if is_number and abs(given) < _LARGEST else wording.setting(given)


def _head(row: Row) -> str:
    # as `pivot` and pictures take it
    index = "" if row["index"] is None else f"[{row['index']}]"
    statistic = "" if row["statistic"] == "mean" else f" {row['statistic']}"
    unit = f" ({found})" if (found := wording.unit(row.get("unit"))) in ("s", "s²") else ""
    return f"{row['quantity']}{index}{statistic}{unit}"


def pivot(rows: Rows, what: str) -> Table:
    """Return a table of one number: exact where that is known, else sampled.

    * ``rows``: as `Result.rows` has them.
    * ``what``: quantity and statistic, like ``error.mean``, ``survivors[3]`` or
      ``time.quantile(0.99)``; without a statistic the mean.

    Experiments are its columns; of a single one, the values of the last key with several. Raises
    FastgcError if there is no such number.
    """
    names = [(row["quantity"], row["statistic"], row["index"]) for row in rows]
    wanted = [rows[place] for place in chosen(names, what)]
    if len({row["index"] for row in wanted}) > 1:
        quantity, last = wanted[0]["quantity"], wanted[-1]["index"]
        raise FastgcError(f"quantity: {quantity} has several; say which, like {quantity}[{last}]")

    def column(row: Row, key: str | None) -> str:
        return wording.point({key: row["point"][key]}) if key and key in row["point"] else ""

    several = len(distinct(row[EXPERIMENT] for row in wanted)) > 1
    keys = distinct(key for row in wanted for key in row["point"])
    swept = [key for key in keys if len(distinct(column(row, key) for row in wanted)) > 1]
    across = None if several else ([*(swept or keys)] or [None])[-1]
    others = [key for key in swept or keys if key != across]
    values = [row["point"].get(key) for row in wanted for key in others]
    is_of_numbers = len(others) == 1 and all(isinstance(each, int | float) for each in values)

    def line(row: Row) -> tuple[Cell]:
        if is_of_numbers:
            return (setting(row["point"][others[0]]),)
        rest = {key: row["point"][key] for key in others if key in row["point"]}
        return (wording.point(rest) or row[EXPERIMENT],)

    made = table(
        wanted,
        [others[0] if is_of_numbers else what],
        line,
        lambda row: row[EXPERIMENT] if several else column(row, across),
    )
    methods = ", ".join(distinct(row["method"] for row in best(wanted)))
    return replace(made, caption=f"{what}: {methods}")


_NUMBER = re.compile(r"(?P<quantity>[\w-]+)(\[(?P<index>[^\]]*)\])?([.\s]+(?P<statistic>.+))?")


def chosen(names: Sequence[tuple[str, str, int | str | None]], what: str) -> list[int]:
    """Return the places of one number among rows, of each the quantity, statistic and index.

    ``what`` is a quantity, perhaps with an index and a statistic, like ``survivors[3]`` or
    ``time.quantile(0.99)``; without a statistic the mean, or what there is in its place. Raises
    FastgcError if there is no such number.
    """
    match = _NUMBER.fullmatch(what.strip())
    quantities = distinct(quantity for quantity, *_ in names)
    if match is None or match["quantity"] not in quantities:
        has = [quantity for quantity, statistic, _ in names if statistic == what.strip()]
        near = f"; write {has[0]}.{what}" if has else nearest(what.partition(".")[0], quantities)
        near = near or f"; there is {', '.join(quantities)}"
        raise FastgcError(f"quantity: {show(what)} was not measured{near}")
    own = [i for i, (quantity, *_) in enumerate(names) if quantity == match["quantity"]]
    statistics = distinct(names[i][1] for i in own)
    statistic = match["statistic"] or ("mean" if "mean" in statistics else statistics[0])
    if statistic not in statistics:
        near = nearest(statistic, statistics) or f"; there is {', '.join(statistics)}"
        raise FastgcError(f"quantity: {match['quantity']} has no {statistic}{near}")
    own = [i for i in own if names[i][1] == statistic]
    if match["index"] is None:
        return own
    found = [i for i in own if str(names[i][2]) == match["index"]]
    if not found:
        known = distinct(str(names[i][2]) for i in own if names[i][2] is not None)
        said = f"has the indices {known[0]} to {known[-1]}" if known else "has no index"
        example = f", like {match['quantity']}[{known[-1]}].{statistic}" if known else ""
        raise FastgcError(f"quantity: {match['quantity']} {said}; say which{example}")
    return found


def point_tables(rows: Rows) -> tuple[list[Table], int]:
    """Return a table for each point, with a line for each method to a number.

    Rows that say no more than others are left out; their number is returned as well.
    """
    made, left_out = [], 0
    for own in grouped(rows, _point).values():
        constant = {
            (row["quantity"], row["index"])
            for row in own
            if (row["statistic"], row["method"], row["value"]) == ("variance", "exact", 0)
        }
        telling = []
        for row in own:  # without minima of 0, and the spread of what is constant
            is_constant = (row["quantity"], row["index"]) in constant
            is_spread = row["statistic"] not in ("mean", "ratio")
            is_zero = is_zero_minimum(row["statistic"], row["value"])
            if not (is_zero or (is_spread and is_constant)):
                telling.append(row)
        left_out += len(own) - len(telling)
        made.append(_point_table(telling, own[0]))
    return made, left_out


def _point_table(rows: Rows, first: dict[str, Any]) -> Table:
    sampled = {row["trials"] for row in rows if row["trials"]}
    trials = sampled.pop() if len(sampled) == 1 else None
    lines: list[list[Cell]] = []
    statistics = grouped(rows, lambda row: (row["quantity"], row["statistic"]))
    for (_, statistic), own in statistics.items():
        own.sort(key=lambda row: -1 if row["index"] is None else row["index"])
        shown, places = own, sorted({row["index"] for row in own if isinstance(row["index"], int)})
        if len(places) > LONGEST_VECTOR:
            last, steps = len(places) - 1, _STEPS if statistic != "variance" else 0
            some = {places[last], *(places[round(step * last / steps)] for step in range(steps))}
            shown = [row for row in own if row["index"] in some]
        for row in shown:
            remark = row.get("note") or ""
            if not remark and row["trials"] and row["statistic"] == "maximum":
                remark = "the largest of the sample"
            if row["trials"] and row["trials"] != trials:
                remark = counted(row["trials"], "trials") + (remark and f", {remark}")
            elif row["method"] == "closed-form" and row["claim"]:
                remark = str(row["claim"])
            place = "" if row["index"] is None else f"[{row['index']}]"
            name = f"{row['quantity']}{place} {row['statistic']}"
            lines.append([name, row["method"], value(row), interval(row), remark])
        if len(shown) < len(own):
            left = len({row["index"] for row in own}) - len({row["index"] for row in shown})
            lines.append([f"… {left} more entries; --csv prints all", "", "", "", ""])
    caption = first["experiment"] + (f", {counted(trials, 'trials')}" if trials else "")
    caption += f": {wording.point(first['point'])}" if first["point"] else ""
    heads = ["number", "method", "value", "95 % interval", "remark"]
    kept = [place for place in range(5) if place < 3 or any(line[place] for line in lines)]
    cells = [[line[place] for place in kept] for line in lines]
    return Table(caption, [heads[place] for place in kept], cells, 2)


def row_tables(
    rows: Rows, everything: str = "--rows prints", *, every: bool = False
) -> list[Table | Paragraph]:
    """Return the tables of rows, and what has to be said of them.

    A table has a line for each point; with ``every``, and for a single point, there is one of each
    point, with all methods and intervals. ``everything`` is what the last line says to have all.
    """
    if every or len(set(map(_point, rows))) == 1:
        made, left_out = point_tables(rows)
        said = "left out (minima of 0, the spread of constants); --csv prints all."
        return [*made, *[Paragraph(f"{counted(left_out, 'rows')} {said}")] * bool(left_out)]
    parts: list[Table | Paragraph] = [*map(sweep, groups(rows))]
    if parts:
        said = "no brackets: exact, or a closed form; (…): standard error; […]: 95 % interval or "
        said += "bounds, … where not known; ≥, ≤: the largest, the smallest that was found; "
        parts.append(Paragraph(f"{said}{everything} all {counted(len(rows), 'rows')}."))
    return parts


def results(
    rows: Rows,
    title: str = "",
    width: int | None = None,
    *,
    every: bool = False,
    everything: str = "--rows prints",
) -> str:
    """Return the tables of `row_tables` as text; without a ``width`` lines are as they are."""
    said = as_lines(row_tables(rows, everything, every=every), width)
    return "\n\n".join(filter(None, [title, said or "no results yet"]))


def result_text(found: Result) -> str:
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
    [parts] = [parts for kind, parts in _BLOCKS.items() if isinstance(thing, kind)]
    return "\n".join(part._repr_html_() for part in parts(thing))


def _result_blocks(found: Result) -> Blocks:
    if found.verdicts:
        return [case_table(found.verdicts)]
    said = Paragraph(f"{found.title or 'Result'} ({_end_of(found)})")
    return [said, *row_tables(found.rows(), "rows() has")]


#: What has tables, with those that it has.
_BLOCKS: Mapping[type, Callable[[Any], Blocks]] = {
    Result: _result_blocks,
    Measurements: lambda found: point_tables(found.rows())[0],
    Verdict: lambda verdict: [case_table([verdict])],
    Verdicts: lambda verdicts: [case_table(verdicts)],
    Ranking: lambda found: [Paragraph(found.verdict), *ranking.tables(found)],
    Measurement: lambda found: [ranking.times(found)],
    SearchResult: lambda found: [datasheets.rivals(found.certificate)],
    Datasheet: lambda sheet: [datasheets.by_stragglers(sheet.as_dict())],
}
