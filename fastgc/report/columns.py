"""Text in aligned columns, as wide as the terminal, and lists without repetition."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

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

    Where lines are longer than ``width``, cells go on in the next line, at blanks and before dots
    within names, those of the widest column first; numbers are never broken.

    >>> columns([["agc.theorem1.printed", "=", "0.21"]], width=20)
    ['agc.theorem1  =  0.21', '.printed']
    """
    if not table:
        return []
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    if width is not None:
        _narrow(widths, table, width - indent)
    return [line for row in table for line in _lines(row, widths, indent)]


def fitting(
    table: Sequence[Sequence[str]], width: int | None, dispensable: Sequence[str], indent: int = 0
) -> tuple[list[list[str]], list[str]]:
    """Leave out columns until a table, whose first row is its heading, fits.

    Returns the table and the headings that are not in it. ``dispensable`` are those that may be
    left out, the one missed least first; a ``width`` of None has room for all.
    """
    kept = [list(row) for row in table]
    left_out: list[str] = []
    for name in dispensable:
        if width is None or max(map(len, columns(kept, indent)), default=0) <= width:
            break
        place = kept[0].index(name)
        kept = [row[:place] + row[place + 1 :] for row in kept]
        left_out.append(name)
    return kept, left_out


def _narrow(widths: list[int], table: Sequence[Sequence[str]], room: int) -> None:
    """Take from the widest columns what is too much, as far as their cells can be broken."""
    least = [narrowest([row[column] for row in table]) for column in range(len(widths))]
    excess = sum(widths) + _GAP * (len(widths) - 1) - room
    while excess > 0:
        spare = [w - one for w, one in zip(widths, least, strict=True)]
        if not any(spare):
            return
        widest = max((w, place) for place, w in enumerate(widths) if spare[place])[1]
        widths[widest] -= 1
        excess -= 1


def narrowest(column: Sequence[str]) -> int:
    """Return to which width a column of these cells can be narrowed."""
    longest = max(max(map(len, _pieces(cell)), default=0) for cell in column)
    return min(max(map(len, column)), max(longest, _NARROWEST))


def _pieces(cell: str) -> list[str]:
    """Where a cell may be broken: after a blank or a bracket, and before a dot within a name."""
    return [piece for piece in re.split(r"(?<=[\s(])|(?=\.[a-z])", cell) if piece]


def _lines(row: Sequence[str], widths: Sequence[int], indent: int) -> list[str]:
    cells = [_broken(cell, width) for cell, width in zip(row, widths, strict=True)]
    height = max(map(len, cells), default=1)
    out = []
    for i in range(height):
        parts = [cell[i] if i < len(cell) else "" for cell in cells]
        padded = (part.ljust(width) for part, width in zip(parts, widths, strict=True))
        out.append((" " * indent + (" " * _GAP).join(padded)).rstrip())
    return out


def _broken(cell: str, width: int) -> list[str]:
    """A cell in lines; a piece that is longer than the column stays whole."""
    if len(cell) <= width:
        return [cell]
    lines = [""]
    for piece in _pieces(cell):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]
