"""When do gradient codes pay? Recordings, or laws, against the cost of load: ``fastgc atlas``."""

import math
import re
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError, LongTableError, StoppedError
from fastgc.latency.slowdown import Figure
from fastgc.latency.source import Source, read
from fastgc.latency.trace_tables import columns_of, recorded_text
from fastgc.planning import laws_of_atlas
from fastgc.planning.advice import fitted_law, unfit
from fastgc.planning.candidate import Candidate
from fastgc.planning.cells import KIND, KINDS, Atlas, Cell, Subject, Worth, handicapped, winner
from fastgc.planning.judging import Question, changed, rounds_of
from fastgc.planning.offered import representatives
from fastgc.registry.activity import Step
from fastgc.results.advised import BreakEven, Remedy

__all__ = ["Atlas", "Cell", "Subject", "Worth", "atlas"]

#: Costs of load: parts of the mean time of uncoded work that grow with it.
SHARES = (1.0, 0.5, 0.25, 0.1, 0.0)
FITTED = "fitted"
#: Ends of the names of files that are taken for recordings.
SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet")
#: A load in the name of a file of a family, such as rounds_load0.5.csv.
_LOAD = re.compile(r"(?<![a-z])load[_-]?(\d+(?:\.\d+)?)(?!\d)", re.IGNORECASE)

Progress = Callable[[Step], None]


def atlas(
    folder: str | Path | None = None,
    *,
    columns: Mapping[str, Any] | None = None,
    fit: Sequence[tuple[str | Path, float]] = (),
    seed: int = 1,
    progress: Progress = lambda step: None,
    interrupted: Callable[[], str | None] = lambda: None,
) -> Atlas:
    """Map which remedy for stragglers wins, for recordings of workers' times or for laws.

    Parameters
    ----------
    folder : str or Path, optional
        A folder of recordings, or one file; without it, the map is of laws, and exact.
    columns : mapping, optional
        Columns of long tables, and slices of profilers' traces: ``worker``, ``value``,
        ``iteration``, ``slices``, as `fastgc.traces.show` takes them.
    fit : sequence of (file, load), optional
        Recordings of the folder by the share of the work that each worker had in them. Those of the
        same workers say what load costs. By default loads are taken from names, such as
        ``times_load0.5.csv``.
    seed : int
        Of the rows that are drawn again.
    progress : callable, optional
        Called with a `Step` before each recording or law.
    interrupted : callable, optional
        Asked often; a text it returns stops the work.

    Returns
    -------
    Atlas

    Raises
    ------
    FastgcError
        If there is no recording in the folder, or ``fit`` names none of its files.
    StoppedError
        If it was asked to stop.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> rows = [f"{1 + i % 7 / 50},{1 + i % 5 / 40},{1 + i % 3 / 30},4" for i in range(80)]
    >>> _ = (folder / "times.csv").write_text("\\n".join(["a,b,c,d", *rows]))
    >>> found = atlas(folder)
    >>> [(cell.cost, cell.winner, cell.decided) for cell in found.subjects[0].cells][:2]
    [('1', 'leave-out', True), ('0.5', 'leave-out', True)]
    """
    if folder is None and (columns or fit):
        raise FastgcError("columns, fit: belong to recordings; name a folder of them")
    files = None if folder is None else recordings(Path(folder))
    loads = {} if files is None else _loads(files, fit)
    named = dict(columns or {})
    began, refused = time.monotonic(), []
    subjects: list[Subject] = []
    names: Sequence[Any] = laws_of_atlas.LAWS if files is None else files
    for done, each in enumerate(names):
        name = each.name
        reason = interrupted()
        if reason is None:
            progress(Step(done, len(names), name, seconds=time.monotonic() - began))
        try:
            if reason is not None:
                raise StoppedError(reason)
            if files is None:
                subjects += laws_of_atlas.subjects(each)
                continue
            trace = _trace(each, named)
            source = read(trace, rounds=1)
            refusal = unfit(source)
            if refusal is not None:
                refused.append((name, f"{refusal.reason}. {refusal.remedy}"))
                continue
            subjects.append(_recorded(each, trace, source, loads, seed, interrupted))
        except StoppedError:
            raise StoppedError(
                f"stopped early by {interrupted()}: {done} of {len(names)} were done, and nothing "
                "is kept; the same command makes the same atlas"
            ) from None
        except FastgcError as problem:
            said = problem.in_command if isinstance(problem, LongTableError) else str(problem)
            refused.append((name, said.removeprefix(name).lstrip(": ")))
    title = "laws" if folder is None else f"recordings in {Path(folder).resolve().name}"
    return Atlas(f"The atlas of {title}", tuple(subjects), tuple(refused), seed)


def recordings(folder: Path) -> list[Path]:
    """Return the files of a folder that may be recordings, in the order of their names."""
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        raise FastgcError(f"there is no folder {folder}")
    found = [each for each in folder.iterdir() if each.suffix.lower() in SUFFIXES]
    if not found:
        kinds = ", ".join(SUFFIXES)
        raise FastgcError(f"{folder}: has no recording; its files must end in one of {kinds}")
    return sorted(found, key=lambda each: each.name)


def _loads(
    files: Sequence[Path], fit: Sequence[tuple[str | Path, float]]
) -> dict[Path, list[tuple[Path, float]]]:
    """Return the family of each file that has one, loads included: its own is the first."""
    families: dict[Any, dict[Path, float]] = defaultdict(dict)
    if fit:
        for file, load in fit:
            path = next((each for each in files if str(file) in (str(each), each.name)), None)
            if path is None:
                raise FastgcError(f"fit: {file} is no recording of the folder")
            families[""][path] = load
        if len(set(families[""].values())) < 2:
            raise FastgcError("fit: what load costs needs recordings of the folder at two loads")
    else:
        for each in files:
            match = _LOAD.search(each.stem)
            if match:
                rest = each.stem[: match.start()], each.stem[match.end() :], each.suffix
                families[rest][each] = float(match[1])
    return {
        path: [(path, own[path]), *((other, own[other]) for other in own if other != path)]
        for own in families.values()
        for path in own
        if len(set(own.values())) > 1
    }


def _trace(path: Path, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recording as `read` takes it: columns that it has are those of a long table."""
    if path.suffix.lower() == ".json":
        layout = {key: columns[key] for key in columns if key == "slices"}
    else:
        layout = {key: columns[key] for key in columns if key != "slices"}
        there = columns_of(recorded_text(str(path)), path.name) if layout else []
        if not set(layout.values()) <= set(there):
            layout = {}
    return {"file": str(path), **layout}


def _recorded(
    path: Path,
    trace: Mapping[str, Any],
    source: Source,
    loads: Mapping[Path, Sequence[tuple[Path, float]]],
    seed: int,
    interrupted: Callable[[], str | None],
) -> Subject:
    """Return a recording's row of the map."""
    n = source.trace.n
    question = Question(source, 1 / n, False, None, seed, interrupted)
    unit = n * _equal(question, 0.0)
    cells = [_cell(question, f"{share:g}", share * unit, share) for share in SHARES]
    note = f"after {changed(source)}" if source.trace.goes_on else ""
    if path in loads:
        (_, load), *others = loads[path]
        try:
            cells.append(_fitted(trace, source, load, others, seed))
        except FastgcError as problem:
            note = f"not fitted: {problem}"
    even = question.break_even()
    if even is not None:
        value, low, high, highest = (
            min(1.0, each / unit) for each in (even.value, even.low, even.high, even.highest)
        )
        curve = tuple((cost / unit, code, other) for cost, code, other in even.curve)
        even = BreakEven(value, low, high, highest, curve)
    return Subject(path.stem, "", n, len(question.own.rows), tuple(cells), even, note)


def _fitted(
    trace: Mapping[str, Any],
    source: Source,
    load: float,
    others: Sequence[tuple[Path, float]],
    seed: int,
) -> Cell:
    """Return the cell at the cost that recordings at other loads show, both ends of it in mind."""
    law = fitted_law(trace, load, others)
    said = law.behind_barrier()
    if said is not None or law.slope is None:
        raise FastgcError(said or "fit: no rate was found")
    question = Question(source, load, False, None, seed, lambda: None)
    wide, n = 1.96 * law.slope.error, source.trace.n
    found = []
    for rate in (law.slope.value, max(0.0, law.slope.value - wide), law.slope.value + wide):
        found.append(_cell(question, FITTED, rate, rate / n / _equal(question, rate)))
    same = all(cell.winner == found[0].winner for cell in found)
    return replace(found[0], decided=same and all(cell.decided for cell in found))


def _cell(question: Question, cost: str, rate: float, share: float) -> Cell:
    """Return the cell at a rate; what wins is chosen on the first half of the rows."""
    first = question.first(rate)
    second = question.second(rate, representatives(first, None))
    means = {str(c.system.settings()): c.value for c in first}
    known = {c.family: means[str(c.system.settings())] for c in second if c.family in KIND}
    chosen = winner(known)
    rivals = []
    for kind in KINDS.values():
        own = [family for family in kind if family in known]
        if chosen not in kind and own:
            rivals.append(min(own, key=known.__getitem__))
    systems = {c.family: c.system for c in second}
    asked = dict.fromkeys(["uncoded", chosen, *rivals])  # the first is uncoded work
    whole = question.whole(rate, [systems[family] for family in asked])
    ahead = [_ahead(each, chosen, rivals) for each in (second, whole)]
    remedies = question.remedies(second, rate) + question.stale(rate)
    decided = question.is_certain(*ahead)
    return Cell(cost, share, tuple(map(_worth, remedies)), chosen, decided)


def _equal(question: Question, rate: float) -> float:
    """Return the mean time of an equal share of the work, by the first half of the rows."""
    rows, n = question.own.rows, question.own.n
    mean = float(rows[: len(rows) // 2].mean())
    return mean + rate * (1 / n - float(question.facts["load"]))


def _ahead(candidates: Sequence[Candidate], chosen: str, rivals: Sequence[str]) -> Values:
    """Return how much longer each rival takes than the winner, in each row: (rows, rivals)."""
    series = {c.family: handicapped(c.family, rounds_of(c)) for c in candidates}
    return np.stack([series[each] - series[chosen] for each in rivals], axis=1)


def _worth(remedy: Remedy) -> Worth:
    """Return a remedy's time as a share of that of uncoded work; ends may be unknown."""
    gain = remedy.gain
    low = 1 / gain.high if gain.high < math.inf else -math.inf
    high = 1 / gain.low if gain.low > 0 else math.inf
    time = Figure(1 / gain.value, low, high)
    return Worth(remedy.system, remedy.gradient, remedy.load, time)
