"""Tables and pages as Markdown, as GitHub and pandoc read it."""

import re
from collections.abc import Iterator, Sequence

from fastgc.report import document as doc


def escaped(text: str) -> str:
    r"""Return text as Markdown prints it, in one line.

    >>> print(escaped("P(x_1 > 2) | *"))
    P(x\_1 \> 2) \| \*
    """
    one_line = " ".join(text.split())
    return re.sub(r"([\\`*_{}\[\]<>|~#$&])", r"\\\1", one_line)


def _paragraph(text: str) -> str:
    """Text at the beginning of a line, where more characters mean something."""
    return re.sub(r"^(\d+)?([-+.)=])", r"\1\\\2", escaped(text))


def table(columns: Sequence[str], rows: Sequence[Sequence[doc.Cell]]) -> str:
    """Return a table, numbers to the right.

    >>> print(table(["p", "error"], [["0.1", doc.Number(0.488072, 0.000303)]]))
    | p | error |
    |:--|--:|
    | 0.1 | 0.48807(30) |
    """
    numeric = [
        any(isinstance(row[i], doc.Number | doc.Interval) for row in rows)
        for i in range(len(columns))
    ]
    marks = "|".join("--:" if each else ":--" for each in numeric)
    return "\n".join([_row(columns), f"|{marks}|", *map(_row, rows)])


def _row(cells: Sequence[doc.Cell]) -> str:
    return f"| {' | '.join(escaped(str(cell)) for cell in cells)} |"


def as_markdown(document: doc.Document, keep: doc.Keep = lambda figure: None) -> str:
    """Return a page as Markdown; ``keep`` puts its pictures into files."""
    parts = [
        f"# {escaped(document.title)}",
        *map(_paragraph, document.lead),
        *(part for each in document.sections for part in _section(each, 2, keep)),
    ]
    return "\n\n".join(parts)


def blocks(some: Sequence[doc.Block]) -> str:
    """Return blocks without a page around them; pictures are left out."""
    return "\n\n".join(part for each in some for part in _block(each, 1, lambda _: None))


def _section(each: doc.Section, level: int, keep: doc.Keep) -> Iterator[str]:
    inside = [part for block in each.blocks for part in _block(block, level, keep)]
    if inside:  # or there would be pictures alone, which are not kept
        yield from [f"{'#' * min(level, 6)} {escaped(each.title)}", *inside]


def _block(block: doc.Block, level: int, keep: doc.Keep) -> Iterator[str]:
    match block:
        case doc.Section():
            yield from _section(block, level + 1, keep)
        case doc.Paragraph():
            head = f"**{escaped(block.head)}:** " if block.head else ""
            yield head + (escaped if head else _paragraph)(block.text)
        case doc.Code():
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", block.text)), default=0))
            yield f"{fence}{block.language}\n{block.text}\n{fence}"
        case doc.Items():
            yield "\n".join(f"- {_paragraph(text)}" for text in block.texts)
        case doc.Table():
            yield f"*{escaped(block.caption)}*"
            yield table(block.columns, block.rows)
        case doc.Statements():
            rows = [
                (
                    each.place,
                    f"{each.text}. ({each.claim})",
                    "; ".join(filter(None, [each.verdict, each.numbers, each.doubt])),
                )
                for each in block.entries
            ]
            yield f"*{escaped(block.caption)}*"
            yield table(["where", "statement", "verdict"], rows)
        case doc.Figure():
            name = keep(block)
            if name is not None:
                yield f"![{escaped(block.title)}](<{name}>)"
                yield f"*{escaped(block.caption)}*"
