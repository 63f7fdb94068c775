"""Readers of matrices: csv, NumPy, Matrix Market, HDF5."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.columns import Columns
from fastgc.errors import FastgcError
from fastgc.registry import tables
from fastgc.registry.complaints import alternatives, show
from fastgc.registry.files import Found, find, hdf5, npy, open_text
from fastgc.registry.numbers import LARGEST, MOST

_HDF5 = re.compile(r"(?P<file>.+\.(?:h5|hdf5))(?::(?P<dataset>.*))?", re.IGNORECASE)


def place(name: str, context: Mapping[str, Any] | None) -> tuple[Found, str | None]:
    """Find the file that a name means, and the name of the dataset in it if it is HDF5.

    Relative names start at the context's ``folder``. Other kinds of files are refused.
    """
    hdf5 = _HDF5.fullmatch(name)
    if hdf5 is not None:
        return find(hdf5["file"], context), hdf5["dataset"] or ""
    found = find(name, context)
    if Path(found.path).suffix.lower() not in _READERS:
        raise FastgcError(f"must end in .csv, .npy, .mtx or .h5:dataset (got {show(name)})")
    return found, None


def read(found: Found, dataset: str | None, name: str) -> NDArray[Any] | Columns:
    """Read the matrix that `place` found; messages call it by the name that the study gives.

    Of a Matrix Market file in coordinate layout only the columns are made.
    """
    if dataset is not None:
        return hdf5(found, dataset, name, partial(_require_matrix, name=name))
    return _READERS[Path(found.path).suffix.lower()](found)


def _read_csv(found: Found) -> NDArray[Any]:
    rows: list[NDArray[Any]] = []
    name = found.name
    with open_text(found) as stream:
        for line in tables.lines(stream, name):
            where = f"{name}, line {line.number}"
            numbers = [
                _entry(cell, f"{where}, column {column}")
                for column, cell in enumerate(line.cells, start=1)
            ]
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
    """Refuse a dense matrix that no memory holds, before it is asked for."""
    if max(shape, default=0) > LARGEST:
        got = " × ".join(map(str, shape))
        raise FastgcError(f"{name}: must have at most {LARGEST} rows and columns (got {got})")


def _entry(cell: str, where: str) -> float | complex:
    """Read a real number, or a complex one."""
    value = tables.complex_number(cell) if tables.number(cell) is None else None
    if value is None:
        return tables.finite(cell, where)
    if not np.isfinite(value):
        raise FastgcError(f"{where}: must be finite (got {cell})")
    return value


def _read_npy(found: Found) -> NDArray[Any]:
    array = npy(found)
    _refuse_large(found.name, *array.shape)
    return np.array(array)


# --- Matrix Market (Boisvert, Pozo and Remington, NISTIR 5935) -----------------------------------

_LAYOUTS = ("coordinate", "array")
_FIELDS = ("real", "integer", "complex", "pattern")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
_COLUMNS = {"pattern": 2, "complex": 4}


def _read_mtx(found: Found) -> NDArray[Any] | Columns:
    name = found.name
    with open_text(found, "mtx") as stream:
        layout, field, symmetry = _mtx_header(next(stream, ""), name)
        lines = (
            (number, line.split())
            for number, line in enumerate(stream, start=2)
            if line.strip() and not line.startswith("%")
        )
        coordinate = layout == "coordinate"
        sizes = ("rows", "columns", "entries") if coordinate else ("rows", "columns")
        number, words = next(lines, (0, []))
        if not words:
            raise FastgcError(
                f"{name} is cut short: it has no line with the numbers of rows and columns"
            )
        if len(words) != len(sizes):
            raise FastgcError(
                f"{name}, line {number}: must hold the numbers of {' and '.join(sizes)} "
                f"(got {show(' '.join(words))})"
            )
        shape = [_whole(word, f"{name}, line {number}", 0, 10**12) for word in words]
        most = MOST if coordinate else LARGEST
        if max(shape[:2]) > most:
            raise FastgcError(
                f"{name}: must have at most {most} rows and columns (got {shape[0]} × {shape[1]})"
            )
        if symmetry != "general" and shape[0] != shape[1]:
            raise FastgcError(
                f"{name}: a {symmetry} matrix must be square (got {shape[0]} × {shape[1]})"
            )
        kind = np.complex128 if field == "complex" else np.float64
        if coordinate:
            entries = _coordinates((shape[0], shape[1]), shape[2], lines, field, symmetry, name)
            return _columns((shape[0], shape[1]), entries, kind)
        least = 2 * shape[0] * (shape[1] if symmetry == "general" else (shape[1] - 1) // 2)
        if least > found.size:  # a digit and the end of a line for each entry
            raise FastgcError(
                f"{name} is cut short: {found.size} bytes hold no {shape[0]} × {shape[1]} entries"
            )
        B = np.zeros((shape[0], shape[1]), kind)
        _fill_array(B, lines, symmetry, name)
    return B


def _mtx_header(line: str, name: str) -> tuple[str, str, str]:
    words = line.lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise FastgcError(
            f"{name} is no Matrix Market file: it must begin with "
            f'"%%MatrixMarket matrix coordinate real general" or the like'
        )
    for word, known in zip(words[2:], (_LAYOUTS, _FIELDS, _SYMMETRIES), strict=True):
        if word not in known:
            raise FastgcError(f"{name}, line 1: must say {alternatives(known)} (got {show(word)})")
    if words[2] == "array" and words[3] == "pattern":
        raise FastgcError(f"{name}, line 1: a pattern must be coordinate (got 'array')")
    if words[4] == "hermitian" and words[3] != "complex":
        raise FastgcError(f"{name}, line 1: a hermitian matrix must be complex (got {words[3]!r})")
    if words[3] == "pattern" and words[4] == "skew-symmetric":
        raise FastgcError(
            f"{name}, line 1: a pattern must be general or symmetric (got 'skew-symmetric')"
        )
    return words[2], words[3], words[4]


Lines = Iterator[tuple[int, list[str]]]


def _coordinates(
    shape: tuple[int, int], entries: int, lines: Lines, field: str, symmetry: str, name: str
) -> Iterator[tuple[int, int, float | complex]]:
    """Row, column and value of every entry, those across the diagonal too."""
    columns = _COLUMNS.get(field, 3)
    found = 0
    for number, words in lines:
        where = f"{name}, line {number}"
        found += 1
        if found > entries:
            raise FastgcError(f"{where}: the file says {entries} entries and has more")
        if len(words) != columns:
            values = {2: "row and column", 3: "row, column and value"}
            what = values.get(columns, "row, column, real and imaginary part")
            raise FastgcError(f"{where}: must hold {what} (got {show(' '.join(words))})")
        i = _whole(words[0], f"{where}, row", 1, shape[0]) - 1
        j = _whole(words[1], f"{where}, column", 1, shape[1]) - 1
        value = _value(words[2:], where) if columns > 2 else 1.0
        if symmetry != "general" and j > i:
            raise FastgcError(
                f"{where}: a {symmetry} matrix has entries on or below the diagonal only"
            )
        if symmetry == "skew-symmetric" and i == j:
            raise FastgcError(f"{where}: a skew-symmetric matrix has no entries on the diagonal")
        yield i, j, value
        if symmetry != "general" and i != j:
            yield j, i, _mirrored(value, symmetry)
    if found < entries:
        raise FastgcError(f"{name} is cut short: it says {entries} entries and has {found}")


def _columns(
    shape: tuple[int, int], entries: Iterator[tuple[int, int, float | complex]], kind: type
) -> Columns:
    """Columns of all entries; those named twice are added, as other readers do."""
    found = list(entries)
    keys = np.array([j * shape[0] + i for i, j, _ in found], np.int64)
    known, places = np.unique(keys, return_inverse=True)
    values: NDArray[Any] = np.zeros(len(known), kind)
    np.add.at(values, places, np.array([value for _, _, value in found], kind))
    return Columns.of_entries(*shape, *np.divmod(known, shape[0]), values)


def _value(words: list[str], where: str) -> float | complex:
    """Read a real number from one word, a complex one from two."""
    parts = [tables.finite(word, where) for word in words]
    return parts[0] if len(parts) == 1 else complex(*parts)


def _mirrored(value: Any, symmetry: str) -> Any:
    """Return the entry across the diagonal."""
    if symmetry == "hermitian":
        return np.conj(value)
    return value if symmetry == "symmetric" else -value


def _fill_array(B: NDArray[Any], lines: Lines, symmetry: str, name: str) -> None:
    skip = {"general": None, "skew-symmetric": 1}.get(symmetry, 0)
    wanted = 2 if np.iscomplexobj(B) else 1
    places = (
        (i, j)
        for j in range(B.shape[1])
        for i in range(0 if skip is None else j + skip, B.shape[0])
    )
    found = 0
    for number, words in lines:
        where = f"{name}, line {number}"
        if len(words) != wanted:
            what = "one number" if wanted == 1 else "real and imaginary part"
            raise FastgcError(f"{where}: must hold {what} (got {show(' '.join(words))})")
        place = next(places, None)
        if place is None:
            raise FastgcError(f"{where}: the file has more than {found} entries")
        i, j = place
        B[i, j] = _value(words, where)
        if symmetry != "general" and i != j:
            B[j, i] = _mirrored(B[i, j], symmetry)
        found += 1
    if left := sum(1 for _ in places):
        raise FastgcError(f"{name} is cut short: it needs {found + left} entries and has {found}")


def _whole(word: str, where: str, least: int, most: int) -> int:
    try:
        value = int(word) if tables.plain(word) else None
    except ValueError:
        value = None
    if value is None:
        raise FastgcError(f"{where}: must be a whole number (got {show(word)})")
    if not least <= value <= most:
        raise FastgcError(f"{where}: must be {least} to {most} (got {value})")
    return value


def _require_matrix(node: Any, name: str) -> None:
    """Refuse a dataset of HDF5 that is no matrix of numbers, or too large a one."""
    if node.shape is None or len(node.shape) != 2 or not node.size:
        shape = "nothing" if node.shape is None else f"shape {node.shape}"
        raise FastgcError(
            f"{name}: must have two dimensions, partitions × workers, neither of them empty "
            f"(got {shape})"
        )
    if node.dtype.kind not in "buifc":
        raise FastgcError(f"{name}: must hold numbers (got type {node.dtype})")
    _refuse_large(name, *node.shape)


_READERS: dict[str, Callable[[Found], NDArray[Any] | Columns]] = {
    ".csv": _read_csv,
    ".npy": _read_npy,
    ".mtx": _read_mtx,
}
