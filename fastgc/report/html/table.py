"""A table as HTML, for pages and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from fastgc.report.document import Cell, Interval, Number

#: Characters; a longer cell of words has a column that is wide enough to be read.
SENTENCE = 24


def table(
    columns: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str, *, heads: int = 1
) -> str:
    """Return a table in a box that scrolls by itself where the page is narrow.

    Parameters
    ----------
    columns : sequence of str
        Heads of the columns.
    rows : sequence of sequences of str, Number or Interval
        As many cells each as there are columns; everything is escaped.
    caption : str
        What the table shows.
    heads : int
        So many cells at the beginning of a row name it, for whom the table is read aloud.

    Examples
    --------
    >>> "<td>&lt;3</td>" in table(["p", "value"], [["0.1", "<3"]], "errors")
    True
    """
    top = "".join(
        f'<th scope="col"{_class(rows, place)}>{escape(head)}</th>'
        for place, head in enumerate(columns)
    )
    body = [f"<tr>{''.join(_cells(row, heads))}</tr>" for row in rows]
    return boxed(caption, [f"<thead><tr>{top}</tr></thead>", "<tbody>", *body, "</tbody>"])


def boxed(caption: str, lines: Sequence[str], kind: str = "numbers") -> str:
    """Return a table of these lines below its caption, in a box that scrolls by itself.

    The box can be reached by keyboard, and is named for whom the page is read aloud.
    """
    said = escape(caption)
    return "\n".join(
        [
            f'<div class="scroll" tabindex="0" role="group" aria-label="{said}">',
            f'<table class="{kind}" role="table">',
            f"<caption>{said}</caption>",
            *lines,
            "</table></div>",
        ]
    )


def _cells(row: Sequence[Cell], heads: int) -> list[str]:
    found = []
    for place, cell in enumerate(row):
        said = str(cell)
        text = escape(said)
        name = ' class="words"' if len(said) > SENTENCE else ""
        name = ' class="number"' if isinstance(cell, Number | Interval) else name
        found.append(
            f'<th scope="row"{name}>{text}</th>' if place < heads else f"<td{name}>{text}</td>"
        )
    return found


def _class(rows: Sequence[Sequence[Cell]], place: int) -> str:
    """A column of numbers has its head above them."""
    is_number = any(isinstance(row[place], Number | Interval) for row in rows)
    return ' class="number"' if is_number else ""
