"""Recorded worker times, read from a table, wide or long.

A wide table has one column a worker and one line an iteration; a column may end before the others.
A long one has one line a measurement and names the columns that hold the worker and the value, and
perhaps the iteration: then a row has all workers' values of one iteration.
"""

import fnmatch
import functools
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pydantic
from pydantic import Field

from fastgc.arrays import Values
from fastgc.errors import FastgcError, LongTableError
from fastgc.latency.names import ANY, refuse_long, units_of, without_unit
from fastgc.latency.recording import DEFAULT_THRESHOLD, Label, Recording, idle
from fastgc.latency.trace_tables import ENDED, numbers_of, recorded_text
from fastgc.registry import Member
from fastgc.registry.complaints import show, unknown
from fastgc.registry.csv_tables import CsvLine, CsvTable, number, points, table
from fastgc.registry.number_types import counted

#: Names of columns that say when, not how long, if their values rise.
_COUNTERS = frozenset(
    ("batch", "date", "epoch", "index", "iter", "iteration", "round", "step", "time", "timestamp")
)
_TIME = "must be a finite number of at least 0"
_NONE = "; delete a line that has none"
_ITERATION = "an iteration must be a finite number"
_LONGEST = 1e100  # squares of times must be numbers
_MANY = 10  # so many lines do not agree by chance
_MOST_CELLS = 2**27  # a GiB: what a long table with few lines may become, a row for each iteration

#: Which workers to keep: their places, or a shell pattern of their names; None: all.
Kept = Sequence[int] | str | None


def parse(
    text: str,
    name: str,
    *,
    workers: Kept = None,
    worker: str | None = None,
    iteration: str | None = None,
    value: str | None = None,
) -> Recording:
    """Take a recording from the text of a csv table, which messages call ``name``.

    ``workers`` are those to keep, in this order, counted from 0, or a shell pattern of their names;
    all by default. Other columns of a wide table may then hold anything. A long table has columns
    ``worker``, ``iteration`` and ``value``: who, when and how long. With ``iteration`` each
    worker's values are sorted by it, of which it has one each, and a row has the values of one
    iteration that all workers have. Without it values come in the order of the lines, and a
    worker's i-th is in row i.

    Workers of a wide table are in the order of its columns; those of a long one by number where all
    are integers, else as they first come. Refused are columns that are missing or empty, and values
    that are no finite number ≥ 0.
    """
    is_wide = worker is None and value is None and iteration is None
    quick = _of_numbers(text, name, workers) if is_wide else None
    if quick is not None:
        return quick
    found = table(text, name, ENDED)
    if is_wide:
        if workers is None:
            _require_wide(found)
        kept = _chosen(workers, found.columns, name)
        names = tuple(found.columns[j] or str(j) for j in kept)
        columns = [_column(found, j) for j in kept]
        frame = np.full((max(map(len, columns)), len(columns)), math.nan)
        for j, own in enumerate(columns):
            frame[: len(own), j] = own
        return Recording(names, frame, None, name, units_of(text, names, None))
    if worker is None or value is None:
        missing = "worker" if worker is None else "value"
        raise LongTableError(
            f"{name}: a long table needs the names of its columns worker and value ({missing} is "
            "not given)",
            {"worker": worker or ANY, "value": value or ANY},
            f", {ANY} one of {', '.join(column for column in found.columns if column)}",
        )
    return replace(_long(found, workers, worker, iteration, value), units=units_of(text, (), value))


def _chosen(workers: Kept, names: Sequence[str], name: str) -> list[int]:
    count = len(names)
    if workers is None:
        return list(range(count))
    got, like = repr(workers), ", ".join(names[:3])
    if isinstance(workers, str):
        workers = [j for j, each in enumerate(names) if fnmatch.fnmatchcase(each, workers)]
    if not workers:
        raise FastgcError(f"{name}: workers must name at least one, like {like} (got {got})")
    for j in workers:
        if not 0 <= j < count:
            raise FastgcError(
                f"{name} has {count} workers, so workers must lie in 0 … {count - 1} (got {j})"
            )
    if len(set(workers)) != len(workers):
        raise FastgcError(f"{name}: workers must name each worker once (got {list(workers)})")
    return list(workers)


def _of_numbers(text: str, name: str, workers: Kept) -> Recording | None:
    """Return the trace of a wide table of nothing but times, all columns as long; else None."""
    found = numbers_of(text, name)
    if found is None:
        return None
    columns, times = found
    if "" in columns or len(set(columns)) < len(columns):
        return None
    if not ((times >= 0) & (times <= _LONGEST)).all():
        return None
    if workers is None:
        whole = np.flatnonzero((times == np.floor(times)).all(axis=0)).tolist()
        refuse_long(name, columns, {j: times[:, j].tolist() for j in whole})
    if any(_counts(times[:, j], column, len(columns)) for j, column in enumerate(columns)):
        return None
    kept = _chosen(workers, columns, name)
    names = tuple(columns[j] for j in kept)
    frame = times if workers is None else np.ascontiguousarray(times[:, kept])
    return Recording(names, frame, None, name, units_of(text, names, None))


def _counts(times: Values, column: str, columns: int) -> bool:
    """Whether values count rounds or lines, or are points in time, by a column's name or alone."""
    steps = np.diff(times)
    if column.lower() in _COUNTERS and steps.size and (steps > 0).all():
        return True
    is_whole = times.size >= _MANY and float(times[0]).is_integer()
    return columns > 1 and is_whole and bool((steps == 1).all())


def _require_wide(found: CsvTable) -> None:
    name, columns = found.name, found.columns
    cells = ([line.cells[j] for line in found.lines] for j in range(len(columns)))
    refuse_long(name, columns, {j: own for j, own in enumerate(cells) if all(map(_label, own))})
    if "" in columns:
        place = columns.index("")
        nameless = (
            "has no name; remove it if it counts the lines (pandas: to_csv(…, index=False)); else "
            "give workers = the columns to use, or worker and value of a long table"
        )
        if not any(line.cells[place] for line in found.lines):
            nameless = "has no name and no values; remove it (do lines end in a comma?)"
        raise FastgcError(f"{name}: column {place} (counted from 0) {nameless}")
    for j, column in enumerate(columns):
        own = [line.cells[j] for line in found.lines if line.cells[j]]
        times = [number(cell) for cell in own]
        if own and all(time is None for time in times) and not points(own[0]):
            where = f"{found.where(found.lines[0], column)}: {_TIME} (got {show(own[0])})"
            raise FastgcError(f"{where}; every column is a worker, so remove what is none")
        numbers = np.array([math.nan if time is None else time for time in times])
        if _counts(numbers, column, len(columns)):
            raise FastgcError(
                f"{name}: column {show(column)} counts rounds or says when they were, so it is no "
                "worker; remove it, for lines are rounds already"
            )


def _label(cell: str) -> bool:
    """Whether a cell is a name, or a whole number."""
    value = number(cell)
    return bool(cell) and (value.is_integer() if value is not None else not points(cell))


def _column(found: CsvTable, place: int) -> Values:
    column = found.columns[place] or str(place)
    filled = [line for line in found.lines if line.cells[place]]
    if not filled:
        raise FastgcError(
            f"{found.name}: column {show(column)} is empty; every worker needs a value"
        )
    for line, other in zip(found.lines, filled, strict=False):
        if line is not other:
            raise FastgcError(
                f"{found.where(line, column)}: is empty but line {other.number} is not; "
                "only the end of a column may be empty; leave out the round"
            )
    return np.array([_time(found, line, place) for line in filled])


def _time(found: CsvTable, line: CsvLine, place: int, more: str = "") -> float:
    value = found.number(line, place, _TIME + more, 0.0)
    if value > _LONGEST:
        raise FastgcError(
            f"{found.where(line, found.columns[place])}: {value:g} is no time; give durations"
        )
    return value


def _long(
    found: CsvTable, workers: Kept, worker: str, iteration: str | None, value: str
) -> Recording:
    who, what = found.place(worker), found.place(value)
    when = None if iteration is None else found.place(iteration)
    measured: dict[str, dict[Label, float]] = {}
    seen = Counter[tuple[str, float]]()
    for line in found.lines:
        name = line.cells[who]
        if not name:
            raise FastgcError(f"{found.where(line, worker)}: names no worker")
        order = 0.0 if when is None else found.number(line, when, _ITERATION)
        label = order, seen[name, order]
        if when is not None and label[1]:
            raise FastgcError(
                f"{found.where(line, str(iteration))}: worker {name} has two values of {order:g}; "
                "delete one (a job that goes on from a checkpoint repeats iterations); where they "
                "begin anew in each epoch name no iteration, and the lines' order counts"
            )
        measured.setdefault(name, {})[label] = _time(found, line, what, _NONE)
        seen[name, order] += 1
    names = list(measured)
    if all(re.fullmatch(r"[-+]?[0-9]+", label) for label in names):
        names.sort(key=int)
    kept = [names[j] for j in _chosen(workers, names, found.name)]
    having = Counter(label for name in kept for label in measured[name])
    if when is not None and max(having.values()) < len(kept):
        raise FastgcError(f"{found.name}: no {iteration} is one of all {len(kept)} workers")
    if len(having) * len(kept) > _MOST_CELLS:
        do = "leave out workers that have many more lines than others: workers = [0, …]"
        if when is not None:
            do = f"take a column in which all workers have the same {iteration} in a round"
        raise FastgcError(
            f"{found.name}: {len(found.lines)} lines are too few for {len(having)} rows of "
            f"{len(kept)} workers; {do}"
        )
    labels = sorted(having)
    rows = {label: i for i, label in enumerate(labels)}
    frame = np.full((len(labels), len(kept)), math.nan)
    for j, name in enumerate(kept):
        frame[[rows[label] for label in measured[name]], j] = list(measured[name].values())
    differ = when is not None and having.total() < frame.size
    return Recording(tuple(kept), frame, tuple(labels) if differ else None, found.name)


#: All points of a study that use a table in one way share one trace.
_parse = functools.lru_cache(maxsize=16)(parse)


#: Keys that say how a table is laid out.
LAYOUT = ("workers", "worker", "iteration", "value")


class TraceMember(Member):
    """Base of the members that read a trace: the keys that say where it is and how it is laid out.

    * ``file`` (str): A wide table, one column a worker and one line an iteration, or a long one,
      one line a value: csv, JSON lines (.jsonl, extra ``pandas``) or parquet (extra ``parquet``);
      or a folder with a csv file for each rank. Relative names start at the study.
    * ``workers`` (tuple of int or str, optional): Which workers to keep, in this order, counted
      from 0; or a pattern of their names, like "pp0*"; all by default.
    * ``worker`` (str, optional): Of a long table: the column that says which worker it was.
    * ``iteration`` (str, optional): Of a long table: the column that each worker's values are
      sorted by, and that says which of them make a row; without it they come in the lines' order.
    * ``value`` (str, optional): Of a long table: the column that says how long it took.
    """

    file: str
    workers: Annotated[tuple[pydantic.NonNegativeInt, ...] | str | None, Field(min_length=1)] = None
    worker: str | None = None
    iteration: str | None = None
    value: str | None = None
    _text: str = pydantic.PrivateAttr()
    _trace: Recording = pydantic.PrivateAttr()

    @pydantic.field_validator("file")
    @classmethod
    def _readable(cls, file: str, info: pydantic.ValidationInfo) -> str:
        recorded_text(file, info.context)
        return file

    @pydantic.model_validator(mode="after")
    def _read(self, info: pydantic.ValidationInfo) -> "TraceMember":
        self._text = recorded_text(self.file, info.context)
        layout = {key: getattr(self, key) for key in LAYOUT}
        self._trace = _parse(self._text, self.file, **layout)
        return self

    @property
    def trace(self) -> Recording:
        """What was read."""
        return self._trace

    def files(self) -> dict[str, Any]:
        return {self.file: self._text}

    def layout_complaints(self, n: int) -> list[tuple[str, str]]:
        """Say how many workers the trace has where it is not n."""
        have = self._trace.n
        if have == n:
            return []
        if self.workers is not None:
            return [("workers", f"must name a worker of the trace for each of n={n} (got {have})")]
        remedy = f"; choose {n} with workers = [0, …]" if have > n else ""
        return [("file", f"{self.file} has {have} workers, {n} are needed{remedy}")]


def read(
    trace: str | Path | Mapping[str, Any], threshold: float | str | None = None, *, rounds: int = 2
) -> Recording:
    """Read a recording and the threshold of its stragglers.

    ``trace`` is a wide table, or ``{"file": …, "worker": …, "value": …}`` with the keys that a
    study's trace has; ``threshold`` a time, or a multiple of the median of all values (``"1.5
    median"`` by default). It must have so many ``rounds`` that all workers have.
    """
    if not isinstance(trace, str | Path | Mapping):
        raise FastgcError(
            f"trace: must name a file, or be a mapping with file (got {type(trace).__name__}); "
            'write times (rounds, workers) to one: numpy.savetxt("t.csv", times, delimiter=",", '
            'header="a,b", comments="")'
        )
    given: Mapping[str, Any] = trace if isinstance(trace, Mapping) else {"file": str(trace)}
    for key in given:
        if key not in ("file", *LAYOUT):
            raise FastgcError(f"trace: {unknown('key', key, ['file', *LAYOUT])}")
    if "file" not in given:
        raise FastgcError("trace: must name a file")
    file = str(given["file"])
    name = Path(file).name
    layout = {key: value for key, value in given.items() if key != "file"}
    try:
        found = parse(recorded_text(file), name, **layout)
    except LongTableError:
        raise
    except FastgcError as problem:
        raise FastgcError(f"trace: {problem}") from None
    try:
        limit = found.threshold(DEFAULT_THRESHOLD if threshold is None else threshold)
    except FastgcError as problem:
        raise FastgcError(f"threshold: {problem}") from None
    if len(found.rows) < rounds:
        what = f"{counted(rounds, 'iterations')} of all workers (has {len(found.rows)})"
        raise FastgcError(f"trace: {name} must have at least {what}")
    if (why := idle(found)) is not None:
        raise FastgcError(f"trace: {name}: {why}")
    return replace(found, workers=without_unit(found.workers), limit=limit)
