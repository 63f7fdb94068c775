"""Rows of results as people read them: what there is to say of each point, and that as a table."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Container
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fastgc.registry.numbers import counted, spaced
from fastgc.report.columns import columns
from fastgc.report.export import Rows, plain
from fastgc.results.rows import MONTE_CARLO
from fastgc.results.stored import StoredRun
from fastgc.statistics.numbers import failures, number

#: A measure with more entries than this is shown by a few of them, from the first to the last, its
#: variance by the last alone; ``--json`` and ``--csv`` have everything.
LONGEST_VECTOR = 24
STEPS = 10
#: Measures whose mean is a probability.
PROBABILITIES = ("exact", "decodable", "survivors", "reached", "diverged")
#: A minimum below it, a squared residual that should be 0, is rounding.
ROUNDING = 1e-24
_LIKELY = 0.999  # a probability above it is told by that of its failure


@dataclass(frozen=True)
class Entry:
    """One row as text.

    Attributes
    ----------
    label : str
        Quantity, index and statistic.
    method, value, interval, remark : str
        ``interval`` is empty where the value is exact.
    """

    label: str
    method: str = ""
    value: str = ""
    interval: str = ""
    remark: str = ""


@dataclass(frozen=True)
class Block:
    """What there is to say of one point.

    Attributes
    ----------
    experiment : str
    point : dict
    trials : int or None
        Those of every sampled row, if they are the same.
    entries : list of Entry
    left_out : int
        Rows that tell nothing.
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
    constant = {_number(row) for row in rows if _is_spread_of_nothing(row)}
    telling = [row for row in rows if not _tells_nothing(row, constant)]
    sampled = {row["trials"] for row in telling if row["trials"]}
    trials = sampled.pop() if len(sampled) == 1 else None
    statistics: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in telling:
        statistics.setdefault((row["quantity"], row["statistic"]), []).append(row)
    entries: list[Entry] = []
    for (_, statistic), own in statistics.items():
        own.sort(key=lambda row: -1 if row["index"] is None else row["index"])
        shown = spread(own, STEPS if statistic != "variance" else 0)
        entries += [_entry(row, trials) for row in shown]
        if len(shown) < len(own):
            left = len({row["index"] for row in own}) - len({row["index"] for row in shown})
            entries.append(Entry(f"… {left} more entries; --csv prints all"))
    first = rows[0]
    return Block(first["experiment"], first["point"], trials, entries, len(rows) - len(telling))


def _number(row: dict[str, Any]) -> tuple[str, int | str | None]:
    return row["quantity"], row["index"]


def _is_spread_of_nothing(row: dict[str, Any]) -> bool:
    return (row["statistic"], row["method"], row["value"]) == ("variance", "exact", 0)


def _tells_nothing(row: dict[str, Any], constant: Container[tuple[str, int | str | None]]) -> bool:
    """Whether a row says no more than others: a minimum of 0, the spread of what is constant."""
    if row["statistic"] == "minimum" and row["value"] is not None and 0 <= row["value"] < ROUNDING:
        return True
    return row["statistic"] not in ("mean", "ratio") and _number(row) in constant


def _entry(row: dict[str, Any], trials: int | None) -> Entry:
    place = "" if row["index"] is None else f"[{row['index']}]"
    remark = row.get("note") or ""
    if row["trials"] and row["trials"] != trials:
        remark = f"{spaced(row['trials'])} trials" + (remark and f", {remark}")
    elif row["method"] == "closed-form" and row["claim"]:
        remark = str(row["claim"])
    label = f"{row['quantity']}{place} {row['statistic']}"
    return Entry(label, row["method"], shown(row), _interval(row), remark)


def shown(row: dict[str, Any]) -> str:
    """Return a row's value with its standard error; a probability near 1 by its failures."""
    return (failures if _is_likely(row) else number)(row["value"], row["standard_error"])


def _is_likely(row: dict[str, Any]) -> bool:
    return row["value"] is not None and _LIKELY <= row["value"] < 1 and _is_probability(row)


def _interval(row: dict[str, Any]) -> str:
    """The interval of what was sampled or bounded; an end that is not known is an ellipsis."""
    ends = row["low"], row["high"]
    if ends == (None, None) or (row["trials"] is None and ends[0] == ends[1]):
        return ""
    if _is_likely(row) and None not in ends:
        return f"[1 − {1 - ends[0]:.2g}, {f'1 − {1 - ends[1]:.2g}' if ends[1] < 1 else '1'}]"
    low, high = ("…" if end is None else f"{end:.6g}" for end in ends)
    return f"[{low}, {high}]"


def _is_probability(row: dict[str, Any]) -> bool:
    if row["statistic"] == "mean":
        return row["quantity"] in PROBABILITIES
    return bool(row["statistic"].startswith("P("))


def spread(rows: Rows, steps: int) -> Rows:
    """Return all rows, or those of a few indices where a measure has very many."""
    places = sorted({row["index"] for row in rows if isinstance(row["index"], int)})
    if len(places) <= LONGEST_VECTOR:
        return rows
    last = len(places) - 1
    kept = {places[last]} | {places[round(step * last / steps)] for step in range(steps)}
    return [row for row in rows if row["index"] in kept]


_INDENT = 2


def results(rows: Rows, title: str = "", width: int | None = None) -> str:
    """Return the table of a result, with a block for each point.

    Parameters
    ----------
    rows : sequence of dict
        As `Result.rows` has them.
    title : str
        Printed first, if there is one.
    width : int, optional
        Columns of the terminal; without it lines are as long as they are.
    """
    if not rows:
        return "no results yet"
    text, left_out = block_texts(rows, width)
    said = left_out_remark(left_out, width)
    return "\n\n".join(each for each in (title, text, said) if each)


def block_texts(rows: Rows, width: int | None = None) -> tuple[str, int]:
    """Return the blocks of rows, and how many rows tell nothing and were left out."""
    found = blocks(rows)
    lines = []
    for block in found:
        lines += [*_heading(block, width), *_table(block, width), ""]
    return "\n".join(lines).rstrip(), sum(block.left_out for block in found)


def left_out_remark(left_out: int, width: int | None = None) -> str:
    """Say how many rows were left out; nothing if none was."""
    if not left_out:
        return ""
    rows = counted(left_out, "rows")
    said = f"{rows} left out (minima of 0, the spread of constants); --csv prints all"
    return "\n".join(columns([[said]], width=width))


def _heading(block: Block, width: int | None) -> list[str]:
    cells = [f"{key}={plain(value)}" for key, value in block.point.items()]
    if block.trials is not None:
        cells.append(f"{spaced(block.trials)} trials")
    return columns([[block.experiment, "  ".join(cells)]], width=width)


def _table(block: Block, width: int | None) -> list[str]:
    """Return a line for each entry; a name is printed where it changes.

    A remark for which there is no room goes below its line; so does an interval.
    """
    table = []
    before = None
    for entry in block.entries:
        label = "" if entry.label == before else entry.label
        table.append([label, entry.method, entry.value, entry.interval])
        before = entry.label
    remarks = [entry.remark for entry in block.entries]
    numbers = columns(table, _INDENT)
    edge = max(map(len, numbers), default=0)
    if width is not None and edge > width:
        numbers = columns([row[:3] for row in table], _INDENT)
        edge = max(map(len, numbers))
        remarks = [f"{e.interval}  {e.remark}".strip() for e in block.entries]
    lines = []
    for line, remark in zip(numbers, remarks, strict=True):
        for start in (edge, len(line)):
            if remark and (width is None or start + 2 + len(remark) <= width):
                line, remark = f"{line:{start}}  {remark}", ""
        lines += [line, *_below(remark, width or edge)]
    return lines


def _below(remark: str, width: int) -> list[str]:
    indent = " " * (3 * _INDENT)
    return textwrap.wrap(
        remark, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


class StreamedTable:
    """Says the table of `results` block by block.

    Parameters
    ----------
    say : callable
        Prints text and ends the line.
    width : int, optional
        Columns that lines may take.

    Attributes
    ----------
    title : str
        Said before the first block.
    """

    def __init__(self, say: Callable[[str], None], width: int | None = None) -> None:
        self.title = ""
        self._say = say
        self._width = width
        self._is_empty = True
        self._left_out = 0

    def add(self, rows: Rows) -> None:
        """Say the blocks of more rows."""
        text, left_out = block_texts(rows, self._width)
        self._left_out += left_out
        self._tell(text)

    def close(self) -> None:
        """Say what was left out, or that there was nothing."""
        if self._is_empty:
            self._say(results([]))
        elif self._left_out:
            self._tell(left_out_remark(self._left_out, self._width))

    def _tell(self, text: str) -> None:
        before = f"{self.title}\n\n" if self.title else ""
        self._say(("\n" if not self._is_empty else before) + text)
        self._is_empty = False


def written(stored: StoredRun) -> datetime:
    """Return when a file was written, in local time."""
    return datetime.fromisoformat(stored.provenance["written"]).astimezone()


def checkpoint(stored: StoredRun) -> str:
    """Return a checkpoint in a line."""
    done = sum(unit.stopped_by is not None for unit in stored.units)
    kind = "points" if stored.study else "experiments"
    total = len(stored.units)
    parts = [f"{done} of {total} {kind} sampled" if stored.study else f"{total} {kind} begun"]
    parts.append(f"{spaced(sum(unit.trials for unit in stored.units))} trials")
    worst = max(_means(stored.rows), key=_relative_error, default=None)
    if worst is not None:
        swept = " ".join(f"{key}={value}" for key, value in worst["point"].items())
        place = f"{worst['experiment']} {swept}".strip()
        value = number(worst["value"], worst["standard_error"])
        parts.append(f"least certain: {worst['quantity']} {value} of {place}")
    return f"{written(stored).isoformat(' ', 'seconds')[:19]} {', '.join(parts)}"


def _means(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Means of single numbers that were sampled, and are not 0."""
    return [
        row
        for row in rows
        if (row["method"], row["statistic"], row["index"]) == (MONTE_CARLO, "mean", None)
        and row["value"]
        and row["standard_error"]
    ]


def _relative_error(row: dict[str, Any]) -> float:
    spread: float = row["standard_error"] / abs(row["value"])
    return spread
