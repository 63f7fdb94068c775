"""What a search found: the matrix, its value and its certificate, and the files of them."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code, code_of
from fastgc.decoding.inspection import Datasheet, inspect
from fastgc.errors import FastgcError
from fastgc.registry import toml
from fastgc.registry.shown import Shown
from fastgc.results import image
from fastgc.searching.problem import Problem

_SUFFIXES = (".csv", ".npy", ".mtx", ".toml")


class Found(Shown):
    """The best matrix of a search.

    Attributes
    ----------
    problem : Problem
        What was asked.
    matrix : float64 array (k, n)
        The best encoding matrix, partitions × workers.
    certificate : dict
        What it was compared with and how, as plain data.
    """

    def __init__(self, problem: Problem, matrix: NDArray[Any], certificate: dict[str, Any]) -> None:
        self.problem, self.matrix, self.certificate = problem, matrix, certificate

    def __repr__(self) -> str:
        """Say what was found."""
        return f"<Found {self.certificate['statement']}>"

    @property
    def value(self) -> float:
        """The value of the goal: an error in partitions, or a probability."""
        value: float = self.certificate["value"]
        return value

    @property
    def code(self) -> Code:
        """The code of the matrix."""
        return code_of(self.matrix, self.certificate["by"])

    def inspect(self) -> Datasheet:
        """Return the datasheet of the code, for the probability or number of stragglers asked."""
        own = self.problem
        return inspect(self.code, 0.1 if own.p is None else own.p, own.s)

    def save(self, out: str | Path) -> list[Path]:
        """Write the matrix, its certificate and a study that repeats the search; return the files.

        Raises
        ------
        FastgcError
            If the name does not end in .csv, .npy, .mtx or .toml, or a file cannot be written.
        """
        files = names(out)
        write(self.matrix, files[0], self._study())
        certificate = json.dumps(self.certificate, indent=1, ensure_ascii=False) + "\n"
        _replace(files[1], certificate.encode())
        _replace(files[2], toml.dumps({"search": self.problem.settings()}).encode())
        return files

    def _study(self) -> dict[str, Any]:
        """Return the keys of an experiment that measures what the search judged."""
        own = self.problem
        straggle: dict[str, Any] = {"model": "iid", "p": own.p}
        if own.p is None:
            straggle = {"model": "uniform", "stragglers": own.s}
        found = {"stragglers": straggle, "decoder": own.decoder}
        return found if own.rho is None else found | {"rho": own.rho}


def write(B: NDArray[Any], out: str | Path, study: dict[str, Any]) -> None:
    """Write a matrix: csv, npy, mtx, or a study of it with these keys beside its code."""
    path = checked(out)
    _replace(path, _content(B, path.suffix.lower(), study))


def _content(B: NDArray[Any], suffix: str, study: dict[str, Any]) -> bytes:
    rows = [[_plain(value) for value in row] for row in B.tolist()]
    k, n = B.shape
    if suffix == ".npy":
        stream = io.BytesIO()
        np.save(stream, B)
        return stream.getvalue()
    if suffix == ".csv":
        return "".join(",".join(map(str, row)) + "\n" for row in rows).encode()
    if suffix == ".mtx":
        entries = [(j, i, B[i, j]) for j in range(n) for i in range(k) if B[i, j]]
        lines = "".join(f"{i + 1} {j + 1} {_plain(float(value))!r}\n" for j, i, value in entries)
        head = "%%MatrixMarket matrix coordinate real general"
        return f"{head}\n{k} {n} {len(entries)}\n{lines}".encode()
    code = {"family": "matrix", "rows": rows}
    return toml.dumps({"experiment": [{"kind": "decoding", "code": code} | study]}).encode()


def _replace(path: Path, content: bytes) -> None:
    with image.writing(path):
        image.replace(path, memoryview(content))


def names(out: str | Path) -> list[Path]:
    """Return the files of a search: what it found, the certificate, and what repeats it."""
    path = checked(out)
    return [path, path.with_suffix(".json"), path.with_suffix(".search.toml")]


def checked(out: str | Path) -> Path:
    """Return the path of a matrix that is to be written; refuse other kinds of files."""
    path = Path(out)
    if path.suffix.lower() not in _SUFFIXES:
        raise FastgcError(f"out: must end in {', '.join(_SUFFIXES)} (got {str(out)!r})")
    return path


def _plain(value: float) -> int | float:
    """Return an entry as files have it: a whole number without a point."""
    return int(value) if value == int(value) else value
