"""Matrices from Matrix Market and HDF5 files, and what is wrong with such files."""

from pathlib import Path

import h5py
import numpy as np
import pytest

from fastgc import codes
from fastgc.codes import Groups
from fastgc.study.study import Study
from suite.checks import refusal

HEAD = "%%MatrixMarket matrix "


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _refusal(file: object) -> str:
    return refusal(codes.matrix, file=file).removeprefix("matrix: file: ")


# --- Matrix Market -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rows"),
    [
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
    ],
)  # fmt: skip
def test_matrix_market(text: str, rows: list[list[complex]]) -> None:
    Path("b.mtx").write_text(HEAD + text)
    assert codes.matrix(file="b.mtx").B.tolist() == rows


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", 'b.mtx is no Matrix Market file: it must begin with "%%MatrixMarket matrix'),
        ("1 2\n", 'b.mtx is no Matrix Market file: it must begin with "%%MatrixMarket matrix'),
        (HEAD + "coordinate quaternion general\n1 1 1\n1 1 1 0\n",
         "b.mtx, line 1: must say real, integer, complex or pattern (got 'quaternion')"),
        (HEAD + "coordinate complex general\n1 1 1\n1 1 1\n", "b.mtx, line 3: must hold row,"),
        (HEAD + "array complex general\n1 1\n1\n", "b.mtx, line 3: must hold real and imaginary"),
        (HEAD + "sparse real general\n", "b.mtx, line 1: must say coordinate or array (got"),
        (HEAD + "coordinate real hermitian\n", "b.mtx, line 1: a hermitian matrix must be"),
        (HEAD + "coordinate real diagonal\n", "b.mtx, line 1: must say general, symmetric,"),
        (HEAD + "array pattern general\n", "b.mtx, line 1: a pattern must be coordinate (got"),
        (HEAD + "coordinate pattern skew-symmetric\n", "b.mtx, line 1: a pattern must be general"),
        (HEAD + "coordinate real general\n% nothing\n", "b.mtx is cut short: it has no line with"),
        (HEAD + "coordinate real general\n2 2\n", "b.mtx, line 2: must hold the numbers of rows"),
        (HEAD + "coordinate real general\n2 x 1\n", "b.mtx, line 2: must be a whole number (got"),
        (HEAD + "coordinate real general\n5000000 2 1\n1 1 1\n",
         "b.mtx: must have at most 4194304 rows and columns (got 5000000 × 2)"),
        (HEAD + "coordinate real symmetric\n2 3 1\n1 1 1\n", "b.mtx: a symmetric matrix must be"),
        (HEAD + "coordinate real general\n2 2 2\n1 1 1\n", "b.mtx is cut short: it says 2"),
        (HEAD + "coordinate real general\n2 2 1\n1 1 1\n1 2 1\n", "b.mtx, line 4: the file says"),
        (HEAD + "coordinate real general\n2 2 1\n1 1\n", "b.mtx, line 3: must hold row, column"),
        (HEAD + "coordinate pattern general\n2 2 1\n1 1 1\n", "b.mtx, line 3: must hold row and"),
        (HEAD + "coordinate real general\n2 2 1\n0 1 1\n", "b.mtx, line 3, row: must be 1 to 2"),
        (HEAD + "coordinate real general\n2 2 1\n1 3 1\n", "b.mtx, line 3, column: must be 1 to"),
        (HEAD + "coordinate real general\n2 2 1\n1 1 one\n", "b.mtx, line 3: must be a number"),
        (HEAD + "coordinate real general\n2 2 1\n1 1 inf\n", "b.mtx, line 3: must be finite (got"),
        (HEAD + "coordinate real symmetric\n2 2 1\n1 2 1\n", "b.mtx, line 3: a symmetric matrix"),
        (HEAD + "coordinate real skew-symmetric\n2 2 1\n1 1 1\n",
         "b.mtx, line 3: a skew-symmetric matrix has no entries on the diagonal"),
        (HEAD + "array real general\n1 2\n1\n", "b.mtx is cut short: it needs 2 entries and has 1"),
        (HEAD + "array real general\n1 1\n1\n2\n", "b.mtx, line 4: the file has more than 1"),
        (HEAD + "array real general\n1 2\n1 2\n", "b.mtx, line 3: must hold one number (got '1"),
        (HEAD + "coordinate real general\n0 2 0\n", "b.mtx: must have two dimensions, partitions"),
        (b"\xff\xfe", "b.mtx is not UTF-8 text; save it as mtx in UTF-8"),
    ],
)  # fmt: skip
def test_bad_matrix_market(text: str | bytes, sentence: str) -> None:
    Path("b.mtx").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert _refusal("b.mtx").startswith(sentence)


# --- HDF5 ----------------------------------------------------------------------------------------


def _hdf5(**datasets: object) -> None:
    with h5py.File("b.h5", "w") as stream:
        for name, data in datasets.items():
            stream["codes/" + name] = data


def test_hdf5() -> None:
    rows = np.array([[1, 0.5, 0], [0, 2, 3]])
    _hdf5(B=rows, single=rows.astype("f4"), whole=np.eye(3, dtype="i2"))
    assert codes.matrix(file="b.h5:codes/B").B.tolist() == rows.tolist()
    assert codes.matrix(file="b.h5:/codes/single").B.tolist() == rows.tolist()
    assert isinstance(codes.matrix(file=Path("b.h5:codes/whole")).structure, Groups)
    Path("b.h5").rename("b.HDF5")
    assert codes.matrix(file="b.HDF5:codes/B").n == 3


def test_hdf5_in_a_study_is_kept_with_it(tmp_path: Path) -> None:
    _hdf5(B=np.eye(3))
    text = 'stragglers = { model = "iid", p = 0.1 }\n'
    code = 'code = { family = "matrix", file = "b.h5:codes/B" }\n'
    Path("study.toml").write_text("[[experiment]]\n" + code + text)
    kept = Study.read("study.toml").text()
    Path("b.h5").unlink()
    Path("again.toml").write_text(kept)
    (point,) = Study.read("again.toml").points()
    assert point.table.code.build().B.tolist() == np.eye(3).tolist()  # type: ignore[attr-defined]


def test_bad_hdf5() -> None:
    _hdf5(
        B=np.eye(2),
        line=np.ones(3),
        complex=np.ones((2, 2), dtype=complex),
        text=np.array([[b"a"]]),
        empty=np.ones((0, 2)),
        nan=np.array([[1, np.nan]]),
        scalar=3.0,
        nothing=h5py.Empty("f8"),
    )
    names = "codes/B, codes/complex, codes/empty, codes/line, codes/nan, codes/nothing, "
    names += "codes/scalar, codes/text"
    shape = "must have two dimensions, partitions × workers, neither of them empty"
    for file in ("b.h5", "b.h5:"):
        assert _refusal(file) == f"{file}: name a dataset, as in b.h5:B (it holds {names})"
    assert _refusal("b.h5:codes/A") == (
        f"b.h5:codes/A: unknown dataset 'codes/A'; did you mean 'codes/B'? allowed: {names}"
    )
    assert _refusal("b.h5:codes") == "b.h5:codes is a group; name a dataset in it"
    assert _refusal("b.h5:codes/line") == f"b.h5:codes/line: {shape} (got shape (3,))"
    assert _refusal("b.h5:codes/scalar") == f"b.h5:codes/scalar: {shape} (got shape ())"
    assert _refusal("b.h5:codes/empty") == f"b.h5:codes/empty: {shape} (got shape (0, 2))"
    assert _refusal("b.h5:codes/nothing") == f"b.h5:codes/nothing: {shape} (got nothing)"
    assert codes.matrix(file="b.h5:codes/complex").B.tolist() == [[1, 1], [1, 1]]
    assert _refusal("b.h5:codes/text") == "b.h5:codes/text: must hold numbers (got type |S1)"
    assert _refusal("b.h5:codes/nan") == (
        "b.h5:codes/nan: every entry must be finite (got nan in row 0, column 1, counted from 0)"
    )
    assert _refusal("no.h5:B").startswith("there is no file no.h5")


def test_hdf5_files_that_are_none_or_cut_short() -> None:
    _hdf5(B=np.ones((300, 300)))
    whole = Path("b.h5").read_bytes()
    for content in (whole[: len(whole) // 2], b"", b"1,2\n"):
        Path("b.h5").write_bytes(content)
        assert (
            _refusal("b.h5:codes/B")
            == "b.h5:codes/B: not an HDF5 file, or cut short; save it again"
        )
    Path("d.h5").mkdir()
    assert _refusal("d.h5:B") == "d.h5 is a directory; name a file in it (got 'd.h5:B')"


def test_hdf5_wider_than_any_code() -> None:
    with h5py.File("b.h5", "w") as stream:
        stream.create_dataset("B", shape=(2, 10**9), dtype="f8", chunks=(1, 1024))
    assert _refusal("b.h5:B") == (
        "b.h5:B: must have at most 16384 rows and columns (got 2 × 1000000000)"
    )
