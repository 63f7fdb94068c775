"""Readers of matrices: csv, NumPy, Matrix Market, HDF5."""

import re
import warnings
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.columns import Columns
from fastgc.errors import FastgcError
from fastgc.registry import csv_tables
from fastgc.registry.complaints import show
from fastgc.registry.files import Found, find, hdf5, npy, open_text, reading
from fastgc.registry.number_types import LARGEST, MOST

_HDF5 = re.compile(r"(?P<file>.+\.(?:h5|hdf5))(?::(?P<dataset>.*))?", re.IGNORECASE)


def place(name: str, context: Mapping[str, Any] | None) -> tuple[Found, str | None]:
    """Find the file that a name means, and the name of the dataset in it if it is HDF5.

    Relative names start at the context's ``folder``. Other kinds of files are refused.
    """
    if named := _HDF5.fullmatch(name):
        return find(named["file"], context), named["dataset"] or ""
    found = find(name, context)
    if Path(found.path).suffix.lower() not in _READERS:
        raise FastgcError(f"must end in .csv, .npy, .mtx or .h5:dataset (got {show(name)})")
    return found, None


def read(found: Found, dataset: str | None, name: str) -> NDArray[Any] | Columns:
    """Read the matrix that `place` found; messages call it by the name that the study gives.

    Of a Matrix Market file in coordinate layout only the columns are made.
    """
    if dataset is None:
        return _READERS[Path(found.path).suffix.lower()](found)

    def check(node: Any) -> None:
        if node.dtype.kind not in "buifc" or len(node.shape or ()) != 2:
            got = f"type {node.dtype}, shape {node.shape}"
            raise FastgcError(
                f"{name}: must hold numbers in two dimensions, partitions × workers (got {got})"
            )
        _refuse_large(name, *node.shape)

    return hdf5(found, dataset, name, check)


def _read_csv(found: Found) -> NDArray[Any]:
    rows: list[NDArray[Any]] = []
    name = found.name
    with open_text(found) as stream:
        for line in csv_tables.lines(stream, name):
            where = f"{name}, line {line.number}"
            cells = enumerate(line.cells, start=1)
            numbers = [_entry(cell, f"{where}, column {column}") for column, cell in cells]
            rows.append(np.array(numbers))
            _refuse_large(name, len(rows), len(numbers))
            if len(numbers) != len(rows[0]):
                raise FastgcError(
                    f"{where}: every line must have as many numbers as the first "
                    f"(got {len(numbers)}, the first has {len(rows[0])})"
                )
    if not rows:
        raise FastgcError(f"{name} is empty; write one partition a line, numbers between commas")
    return np.array(rows)


def _refuse_large(name: str, *shape: int) -> None:
    if max(shape, default=0) > LARGEST:
        got = " × ".join(map(str, shape))
        raise FastgcError(f"{name}: must have at most {LARGEST} rows and columns (got {got})")


def _entry(cell: str, where: str) -> float | complex:
    value = csv_tables.complex_number(cell) if csv_tables.number(cell) is None else None
    if value is None:
        return csv_tables.finite(cell, where)
    if not np.isfinite(value):
        raise FastgcError(f"{where}: must be finite (got {cell})")
    return value


def _read_npy(found: Found) -> NDArray[Any]:
    array = npy(found)
    _refuse_large(found.name, *array.shape)
    return np.array(array)


def _read_mtx(found: Found) -> NDArray[Any] | Columns:
    from scipy import io  # half a second that few matrices need

    name = found.name
    with reading(name), warnings.catch_warnings():
        # newer SciPy warns that it will give another class, which has the same attributes
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            # of a path, older SciPy leaves damaged files open; a closed stream ends the process
            content = Path(found.path).read_bytes()
            rows, columns, _, layout, *_ = io.mminfo(BytesIO(content))
            is_dense = layout == "array"
            most = LARGEST if is_dense else MOST
            if is_dense and rows * columns // 2 > found.size:  # half of it may be left out
                raise ValueError(f"cut short: {found.size} bytes for {rows} × {columns} entries")
            read = io.mmread(BytesIO(content)) if max(rows, columns) <= most else None
        except (ValueError, OverflowError) as problem:
            raise FastgcError(
                f"{name} is no sound Matrix Market file ({problem}); save it again"
            ) from None
    if read is None:
        got = f"{rows} × {columns}"
        raise FastgcError(f"{name}: must have at most {most} rows and columns (got {got})")
    if is_dense:
        return np.array(read)
    # entries named twice are added
    keys = read.col.astype(np.int64) * rows + read.row
    known, places = np.unique(keys, return_inverse=True)
    values = np.zeros(len(known), read.data.dtype)
    np.add.at(values, places, read.data)
    return Columns.of_entries(rows, columns, *np.divmod(known, rows), values)


_READERS: dict[str, Callable[[Found], NDArray[Any] | Columns]] = {
    ".csv": _read_csv,
    ".npy": _read_npy,
    ".mtx": _read_mtx,
}
