"""The table of a result that is printed while it is measured."""

from __future__ import annotations

from collections.abc import Callable

from fastgc.report.export import Rows
from fastgc.report.tables import remark, results, written


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
        text, left_out = written(rows, self._width)
        self._left_out += left_out
        self._tell(text)

    def close(self) -> None:
        """Say what was left out, or that there was nothing."""
        if self._is_empty:
            self._say(results([]))
        elif self._left_out:
            self._tell(remark(self._left_out, self._width))

    def _tell(self, text: str) -> None:
        before = f"{self.title}\n\n" if self.title else ""
        self._say(("\n" if not self._is_empty else before) + text)
        self._is_empty = False
