"""A table as HTML, for pages and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """Return a table with a caption; everything is escaped.

    Examples
    --------
    >>> "<td>&lt;3</td>" in table(["p", "value"], [["0.1", "<3"]], "errors")
    True
    """
    top = "".join(f'<th scope="col">{escape(head)}</th>' for head in columns)
    lines = ["<table>", f"<caption>{escape(caption)}</caption>", f"<thead><tr>{top}</tr></thead>"]
    lines.append("<tbody>")
    for first, *others in rows:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in others)
        lines.append(f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>')
    return "\n".join([*lines, "</tbody>", "</table>"])
