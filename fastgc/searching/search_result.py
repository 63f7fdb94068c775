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
from fastgc.registry.display import NotebookTable
from fastgc.results import image
from fastgc.searching.problem import SearchTable

_SUFFIXES = (".csv", ".npy")


class SearchResult(NotebookTable):
    """The best matrix of a search.

    ``problem``: what was asked; ``matrix``: the best encoding matrix, partitions × workers, float64
    (k, n); ``certificate``: what it was compared with and how, as plain data.
    """

    def __init__(
        self, problem: SearchTable, matrix: NDArray[Any], certificate: dict[str, Any]
    ) -> None:
        self.problem, self.matrix, self.certificate = problem, matrix, certificate

    def __repr__(self) -> str:
        """Say what was found."""
        return f"<SearchResult {self.certificate['statement']}>"

    @property
    def value(self) -> float:
        """The value of the goal: an error in partitions, or a probability."""
        return float(self.certificate["value"])

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

        Raises FastgcError if the name does not end in .csv or .npy, or a file cannot be written.
        """
        files = names(out)
        write(self.matrix, files[0])
        certificate = json.dumps(self.certificate, indent=1, ensure_ascii=False) + "\n"
        image.write(files[1], certificate.encode())
        image.write(files[2], toml.dumps({"search": self.problem.settings()}).encode())
        return files


def write(B: NDArray[Any], out: str | Path) -> None:
    """Write a matrix: csv, whole numbers without a point, or npy."""
    path, stream = checked(out), io.BytesIO()
    if path.suffix.lower() == ".npy":
        np.save(stream, B)
    else:
        np.savetxt(stream, B, fmt="%d", delimiter=",")
    image.write(path, stream.getvalue())


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
