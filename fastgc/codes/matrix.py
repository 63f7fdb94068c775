"""The user's own encoding matrix, from a file or written out, and all that stands for a code."""

import functools
import hashlib
import re
import warnings
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pydantic
from numpy.typing import NDArray

from fastgc import registry
from fastgc.arrays import Values
from fastgc.codes.code import Code, code_of
from fastgc.codes.columns import MOST_ENTRIES, Columns
from fastgc.codes.family import Family
from fastgc.codes.per_trial import CodeOfTrials
from fastgc.errors import FastgcError, FastgcWarning, public
from fastgc.registry import Table, csv_tables, register
from fastgc.registry.complaints import check, lines, show, unknown
from fastgc.registry.csv_tables import complex_number
from fastgc.registry.files import ResolvedFile, find, hdf5, npy, open_text, reading
from fastgc.registry.given import IN_FULL, MOST_WRITTEN, entries_of, made, plain
from fastgc.registry.makers import described
from fastgc.registry.number_types import LARGEST, MOST, Many

_DIGESTED = 1 << 20  # numbers at once

_Finite = Annotated[float, pydantic.Field(allow_inf_nan=False)]


def _complex(text: str) -> str:
    value = complex_number(text)
    if value is None or not np.isfinite(value):
        raise ValueError(f'must be a number, or text like "1+2j" (got {show(text)})')
    return text


_Entry = _Finite | Annotated[str, pydantic.AfterValidator(_complex)]
_Row = Annotated[tuple[_Entry, ...], pydantic.Field(min_length=1)]
_Places = tuple[Annotated[int, pydantic.Field(ge=0)], ...]


class Entries(Table):
    """The entries of a matrix that are not 0.

    * ``shape`` ((int, int)): Rows and columns of the matrix.
    * ``rows``, ``columns`` (tuple of int): Where each entry stands, counted from 0.
    * ``values`` (tuple of float or str): The entries; a complex one is text like "1+2j".
    """

    shape: tuple[Many, Many]
    rows: _Places
    columns: _Places
    values: tuple[_Entry, ...]

    @pydantic.model_validator(mode="after")
    def _fit(self) -> "Entries":
        sizes = [len(self.rows), len(self.columns), len(self.values)]
        if len(set(sizes)) > 1:
            raise ValueError(f"rows, columns and values must have one length (got {sizes})")
        for key, places, size in (
            ("rows", self.rows, self.shape[0]),
            ("columns", self.columns, self.shape[1]),
        ):
            if places and max(places) >= size:
                raise ValueError(f"{key} must be less than {size} (got {max(places)})")
        if len(set(zip(self.rows, self.columns, strict=True))) < len(self.rows):
            raise ValueError("rows and columns must name each entry once")
        return self


@register("code")
class Matrix(Family):
    """The user's own matrix, partitions × workers, from a file or written out.

    Its structure is found; its tolerance is not known.

    * ``file`` (str or Path, optional): A csv (numbers only, one partition a line; lines that begin
      with # are skipped), NumPy (.npy) or Matrix Market (.mtx) file, or ``file.h5:dataset``.
    * ``rows`` (array_like (k, n), optional): Instead of a file: the matrix itself, finite numbers,
      one row a partition; a complex number in a study is text like ``"1+2j"``.
    * ``entries`` (table, optional): Instead of a file, for a large matrix with few entries:
      ``shape``, and lists ``rows``, ``columns`` and ``values`` of those that are not 0, each once.

    Raises FastgcError if not exactly one source is given, the file cannot be read, or an entry is
    no finite number.

    >>> matrix(rows=[[1, 0.5], [0, 2]]).B.tolist()
    [[1.0, 0.5], [0.0, 2.0]]
    """

    family: Literal["matrix"] = "matrix"
    file: str | None = None
    rows: Annotated[tuple[_Row, ...] | None, pydantic.Field(min_length=1)] = None
    entries: Entries | None = None
    _code: Code = pydantic.PrivateAttr()

    @pydantic.field_validator("file")
    @classmethod
    def _readable(cls, file: str | None, info: pydantic.ValidationInfo) -> str | None:
        if file is not None:
            from_file(file, info.context)
        return file

    @pydantic.field_validator("rows")
    @classmethod
    def _even(cls, rows: tuple[_Row, ...] | None) -> tuple[_Row, ...] | None:
        for i, row in enumerate(rows or ()):
            if rows is not None and len(row) != len(rows[0]):
                raise ValueError(
                    f"every row must have as many entries as row 0 "
                    f"(got {len(rows[0])} in row 0, {len(row)} in row {i})"
                )
        return rows

    @pydantic.model_validator(mode="after")
    def _one_source(self, info: pydantic.ValidationInfo) -> "Matrix":
        given = [key for key in ("file", "rows", "entries") if getattr(self, key) is not None]
        if len(given) != 1:
            got = "both" if given == ["file", "rows"] else " and ".join(given) or "neither"
            raise ValueError(f"give either file or rows (got {got})")
        if self.file is not None:
            self._code = from_file(self.file, info.context)
        elif self.entries is not None:
            self._code = _carried(self.entries.model_dump(), "matrix")
        else:
            self._code = _carried(self.rows, "matrix")
        return self

    @property
    def n(self) -> int:
        """Number of workers: columns of the matrix."""
        return self._code.n

    def build(self) -> Code:
        return self._code

    def files(self) -> dict[str, Any]:
        if self.file is None:
            return {}
        columns = self._code.columns
        if columns.height * columns.n > MOST_WRITTEN:
            shape = columns.height, columns.n
            entries = entries_of(shape, columns.places, columns.owners, columns.values)
            return {self.file: entries}
        if not self._code.is_complex:
            return {self.file: self._code.B}
        return {self.file: [[str(entry) for entry in row] for row in self._code.B.tolist()]}

    def identity(self) -> dict[str, Any]:
        code = self._code
        return {"family": self.family, "k": code.k, "n": code.n, "sha256": _digest(code.columns)}


@public
@described(Matrix, "Code")
def matrix(file: str | Path | None = None, rows: Any = None, entries: Any = None) -> Code:
    """Make the code of a `Matrix`; an array is taken as it is, however large."""
    if file is None and entries is None and isinstance(rows, np.ndarray):
        return code_of(rows)
    return made(Matrix, "matrix", file=file, rows=rows, entries=entries).build()


def _numbers(rows: Any) -> Any:
    return [[complex_number(x) if isinstance(x, str) else x for x in row] for row in rows]


def _carried(content: Any, name: str) -> Code:
    if not isinstance(content, dict):
        return code_of(_numbers(content), name)
    rows, columns = (np.array(content[key], np.int64) for key in ("rows", "columns"))
    [values] = _numbers([content["values"]])
    height, n = content["shape"]
    return code_of(Columns.from_entries(height, n, columns, rows, np.array(values)), name)


def _digest(columns: Columns) -> str:
    """Hash of all entries of the matrix, row by row; of those that are not 0 where it is huge."""
    found = hashlib.sha256()
    kind = "<c16" if np.iscomplexobj(columns.values) else "<f8"
    if columns.height * columns.n > MOST_ENTRIES:
        values = (columns.values + 0.0).astype(kind)
        for part in (columns.offsets.astype("<i8"), columns.places.astype("<i4"), values):
            found.update(part.tobytes())
        return found.hexdigest()
    rows = columns.transposed
    step = max(1, _DIGESTED // columns.n)
    for first in range(0, columns.height, step):
        part = np.zeros((min(step, columns.height - first), columns.n), kind)
        own = slice(int(rows.offsets[first]), int(rows.offsets[first + len(part)]))
        lines = np.repeat(np.arange(len(part)), rows.counts[first : first + len(part)])
        part[lines, rows.places[own]] = rows.values[own] + 0.0  # −0.0 and 0.0 are one number
        found.update(part.tobytes())
    return found.hexdigest()


def from_file(file: str, context: Any) -> Code:
    """Return the matrix of a file, or of what results carry of it, as a code."""
    carried = (context or {}).get("files", {})
    return _carried(carried[file], file) if file in carried else _read(*place(file, context), file)


@functools.lru_cache(maxsize=16)  # of all points of a study, as long as the file stays as it is
def _read(found: ResolvedFile, dataset: str | None, name: str) -> Code:
    return code_of(read(found, dataset, name), name)


# ---- What stands for a code: an array, a graph, a file's name or a table, in Python as in a study


_LARGEST_CHECKED = 1 << 18  # entries of a matrix that is looked at for a transposed one
_EXACT = 1e-6  # of the error of all workers
_LOST = 0.01  # less may be rounding of an ill-conditioned matrix


def in_full(code: Any) -> Any:
    """Return the ``code`` table of a study for what is written in place of one, as plain data.

    A list of rows is a matrix, and text is the file that holds one.
    """
    if isinstance(code, list):
        warn_of(code)
    return IN_FULL["code"](code)


def code_given(code: Any, name: str = "matrix") -> Code:
    """Return the code that a caller means; messages call a matrix ``name``.

    It is a Code, or its matrix, partitions × workers, as an array or sparse; a networkx graph,
    whose edges are the workers; the file of a matrix; or the ``code`` table of a study.
    """
    if isinstance(code, Code | CodeOfTrials):
        return code  # type: ignore[return-value]
    if isinstance(code, list | tuple) or hasattr(code, "__array__"):
        return code_of(code, name)
    found, complaints = plain(code)
    if isinstance(found, list):  # of a sparse matrix
        return code_of(found, name)
    table = in_full(found)
    members = registry.members("code")
    family = str(table.get("family")) if isinstance(table, dict) else ""
    if not complaints and family not in members:
        raise FastgcError(f"{name}: {unknown('family', family, members)}")
    member, wrong = (None, []) if complaints else check(members[family], table)
    if member is None:
        raise FastgcError("; ".join(f"{name}: {line}" for line in lines(complaints + wrong)))
    return member.built()  # type: ignore[attr-defined, no-any-return]


def warn_of(rows: Any) -> None:
    """Warn where a matrix is none of a code that can decode, and its transpose is."""
    try:
        if np.iscomplexobj(rows):
            return
        B = np.asarray(rows, np.float64)
    except (TypeError, ValueError):
        return  # complex entries in texts, or refused in a sentence of its own
    if B.ndim != 2 or not 0 < B.size <= _LARGEST_CHECKED or not np.isfinite(B).all():
        return
    error = _error_of_all(B)
    if error > _LOST and _error_of_all(B.T) <= _EXACT:
        said = f"all {B.shape[1]} workers together leave an error of {error:.4g}"
        turned = "rows must be partitions and columns workers; is this the transpose of B?"
        FastgcWarning.warn(f"matrix: {said}; {turned}")
    elif not B.any(axis=1).all():
        row = int(np.flatnonzero(~B.any(axis=1))[0])
        said = f"no worker holds partition {row} (a row of zeros), so nothing decodes exactly"
        FastgcWarning.warn(f"matrix: {said}")


def _error_of_all(B: Values) -> float:
    ones = np.ones(len(B))
    return float(np.square(B @ np.linalg.lstsq(B, ones, rcond=None)[0] - ones).sum())


# ---- Readers of files: csv, NumPy, Matrix Market, HDF5


_HDF5 = re.compile(r"(?P<file>.+\.(?:h5|hdf5))(?::(?P<dataset>.*))?", re.IGNORECASE)


def place(name: str, context: Mapping[str, Any] | None) -> tuple[ResolvedFile, str | None]:
    """Find the file that a name means, and the name of the dataset in it if it is HDF5.

    Relative names start at the context's ``folder``. Other kinds of files are refused.
    """
    if named := _HDF5.fullmatch(name):
        return find(named["file"], context), named["dataset"] or ""
    found = find(name, context)
    if Path(found.path).suffix.lower() not in _READERS:
        raise FastgcError(f"must end in .csv, .npy, .mtx or .h5:dataset (got {show(name)})")
    return found, None


def read(found: ResolvedFile, dataset: str | None, name: str) -> NDArray[Any] | Columns:
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


def _read_csv(found: ResolvedFile) -> NDArray[Any]:
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


def _read_npy(found: ResolvedFile) -> NDArray[Any]:
    array = npy(found)
    _refuse_large(found.name, *array.shape)
    return np.array(array)


def _read_mtx(found: ResolvedFile) -> NDArray[Any] | Columns:
    from scipy import io  # half a second that few matrices need

    name = found.name
    with reading(name), warnings.catch_warnings():
        # newer SciPy warns that it will give another class, which has the same attributes
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            # of a path, older SciPy leaves damaged files open; a closed stream ends the process
            content = Path(found.path).read_bytes()
            rows, columns, entries, layout, *_ = io.mminfo(BytesIO(content))
            is_dense = layout == "array"
            most = LARGEST if is_dense else MOST
            # half of a dense one may be left out; else an entry takes four bytes, "1 1" and the end
            if (rows * columns // 2 if is_dense else 4 * entries) > found.size:
                raise ValueError(f"cut short: {found.size} bytes for {entries} entries")
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
    return Columns.from_entries(rows, columns, *np.divmod(known, rows), values)


_READERS: dict[str, Callable[[ResolvedFile], NDArray[Any] | Columns]] = {
    ".csv": _read_csv,
    ".npy": _read_npy,
    ".mtx": _read_mtx,
}
