"""Data sets in csv: one sample a line, the first line names the columns."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.registry.complaints import show
from fastgc.registry.csv_tables import INDEX, Line, Table, number, points, table
from fastgc.registry.names import some
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
    found = table(text, name, "samples")
    header = found.columns
    if header.count("") > 1:
        raise FastgcError(f"{name}: two columns are called ''; rename one")
    if target is None:
        raise FastgcError(
            f"must name the column of {name} that is to be learnt (got nothing); it has "
            f"{some(header)}",
            "target",
        )
    aim = found.place(target)
    if columns is None:
        places = [place for place in range(len(header)) if place != aim]
        if "" in header and header.index("") in places and found.counts(header.index("")):
            raise FastgcError(f"{name}: column {header.index('')} (counted from 0) {INDEX}")
    else:
        places = [found.place(column) for column in columns]
        if aim in places:
            raise FastgcError(f"{show(target)} is the target; leave it out", "columns")
    if not places:
        raise FastgcError(f"{name}: has no column beside the target {show(target)}")
    X = np.empty((len(found.lines), len(places)))
    for i, line in enumerate(found.lines):
        for j, place in enumerate(places):
            X[i, j] = _number(found, line, place, _NO_FEATURE)
    return Raw(name, X, _targets(found, aim))


_NO_FEATURE = "choose columns that hold numbers by columns = […]"
_NO_TARGET = "a target holds numbers only, or names of classes of which none is a number"


def _number(found: Table, line: Line, place: int, remedy: str) -> float:
    cell = line.cells[place]
    value = number(cell)
    if value is not None and math.isfinite(value):
        return value
    where = found.where(line, found.columns[place])
    if not cell:
        raise FastgcError(f"{where}: is empty; leave out samples with gaps")
    if value is None:
        raise FastgcError(
            f"{where}: must be a number (got {show(cell)}){points(cell) or f'; {remedy}'}"
        )
    raise FastgcError(f"{where}: must be finite (got {cell})")


def _targets(found: Table, place: int) -> NDArray[Any]:
    """Return numbers, or names of classes where none of them is a number."""
    cells = [line.cells[place] for line in found.lines]
    if all(cell and number(cell) is None for cell in cells):
        return np.array(cells)
    return np.array([_number(found, line, place, _NO_TARGET) for line in found.lines])
