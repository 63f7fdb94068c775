"""Compiled kernels that others could have written: a pickle, and loading one runs it."""

import hashlib
import os
import pickle
import shutil
import stat
import sys
from pathlib import Path

import pytest

from conftest import environment, ran
from fastgc_kernels import _sources

#: Prints the folder of kernels and a random word, made by a compiled kernel.
PROGRAM = """
import numpy as np
from fastgc_kernels import _jit, _sources
_jit.compile_at_once()
from fastgc_kernels.draw import philox
words = np.empty((1, 4), np.uint64)
philox.words(np.zeros((1, 4), np.uint64), np.uint64(0), words)
print(_sources.cache_folder(), words[0, 0], sep="|")
"""
WORD = str(0x6627E8D5)


def compiled(root: Path, umask: int = 0o022) -> tuple[str, str]:
    """What the program prints, and what it says, with this folder of kernels."""
    own = environment(NUMBA_CACHE_DIR=str(root))
    done = ran(sys.executable, "-c", PROGRAM, env=own, umask=umask)
    return done.stdout.strip(), done.stderr


class Forged:
    """What runs a command when it is loaded."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self):
        return os.mkdir, (str(self.marker),)


def forge(file: Path, marker: Path) -> None:
    """Put code of one's own in the place of a kernel, with the checksum that it needs."""
    image = pickle.dumps(Forged(marker))
    file.write_bytes(hashlib.sha256(image).digest() + image)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of kernels, to be copied."""
    root = tmp_path_factory.mktemp("kept")
    compiled(root)
    return root / "kernels"


@pytest.mark.night
def test_a_folder_that_others_can_write_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "kernels"
    folder.mkdir()
    folder.chmod(0o775)
    printed, said = compiled(tmp_path)
    assert printed == f"None|{WORD}"
    assert list(folder.iterdir()) == []
    assert said.count("KernelCacheWarning") == 1
    assert f"{folder} belongs to another user or can be written by others" in said


@pytest.mark.night
@pytest.mark.parametrize("umask", [0o002, 0o077])
def test_own_kernels_are_kept_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    folder = tmp_path / "kernels"
    assert compiled(tmp_path, umask) == (f"{folder}|{WORD}", "")
    [file] = folder.iterdir()
    stamp = file.stat()
    assert not stat.S_IMODE(stamp.st_mode) & 0o022
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700 & ~umask
    assert compiled(tmp_path, umask) == (f"{folder}|{WORD}", "")
    assert file.stat().st_mtime_ns == stamp.st_mtime_ns


@pytest.mark.night
def test_a_forged_kernel_that_others_can_write_is_not_loaded(tmp_path: Path, kept: Path) -> None:
    folder, marker = tmp_path / "kernels", tmp_path / "ran"
    shutil.copytree(kept, folder)
    [file] = folder.iterdir()
    forge(file, marker)
    file.chmod(0o646)
    printed, said = compiled(tmp_path)
    assert printed == f"{folder}|{WORD}"
    assert not marker.exists()
    assert said.count("KernelCacheWarning") == 1 and str(file) in said
    # it was written anew, and serves from now on
    assert compiled(tmp_path) == (f"{folder}|{WORD}", "")


@pytest.mark.night
def test_what_only_its_owner_can_write_is_loaded(tmp_path: Path, kept: Path) -> None:
    """That forging works at all: else the tests above would show nothing."""
    shutil.copytree(kept, tmp_path / "kernels")
    [file] = (tmp_path / "kernels").iterdir()
    forge(file, tmp_path / "ran")
    compiled(tmp_path)
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("owner", "mode", "own"),
    [
        (1000, 0o700, True), (1000, 0o755, True), (0, 0o755, True), (1001, 0o700, False),
        (1001, 0o755, False), (1000, 0o775, False), (1000, 0o757, False), (0, 0o777, False),
    ],
)  # fmt: skip
def test_whose_a_folder_is(
    monkeypatch: pytest.MonkeyPatch, owner: int, mode: int, own: bool
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    status = os.stat_result((stat.S_IFDIR | mode, 1, 1, 2, owner, 1000, 4096, 0, 0, 0))
    assert _sources.is_own(status) is own


def test_a_folder_that_can_only_be_read_serves_where_it_holds_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(_sources, "_is_writable", lambda folder: False)
    look = _sources.cache_folder.__wrapped__
    assert look() is None
    (tmp_path / "kernels" / "decode.errors.nbc").touch()
    assert look() == str(tmp_path / "kernels")
