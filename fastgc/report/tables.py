"""Tables of results, with a block for each point and a line for each road to a number."""

from __future__ import annotations

import textwrap

from fastgc.registry.numbers import spaced
from fastgc.report.columns import columns
from fastgc.report.entries import Block, blocks
from fastgc.report.export import Rows, plain

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
    text, left_out = written(rows, width)
    said = remark(left_out, width)
    return "\n\n".join(each for each in (title, text, said) if each)


def written(rows: Rows, width: int | None = None) -> tuple[str, int]:
    """Return the blocks of rows, and how many rows tell nothing and were left out."""
    found = blocks(rows)
    lines = []
    for block in found:
        lines += [*_heading(block, width), *_table(block, width), ""]
    return "\n".join(lines).rstrip(), sum(block.left_out for block in found)


def remark(left_out: int, width: int | None = None) -> str:
    """Say how many rows were left out; nothing if none was."""
    if not left_out:
        return ""
    said = "row tells" if left_out == 1 else "rows tell"
    what = "a minimum of 0, or the spread of what is constant"
    return "\n".join(columns([[f"{left_out} more {said} nothing ({what}): --csv"]], width=width))


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
