"""Matrices that lie about their size, lead to other files, or write numbers as Python does."""

import gc
import io
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
from fastgc.errors import FastgcError
from fastgc.registry.files import find, npy

HEAD = "%%MatrixMarket matrix"


def refused(path: Path, name: str = "") -> str:
    """What is said of a matrix, without more than 100 MB of memory taken."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(FastgcError) as caught:
        codes.matrix(file=f"{path}:{name}" if name else str(path))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(path), path.name)


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
def test_an_mtx_array_of_one_entry(tmp_path: Path, symmetry: str) -> None:
    path = tmp_path / "a.mtx"
    path.write_text(f"{HEAD} array real {symmetry}\n16384 16384\n1\n")
    assert "a.mtx is cut short" in refused(path)


def test_an_mtx_array_as_short_as_can_be_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.mtx"
    for symmetry, count in (("general", 64), ("symmetric", 36), ("skew-symmetric", 28)):
        path.write_text(f"{HEAD} array real {symmetry}\n8 8\n" + "1\n" * count)
        assert np.abs(codes.matrix(file=str(path)).B).sum() >= 56
        path.write_text(f"{HEAD} array real {symmetry}\n8 8\n" + "1\n" * (count - 1))
        assert f"it needs {count} entries and has {count - 1}" in refused(path)


def test_a_csv_of_too_many_rows_or_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("1,0\n" * 200_000)
    assert "at most 16384 rows and columns (got 16385 × 2)" in refused(path)
    path.write_text("1," * 20_000 + "1\n")
    assert "at most 16384 rows and columns (got 1 × 20001)" in refused(path)


@pytest.mark.parametrize("shape", ["(60000, 60000)", "(10, 10**12)", "(1000000000000, 3)"])
def test_an_npy_header_that_lies(tmp_path: Path, shape: str) -> None:
    stream = io.BytesIO()
    np.save(stream, np.ones((4, 6)))
    content = stream.getvalue()
    place = content.index(b"(4, 6), }")
    content = content[:place] + f"{shape}, }}".encode() + content[place + len(shape) + 3 :]
    path = tmp_path / "a.npy"
    path.write_bytes(content)
    assert "is not a NumPy .npy file, or is cut short" in refused(path)


@pytest.mark.parametrize("kind", ["npy", "npz"])
def test_an_archive_called_npy(tmp_path: Path, kind: str) -> None:
    """It is refused, and no handle of it stays open."""
    path = tmp_path / "a.npy"
    path.write_bytes(b"PK\x03\x04 and no more")
    said = "is not a NumPy .npy file, or is cut short"
    if kind == "npz":
        with path.open("wb") as stream:
            np.savez(stream, B=np.ones((4, 6)))
        said = "is an archive of arrays; save the one matrix with numpy.save"
    gc.collect()  # what earlier tests left is not this test's
    with warnings.catch_warnings(record=True) as leaks:
        warnings.simplefilter("always", ResourceWarning)
        assert said in refused(path)
        gc.collect()
    assert not leaks


def test_an_npy_is_mapped_and_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.ones((4, 6)))
    assert isinstance(npy(find(str(path))), np.memmap)


def test_hdf5_that_leads_elsewhere(tmp_path: Path) -> None:
    other = tmp_path / "other.h5"
    with h5py.File(other, "w") as file:
        file["B"] = np.ones((4, 6))
    (tmp_path / "raw").write_bytes(bytes(192))
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["own"] = np.ones((4, 6))
        file["same"] = h5py.SoftLink("/own")
        file["linked"] = h5py.ExternalLink("other.h5", "B")
        file["group"] = h5py.ExternalLink("other.h5", "/")
        file["circle"] = h5py.SoftLink("/circle")
        file["nowhere"] = h5py.SoftLink("/gone")
        file.create_dataset("raw", (4, 6), "f8", external=[(str(tmp_path / "raw"), 0, 192)])
        layout = h5py.VirtualLayout((4, 6), "f8")
        layout[:] = h5py.VirtualSource("other.h5", "B", (4, 6))
        file.create_virtual_dataset("virtual", layout)
        file.create_dataset("empty", (16384, 16384), "f8", chunks=True)
        file.create_dataset("large", (10**9, 2), "f8", chunks=True)
    assert codes.matrix(file=f"{path}:own").n == codes.matrix(file=f"{path}:same").n == 6
    for name in ("linked", "group/B", "raw", "virtual"):
        assert "its numbers are in another file" in refused(path, name)
    for name in ("circle", "nowhere"):
        assert "its links lead nowhere" in refused(path, name)
    assert "are not in the file" in refused(path, "empty")
    assert "at most 16384" in refused(path, "large")
    assert "unknown dataset" in refused(path, "gone")


@pytest.mark.parametrize("suffix", ["csv", "npy", "mtx", "h5"])
def test_what_has_no_end_is_no_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    os.mkfifo(path)
    assert "is no plain file" in refused(path, "B" if suffix == "h5" else "")


@pytest.mark.parametrize("number", ["1_0", "\u0661", "\uff11", "1_0e2", "1e1_0", "1_0+2j"])
def test_numbers_that_only_python_takes(tmp_path: Path, number: str) -> None:
    table = tmp_path / "a.csv"
    table.write_text(f"1,0\n0,{number}\n")
    assert f"a.csv, line 2, column 2: must be a number (got '{number}')" in refused(table)
    matrix = tmp_path / "a.mtx"
    matrix.write_text(f"{HEAD} coordinate real general\n2 2 2\n1 1 1\n2 2 {number}\n")
    assert "a.mtx, line 4: must be a number" in refused(matrix)
    matrix.write_text(f"{HEAD} coordinate real general\n2 2 2\n1 1 1\n{number} 2 1\n")
    assert "a.mtx, line 4, row: must be a whole number" in refused(matrix)
    table.write_text("1,0\n0,10\n")
    assert codes.matrix(file=str(table)).B[1, 1] == 10


@pytest.mark.night
def test_a_command_that_refuses_a_virtual_dataset_ends_with_2(
    tmp_path: Path, fastgc_command: Any
) -> None:
    """HDF5 must have nothing open that it cannot close at the end of the process."""
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        layout = h5py.VirtualLayout((4, 6), "f8")
        layout[:] = h5py.VirtualSource("other.h5", "B", (4, 6))
        file.create_virtual_dataset("virtual", layout)
    done = fastgc_command("inspect", f"{path}:virtual")
    assert (done.returncode, done.stdout) == (2, "")
    assert "its numbers are in another file" in done.stderr


def test_large_and_complex_entries_warn_of_nothing() -> None:
    B = fastgc.codes.circulant(n=7, d=3).B * 2.0**80
    for matrix in (B, B * (1 + 1j)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fastgc.inspect(matrix, stragglers=1)
