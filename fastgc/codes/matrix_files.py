"""Readers of matrices: csv, NumPy, Matrix Market, HDF5.

What is wrong with a file is one sentence in a ValueError, which pydantic makes a complaint of.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.registry.complaints import alternatives, show, unknown
from fastgc.registry.numbers import LARGEST

_HDF5 = re.compile(r"(?P<file>.+\.(?:h5|hdf5))(?::(?P<dataset>.*))?", re.IGNORECASE)
_MOST_NAMED = 12


def place(folder: Path, name: str) -> tuple[Path, str | None]:
    """Find the file that a name means, from a folder on, and the dataset in it if it is HDF5.

    Raises
    ------
    ValueError
        One sentence: there is no such file, or its kind is not known.
    """
    found = _HDF5.fullmatch(name)
    file, dataset = (name, None) if found is None else (found["file"], found["dataset"] or "")
    path = folder / file
    try:
        path = path.resolve(strict=True)
        if path.is_dir():
            raise ValueError(f"{file} is a directory; name a file in it")
    except FileNotFoundError:
        raise ValueError(f"there is no file {path}") from None
    except OSError as problem:
        raise ValueError(f"{file} cannot be read: {problem.strerror or problem}") from None
    if found is None and path.suffix.lower() not in _READERS:
        raise ValueError(f"must end in .csv, .npy, .mtx or .h5:dataset (got {show(name)})")
    return path, dataset


def read(path: str, dataset: str | None, name: str) -> NDArray[Any]:
    """Read the matrix that `place` found.

    Raises
    ------
    ValueError
        One sentence: what is wrong, and where in the file.
    """
    try:
        if dataset is not None:
            return _read_hdf5(path, dataset, name)
        return _READERS[Path(path).suffix.lower()](path, name)
    except UnicodeDecodeError:
        kind = Path(path).suffix.lower()[1:]
        raise ValueError(f"{name} is not UTF-8 text; save it as {kind} in UTF-8") from None
    except OSError as problem:
        raise ValueError(f"{name} cannot be read: {problem.strerror or problem}") from None


def _read_csv(path: str, name: str) -> NDArray[np.float64]:
    table: list[list[float]] = []
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, skipinitialspace=True)
            for cells in reader:
                if not cells or cells[0].startswith("#"):
                    continue
                where = f"{name}, line {reader.line_num}"
                table.append(
                    [
                        _number(cell, f"{where}, column {column}")
                        for column, cell in enumerate(cells, start=1)
                    ]
                )
                if len(table[-1]) != len(table[0]):
                    raise ValueError(
                        f"{where}: every line must have as many numbers as the first "
                        f"(got {len(table[-1])}, the first has {len(table[0])})"
                    )
    except csv.Error as problem:
        raise ValueError(f"{name} is not a csv file: {problem}") from None
    if not table:
        raise ValueError(f"{name} is empty; write one partition a line, numbers between commas")
    return np.array(table)


def _number(cell: str, where: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        raise ValueError(f"{where}: must be a number (got {show(cell)})") from None
    if not np.isfinite(value):
        raise ValueError(f"{where}: must be finite (got {cell.strip()})")
    return value


def _read_npy(path: str, name: str) -> NDArray[Any]:
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, MemoryError, SyntaxError) as problem:
        if "Object arrays" in str(problem):
            raise ValueError(f"{name} holds Python objects; save it as float64") from None
        raise ValueError(f"{name} is not a NumPy .npy file, or is cut short") from None
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{name} is an archive of arrays; save the one matrix with numpy.save")
    return array


# --- Matrix Market (Boisvert, Pozo and Remington, NISTIR 5935) -----------------------------------

_LAYOUTS = ("coordinate", "array")
_FIELDS = ("real", "integer", "pattern")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric")


def _read_mtx(path: str, name: str) -> NDArray[np.float64]:
    with open(path, encoding="utf-8") as stream:
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
            raise ValueError(
                f"{name} is cut short: it has no line with the numbers of rows and columns"
            )
        if len(words) != len(sizes):
            raise ValueError(
                f"{name}, line {number}: must hold the numbers of {' and '.join(sizes)} "
                f"(got {show(' '.join(words))})"
            )
        shape = [_whole(word, f"{name}, line {number}", 0, 10**12) for word in words]
        if max(shape[:2]) > LARGEST:
            raise ValueError(
                f"{name}: must have at most {LARGEST} rows and columns "
                f"(got {shape[0]} × {shape[1]})"
            )
        if symmetry != "general" and shape[0] != shape[1]:
            raise ValueError(
                f"{name}: a {symmetry} matrix must be square (got {shape[0]} × {shape[1]})"
            )
        B = np.zeros((shape[0], shape[1]))
        if coordinate:
            _fill_coordinates(B, shape[2], lines, field, symmetry, name)
        else:
            _fill_array(B, lines, symmetry, name)
    return B


def _mtx_header(line: str, name: str) -> tuple[str, str, str]:
    words = line.lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise ValueError(
            f"{name} is no Matrix Market file: it must begin with "
            f'"%%MatrixMarket matrix coordinate real general" or the like'
        )
    for word, known in zip(words[2:], (_LAYOUTS, _FIELDS, _SYMMETRIES), strict=True):
        if word not in known:
            raise ValueError(f"{name}, line 1: must say {alternatives(known)} (got {show(word)})")
    if words[2] == "array" and words[3] == "pattern":
        raise ValueError(f"{name}, line 1: a pattern must be coordinate (got 'array')")
    if words[3] == "pattern" and words[4] == "skew-symmetric":
        raise ValueError(
            f"{name}, line 1: a pattern must be general or symmetric (got 'skew-symmetric')"
        )
    return words[2], words[3], words[4]


Lines = Iterator[tuple[int, list[str]]]


def _fill_coordinates(
    B: NDArray[np.float64], entries: int, lines: Lines, field: str, symmetry: str, name: str
) -> None:
    columns = 2 if field == "pattern" else 3
    found = 0
    for number, words in lines:
        where = f"{name}, line {number}"
        found += 1
        if found > entries:
            raise ValueError(f"{where}: the file says {entries} entries and has more")
        if len(words) != columns:
            what = "row and column" if columns == 2 else "row, column and value"
            raise ValueError(f"{where}: must hold {what} (got {show(' '.join(words))})")
        i = _whole(words[0], f"{where}, row", 1, B.shape[0]) - 1
        j = _whole(words[1], f"{where}, column", 1, B.shape[1]) - 1
        value = 1.0 if columns == 2 else _number(words[2], where)
        if symmetry != "general" and j > i:
            raise ValueError(
                f"{where}: a {symmetry} matrix has entries on or below the diagonal only"
            )
        if symmetry == "skew-symmetric" and i == j:
            raise ValueError(f"{where}: a skew-symmetric matrix has no entries on the diagonal")
        B[i, j] += value  # entries named twice are added, as other readers do
        if symmetry != "general" and i != j:
            B[j, i] += value if symmetry == "symmetric" else -value
    if found < entries:
        raise ValueError(f"{name} is cut short: it says {entries} entries and has {found}")


def _fill_array(B: NDArray[np.float64], lines: Lines, symmetry: str, name: str) -> None:
    skip = {"general": None, "symmetric": 0, "skew-symmetric": 1}[symmetry]
    places = [
        (i, j)
        for j in range(B.shape[1])
        for i in range(0 if skip is None else j + skip, B.shape[0])
    ]
    found = 0
    for number, words in lines:
        where = f"{name}, line {number}"
        if len(words) != 1:
            raise ValueError(f"{where}: must hold one number (got {show(' '.join(words))})")
        if found == len(places):
            raise ValueError(f"{where}: the file has more than {len(places)} entries")
        i, j = places[found]
        B[i, j] = _number(words[0], where)
        if symmetry != "general" and i != j:
            B[j, i] = B[i, j] if symmetry == "symmetric" else -B[i, j]
        found += 1
    if found < len(places):
        raise ValueError(f"{name} is cut short: it needs {len(places)} entries and has {found}")


def _whole(word: str, where: str, least: int, most: int) -> int:
    try:
        value = int(word)
    except ValueError:
        raise ValueError(f"{where}: must be a whole number (got {show(word)})") from None
    if not least <= value <= most:
        raise ValueError(f"{where}: must be {least} to {most} (got {value})")
    return value


# --- HDF5 ----------------------------------------------------------------------------------------


def _read_hdf5(path: str, dataset: str, name: str) -> NDArray[Any]:
    import h5py  # 0.1 s that most studies do not need

    file = Path(path).name
    try:
        stream = h5py.File(path, "r", locking=False)
    except OSError as problem:
        if isinstance(problem, PermissionError):
            raise
        raise ValueError(f"{name}: not an HDF5 file, or cut short") from None
    with stream:
        known: list[str] = []
        stream.visititems(
            lambda key, node: known.append(key) if isinstance(node, h5py.Dataset) else None
        )
        if not dataset:
            held = ", ".join(known[:_MOST_NAMED]) or "none"
            raise ValueError(f"{name}: name a dataset, as in {file}:B (it holds {held})")
        node = stream.get(dataset)
        if node is None:
            raise ValueError(f"{name}: {unknown('dataset', dataset, known[:_MOST_NAMED])}")
        if not isinstance(node, h5py.Dataset):
            raise ValueError(f"{name} is a group; name a dataset in it")
        if node.shape is None or len(node.shape) != 2 or not node.size:
            shape = "nothing" if node.shape is None else f"shape {node.shape}"
            raise ValueError(
                f"{name}: must have two dimensions, partitions × workers, neither of them empty "
                f"(got {shape})"
            )
        if node.dtype.kind not in "buif":
            kind = "complex numbers" if node.dtype.kind == "c" else f"type {node.dtype}"
            raise ValueError(f"{name}: must hold real numbers (got {kind})")
        if max(node.shape) > LARGEST:
            rows, columns = node.shape
            raise ValueError(
                f"{name}: must have at most {LARGEST} rows and columns (got {rows} × {columns})"
            )
        try:
            return np.asarray(node[()])
        except OSError:
            raise ValueError(f"{name} cannot be read: the file is damaged or cut short") from None


_READERS: dict[str, Callable[[str, str], NDArray[Any]]] = {
    ".csv": _read_csv,
    ".npy": _read_npy,
    ".mtx": _read_mtx,
}
