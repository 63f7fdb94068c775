"""Rows of results as people read them: what there is to say of each point, and that as a table."""

import json
import shutil
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any

from fastgc.registry.numbers import counted
from fastgc.report.document import Cell, Paragraph, Table
from fastgc.report.sweeps import Legend, groups, interval, setting, sweep, value
from fastgc.report.text import columns, wrapped
from fastgc.report.text import table as as_text
from fastgc.results.frames import Rows, column
from fastgc.results.rows import MONTE_CARLO, Result

#: A measure with more entries than this is shown by a few of them, from the first to the last, its
#: variance by the last alone; ``--json`` and ``--csv`` have everything.
LONGEST_VECTOR = 24
_STEPS = 10
MOST_LINES = 100  # that Python prints of a result
#: A minimum below it, a squared residual that should be 0, is rounding.
ROUNDING = 1e-24


@dataclass(frozen=True)
class Entry:
    """One row as text: quantity, index and statistic; an interval where the value is not exact."""

    label: str
    method: str = ""
    value: Cell = ""
    interval: str = ""
    remark: str = ""


@dataclass(frozen=True)
class Block:
    """What there is to say of one point.

    ``trials`` are those of every sampled row, if they are the same; ``left_out`` counts rows that
    say no more than others.
    """

    experiment: str
    point: dict[str, Any]
    trials: int | None
    entries: list[Entry]
    left_out: int


def blocks(rows: Rows) -> list[Block]:
    """Return what there is to say of each point, in the rows' order."""
    points: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        points.setdefault((row["experiment"], json.dumps(row["point"])), []).append(row)
    return [_of_point(own) for own in points.values()]


def _of_point(rows: Rows) -> Block:
    constant = {
        (row["quantity"], row["index"])
        for row in rows
        if (row["statistic"], row["method"], row["value"]) == ("variance", "exact", 0)
    }
    telling = [row for row in rows if not _tells_nothing(row, constant)]
    sampled = {row["trials"] for row in telling if row["trials"]}
    trials = sampled.pop() if len(sampled) == 1 else None
    statistics: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in telling:
        statistics.setdefault((row["quantity"], row["statistic"]), []).append(row)
    entries: list[Entry] = []
    for (_, statistic), own in statistics.items():
        own.sort(key=lambda row: -1 if row["index"] is None else row["index"])
        shown = _spread(own, _STEPS if statistic != "variance" else 0)
        entries += [_entry(row, trials) for row in shown]
        if len(shown) < len(own):
            left = len({row["index"] for row in own}) - len({row["index"] for row in shown})
            entries.append(Entry(f"… {left} more entries; --csv prints all"))
    first = rows[0]
    return Block(first["experiment"], first["point"], trials, entries, len(rows) - len(telling))


def _tells_nothing(row: dict[str, Any], constant: Container[tuple[str, int | str | None]]) -> bool:
    """Whether a row says no more than others: a minimum of 0, the spread of what is constant."""
    if row["statistic"] == "minimum" and row["value"] is not None and 0 <= row["value"] < ROUNDING:
        return True
    number = row["quantity"], row["index"]
    return row["statistic"] not in ("mean", "ratio") and number in constant


def _entry(row: dict[str, Any], trials: int | None) -> Entry:
    place = "" if row["index"] is None else f"[{row['index']}]"
    remark = row.get("note") or ""
    if row["trials"] and row["trials"] != trials:
        remark = counted(row["trials"], "trials") + (remark and f", {remark}")
    elif row["method"] == "closed-form" and row["claim"]:
        remark = str(row["claim"])
    label = f"{row['quantity']}{place} {row['statistic']}"
    return Entry(label, row["method"], value(row), interval(row), remark)


def _spread(rows: Rows, steps: int) -> Rows:
    """Return all rows, or those of a few indices where a measure has very many."""
    places = sorted({row["index"] for row in rows if isinstance(row["index"], int)})
    if len(places) <= LONGEST_VECTOR:
        return rows
    last = len(places) - 1
    kept = {places[last]} | {places[round(step * last / steps)] for step in range(steps)}
    return [row for row in rows if row["index"] in kept]


_INDENT = 2


def results(
    rows: Rows,
    title: str = "",
    width: int | None = None,
    *,
    every: bool = False,
    everything: str = "--rows prints",
) -> str:
    """Return the tables of a result: a line a point, or a block of lines for a single point.

    With ``every`` each point has a block, with all methods and intervals. Without a ``width`` lines
    are as long as they are. ``everything`` is what the last line says to have all rows.
    """
    said: list[str] = []
    table = StreamedTable(said.append, width, every=every, everything=everything)
    table.title = title
    if rows:
        table.add(rows)
    table.close()
    return "\n".join(said)


def of_result(found: Result) -> str:
    """Return what Python prints of a result: its tables, cut where they are long, and its end."""
    width = shutil.get_terminal_size().columns
    lines = results(found.rows(), found.title, width, everything="rows() has").splitlines()
    if len(lines) > MOST_LINES:
        left = counted(len(lines) - MOST_LINES, "lines")
        lines[MOST_LINES:] = [f"… {left} more; rows() has all rows"]
    return "\n".join([*lines, end_of(found)])


def end_of(found: Result) -> str:
    """Return what ended a run, and which file keeps it."""
    where = "" if found.path is None else f", in {found.path}"
    return f"stopped {'' if found.complete else 'early '}by {found.stopped_by}{where}"


def as_blocks(rows: Rows, everything: str, *, every: bool = False) -> list[Table | Paragraph]:
    """Return the tables of a result, and what has to be said of them, for a page."""
    if every or _is_one_point(rows):
        return [row_table(rows)]
    legend = Legend()
    made: list[Table | Paragraph] = []
    for group in groups(rows):
        legend.add(group)
        made.append(sweep(group))
    return [*made, Paragraph(f"{legend.text(everything)}.")] if made else []


def row_table(rows: Rows) -> Table:
    """Return a table with a line for each method to a number, a column for each swept key."""
    found = blocks(rows)
    keys = list(dict.fromkeys(key for block in found for key in block.point))
    lines: list[list[Cell]] = []
    for block in found:
        point = (setting(block.point[key]) if key in block.point else "" for key in keys)
        named = [block.experiment, *point]
        trials = "" if block.trials is None else counted(block.trials, "trials")
        for entry in block.entries:
            said = entry.remark or (trials if entry.method == MONTE_CARLO else "")
            values = [entry.label, entry.method, entry.value, entry.interval, said]
            lines.append([*named, *values])
    heads = ["experiment", *keys, "number"]
    return Table("All rows", [*heads, "method", "value", "95 % interval", ""], lines, len(heads))


def _is_one_point(rows: Rows) -> bool:
    return len({(row["experiment"], json.dumps(row["point"])) for row in rows}) == 1


def _block_lines(block: Block, width: int | None) -> list[str]:
    """Return a heading, and a line for each entry; a name is printed where it changes.

    A remark for which there is no room goes below its line; so does an interval.
    """
    cells = [f"{key}={column(value)}" for key, value in block.point.items()]
    if block.trials is not None:
        cells.append(counted(block.trials, "trials"))
    table = []
    before = None
    for entry in block.entries:
        label = "" if entry.label == before else entry.label
        table.append([label, entry.method, str(entry.value), entry.interval])
        before = entry.label
    remarks = [entry.remark for entry in block.entries]
    numbers = columns(table, _INDENT)
    edge = max(map(len, numbers), default=0)
    if width is not None and edge > width:
        numbers = columns([row[:3] for row in table], _INDENT)
        edge = max(map(len, numbers))
        remarks = [f"{e.interval}  {e.remark}".strip() for e in block.entries]
    lines = columns([[block.experiment, "  ".join(cells)]], width=width)
    for line, remark in zip(numbers, remarks, strict=True):
        for start in (edge, len(line)):
            if remark and (width is None or start + 2 + len(remark) <= width):
                line, remark = f"{line:{start}}  {remark}", ""
        lines += [line, *wrapped(remark, width or edge, 3 * _INDENT, 3 * _INDENT)]
    return lines


class StreamedTable:
    """Prints the table of `results` as soon as parts of it are known.

    ``say`` prints text and ends the line; ``title`` is printed before the first table.
    """

    def __init__(
        self,
        say: Callable[[str], None],
        width: int | None = None,
        *,
        every: bool = False,
        everything: str = "--rows prints",
    ) -> None:
        self.title = ""
        self._say = say
        self._width = width
        self._every = every
        self._everything = everything
        self._is_empty = True
        self._left_out = 0
        self._waiting: list[dict[str, Any]] = []
        self._legend = Legend()

    def add(self, rows: Rows) -> None:
        """Take more rows; print what later ones cannot change."""
        if self._every:
            self._print_blocks(rows)
            return
        known = self._waiting[-1]["experiment"] if self._waiting else None
        self._waiting += rows
        if any(row["experiment"] != known for row in rows):
            *done, self._waiting = groups(self._waiting)
            for group in done:
                self._print_table(group)

    def __enter__(self) -> "StreamedTable":
        """Return itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close it; where the run failed, print what it found before."""
        if kind is None or self._waiting:
            self.close()

    def close(self) -> None:
        """Print the rest, and what has to be said below; or that there is nothing."""
        if self._waiting and self._is_empty and _is_one_point(self._waiting):
            self._print_blocks(self._waiting)
        elif self._waiting:
            self._print_table(self._waiting)
            text = self._legend.text(self._everything)
            self._tell("\n".join(columns([[text]], width=self._width)))
        if self._is_empty:
            self._say("no results yet")
        elif self._left_out:
            rows = counted(self._left_out, "rows")
            said = f"{rows} left out (minima of 0, the spread of constants); --csv prints all"
            self._tell("\n".join(columns([[said]], width=self._width)))

    def _print_blocks(self, rows: Rows) -> None:
        found = blocks(rows)
        self._left_out += sum(block.left_out for block in found)
        self._tell("\n\n".join("\n".join(_block_lines(each, self._width)) for each in found))

    def _print_table(self, rows: list[dict[str, Any]]) -> None:
        made = sweep(rows)
        self._legend.add(rows)
        self._tell("\n".join([made.caption, *as_text(made, self._width)]))

    def _tell(self, text: str) -> None:
        before = f"{self.title}\n\n" if self.title else ""
        self._say(("\n" if not self._is_empty else before) + text)
        self._is_empty = False
