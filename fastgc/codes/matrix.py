"""The user's own encoding matrix, from a file or written out."""

from __future__ import annotations

import csv
import functools
import hashlib
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pydantic
from numpy.typing import NDArray

from fastgc.codes.code import Code, code_of
from fastgc.complaints import made, show
from fastgc.errors import FastgcError
from fastgc.registry import Member, register

_Finite = Annotated[float, pydantic.Field(allow_inf_nan=False)]
_Row = Annotated[tuple[_Finite, ...], pydantic.Field(min_length=1)]


@register("code")
class Matrix(Member):
    """Any matrix, partitions × workers: ``file`` (csv or npy) or ``rows``."""

    family: Literal["matrix"] = "matrix"
    file: str | None = None
    rows: Annotated[tuple[_Row, ...] | None, pydantic.Field(min_length=1)] = None
    _code: Code = pydantic.PrivateAttr()

    @pydantic.field_validator("file")
    @classmethod
    def _readable(cls, file: str | None, info: pydantic.ValidationInfo) -> str | None:
        if file is not None:
            _from_file(file, info.context)
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
    def _one_source(self, info: pydantic.ValidationInfo) -> Matrix:
        if (self.file is None) == (self.rows is None):
            got = "neither" if self.file is None else "both"
            raise ValueError(f"give either file or rows (got {got})")
        if self.file is not None:
            self._code = _from_file(self.file, info.context)
        else:
            self._code = code_of(self.rows)
        return self

    @property
    def n(self) -> int:
        """Workers."""
        return self._code.n

    def build(self) -> Code:
        """Return the code."""
        return self._code

    def files(self) -> dict[str, Any]:
        """Return the rows of the file."""
        return {} if self.file is None else {self.file: self._code.B}

    def identity(self) -> dict[str, Any]:
        """Name the matrix by its content: a file and the same rows written out are one code."""
        B = self._code.B + 0.0  # −0.0 and 0.0 are one number
        digest = hashlib.sha256(B.astype("<f8").tobytes()).hexdigest()
        return {"family": self.family, "k": self._code.k, "n": self._code.n, "sha256": digest}


def matrix(file: str | Path | None = None, rows: Any = None) -> Code:
    """Take the user's own matrix.

    Parameters
    ----------
    file : str or Path, optional
        A csv (numbers only, one partition a line; lines that begin with # are skipped) or npy file.
    rows : array_like (k, n), optional
        The matrix itself, partitions × workers.

    Returns
    -------
    Code
        Its structure is found; its tolerance is not known.

    Raises
    ------
    FastgcError
        If not exactly one source is given, the file cannot be read, or an entry is no finite
        number.

    Examples
    --------
    >>> matrix(rows=[[1, 0.5], [0, 2]]).B.tolist()
    [[1.0, 0.5], [0.0, 2.0]]
    """
    if file is None and isinstance(rows, np.ndarray):
        return code_of(rows)
    return made(Matrix, "matrix", file=file, rows=rows).build()


def _from_file(file: str, context: Any) -> Code:
    context = context or {}
    if file in context.get("files", {}):
        try:
            return code_of(context["files"][file], file)
        except FastgcError as problem:
            raise ValueError(str(problem)) from None
    path = context.get("folder", Path()) / file
    try:
        path = path.resolve(strict=True)
        status = path.stat()
        if path.is_dir():
            raise ValueError(f"{file} is a directory; name a .csv or .npy file")
        return _read(str(path), file, status.st_mtime_ns, status.st_size)
    except FileNotFoundError:
        raise ValueError(f"there is no file {path}") from None
    except OSError as problem:
        raise ValueError(f"{file} cannot be read: {problem.strerror or problem}") from None


@functools.lru_cache(maxsize=16)
def _read(path: str, name: str, _modified: int, _size: int) -> Code:
    """Read a matrix once for all points of a study, as long as the file stays as it is."""
    reader = {".csv": _read_csv, ".npy": _read_npy}.get(Path(path).suffix.lower())
    if reader is None:
        raise ValueError(f"must end in .csv or .npy (got {show(name)})")
    try:
        return code_of(reader(path, name), name)
    except FastgcError as problem:
        raise ValueError(str(problem)) from None


def _read_csv(path: str, name: str) -> NDArray[np.float64]:
    table: list[list[float]] = []
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, skipinitialspace=True)
            for cells in reader:
                if not cells or cells[0].startswith("#"):
                    continue
                table.append(_numbers(cells, f"{name}, line {reader.line_num}"))
                if len(table[-1]) != len(table[0]):
                    raise ValueError(
                        f"{name}, line {reader.line_num}: every line must have as many numbers as "
                        f"the first (got {len(table[-1])}, the first has {len(table[0])})"
                    )
    except UnicodeDecodeError:
        raise ValueError(f"{name} is not UTF-8 text; save it as csv in UTF-8") from None
    except csv.Error as problem:
        raise ValueError(f"{name} is not a csv file: {problem}") from None
    if not table:
        raise ValueError(f"{name} is empty; write one partition a line, numbers between commas")
    return np.array(table)


def _numbers(cells: list[str], where: str) -> list[float]:
    row = []
    for column, cell in enumerate(cells, start=1):
        try:
            value = float(cell)
        except ValueError:
            raise ValueError(
                f"{where}, column {column}: must be a number (got {show(cell)})"
            ) from None
        if not np.isfinite(value):
            raise ValueError(f"{where}, column {column}: must be finite (got {cell.strip()})")
        row.append(value)
    return row


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
