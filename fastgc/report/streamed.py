"""The table of a result that is printed while it is measured."""

from __future__ import annotations

from collections.abc import Callable

from fastgc.report.export import Rows
from fastgc.report.tables import results


class StreamedTable:
    """Says the table of `results` block by block.

    Parameters
    ----------
    say : callable
        Prints text and ends the line.

    Attributes
    ----------
    title : str
        Said before the first block.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self.title = ""
        self._say = say
        self._is_empty = True

    def add(self, rows: Rows) -> None:
        """Say the blocks of more rows."""
        before = f"{self.title}\n\n" if self._is_empty and self.title else ""
        if not self._is_empty:
            before = "\n"
        self._is_empty = False
        self._say(before + results(rows))

    def close(self) -> None:
        """Say so if there was nothing."""
        if self._is_empty:
            self._say(results([]))
