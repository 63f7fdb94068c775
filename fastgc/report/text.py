"""Text for a terminal, as wide as it is: aligned columns, tables, sentences and pages."""

import itertools
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fastgc.report import document as doc

#: A page and a verdict are as wide at least.
NARROWEST = 80
_GAP = 2
_NARROWEST = 12  # of a column whose cells go on in the next line


def distinct(items: Iterable[Any]) -> list[Any]:
    """Return items in their order, each once."""
    found: list[Any] = []
    for item in items:
        if item not in found:
            found.append(item)
    return found


def columns(table: Sequence[Sequence[str]], indent: int = 0, width: int | None = None) -> list[str]:
    """Return rows of one length as lines with aligned columns, after ``indent`` blanks.

    Where lines are longer than ``width``, cells go on in the next line, those of the widest column
    first; words and numbers are never broken.
    """
    by_column = list(zip(*table, strict=True))
    widths = [max(map(len, column)) for column in by_column]
    least = [narrowest(column) for column in by_column]
    excess = 0 if width is None else indent + sum(widths) + _GAP * (len(widths) - 1) - width
    while excess > 0 and widths != least:
        widest = max((w, place) for place, w in enumerate(widths) if w > least[place])[1]
        widths[widest] -= 1
        excess -= 1
    lines = []
    for row in table:
        cells = [
            wrapped(cell, w) if len(cell) > w else [cell]
            for cell, w in zip(row, widths, strict=True)
        ]
        for parts in itertools.zip_longest(*cells, fillvalue=""):
            padded = (part.ljust(w) for part, w in zip(parts, widths, strict=True))
            lines.append((" " * indent + (" " * _GAP).join(padded)).rstrip())
    return lines


def narrowest(column: Sequence[str]) -> int:
    """Return to which width a column of these cells can be narrowed: that of its longest word."""
    longest = max((len(word) for cell in column for word in cell.split()), default=0)
    return min(max(map(len, column)), max(longest, _NARROWEST))


def table(made: doc.Table, width: int | None = None) -> list[str]:
    """Return a table as lines.

    Where they are too long, heads take several lines, and columns go on in another table below.
    """
    cells = [list(map(str, own)) for own in (made.columns, *made.rows)]
    lines = columns(cells)
    if width is None or max(map(len, lines)) <= width:
        return lines
    heads, widths, least = [], [], 0
    for head, *column in zip(*cells, strict=True):
        heads.append(textwrap.wrap(head, max(map(len, (*head.split(), *column)))) or [""])
        widths.append(2 + max(map(len, (*heads[-1], *column))))
        least += 2 + narrowest([*heads[-1], *column]) if len(widths) <= made.heads else 0
    names, values = sum(widths[: made.heads]), sum(widths[made.heads :])
    room = width + 2 - max(least, min(names, width // 2))
    if values <= width + 2 - least:  # names go on in further lines
        room = values
    parts: list[list[int]] = [[]]
    for place in range(made.heads, len(widths)):
        if parts[-1] and sum(widths[each] for each in [*parts[-1], place]) > room:
            parts.append([])
        parts[-1].append(place)
    lines = []
    for part in parts:
        places = [*range(made.heads), *part]
        height = max(len(heads[place]) for place in places)
        above = [[""] * (height - len(heads[place])) + heads[place] for place in places]
        kept = [own for own in cells[1:] if any(own[place] for place in part)]
        below = [[own[place] for place in places] for own in kept]
        lines += ["", "more columns of the same points:"] * bool(lines)
        lines += columns([*map(list, zip(*above, strict=True)), *below], width=width)
    return lines


_INDENT = 2


def as_lines(blocks: Iterable[doc.Block], width: int | None) -> str:
    """Return sentences and tables below each other; without a width lines are as they are."""
    return "\n\n".join(filter(None, ("\n".join(_lines(block, width)) for block in blocks)))


def as_text(document: doc.Document, width: int = NARROWEST) -> str:
    """Return a page wrapped to a width of at least 80 columns; its pictures are left out."""
    wide = max(width, NARROWEST)
    lines = [line for said in (document.title, *document.lead) for line in wrapped(said, wide)]
    for each in document.sections:
        inside = (_lines(block, wide, _INDENT) for block in each.blocks)
        lines += ["", each.title, *itertools.chain.from_iterable(inside)]
    return "\n".join(lines)


def _lines(block: doc.Block, width: int | None, indent: int = 0) -> Iterator[str]:
    # indented on a page, where items have dashes and captions are sentences
    deeper = indent + _INDENT if indent else 0
    match block:
        case doc.Section():
            yield from ("", " " * indent + block.title)
            for inside in block.blocks:
                yield from _lines(inside, width, deeper)
        case doc.Paragraph():
            said = f"{block.head}: {block.text} {', '.join(block.links)}".removeprefix(": ")
            yield from wrapped(said.rstrip(), width, indent)
        case doc.Code():  # never broken into lines: it is there to be copied
            yield from (" " * deeper + line for line in block.text.splitlines())
        case doc.Items():
            for text in block.texts:
                short = [cut(f"{' ' * indent}{text}", width)] if block.is_short else []
                yield from short or wrapped(f"- {text}" if indent else text, width, indent)
        case doc.Table():
            yield from wrapped(f"{block.caption}{'.' * bool(indent)}", width, indent)
            for line in table(block, width and width - deeper):
                yield f"{' ' * deeper}{line}".rstrip()


def cut(text: str, width: int | None) -> str:
    """Return as much of a text as one line has room for."""
    return text if width is None or len(text) <= width else f"{text[: width - 1]}…"


def wrapped(text: str, width: int | None, indent: int = 0, later: int | None = None) -> list[str]:
    """Return a text in lines; later ones begin further right where it is indented, or ``later``."""
    if width is None:
        return [" " * indent + text]
    if later is None:
        later = indent + _INDENT if indent else 0
    return textwrap.wrap(
        text,
        width,
        initial_indent=" " * indent,
        subsequent_indent=" " * later,
        break_long_words=False,
        break_on_hyphens=False,
    )
