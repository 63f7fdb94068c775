"""Recorded times in the forms that tools write: csv, JSON lines, parquet, HDF5, a file a rank.

All of them become the text of a csv table, which is what a study keeps.
"""

import csv
import functools
import importlib
import io
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.registry.csv_tables import lines, number, table
from fastgc.registry.files import ResolvedFile, find, hdf5, reading, text_of, unsealed

#: The line of a csv that says what its times are in, as `fastgc.traces.record` writes it.
SECONDS_MARK = "# unit: seconds"
#: What is added where a line is too short.
ENDED = "; where a worker has ended its cell stays empty"
_LINES = (".jsonl", ".ndjson")
_BLOCK = 1_000_000  # characters


def recorded_text(name: str, context: Mapping[str, Any] | None = None) -> str:
    """Return a recording as a csv table.

    ``name``: of a csv, of JSON lines, a parquet file, or a measurement (.h5), or of a folder with a
    csv file for each rank; ``context``: where relative names start, and contents that stand in for
    files: `text_of`. Raises FastgcError if there is no such file, it is none of its kind, or pandas
    is missing.
    """
    kind = Path(name).suffix.lower()
    if name not in (context or {}).get("files", {}):
        ranks = ranks_in((context or {}).get("folder", Path()) / name)
        if ranks:
            return _of_ranks(ranks)
        if kind == ".parquet":
            return _of_parquet(find(name, context))
        if kind in (".h5", ".hdf5"):
            return _of_measurement(find(name, context))
    text = text_of(name, context)
    if kind == ".json":
        raise FastgcError(
            f"{name}: a profiler's trace says what ran, not which of it was a worker's own work; "
            "write a table of worker, step and seconds (`fastgc help traces`)"
        )
    return _of_lines(text, name) if kind in _LINES and text.lstrip().startswith("{") else text


def numbers_of(text: str, name: str) -> tuple[list[str], Values] | None:
    """Return names and numbers (lines, columns) of a wide table that holds numbers alone.

    None for all else: `table`, which keeps every cell and takes ten times as long, says what is
    wrong in a line.
    """
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


def _each_line(text: str) -> Iterator[str]:
    """Yield lines with their ends; all at once would take four times the memory of the text."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _BLOCK) + 1 or len(text)
        yield from io.StringIO(text[start:end], newline="")
        start = end


def ranks_in(folder: Path) -> list[Path]:
    """Return the csv files of a folder in which every rank has recorded its own, by their names."""
    found = folder.glob("rank[0-9]*.csv") if folder.is_dir() else ()
    return sorted(found, key=lambda path: (len(path.stem), path.stem))


def _of_ranks(found: Sequence[Path]) -> str:
    """Return the tables of all ranks side by side: the i-th line of each is of the i-th step."""
    texts = [text_of(str(path)) for path in found]
    tables = [table(text, str(path), ENDED) for text, path in zip(texts, found, strict=True)]
    joined = io.StringIO()
    if all(text.startswith(SECONDS_MARK) for text in texts):
        joined.write(f"{SECONDS_MARK}\n")
    write = csv.writer(joined, lineterminator="\n").writerow
    write([column for each in tables for column in each.columns])
    empty = [[""] * len(each.columns) for each in tables]
    for row in zip_longest(*(each.lines for each in tables)):
        own = (none if line is None else line.cells for line, none in zip(row, empty, strict=True))
        write([cell for cells in own for cell in cells])
    return joined.getvalue()


def _pandas(name: str, extra: str) -> Any:
    try:
        return importlib.import_module("pandas")
    except ImportError:
        raise FastgcError(
            f"{name} needs an extra: pip install 'fastgc-sim[{extra}]'; or save it as csv"
        ) from None


def _of_lines(text: str, name: str) -> str:
    pandas = _pandas(name, "pandas")
    try:
        found = pandas.read_json(io.StringIO(text), lines=True, dtype=False, precise_float=True)
        return str(found.to_csv(index=False))
    except (ValueError, TypeError, AttributeError) as problem:
        said: Exception = problem
        for place, line in enumerate(text.split("\n"), 1):
            try:
                json.loads(line.strip() or "{}")
            except ValueError as wrong:
                said, name = wrong, f"{name}: line {place}"
                break
        raise FastgcError(
            f"{name}: must hold one object of numbers and texts a line, like "
            f'{{"worker": "a", "step": 1, "seconds": 0.5}} ({said})'
        ) from None


@functools.lru_cache(maxsize=16)
def _of_parquet(found: ResolvedFile) -> str:
    pandas = _pandas(found.name, "parquet")
    with reading(found.name):
        try:
            return str(pandas.read_parquet(found.path, engine="pyarrow").to_csv(index=False))
        except ImportError as problem:  # of pyarrow
            raise FastgcError(f"{found.name}: {str(problem).splitlines()[0]}") from None
        except ValueError as problem:  # pyarrow's errors are of this kind
            said = str(problem).partition("\n")[0]
            raise FastgcError(f"{found.name}: is no parquet table ({said})") from None


def recording(workers: Sequence[str], own: Values) -> str:
    """Return workers' own seconds (rounds, n) as a table, of the rounds that all have finished."""
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
def _of_measurement(found: ResolvedFile) -> str:
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
