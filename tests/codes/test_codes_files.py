"""Matrices as rows and in files of every kind, and what is wrong with them."""

import gc
import os
import resource
import warnings
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import fastgc
from fastgc import codes
from fastgc.codes import General
from fastgc.study.study import Study
from suite.checks import refusal

HEAD = "%%MatrixMarket matrix "
SOUND = "b.mtx is no sound Matrix Market file"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _refusal(file: object) -> str:
    """What is said of a matrix, without more than 100 MB of memory taken."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    said = refusal(codes.matrix, file=file)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000
    return said.removeprefix("matrix: file: ")


# ---- rows, csv and npy


def test_matrix_from_rows_csv_and_npy_are_the_same() -> None:
    rows = [[1.0, 0.5, -2.0], [0.0, 1e-3, 4.0]]
    Path("b.csv").write_text("# my code\n1, 0.5,-2\n\n0,1e-3,4.0\n")
    np.save("b.npy", np.array(rows))
    given: list[dict[str, Any]] = [{"rows": rows}, {"rows": np.array(rows)}]
    for more in (*given, {"file": Path("b.csv")}, {"file": "b.npy"}):
        code = codes.matrix(**more)
        assert code.B.tolist() == rows
        assert (code.k, code.n, code.tolerance, code.structure) == (2, 3, None, General())
    Path("b.csv").write_text("1,0\n0,1\n")  # it is read again when it has changed
    assert codes.matrix(file=Path("b.csv")).B.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(("content", "sentence"), [
    ("", "b.csv is empty; write one partition a line, numbers between commas"),
    ("1,2\n3\n", "b.csv, line 2: every line must have as many numbers as the first"
     " (got 1, the first has 2)"),
    ("1,2\n3,x\n", "b.csv, line 2, column 2: must be a number (got 'x')"),
    ("1,nan\n", "b.csv, line 1, column 2: must be finite (got nan)"),
    (b"\xff\xfe1,2", "b.csv is not UTF-8 text; save it as csv in UTF-8"),
    ("1,0\n" * 200_000, "b.csv: must have at most 16384 rows and columns (got 16385 × 2)"),
], ids=lambda given: given[:20])  # fmt: skip
def test_bad_csv(content: str | bytes, sentence: str) -> None:
    raw = content if isinstance(content, bytes) else content.encode()
    Path("b.csv").write_bytes(raw)
    assert _refusal("b.csv").startswith(sentence)


@pytest.mark.parametrize(("array", "sentence"), [
    (np.ones(3), "b.npy: must have two dimensions, partitions × workers, neither of them"),
    (np.array([[1, None]]), "b.npy is not a NumPy .npy file, or is cut short; save it again as"),
    (np.array([["1"]]), "b.npy: must be a table of numbers, partitions × workers, with rows"),
    (np.array([[1, 2], [3, np.nan]]), "b.npy: every entry must be finite (got nan in row 1,"),
])  # fmt: skip
def test_bad_npy(array: np.ndarray, sentence: str) -> None:
    np.save("b.npy", array)
    assert _refusal("b.npy").startswith(sentence)


def test_files_that_are_no_matrix() -> None:
    Path("text.npy").write_text("1,2\n")
    Path("short.npy").write_bytes(b"\x93NUMPY\x01")
    Path("b.mat").write_text("1")
    said = "is not a NumPy .npy file, or is cut short; save it again as float64"
    assert _refusal("text.npy") == f"text.npy {said}"
    assert _refusal("short.npy") == f"short.npy {said}"
    assert _refusal("b.mat") == "must end in .csv, .npy, .mtx or .h5:dataset (got 'b.mat')"


@pytest.mark.parametrize(("given", "sentence"), [
    ({"file": "b.csv", "rows": [[1]]}, "give either file or rows (got both)"),
    ({"file": "no.csv", "rows": [[1]]}, "file: there is no file"),
    ({"rows": []}, "rows: must hold at least 1 (got 0)"),
    ({"rows": [1, 2]}, "rows[0]: must be a list (got 1)"),
    ({"rows": [[1, 2], [3]]},
     "rows: every row must have as many entries as row 0 (got 2 in row 0, 1 in row 1)"),
    ({"rows": [[1, "x"], [float("nan"), 1]]},
     "rows[0][1]: must be a number, or text like \"1+2j\" (got 'x'); "
     "matrix: rows[1][0]: must be finite (got nan)"),
    ({"rows": np.ones(3)}, "must have two dimensions"),
])  # fmt: skip
def test_bad_rows(given: dict[str, Any], sentence: str) -> None:
    Path("b.csv").write_text("1\n")
    assert refusal(codes.matrix, **given).startswith(f"matrix: {sentence}")


# ---- Matrix Market


@pytest.mark.parametrize(("text", "rows"), [
    ("coordinate real general\n% by hand\n\n2 3 3\n1 1 1.5\n2 3 -2e-1\n\n1 2 4\n",
     [[1.5, 4, 0], [0, 0, -0.2]]),
    ("coordinate integer symmetric\n3 3 3\n1 1 2\n2 1 -1\n3 2 5\n",
     [[2, -1, 0], [-1, 0, 5], [0, 5, 0]]),
    ("coordinate pattern general\n2 2 2\n1 1\n2 2\n", [[1, 0], [0, 1]]),
    ("coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n", [[1, 1], [1, 0]]),
    ("coordinate real skew-symmetric\n2 2 1\n2 1 3\n", [[0, -3], [3, 0]]),
    ("coordinate real general\n1 2 2\n1 1 1\n1 1 2\n", [[3, 0]]),
    ("array real general\n2 3\n1\n2\n3\n4\n5\n6\n", [[1, 3, 5], [2, 4, 6]]),
    ("array integer symmetric\n2 2\n1\n2\n3\n", [[1, 2], [2, 3]]),
    ("ARRAY Real Skew-Symmetric\n2 2\n7\n", [[0, -7], [7, 0]]),
    ("coordinate complex general\n1 2 2\n1 1 1 -2\n1 2 0 1\n", [[1 - 2j, 1j]]),
    ("coordinate complex hermitian\n2 2 2\n1 1 3 0\n2 1 1 2\n", [[3, 1 - 2j], [1 + 2j, 0]]),
    ("array complex symmetric\n2 2\n1 0\n2 5\n3 0\n", [[1, 2 + 5j], [2 + 5j, 3]]),
])  # fmt: skip
def test_matrix_market(text: str, rows: list[list[complex]]) -> None:
    Path("b.mtx").write_text(HEAD + text)
    assert codes.matrix(file="b.mtx").B.tolist() == rows


@pytest.mark.parametrize(("text", "sentence"), [
    ("", SOUND),
    (HEAD + "coordinate quaternion general\n1 1 1\n1 1 1 0\n", SOUND),
    (HEAD + "coordinate complex general\n1 1 1\n1 1 1\n", SOUND),
    (HEAD + "coordinate real general\n5000000 2 1\n1 1 1\n",
     "b.mtx: must have at most 4194304 rows and columns (got 5000000 × 2)"),
    (HEAD + "coordinate real general\n2 2 2\n1 1 1\n", SOUND),
    (HEAD + "coordinate real general\n2 2 1\n0 1 1\n", SOUND),
    (HEAD + "coordinate real general\n2 2 1\n1 1 one\n", SOUND),
    (HEAD + "coordinate real general\n2 2 1\n1 1 inf\n", "b.mtx: every entry must be finite"),
    (HEAD + "array real general\n16384 16384\n1\n", SOUND),
    (HEAD + "coordinate real general\n3 3 1000000000000\n", SOUND),
    (HEAD + "coordinate real general\n0 2 0\n", "b.mtx: must have two dimensions, partitions"),
    (b"\xff\xfe", SOUND),
])  # fmt: skip
def test_bad_matrix_market(text: str | bytes, sentence: str) -> None:
    Path("b.mtx").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert _refusal("b.mtx").startswith(sentence)


# ---- HDF5: of links, virtual data sets and damaged files the tests of files.py tell


def _hdf5() -> None:
    with h5py.File("b.h5", "w") as stream:
        stream["codes/B"] = [[1.0, 0.5, 0.0], [0.0, 2.0, 3.0]]
        stream["codes/complex"] = [[1j, 2.0]]
        stream["codes/nan"] = [[1.0, np.nan]]
        stream["empty"] = np.ones((0, 2))
        stream["line"] = np.ones(3)
        stream["text"] = np.array([[b"a"]])
        stream["linked"] = h5py.ExternalLink("other.h5", "B")
        stream.create_dataset("wide", (2, 10**9), "f8", chunks=(1, 1024))
    with h5py.File("other.h5", "w") as stream:
        stream["B"] = np.eye(2)


def test_a_data_set_of_hdf5_is_a_matrix() -> None:
    _hdf5()
    assert codes.matrix(file="b.h5:codes/B").B.tolist() == [[1, 0.5, 0], [0, 2, 3]]
    assert codes.matrix(file=Path("b.h5:/codes/complex")).B.tolist() == [[1j, 2]]
    code = {"family": "matrix", "file": "b.h5:codes/B"}
    given = {"code": code, "stragglers": {"model": "iid", "p": 0.1}}
    kept = Study.parse({"experiment": [given]}).text()
    Path("b.h5").unlink()  # the study keeps the matrix
    Path("again.toml").write_text(kept)
    (point,) = Study.parse("again.toml").points()
    assert point.table.code.build().B.tolist() == [[1, 0.5, 0], [0, 2, 3]]  # type: ignore[attr-defined]


@pytest.mark.parametrize(("file", "sentence"), [
    ("b.h5", "b.h5: name a dataset behind a colon (the file holds codes/B, codes/complex, "
     "codes/nan, empty, line, text, wide)"),
    ("b.h5:codes/A", "b.h5:codes/A: unknown dataset 'codes/A'; did you mean 'codes/B'?"),
    ("b.h5:codes", "b.h5:codes is a group; name a dataset in it"),
    ("b.h5:line", "b.h5:line: must hold numbers in two dimensions, partitions × workers (got type "
     "float64, shape (3,))"),
    ("b.h5:text", "b.h5:text: must hold numbers in two dimensions, partitions × workers (got type"),
    ("b.h5:empty", "b.h5:empty: must have two dimensions, partitions × workers, neither of them"),
    ("b.h5:codes/nan", "b.h5:codes/nan: every entry must be finite (got nan in row 0, column 1"),
    ("b.h5:wide", "b.h5:wide: must have at most 16384 rows and columns (got 2 × 1000000000)"),
    ("b.h5:linked", "b.h5:linked: its numbers are in another file; save them in this one"),
])  # fmt: skip
def test_bad_hdf5(file: str, sentence: str) -> None:
    _hdf5()
    assert _refusal(file).startswith(sentence)


@pytest.mark.night
def test_a_command_that_refuses_a_virtual_dataset_ends_with_2(fastgc_command: Any) -> None:
    """HDF5 must have nothing open that it cannot close at the end of the process."""
    layout = h5py.VirtualLayout((4, 6), "f8")
    layout[:] = h5py.VirtualSource("other.h5", "B", (4, 6))
    with h5py.File("a.h5", "w") as file:
        file["B"] = np.eye(3)
        file.create_virtual_dataset("virtual", layout)
    home = Path("a.h5").absolute()
    assert fastgc_command("inspect", f"{home}:B").returncode == 0
    done = fastgc_command("inspect", f"{home}:virtual")
    assert (done.returncode, done.stdout) == (2, "")
    assert "its numbers are in another file" in done.stderr


# ---- files that lie about their size, lead to others, or write numbers as Python does


@pytest.mark.parametrize("kind", ["npy", "npz"])
def test_an_archive_called_npy(kind: str) -> None:
    """It is refused, and no handle of it stays open."""
    Path("a.npy").write_bytes(b"PK\x03\x04 and no more")
    if kind == "npz":
        with Path("a.npy").open("wb") as stream:
            np.savez(stream, B=np.ones((4, 6)))
    gc.collect()  # what earlier tests left is not this test's
    with warnings.catch_warnings(record=True) as leaks:
        warnings.simplefilter("always", ResourceWarning)
        assert "is not a NumPy .npy file, or is cut short" in _refusal("a.npy")
        gc.collect()
    assert not leaks


@pytest.mark.parametrize("file", ["a.csv", "a.npy", "a.mtx", "a.h5:B"])
def test_what_has_no_end_is_no_file(file: str) -> None:
    os.mkfifo(file.removesuffix(":B"))
    assert "is no plain file" in _refusal(file)


@pytest.mark.parametrize("number", ["1_0", "\u0661", "\uff11", "1_0e2", "1e1_0", "1_0+2j"])
def test_numbers_that_only_python_takes(number: str) -> None:
    Path("a.csv").write_text(f"1,0\n0,{number}\n")
    assert f"a.csv, line 2, column 2: must be a number (got '{number}')" in _refusal("a.csv")
    Path("a.csv").write_text("1,0\n0,10\n")
    assert codes.matrix(file="a.csv").B[1, 1] == 10


def test_large_and_complex_entries_warn_of_nothing() -> None:
    B = fastgc.codes.circulant(n=7, d=3).B * 2.0**80
    for matrix in (B, B * (1 + 1j)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fastgc.inspect(matrix, stragglers=1)
