"""Data sets in csv: one sample a line, the first line names the columns."""

from __future__ import annotations

import csv
import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.registry.complaints import show
from fastgc.training.data.names import instead, some
from fastgc.training.data.raw import Raw


@functools.lru_cache(maxsize=8)
def parse(text: str, name: str, target: str | None, columns: tuple[str, ...] | None) -> Raw:
    """Take a data set from the text of a csv table.

    Parameters
    ----------
    text : str
        Empty lines and lines that begin with # are skipped.
    name : str
        How messages call it.
    target : str or None
        The column to be learnt: numbers, or names of classes; must be given.
    columns : tuple of str or None
        Those that hold features, which are numbers; all others by default.

    Returns
    -------
    Raw

    Raises
    ------
    FastgcError
        If a column is missing, or a cell is no finite number.

    Examples
    --------
    >>> parse("a,b\\n1,2\\n3,4\\n", "t.csv", "b", None).X.tolist()
    [[1.0], [3.0]]
    """
    header, lines = _table(text, name)
    if target is None:
        raise FastgcError(
            f"must name the column of {name} that is to be learnt (got nothing); it has "
            f"{some(header)}",
            "target",
        )
    aim = _place(header, target, name)
    if columns is None:
        places = [place for place in range(len(header)) if place != aim]
    else:
        places = [_place(header, column, name) for column in columns]
        if aim in places:
            raise FastgcError(f"{show(target)} is the target; leave it out", "columns")
    if not places:
        raise FastgcError(f"{name}: has no column beside the target {show(target)}")
    X = np.empty((len(lines), len(places)))
    for i, (number, cells) in enumerate(lines):
        for j, place in enumerate(places):
            X[i, j] = _number(cells[place], header[place], number, name, _NO_FEATURE)
    found = [(number, cells[aim]) for number, cells in lines]
    return Raw(name, X, _targets(found, header[aim], name))


_Line = tuple[int, list[str]]


def _table(text: str, name: str) -> tuple[list[str], list[_Line]]:
    lines: list[_Line] = []
    reader = csv.reader(text.splitlines(keepends=True), skipinitialspace=True, strict=True)
    try:
        for cells in reader:
            if not cells or cells == [""] or cells[0].startswith("#"):
                continue
            lines.append((reader.line_num, [cell.strip() for cell in cells]))
    except csv.Error as problem:
        raise FastgcError(f"{name}: line {reader.line_num}: is no csv ({problem})") from None
    if not lines:
        raise FastgcError(f"{name} is empty; its first line must name the columns")
    header = lines.pop(0)[1]
    if all(_is_number(cell) for cell in header):
        raise FastgcError(
            f"{name}: its first line must name the columns (got only numbers, {show(header[0])} …)"
        )
    other = [mark for mark in ";\t|" if mark in header[0]]
    if len(header) == 1 and other:
        raise FastgcError(f"{name}: separates columns by {show(other[0])}; separate by commas")
    twice = {cell for cell in header if header.count(cell) > 1}
    if twice:
        raise FastgcError(f"{name}: two columns are called {show(min(twice))}; rename one")
    if not lines:
        raise FastgcError(f"{name} has a line of names but no samples")
    for number, cells in lines:
        if len(cells) != len(header):
            raise FastgcError(
                f"{name}: line {number}: must have {len(header)} cells like the first line "
                f"(got {len(cells)})"
            )
    return header, lines


def _place(header: Sequence[str], column: str, name: str) -> int:
    if column in header:
        return header.index(column)
    raise FastgcError(f"{name} has no column {show(column)}{instead(column, header)}")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


_NO_FEATURE = "choose columns that hold numbers by columns = […]"
_NO_TARGET = "a target holds numbers only, or names of classes of which none is a number"


def _number(cell: str, column: str, line: int, name: str, remedy: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        where = f"{name}: line {line}, column {show(column)}"
        if not cell:
            raise FastgcError(f"{where}: is empty; leave out samples with gaps") from None
        raise FastgcError(f"{where}: must be a number (got {show(cell)}); {remedy}") from None
    if not math.isfinite(value):
        raise FastgcError(
            f"{name}: line {line}, column {show(column)}: must be finite (got {cell})"
        )
    return value


def _targets(cells: list[tuple[int, str]], column: str, name: str) -> NDArray[Any]:
    """Numbers, or names of classes where none of them is a number."""
    if not any(_is_number(cell) or not cell for _, cell in cells):
        return np.array([cell for _, cell in cells])
    return np.array([_number(cell, column, line, name, _NO_TARGET) for line, cell in cells])
