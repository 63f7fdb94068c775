"""Recorded worker times: read from a table, wide or long, and looked at as rows or as a pool.

A wide table has one column a worker and one line an iteration; a column may end before the others.
A long one has one line a measurement and names the columns that hold the worker and the value, and
perhaps the iteration.
"""

from __future__ import annotations

import csv
import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.registry.complaints import nearest, show

Values = NDArray[np.float64]
_MEDIAN = re.compile(r"\s*([0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?)\s*median\s*")


@dataclass(frozen=True, eq=False)
class Trace:
    """Times that workers took, in the trace's own unit.

    Attributes
    ----------
    workers : tuple of str
        What the trace calls each worker.
    values : tuple of float64 arrays
        Each worker's times in order; workers may have different numbers of them.
    """

    workers: tuple[str, ...]
    values: tuple[Values, ...]

    @property
    def n(self) -> int:
        """Workers."""
        return len(self.workers)

    @cached_property
    def rows(self) -> Values:
        """Times (rows, n) of the iterations that all workers have: the shortest ends them."""
        length = min(len(values) for values in self.values)
        return np.stack([values[:length] for values in self.values], axis=1)

    @cached_property
    def pooled(self) -> Values:
        """Every value of every worker."""
        return np.concatenate(self.values)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the values and of how many each worker has."""
        content = hashlib.sha256(repr([len(values) for values in self.values]).encode())
        # −0.0 and 0.0 are one number
        content.update((self.pooled + 0.0).astype("<f8").tobytes())
        return content.hexdigest()

    def threshold(self, given: float | str) -> float:
        """Return a threshold in the trace's unit.

        Parameters
        ----------
        given : float or str
            In that unit already, or ``"1.5 median"``: so many times the median of `pooled`.

        Raises
        ------
        FastgcError
            If it is neither, or not more than 0.
        """
        return multiple_of_median(given, self.pooled)


def multiple_of_median(given: float | str, pooled: Values) -> float:
    """Return a threshold given as it is or as a multiple of a pool's median."""
    factor: float = math.nan
    if isinstance(given, str):
        match = _MEDIAN.fullmatch(given)
        factor = float(match[1]) if match else math.nan
    elif not isinstance(given, bool):
        factor = float(given)
    if not 0 < factor < math.inf:
        raise FastgcError(
            'must be a number more than 0, or so many times the median like "1.5 median" '
            f"(got {show(given)})"
        )
    return factor * float(np.median(pooled)) if isinstance(given, str) else factor


def parse(
    text: str,
    name: str,
    *,
    workers: Sequence[int] | None = None,
    worker: str | None = None,
    iteration: str | None = None,
    value: str | None = None,
) -> Trace:
    """Take a trace from the text of a csv table.

    Parameters
    ----------
    text : str
        The first line names the columns; empty lines and lines that begin with # are skipped.
    name : str
        How messages call it.
    workers : sequence of int, optional
        Which workers to keep, in this order, counted from 0; all by default. Other columns of a
        wide table may then hold anything.
    worker, iteration, value : str, optional
        Columns of a long table: who, when and how long. With ``iteration`` each worker's values are
        sorted by it, else they come in the order of the lines. A worker's i-th value is in row i.

    Returns
    -------
    Trace
        Workers of a wide table in the order of its columns; those of a long one by number where all
        are integers, else as they first come.

    Raises
    ------
    FastgcError
        If the table is empty, a column is missing or empty, a value is no finite number ≥ 0, or a
        line has more or fewer cells than the first.

    Examples
    --------
    >>> parse("a,b\\n1,2\\n3,\\n", "t.csv").values
    (array([1., 3.]), array([2.]))
    >>> parse("who,s\\n1,4.5\\n0,2\\n1,3\\n", "t.csv", worker="who", value="s").values
    (array([2.]), array([4.5, 3. ]))
    """
    header, lines = _table(text, name)
    if worker is None and value is None and iteration is None:
        return _wide(header, lines, name, workers)
    if worker is None or value is None:
        missing = "worker" if worker is None else "value"
        raise FastgcError(
            f"{name}: a long table needs the names of its columns worker and value "
            f"({missing} is not given)"
        )
    return _long(header, lines, name, workers, (worker, iteration, value))


_Line = tuple[int, list[str]]


def _table(text: str, name: str) -> tuple[list[str], list[_Line]]:
    """Return the column names, and every other line with its number."""
    lines: list[_Line] = []
    try:
        reader = csv.reader(text.splitlines(keepends=True), skipinitialspace=True, strict=True)
        for cells in reader:
            # a line of one empty cell is an empty line
            if not cells or cells[0].startswith("#") or cells == [""]:
                continue
            lines.append((reader.line_num, [cell.strip() for cell in cells]))
    except csv.Error as problem:
        raise FastgcError(f"{name}: line {reader.line_num}: is no csv ({problem})") from None
    if not lines:
        raise FastgcError(f"{name} is empty; its first line must name the columns")
    (_, header), rest = lines[0], lines[1:]
    if all(_is_number(cell) for cell in header):
        raise FastgcError(
            f"{name}: its first line must name the columns (got only numbers, {show(header[0])} …)"
        )
    for number, cells in rest:
        if len(cells) != len(header):
            raise FastgcError(
                f"{name}: line {number}: must have {len(header)} cells like the first line "
                f"(got {len(cells)}); where a worker has ended its cell stays empty"
            )
    if not rest:
        raise FastgcError(f"{name} has a line of names but no values")
    twice = {cell for cell in header if cell and header.count(cell) > 1}
    if twice:
        raise FastgcError(f"{name}: two columns are called {show(min(twice))}; rename one")
    return header, rest


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _time(cell: str, name: str, line: int, column: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        found = show(cell) if cell else "nothing"
        raise FastgcError(
            f"{name}: line {line}, column {show(column)}: "
            f"must be a finite number of at least 0 (got {found})"
        )
    return value


def _chosen(workers: Sequence[int] | None, count: int, name: str) -> list[int]:
    if workers is None:
        return list(range(count))
    if not workers:
        raise FastgcError(f"{name}: workers must name at least one worker")
    for j in workers:
        if not 0 <= j < count:
            raise FastgcError(
                f"{name} has {count} workers, so workers must lie in 0 … {count - 1} (got {j})"
            )
    if len(set(workers)) != len(workers):
        raise FastgcError(f"{name}: workers must name each worker once (got {list(workers)})")
    return list(workers)


def _wide(header: list[str], lines: list[_Line], name: str, workers: Sequence[int] | None) -> Trace:
    lowered = [cell.lower() for cell in header]
    if workers is None and "worker" in lowered:
        column = header[lowered.index("worker")]
        raise FastgcError(
            f"{name} looks like a long table; give worker = {show(column)} and value = the column "
            f"of times ({', '.join(cell for cell in header if cell and cell != column)})"
        )
    if workers is None and "" in header:
        raise FastgcError(
            f"{name}: column {header.index('')} (counted from 0) has no name; give workers = the "
            "columns to use, or worker and value of a long table"
        )
    kept = _chosen(workers, len(header), name)
    values = []
    for j in kept:
        column = header[j] or str(j)
        times: list[float] = []
        ended = 0
        for number, cells in lines:
            if cells[j] == "":
                ended = ended or number
                continue
            if ended:
                raise FastgcError(
                    f"{name}: line {ended}, column {show(column)}: is empty but line {number} is "
                    "not; only the end of a column may be empty"
                )
            times.append(_time(cells[j], name, number, column))
        if not times:
            raise FastgcError(f"{name}: column {show(column)} is empty; every worker needs a value")
        values.append(np.array(times))
    return Trace(tuple(header[j] or str(j) for j in kept), tuple(values))


def _long(
    header: list[str],
    lines: list[_Line],
    name: str,
    workers: Sequence[int] | None,
    columns: tuple[str, str | None, str],
) -> Trace:
    place = {}
    for column in columns:
        if column is not None and column not in header:
            known = [cell for cell in header if cell]
            near = nearest(column, known) or f"; it has {', '.join(known)}"
            raise FastgcError(f"{name} has no column {show(column)}{near}")
        place[column] = -1 if column is None else header.index(column)
    who, when, what = (place[column] for column in columns)
    found: dict[str, list[tuple[float, float]]] = {}
    for number, cells in lines:
        if cells[who] == "":
            raise FastgcError(f"{name}: line {number}, column {show(columns[0])}: names no worker")
        order = 0.0
        if columns[1] is not None:
            order = _order(cells[when], name, number, columns[1])
        measured = order, _time(cells[what], name, number, columns[2])
        found.setdefault(cells[who], []).append(measured)
    labels = list(found)
    if all(re.fullmatch(r"[-+]?[0-9]+", label) for label in labels):
        labels.sort(key=int)
    kept = [labels[j] for j in _chosen(workers, len(labels), name)]
    values = []
    for label in kept:
        # a stable sort: without an iteration, and within one, lines keep their order
        ordered = sorted(found[label], key=lambda each: each[0])
        values.append(np.array([time for _, time in ordered]))
    return Trace(tuple(kept), tuple(values))


def _order(cell: str, name: str, line: int, column: str) -> float:
    if not _is_number(cell) or not math.isfinite(float(cell)):
        raise FastgcError(
            f"{name}: line {line}, column {show(column)}: an iteration must be a finite number "
            f"(got {show(cell) if cell else 'nothing'})"
        )
    return float(cell)
