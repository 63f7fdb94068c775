"""The user's own data sets, csv or npz, and what of them results carry.

A small file's content is carried in results, so that they can be repeated without it. Of a large
one they carry only what it was: its sizes and the SHA-256 of its numbers.
"""

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.registry.arrays import npz
from fastgc.registry.complaints import instead, show, some
from fastgc.registry.files import Found, text_of
from fastgc.registry.files import find as find_file
from fastgc.registry.tables import INDEX, Line, Table, finite, number, points, table
from fastgc.training.data.data import Raw

#: Results carry files with less than this many bytes of text.
LARGEST_CARRIED = 1_000_000
_BYTES_A_NUMBER = 20


@dataclass(frozen=True)
class Layout:
    """Where in a file features and targets are: columns of a csv, or arrays ``x``, ``y`` of an npz.

    Without ``columns`` all but the target hold features.
    """

    target: str | None = None
    columns: tuple[str, ...] | None = None
    x: str | None = None
    y: str | None = None


@dataclass(frozen=True)
class FileData:
    """A file's data and layout, and the text of a csv; ``raw`` is None where not carried.

    ``identity`` holds the sizes and the SHA-256 of the numbers.
    """

    raw: Raw | None
    identity: dict[str, Any]
    layout: Layout
    text: str | None = None

    def carried(self, path: str) -> dict[str, Any]:
        """Return what results carry in the place of a file, under which name."""
        small = False
        content: Any = self.text
        if self.raw is not None and self.text is not None:
            small = len(self.text) < LARGEST_CARRIED
        elif self.raw is not None:
            small = _BYTES_A_NUMBER * (self.raw.X.size + self.raw.y.size) < LARGEST_CARRIED
            content = dict(zip(self.raw.arrays, (self.raw.X, self.raw.y), strict=True))
        return {path: content} if small else {_description(path, self.layout): self.identity}


def find(path: str, layout: Layout, context: Mapping[str, Any] | None = None) -> FileData:
    """Read a csv or npz file, from the contents that a study carries or else from its folder.

    The context has ``folder``, where relative names start, and ``files``, contents by name. A file
    that does not hold what ``layout`` says is refused.
    """
    context = context or {}
    kind = _kind(path, layout)
    carried = context.get("files", {})
    known = carried.get(_description(path, layout))
    if isinstance(known, Mapping):
        return _of_before(path, layout, context, dict(known))
    if kind == ".csv":
        text = text_of(path, context)
        return _found(parse_csv(text, path, layout.target, layout.columns), layout, text)
    if path in carried:
        return _found(of_arrays(carried[path], path, layout.x, layout.y), layout)
    return _found(read_npz(path, context, layout.x, layout.y), layout)


def _found(raw: Raw, layout: Layout, text: str | None = None) -> FileData:
    samples, features = raw.X.shape
    identity = {"samples": samples, "features": features, "sha256": raw.digest}
    return FileData(raw, identity, layout, text)


def _of_before(
    path: str, layout: Layout, context: Mapping[str, Any], content: dict[str, Any]
) -> FileData:
    """Take the file where it still is what it was; else only what is known of it."""
    try:
        found = find(path, layout, {"folder": context.get("folder", Path())})
    except FastgcError:
        return FileData(None, content, layout)
    return found if found.identity == content else FileData(None, content, layout)


def _description(path: str, layout: Layout) -> str:
    """Name what is taken from a file: two problems may take different columns from one."""
    return f"{path} {json.dumps([layout.target, layout.columns, layout.x, layout.y])}"


def _kind(path: str, layout: Layout) -> str:
    kind = Path(path).suffix.lower()
    if kind not in (".csv", ".npz"):
        raise FastgcError(f"must end in .csv or .npz (got {show(path)})", "file")
    of_csv = [key for key in ("target", "columns") if getattr(layout, key) is not None]
    of_npz = [key for key in ("x", "y") if getattr(layout, key) is not None]
    if kind == ".npz" and of_csv:
        raise FastgcError(f"names columns of a csv, {path} is an npz; use x and y", of_csv[0])
    if kind == ".csv" and of_npz:
        raise FastgcError(
            f"names an array of an npz, {path} is a csv; use target and columns", of_npz[0]
        )
    return kind


@functools.lru_cache(maxsize=8)
def parse_csv(text: str, name: str, target: str | None, columns: tuple[str, ...] | None) -> Raw:
    """Take a data set from the text of a csv table; messages call it ``name``.

    ``target`` is the column to be learnt: numbers, or names of classes. The ``columns`` hold
    features, all others by default; each cell must be a finite number.

    >>> parse_csv("a,b\\n1,2\\n3,4\\n", "t.csv", "b", None).X.tolist()
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
    where = found.where(line, found.columns[place])
    if not cell:
        raise FastgcError(f"{where}: is empty; leave out samples with gaps")
    return finite(cell, where, points(cell) or f"; {remedy}")


def _targets(found: Table, place: int) -> NDArray[Any]:
    """Return numbers, or names of classes where none of them is a number."""
    cells = [line.cells[place] for line in found.lines]
    if all(cell and number(cell) is None for cell in cells):
        return np.array(cells)
    return np.array([_number(found, line, place, _NO_TARGET) for line in found.lines])


#: Features are kept as dense float64: 2²⁸ of them are 2 GiB.
LARGEST = 1 << 28
_X_NAMES = ("X", "x", "images", "data", "features")
_Y_NAMES = ("y", "Y", "labels", "target", "targets")


def read_npz(path: str, context: Mapping[str, Any], x: str | None, y: str | None) -> Raw:
    """Read a data set, once for as long as the file stays as it is.

    ``x`` and ``y`` name the arrays of features and targets; the usual names are tried without them.
    """
    return _read_npz(find_file(path, context), x, y)


@functools.lru_cache(maxsize=4)
def _read_npz(found: Found, x: str | None, y: str | None) -> Raw:
    arrays = npz(found, lambda known: _names(known, found.name, x, y))
    return of_arrays(arrays, found.name, x, y)


def of_arrays(arrays: Any, name: str, x: str | None, y: str | None) -> Raw:
    """Take a data set from arrays by name; features may have any shape beyond the first axis.

    Arrays hold finite numbers, targets also names.

    >>> of_arrays({"images": [[[1, 2], [3, 4]]], "labels": [7]}, "a.npz", None, None).X.tolist()
    [[1.0, 2.0, 3.0, 4.0]]
    """
    if not isinstance(arrays, Mapping):
        raise FastgcError(f"files: {show(name)} must be a table of arrays")
    x_name, y_name = _names(list(arrays), name, x, y)
    X, targets = (_array(arrays, key, name) for key in (x_name, y_name))
    if not X.size:
        raise FastgcError(f"{name}: {x_name} is empty")
    if X.ndim < 2 or X.dtype.kind == "U":
        what = "text" if X.dtype.kind == "U" else "one number a sample"
        raise FastgcError(f"{name}: {x_name} must be numbers, samples × features (got {what})")
    X = np.asarray(X.reshape(len(X), -1), np.float64)
    if targets.ndim == 2 and targets.shape[1] == 1:
        targets = targets[:, 0]
    if targets.shape != (len(X),):
        shape = " × ".join(map(str, targets.shape))
        raise FastgcError(
            f"{name}: {y_name} must hold {len(X)} targets like {x_name} (got {shape})"
        )
    if targets.dtype.kind != "U":
        targets = np.asarray(targets, np.float64)
        _all_finite(targets[:, np.newaxis], y_name, name)
    _all_finite(X, x_name, name)
    return Raw(name, X, targets, (x_name, y_name))


def _names(known: Sequence[str], name: str, x: str | None, y: str | None) -> tuple[str, str]:
    """Return which of the known arrays hold the features and the targets."""
    return (_array_name(x, "x", _X_NAMES, known, name), _array_name(y, "y", _Y_NAMES, known, name))


def _array_name(
    given: str | None, key: str, usual: Sequence[str], known: Sequence[str], name: str
) -> str:
    if given is not None:
        if given not in known:
            raise FastgcError(f"{name} has no array {show(given)}{instead(given, known)}", key)
        return given
    for each in usual:
        if each in known:
            return each
    raise FastgcError(
        f"must name an array of {name} (got nothing); it has {some(known) or 'none'}", key
    )


def _array(arrays: Mapping[str, Any], key: str, name: str) -> NDArray[Any]:
    found = np.asarray(arrays[key])
    if found.dtype.kind not in "biufU":
        raise FastgcError(f"{name}: {key} must hold real numbers (got {found.dtype})")
    if found.size > LARGEST:
        raise FastgcError(f"{name}: {key} must hold at most {LARGEST} numbers (got {found.size})")
    return found


def _all_finite(values: Values, key: str, name: str) -> None:
    bad = np.argwhere(~np.isfinite(values))
    if bad.size:
        sample, feature = bad[0]
        raise FastgcError(
            f"{name}: {key} must be finite (got {values[sample, feature]} in sample {sample})"
        )
