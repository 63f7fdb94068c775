"""Recorded times in the forms that tools write: csv, JSON lines, profiler traces, parquet, HDF5.

Each becomes a table of cells, with the place in its file that a complaint names.
"""

import bisect
import functools
import io
import json
import math
import re
import sys
import warnings
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.registry.complaints import instead, show
from fastgc.registry.files import Found, find, hdf5, reading, text_of, unsealed
from fastgc.registry.tables import Line, Table, lines, number, table

#: Columns of a profiler trace as a table, which is a long one.
WORKER, STEP, SECONDS = "worker", "step", "seconds"
#: The line of a csv that says what its times are in, as `traces.record` writes it.
SECONDS_MARK = "# unit: seconds"
_UNIT_MARK = re.compile(r"#[ \t]*unit:[ \t]*(\S[^\r\n]{0,30})")
_LINES = (".jsonl", ".ndjson")
_MEASURED = (".h5", ".hdf5")
_BEGINS = ("X", "B")
_BLOCK = 1_000_000  # characters
_STEP_SLICE = re.compile(r"ProfilerStep#([0-9]+)")
_ASKED = (
    *("ph", "ts", "dur", "pid", "tid", "name", "args", "step"),
    *("traceEvents", "distributedInfo", "rank"),
)
_MICROSECOND = 1e-6
_NAMED = 8  # slices that a complaint names


def tabled(text: str, name: str, slices: Sequence[str] | None = None) -> Table:
    """Return the table that a recording's text holds, by the end of its name.

    * ``name``: ``….jsonl`` and ``….ndjson`` hold one object a line, ``….json`` a trace of a
      profiler; everything else is csv.
    * ``slices``: of a profiler trace: names of the slices whose durations make a worker's time.

    Raises FastgcError if the text is none of its kind, or ``slices`` are missing or none of the
    trace's.

    >>> tabled('{"a": 1.5, "b": 2}\\n', "t.jsonl").columns
    ['a', 'b']
    """
    kind = Path(name).suffix.lower()
    if slices is not None and kind != ".json":
        raise FastgcError(f"{name}: slices are of a profiler's trace, a file that ends in .json")
    if kind in _LINES:
        return _of_lines(text, name)
    if kind == ".json":
        return _of_profiler(text, name, slices)
    return table(text, name, hint="; where a worker has ended its cell stays empty")


def numbers_of(text: str, name: str) -> tuple[list[str], Values] | None:
    """Return names and numbers (lines, columns) of a wide table that holds numbers alone.

    None for all else: `tabled`, which keeps every cell and takes ten times as long, says what is
    wrong in a line.

    >>> numbers_of("a,b\\n1,2\\n3,4\\n", "t.csv")
    (['a', 'b'], array([[1., 2.],
           [3., 4.]]))
    """
    kind = Path(name).suffix.lower()
    if kind == ".json":
        return None
    if kind in _LINES:
        return _numbers_of_lines(text)
    try:
        head = next(lines(_each_line(text), name), None)
        if head is None or all(number(cell) is not None for cell in head.cells):
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # no lines of numbers
            found = np.loadtxt(
                _each_line(text), delimiter=",", skiprows=head.number, comments=None, ndmin=2
            )
    except (FastgcError, ValueError, UserWarning):
        return None
    return (head.cells, found) if found.shape[1] == len(head.cells) else None


def _numbers_of_lines(text: str) -> tuple[list[str], Values] | None:
    columns: list[str] | None = None
    found = array("d")
    for line in _each_line(text):
        if line.isspace():
            continue
        try:
            each = json.loads(line)
            columns = columns or list(each)
            if list(each) != columns or not {*map(type, each.values())} <= {int, float}:
                return None
            found.extend(each.values())
        except (ValueError, OverflowError, AttributeError, TypeError, RecursionError):
            return None
    return None if not columns else (columns, np.array(found).reshape(-1, len(columns)))


def _each_line(text: str) -> Iterator[str]:
    """Yield lines with their ends; all at once would take four times the memory of the text."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _BLOCK) + 1 or len(text)
        yield from io.StringIO(text[start:end], newline="")
        start = end


def marked_unit(text: str) -> str | None:
    """Return what the first line of a csv says that its times are in; None where it does not.

    >>> marked_unit("# unit: seconds\\na,b\\n"), marked_unit("a,b\\n")
    ('seconds', None)
    """
    marked = _UNIT_MARK.match(text)
    return None if marked is None else marked[1].strip()


def recorded_text(name: str, context: Mapping[str, Any] | None = None) -> str:
    """Return the text of a recording; of a parquet file, or a measurement's, the table as csv.

    ``context``: where relative names start, and contents that stand in for files: `text_of`. Raises
    FastgcError if there is no such file, it is none of its kind, or the extra ``parquet`` is
    missing.
    """
    kind = Path(name).suffix.lower()
    if kind not in (".parquet", *_MEASURED) or name in (context or {}).get("files", {}):
        return text_of(name, context)
    found = find(name, context)
    return _of_parquet(found) if kind == ".parquet" else _of_measurement(found)


def recording(workers: Sequence[str], own: Values) -> str:
    """Return workers' own seconds (rounds, n) as a table, of the rounds that all have finished.

    >>> recording(["a", "b"], np.array([[1.0, 2.0], [3.0, np.nan]]))
    '# unit: seconds\\na,b\\n1.000000000,2.000000000\\n'
    """
    whole = own[np.isfinite(own).all(axis=1)]
    if not len(whole):
        said = "no round has the times of all workers; measure with"
        raise FastgcError(
            f'{said} between_rounds = "drain", and a system that gives all of them work'
        )
    lines = [SECONDS_MARK, ",".join(workers)]
    lines += [",".join(f"{each:.9f}" for each in row) for row in whole.tolist()]
    return "\n".join(lines) + "\n"


def of_equal_work(own: Values, share: Values) -> Values:
    """Return workers' own seconds for a part of their work on average, (rounds, n).

    They are as if a worker had its share of the first round in all rounds: taken to be in
    proportion to ``share`` (rounds, n); NaN where a worker had no work. ``own`` (rounds, n · parts)
    has the seconds of each part.
    """
    first = share[:1].max(initial=0.0)
    each = own.reshape(*share.shape, own.shape[1] // share.shape[1]).mean(axis=2)
    return np.asarray(each * (first / np.where(share > 0, share, np.nan)))


@functools.lru_cache(maxsize=16)
def _of_measurement(found: Found) -> str:
    """Return the recording in a file of `fastgc measure`."""
    name = found.name
    with reading(name):
        image = unsealed(Path(found.path), "measure again")

    def check(own: Any) -> None:
        if own.dtype.kind not in "fS" or own.ndim not in (0, 2):
            raise FastgcError("they are damaged")

    try:
        if image is None:
            raise FastgcError("fastgc has not written it")
        keys = "rounds/own", "rounds/share", "facts"
        own, share, facts = (hdf5(found, key, name, check) for key in keys)
        workers = json.loads(facts.item())["workers"]
    except (FastgcError, ValueError, LookupError, TypeError):
        raise FastgcError(
            f"{name}: is no measurement; give a table, or what `fastgc measure -o` wrote"
        ) from None
    try:
        return recording(workers, of_equal_work(own, share))
    except FastgcError as problem:
        raise FastgcError(f"{name}: {problem}") from None


@functools.lru_cache(maxsize=16)
def _of_parquet(found: Found) -> str:
    try:
        from pyarrow import csv, lib, parquet
    except ImportError:
        raise FastgcError(
            f"{found.name}: parquet needs an extra: pip install 'fastgc-sim[parquet]'; or save "
            "it as csv"
        ) from None
    text = io.BytesIO()
    with reading(found.name):
        try:
            csv.write_csv(parquet.read_table(found.path), text)
        except (lib.ArrowException, ValueError) as problem:
            said = str(problem).partition("\n")[0]
            raise FastgcError(f"{found.name}: is no parquet table of numbers ({said})") from None
    return text.getvalue().decode()


def _of_lines(text: str, name: str) -> Table:
    columns: dict[str, None] = {}
    found_lines: list[Line] = []
    for place, line in enumerate(_each_line(text), 1):
        if not line.strip():
            continue
        found = _loaded(line, f"{name}: line {place}")
        if not isinstance(found, dict) or not all(
            isinstance(value, str | int | float | None) and not isinstance(value, bool)
            for value in found.values()
        ):
            raise FastgcError(
                f"{name}: line {place}: must be one object of numbers and texts, like "
                f'{{"worker": "a", "step": 1, "seconds": 0.5}} (got {show(line.strip())})'
            )
        columns.update(dict.fromkeys(found))
        found_lines.append(Line(place, [_cell(found.get(key)) for key in columns]))
    if not columns:
        raise FastgcError(f"{name} is empty; it must hold one object of times a line")
    for each in found_lines:  # a later line may have more
        each.cells.extend([""] * (len(columns) - len(each.cells)))
    return Table(name, list(columns), found_lines)


def _cell(value: str | float | None) -> str:
    return "" if value is None else sys.intern(value) if isinstance(value, str) else repr(value)


def _loaded(text: str, where: str, hook: Callable[[dict[str, Any]], Any] | None = None) -> Any:
    try:
        return json.loads(text, object_hook=hook)
    except ValueError as problem:
        raise FastgcError(f"{where}: is no JSON ({problem})") from None
    except RecursionError:
        raise FastgcError(f"{where}: is nested too deeply") from None


# ---- Traces of profilers, in the event format that Chrome, Perfetto and Kineto share


class _Slice(NamedTuple):
    """A piece of work on a rank, in microseconds, and the step that its arguments name."""

    name: str
    pid: str
    start: float
    duration: float
    step: int | None


def _of_profiler(text: str, name: str, slices: Sequence[str] | None) -> Table:
    """Sum the durations of slices over each (step, rank); where slices overlap, time counts once.

    The step is the slice's ``args.step``, or the number of the ``ProfilerStep#k`` of the same pid,
    else of the same rank, in which it begins; the rank is the pid, or the file's
    ``distributedInfo.rank``.
    """
    found = _loaded(text, name, _needed)
    events = found.get("traceEvents") if isinstance(found, dict) else found
    if not isinstance(events, list) or not all(isinstance(each, dict) for each in events):
        raise FastgcError(
            f"{name}: is no profiler's trace, which is a list of events or has one, traceEvents"
        )
    names = dict.fromkeys(str(each.get("name", "")) for each in events if each.get("ph") in _BEGINS)
    plain = [own for own in names if not _STEP_SLICE.fullmatch(own)]
    if not plain:
        raise FastgcError(f"{name}: holds no slices, events whose ph is X, or B and E")
    if not slices:
        named = ", ".join(map(show, plain[:_NAMED])) + (", …" if len(plain) > _NAMED else "")
        raise FastgcError(
            f"{name}: slices must name the slices whose durations are a worker's time "
            f"(--slices NAME,NAME); the trace has {named or 'none'}"
        )
    for wanted in slices:
        if wanted not in names:
            raise FastgcError(f"{name}: has no slice {show(wanted)}{instead(wanted, plain)}")
    rank = _rank(found)
    steps = defaultdict(list)
    complete = []
    for each in _slices(events, name, slices):
        if match := _STEP_SLICE.fullmatch(each.name):
            steps[each.pid].append((each.start, each.start + each.duration, int(match[1])))
        if each.name in slices:
            complete.append(each)
    of_rank = [] if rank is None else [step for own in steps.values() for step in own]
    for own in (*steps.values(), of_rank):
        own.sort()
    pieces: dict[tuple[str, int], list[tuple[float, float]]] = defaultdict(list)
    for each in complete:
        step = each.step
        if step is None:
            step = _within(steps.get(each.pid, of_rank), each.start)
        if step is not None:
            pieces[(rank or each.pid), step].append((each.start, each.duration))
    if not pieces:
        raise FastgcError(
            f"{name}: no such slice has a step: args.step, or a slice ProfilerStep#k around it"
        )
    return Table(
        name,
        [WORKER, STEP, SECONDS],
        [
            Line(i, [who, str(step), repr(_together(own) * _MICROSECOND)])
            for i, ((who, step), own) in enumerate(pieces.items(), 1)
        ],
    )


def _together(pieces: list[tuple[float, float]]) -> float:
    """Return for how long any of some slices (start, duration) runs."""
    pieces.sort()
    total, until = 0.0, -math.inf
    for start, duration in pieces:
        total += duration if start >= until else max(0.0, start + duration - until)
        until = max(until, start + duration)
    return total


def _needed(found: dict[str, Any]) -> dict[str, Any]:
    """Return what is asked of an object of the trace, which may hold much more."""
    return {key: found[key] for key in _ASKED if key in found}


def _rank(found: Any) -> str | None:
    """Return the rank that a file of one rank names."""
    info = found.get("distributedInfo") if isinstance(found, dict) else None
    rank = info.get("rank") if isinstance(info, dict) else None
    return str(rank) if isinstance(rank, int) else None


def _slices(
    events: Sequence[Mapping[str, Any]], name: str, wanted: Sequence[str]
) -> Iterator[_Slice]:
    """Yield steps and slices that are wanted: complete events, and pairs of a begin and its end."""
    opened = defaultdict(list)
    for place, event in enumerate(events):
        kind = event.get("ph")
        thread = event.get("pid"), event.get("tid")
        begin = event
        if kind == "B":
            opened[thread].append((event, place))
        if kind == "E" and opened[thread]:
            begin, place_of_begin = opened[thread].pop()
        elif kind != "X":
            continue
        own = str(begin.get("name", ""))
        if own not in wanted and not _STEP_SLICE.fullmatch(own):
            continue
        where = f"{name}: event {place}"
        if kind == "X":
            start = _microseconds(event, "ts", where)
            yield _slice(event, start, _microseconds(event, "dur", where))
            continue
        start = _microseconds(begin, "ts", f"{name}: event {place_of_begin}")
        duration = _microseconds(event, "ts", where) - start
        if duration < 0:
            raise FastgcError(f"{where}: slice {show(own)} ends before it begins")
        yield _slice(begin, start, duration)


def _slice(event: Mapping[str, Any], start: float, duration: float) -> _Slice:
    arguments = event.get("args")
    step = arguments.get("step") if isinstance(arguments, dict) else None
    if isinstance(step, str) and step.isdecimal():
        step = int(step)
    found = step if isinstance(step, int) and not isinstance(step, bool) else None
    name, pid = (sys.intern(str(event.get(key, ""))) for key in ("name", "pid"))
    return _Slice(name, pid, start, duration, found)


def _microseconds(event: Mapping[str, Any], key: str, where: str) -> float:
    value = event.get(key)
    try:
        found = math.nan if isinstance(value, bool | None) else float(value)
    except (TypeError, ValueError):
        found = math.nan
    if not math.isfinite(found) or (key == "dur" and found < 0):
        least = ", 0 or more" if key == "dur" else ""
        raise FastgcError(
            f"{where}: {key} must be a number of microseconds{least} (got {show(value)})"
        )
    return found


def _within(steps: Sequence[tuple[float, float, int]], start: float) -> int | None:
    """Return the step in which a slice begins."""
    place = bisect.bisect_right(steps, (start, math.inf, 0)) - 1
    return steps[place][2] if place >= 0 and start < steps[place][1] else None
