"""Text in aligned columns, and lists without repetition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def distinct(items: Iterable[Any]) -> list[Any]:
    """Return items in their order, each once."""
    found: list[Any] = []
    for item in items:
        if item not in found:
            found.append(item)
    return found


def columns(table: Sequence[Sequence[str]], indent: int = 0) -> list[str]:
    """Return the table's rows as lines whose columns are aligned on the left."""
    if not table:
        return []
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    return [
        " " * indent
        + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
