"""The blocks of a page as HTML."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from html import escape

from fastgc.report.document import (
    Block,
    Code,
    Figure,
    Items,
    Paragraph,
    Section,
    Statement,
    Statements,
    Table,
)
from fastgc.report.html.drawing import drawing
from fastgc.report.html.table import boxed, table


def section(each: Section, level: int = 2) -> Iterator[str]:
    """Yield the lines of a section; ``level`` is that of its heading."""
    name = escape(each.name)
    # only the first sections are landmarks: a list of all would help nobody
    label = f' aria-labelledby="{name}-head"' if level == 2 else ""
    yield f'<section id="{name}"{label}>'
    yield f'<h{level} id="{name}-head">{escape(each.title)}</h{level}>'
    for is_figure, some in itertools.groupby(each.blocks, lambda b: isinstance(b, Figure)):
        lines = [line for block in some for line in _block(block, level)]
        yield from ['<div class="figures">', *lines, "</div>"] if is_figure else lines
    yield "</section>"


def prose(text: str) -> str:
    """Return sentences escaped; a number and its per cent sign stay on a line."""
    return escape(text).replace(" %", "&nbsp;%")


def _block(block: Block, level: int) -> Iterator[str]:
    match block:
        case Section():
            yield from section(block, level + 1)
        case Paragraph():
            head = f"<strong>{escape(block.head)}:</strong> " if block.head else ""
            yield f"<p>{head}{prose(block.text)}</p>"
        case Code():
            yield f"<pre><code>{escape(block.text)}</code></pre>"
        case Items():
            yield from ["<ul>", *(f"<li>{prose(text)}</li>" for text in block.texts), "</ul>"]
        case Table():
            yield table(block.columns, block.rows, block.caption, heads=block.heads)
        case Statements():
            yield _statements(block.caption, block.entries)
        case Figure():
            caption = f"<figcaption>{prose(block.caption)}</figcaption>"
            yield f"<figure>{drawing(block)}{caption}</figure>"


def _statements(caption: str, entries: Sequence[Statement]) -> str:
    """Statements in a table, which narrow screens show as blocks; roles keep it a table there."""
    heads = "".join(
        f'<th scope="col" role="columnheader">{head}</th>'
        for head in ("where", "statement", "verdict")
    )
    lines = [
        f'<thead role="rowgroup"><tr role="row">{heads}</tr></thead>',
        '<tbody role="rowgroup">',
        *map(_statement, entries),
        "</tbody>",
    ]
    return boxed(caption, lines, "statements")


def _statement(entry: Statement) -> str:
    numbers = f"<small>{escape(entry.numbers)}</small>" if entry.numbers else ""
    doubt = f"<p><strong>{escape(entry.doubt)}</strong></p>" if entry.doubt else ""
    return (
        f'<tr id="{escape(entry.name)}" role="row">'
        f'<th scope="row" role="rowheader">{escape(entry.place)}</th>'
        f'<td role="cell">{escape(entry.text)}.<small>{escape(entry.claim)}</small></td>'
        f'<td role="cell"><span class="{_tone(entry.verdict)}">{escape(entry.verdict)}</span>'
        f"{numbers}{doubt}</td></tr>"
    )


def _tone(verdict: str) -> str:
    """The colour of a verdict, which its words say as well."""
    tones = {"confirmed": "good", "refuted": "bad"}
    return next((tone for word, tone in tones.items() if verdict.startswith(word)), "open")
