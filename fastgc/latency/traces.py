"""Recorded worker times: read from a table, wide or long, and looked at as rows or as a pool.

A wide table has one column a worker and one line an iteration; a column may end before the others.
A long one has one line a measurement and names the columns that hold the worker and the value, and
perhaps the iteration: then a row has all workers' values of one iteration.
"""

import functools
import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
import pydantic
from pydantic import Field

from fastgc.arrays import Values
from fastgc.errors import FastgcError, LongTableError
from fastgc.latency.names import ANY, refuse_long, units_of
from fastgc.latency.trace_tables import ENDED, numbers_of, recorded_text
from fastgc.registry import Member
from fastgc.registry.cached import cached_property
from fastgc.registry.complaints import show
from fastgc.registry.tables import Line, Table, number, points, table
from fastgc.statistics.changes import changes, is_line

Label = tuple[float, int]  # an iteration, and which of the worker's values of it
#: Names of columns that say when, not how long, if their values rise.
_COUNTERS = frozenset(
    ("batch", "date", "epoch", "index", "iter", "iteration", "round", "step", "time", "timestamp")
)
_TIME = "must be a finite number of at least 0"
_ITERATION = "an iteration must be a finite number"
_LONGEST = 1e100  # squares of times must be numbers
_MANY = 10  # so many lines do not agree by chance
#: Late is who takes longer, where nothing else is said.
DEFAULT_THRESHOLD = "1.5 median"
#: A worker has changed if its mean or median has, by such a share.
MATERIAL = 0.01
_MEDIAN = re.compile(r"\s*([0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?)\s*median\s*")


@dataclass(frozen=True, eq=False)
class Trace:
    """Times that workers took, as they were recorded, in the unit of the recording.

    Workers may have different numbers of ``values``, in order. ``iterations`` says which iteration
    each is of, where the recording says so and workers differ in it; without it a worker's i-th
    time is of the i-th.
    """

    workers: tuple[str, ...]
    values: tuple[Values, ...]
    iterations: tuple[tuple[Label, ...], ...] | None = None

    @property
    def n(self) -> int:
        """The number of workers."""
        return len(self.workers)

    @cached_property
    def rows(self) -> Values:
        """Times (rows, n) of the iterations that all workers have."""
        if self.iterations is None:
            length = min(len(values) for values in self.values)
            return np.stack([values[:length] for values in self.values], axis=1)
        common = self._common
        kept = [[label in common for label in labels] for labels in self.iterations]
        return np.stack([own[there] for own, there in zip(self.values, kept, strict=True)], axis=1)

    @property
    def _common(self) -> set[Label]:
        """Iterations that all workers have, where they differ in them."""
        first, *others = self.iterations or ((),)
        return set(first).intersection(*others)

    @cached_property
    def missing(self) -> tuple[int, tuple[int, ...]]:
        """How many iterations any worker has, and how many of them each has not."""
        if self.iterations is None:
            sizes = [len(values) for values in self.values]
            return max(sizes), tuple(max(sizes) - size for size in sizes)
        count = len(set().union(*self.iterations))
        return count, tuple(count - len(labels) for labels in self.iterations)

    @cached_property
    def pooled(self) -> Values:
        """Every time of every worker."""
        return np.concatenate(self.values)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the values, of how many each worker has, and of iterations that differ."""
        content = hashlib.sha256(repr([len(values) for values in self.values]).encode())
        # −0.0 and 0.0 are one number
        content.update((self.pooled + 0.0).astype("<f8").tobytes())
        if self.iterations is not None:
            content.update(repr(self.iterations).encode())
        return content.hexdigest()

    @cached_property
    def changes(self) -> dict[int, list[int]]:
        """After how many rows workers change for good: those that do; see `statistics.changes`.

        What moves neither mean nor median of a worker by `MATERIAL` is no change, nor is what a
        line fits better than steps: times that grow all the time have no part that goes on.
        """
        found = {j: _material(own, changes(own, self.n)) for j, own in enumerate(self.rows.T)}
        return {j: at for j, at in found.items() if at and not is_line(self.rows[:, j], at)}

    @property
    def goes_on(self) -> int:
        """Rows up to the last change of any worker; 0 where none changes."""
        return max((rows[-1] for rows in self.changes.values()), default=0)

    def of(self, places: Sequence[int]) -> "Trace":
        """Return the same of some workers, in the order of ``places``."""
        labels = None if self.iterations is None else tuple(self.iterations[j] for j in places)
        own = tuple(self.workers[j] for j in places), tuple(self.values[j] for j in places)
        return Trace(*own, labels)

    def after(self, rows: int) -> "Trace":
        """Return what was recorded after so many rows."""
        if self.iterations is None:
            return Trace(self.workers, tuple(values[rows:] for values in self.values))
        first = sorted(self._common)[rows]
        kept = [[label >= first for label in labels] for labels in self.iterations]
        values = tuple(own[there] for own, there in zip(self.values, kept, strict=True))
        left = (tuple(each for each in labels if each >= first) for labels in self.iterations)
        return Trace(self.workers, values, tuple(left))

    def threshold(self, given: float | str) -> float:
        """Return a threshold in the trace's unit, given so, or as ``"1.5 median"`` of `pooled`."""
        return multiple_of_median(given, self.pooled)


def _material(series: Values, places: list[int]) -> list[int]:
    """Return those of places at which a series changes as much as `MATERIAL` asks."""
    found: list[int] = []
    for place, end in pairwise([*places, series.size]):
        before, after = series[found[-1] if found else 0 : place], series[place:end]
        middles = ((middle(before), middle(after)) for middle in (np.mean, np.median))
        if not all(math.isclose(*pair, rel_tol=MATERIAL) for pair in middles):
            found.append(place)
    return found


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
    """Take a trace from the text of a csv table, which messages call ``name``.

    ``workers`` are those to keep, in this order, counted from 0; all by default. Other columns of a
    wide table may then hold anything. A long table has columns ``worker``, ``iteration`` and
    ``value``: who, when and how long. With ``iteration`` each worker's values are sorted by it, and
    a row has the values of one iteration that all workers have; of several values of one iteration
    the first goes with the others' first. Without it values come in the order of the lines, and a
    worker's i-th is in row i.

    Workers of a wide table are in the order of its columns; those of a long one by number where all
    are integers, else as they first come. Refused are columns that are missing or empty, and values
    that are no finite number ≥ 0.

    >>> parse("a,b\\n1,2\\n3,\\n", "t.csv").values
    (array([1., 3.]), array([2.]))
    >>> parse("who,s\\n1,4.5\\n0,2\\n1,3\\n", "t.csv", worker="who", value="s").values
    (array([2.]), array([4.5, 3. ]))
    """
    is_wide = worker is None and value is None and iteration is None
    quick = _of_numbers(text, name, workers) if is_wide else None
    if quick is not None:
        return quick
    found = table(text, name, ENDED)
    if is_wide:
        if workers is None:
            _require_wide(found)
        kept = _chosen(workers, len(found.columns), name)
        names = tuple(found.columns[j] or str(j) for j in kept)
        return Trace(names, tuple(_column(found, j) for j in kept))
    if worker is None or value is None:
        missing = "worker" if worker is None else "value"
        raise LongTableError(
            f"{name}: a long table needs the names of its columns worker and value ({missing} is "
            "not given)",
            {"worker": worker or ANY, "value": value or ANY},
            f", {ANY} one of {', '.join(column for column in found.columns if column)}",
        )
    return _long(found, workers, worker, iteration, value)


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


def _of_numbers(text: str, name: str, workers: Sequence[int] | None) -> Trace | None:
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
    kept = _chosen(workers, len(columns), name)
    values = tuple(np.ascontiguousarray(times[:, j]) for j in kept)
    return Trace(tuple(columns[j] for j in kept), values)


def _counts(times: Values, column: str, columns: int) -> bool:
    """Whether values count rounds or lines, or are points in time, by a column's name or alone."""
    steps = np.diff(times)
    if column.lower() in _COUNTERS and steps.size and (steps > 0).all():
        return True
    is_whole = times.size >= _MANY and float(times[0]).is_integer()
    return columns > 1 and is_whole and bool((steps == 1).all())


def _require_wide(found: Table) -> None:
    """Refuse a table of which some columns cannot be times of a worker, if all are to be used."""
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


def _column(found: Table, place: int) -> Values:
    """Return the times in a column, which may end before the table does."""
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


def _time(found: Table, line: Line, place: int) -> float:
    value = found.number(line, place, _TIME, 0.0)
    if value > _LONGEST:
        raise FastgcError(
            f"{found.where(line, found.columns[place])}: {value:g} is no time; give durations"
        )
    return value


def _long(
    found: Table, workers: Sequence[int] | None, worker: str, iteration: str | None, value: str
) -> Trace:
    who, what = found.place(worker), found.place(value)
    when = None if iteration is None else found.place(iteration)
    measured: dict[str, list[tuple[float, float]]] = {}
    for line in found.lines:
        if not line.cells[who]:
            raise FastgcError(f"{found.where(line, worker)}: names no worker")
        order = 0.0 if when is None else found.number(line, when, _ITERATION)
        measured.setdefault(line.cells[who], []).append((order, _time(found, line, what)))
    names = list(measured)
    if all(re.fullmatch(r"[-+]?[0-9]+", label) for label in names):
        names.sort(key=int)
    kept = [names[j] for j in _chosen(workers, len(names), found.name)]
    # a stable sort: without an iteration, and within one, lines keep their order
    ordered = [sorted(measured[name], key=lambda each: each[0]) for name in kept]
    values = tuple(np.array([time for _, time in own]) for own in ordered)
    if when is None:
        return Trace(tuple(kept), values)
    iterations = tuple(_numbered(order for order, _ in own) for own in ordered)
    differ = len(set(iterations)) > 1
    trace = Trace(tuple(kept), values, iterations if differ else None)
    if not len(trace.rows):
        raise FastgcError(f"{found.name}: no {iteration} is one of all {len(kept)} workers")
    return trace


def _numbered(orders: Iterable[float]) -> tuple[Label, ...]:
    """Return labels of iterations, of which a worker may have several values."""
    found: list[Label] = []
    for order in orders:
        again = bool(found) and found[-1][0] == order
        found.append((order, found[-1][1] + 1 if again else 0))
    return tuple(found)


#: All points of a study that use a table in one way share one trace.
_parse = functools.lru_cache(maxsize=16)(parse)


#: Keys that say how a table is laid out.
LAYOUT = ("workers", "worker", "iteration", "value")


class Recorded(Member):
    """Base of the members that read a trace: the keys that say where it is and how it is laid out.

    * ``file`` (str): A wide table, one column a worker and one line an iteration, or a long one,
      one line a value: csv, JSON lines (.jsonl, extra ``pandas``) or parquet (extra ``parquet``);
      or a folder with a csv file for each rank. Relative names start at the study.
    * ``workers`` (tuple of int, optional): Which workers to keep, in this order, counted from 0;
      all by default.
    * ``worker`` (str, optional): Of a long table: the column that says which worker it was.
    * ``iteration`` (str, optional): Of a long table: the column that each worker's values are
      sorted by, and that says which of them make a row; without it they come in the order of the
      lines.
    * ``value`` (str, optional): Of a long table: the column that says how long it took.
    """

    file: str
    workers: Annotated[tuple[Annotated[int, Field(ge=0)], ...] | None, Field(min_length=1)] = None
    worker: str | None = None
    iteration: str | None = None
    value: str | None = None
    _text: str = pydantic.PrivateAttr()
    _trace: Trace = pydantic.PrivateAttr()

    @pydantic.field_validator("file")
    @classmethod
    def _readable(cls, file: str, info: pydantic.ValidationInfo) -> str:
        recorded_text(file, info.context)
        return file

    @pydantic.model_validator(mode="after")
    def _read(self, info: pydantic.ValidationInfo) -> "Recorded":
        self._text = recorded_text(self.file, info.context)
        layout = {key: getattr(self, key) for key in LAYOUT}
        self._trace = _parse(self._text, self.file, **layout)
        return self

    @property
    def trace(self) -> Trace:
        """What was read."""
        return self._trace

    @property
    def units(self) -> frozenset[str | None]:
        """What times are in, as far as the recording says it; see `units_of`."""
        return units_of(self._text, self._trace.workers, self.value)

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
