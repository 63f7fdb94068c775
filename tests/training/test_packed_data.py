"""Data sets in npz that are far larger than their file, or say so."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from fastgc.errors import FastgcError
from fastgc.registry import arrays
from fastgc.training.data import files


def header(shape: tuple[int, ...]) -> bytes:
    stream = io.BytesIO()
    said = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, said)
    return stream.getvalue()


def packed(path: Path, X: bytes) -> str:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("X.npy", X)
        file.writestr("y.npy", header((2,)) + bytes(16))
    with pytest.raises(FastgcError) as caught:
        files.read_npz(str(path), {}, None, None)
    return str(caught.value)


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "MOST_SMALL", 10**6)
    path = tmp_path / "a.npz"
    said = packed(path, header((2, 10**6)) + bytes(16 * 10**6))
    assert f"X has 16000128 bytes of a file of {path.stat().st_size}" in said
    # as large as the file: its numbers pack badly
    rng = np.random.default_rng(1)
    np.savez_compressed(path, X=rng.random((2, 10**5)), y=np.ones(2))
    assert files.read_npz(str(path), {}, None, None).X.shape == (2, 10**5)


@pytest.mark.parametrize("shape", [(2, 10**11), (10**6, 10**6), (2, 3)])
def test_a_header_that_promises_more_than_there_is(tmp_path: Path, shape) -> None:
    said = packed(tmp_path / "a.npz", header(shape) + bytes(16))
    assert said.endswith("is not a NumPy .npz file, or is cut short")
