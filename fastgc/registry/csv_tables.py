"""Tables in csv: lines of cells with their numbers in the file, columns by their names, numbers."""

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from fastgc.errors import FastgcError
from fastgc.registry.complaints import nearest, show
from fastgc.registry.number_types import counted

_DECIMAL_COMMA = re.compile(r"[-+]?[0-9]+,[0-9]+(?:[eE][-+]?[0-9]+)?")


class CsvLine(NamedTuple):
    """A line of a table: where it ends in the file, from 1, and its cells without spaces around."""

    number: int
    cells: list[str]


@dataclass(frozen=True)
class CsvTable:
    """A table whose first line names the columns; messages call it ``name``.

    No two columns have one name, but a name may be empty. Each of the lines, of which there is at
    least one, has a cell for every column.
    """

    name: str
    columns: list[str]
    lines: list[CsvLine]

    def place(self, column: str) -> int:
        """Return where the cells of a column are in each line; refuse a column that is missing."""
        if column in self.columns:
            return self.columns.index(column)
        known = [each for each in self.columns if each]
        others = ", ".join([*known[:12], *["…"] * (len(known) > 12)])
        near = nearest(column, known) or f"; it has {others}"
        raise FastgcError(f"{self.name} has no column {show(column)}{near}")

    def where(self, line: CsvLine, column: str) -> str:
        """Say where a cell is."""
        return f"{self.name}: line {line.number}, column {show(column)}"

    def number(self, line: CsvLine, place: int, rule: str, least: float = -math.inf) -> float:
        """Return the finite number in a cell, at least ``least``; else say where and the rule."""
        cell = line.cells[place]
        value = number(cell)
        if value is None or not (math.isfinite(value) and value >= least):
            raise FastgcError(
                f"{self.where(line, self.columns[place] or str(place))}: {rule} "
                f"(got {show(cell) if cell else 'nothing'}){points(cell)}"
            )
        return value


def lines(source: Iterable[str], name: str) -> Iterator[CsvLine]:
    """Read the lines of a table that hold something; messages call it ``name``.

    ``source`` gives lines with their ends as in the file. Empty ones are skipped, and those that
    begin with # or whose first cell does.
    """
    at = 0
    inside = False  # a record that has begun goes on as long as a quote is open

    def without_comments() -> Iterator[str]:
        # taken out before they are parsed: a quote in a comment opens nothing
        nonlocal at, inside
        for line in source:
            at += 1
            if inside or not line.lstrip().startswith("#"):
                inside = True
                yield line

    try:
        for record in csv.reader(without_comments(), skipinitialspace=True, strict=True):
            inside = False
            cells = [cell.strip() for cell in record]
            if cells not in ([], [""]) and not cells[0].startswith("#"):
                yield CsvLine(at, cells)
    except csv.Error as problem:
        raise FastgcError(
            f"{name}: line {at}: is no csv ({problem}); write numbers between commas"
        ) from None


def table(text: str, name: str, hint: str = "") -> CsvTable:
    """Read a table whose first line names the columns; messages call it ``name``.

    ``hint`` is what to add where a line is too short or too long.
    Refused are text that is no csv, a table without names or without lines, names that come twice,
    and lines with more or fewer cells than the first.
    """
    found = list(lines(io.StringIO(text, newline=""), name))
    if not found:
        raise FastgcError(f"{name} is empty; its first line must name the columns")
    columns, rest = found[0].cells, found[1:]
    if len(columns) == 1 and (other := re.search("[;\t]", columns[0])):
        what = "semicolons" if other[0] == ";" else "tabs"
        raise FastgcError(
            f"{name}: {what} are between its cells; write commas there, and points in numbers "
            f"(pandas: read_csv(…, sep={other[0]!r}, decimal=',').to_csv(…, index=False))"
        )
    if all(number(cell) is not None for cell in columns):
        raise FastgcError(
            f"{name}: its first line must name the columns (got only numbers, {show(columns[0])} …)"
        )
    twice = {cell for cell in columns if cell and columns.count(cell) > 1}
    if twice:
        raise FastgcError(f"{name}: two columns are called {show(min(twice))}; rename one")
    if not rest:
        raise FastgcError(f"{name} has a line of names but no values; add them below it")
    for line in rest:
        if len(line.cells) != len(columns):
            raise FastgcError(
                f"{name}: line {line.number}: must have {counted(len(columns), 'cells')} like the "
                f"first line (got {len(line.cells)}){hint}"
            )
    return CsvTable(name, columns, rest)


def points(cell: str) -> str:
    """Return the remedy for a number with a comma where its point should be, else nothing."""
    if not _DECIMAL_COMMA.fullmatch(cell.strip()):
        return ""
    return f"; write points in numbers, like {cell.strip().replace(',', '.')}"


def number(cell: str) -> float | None:
    """Return the number in a cell, None where there is none."""
    if not plain(cell):
        return None
    try:
        return float(cell)
    except ValueError:
        return None


def finite(cell: str, where: str) -> float:
    """Return the finite number in a cell; else say where it is."""
    value = number(cell)
    if value is None:
        raise FastgcError(f"{where}: must be a number (got {show(cell)})")
    if not math.isfinite(value):
        raise FastgcError(f"{where}: must be finite (got {cell})")
    return value


def complex_number(text: str) -> complex | None:
    """Return the complex number that a text is, like 1+2j or (1 - 2i); None if it is none."""
    if text.rstrip(" )")[-1:].lower() not in ("i", "j") or not plain(text):
        return None
    try:
        return complex(text.replace(" ", "").lower().replace("i", "j"))
    except ValueError:
        return None


def plain(cell: str) -> bool:
    """Whether a cell has none of what Python takes in numbers: underscores, digits of others."""
    return cell.isascii() and "_" not in cell
