"""One writer at a time, and places that cannot be written."""

import errno
import os
import warnings

import pytest

import fastgc
from fastgc.cli import main
from fastgc.errors import FastgcError, FastgcWarning
from fastgc.results import lock, store
from suite.files import names
from suite.studies import ring

STUDY = {"seed": 7, "stop": {"trials": 1000}, "experiment": [ring(method="both")]}


def test_a_second_writer_is_refused(tmp_path):
    path = tmp_path / "a.h5"
    with lock.writing(path):
        with pytest.raises(FastgcError, match=r"another run is writing it.*") as caught:
            fastgc.run(STUDY, out=path)
        assert "\n" not in str(caught.value)
        # another file beside it is free
        fastgc.run(STUDY, out=tmp_path / "b.h5")
    (tmp_path / ".a.h5.lock").touch()  # of a writer that died
    fastgc.run(STUDY, out=path)
    with pytest.raises(FastgcError):
        fastgc.run(STUDY, out=path, seed=8)
    assert names(tmp_path) == ["a.h5", "b.h5"], "no lock stays"


@pytest.fixture
def without_locks(monkeypatch):
    """Let flock fail as it does on network file systems that have none."""
    import fcntl

    def has_none(number):
        def fail(*_):
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(fcntl, "flock", fail)

    return has_none


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL])
def test_a_file_system_without_locks(tmp_path, without_locks, number):
    path = tmp_path / "a.h5"
    without_locks(number)
    with pytest.warns(FastgcWarning) as warned:
        fastgc.run(STUDY, out=path)
    assert [str(each.message) for each in warned] == [
        f"{path}: its file system has no locks ({os.strerror(number)}): nothing keeps a second run "
        "from writing it too; start only one"
    ]
    assert store.load(path).complete and names(tmp_path) == ["a.h5"]


@pytest.mark.night
def test_the_command_says_that_there_are_no_locks(command, without_locks, here):
    without_locks(errno.ENOLCK)
    code, _, err = command("run", "agc/main", "--trials", "100", "-o", "a.h5")
    [said] = [line for line in err.splitlines() if "locks" in line]
    assert code == 0 and said.startswith("fastgc: a.h5: its file system has no locks (No locks")


def test_other_warnings_are_shown_as_usual(monkeypatch, capsys):
    monkeypatch.setattr(main, "_run", lambda log: warnings.warn("old", DeprecationWarning, 2) or 0)
    with pytest.warns(DeprecationWarning, match="old"), pytest.raises(SystemExit):
        main.main()
    assert "fastgc: old" not in capsys.readouterr().err


# ---- places that cannot be written


def test_places_that_cannot_be_written(tmp_path, monkeypatch):
    def said(path):
        with pytest.raises(FastgcError) as caught:
            fastgc.run(STUDY, out=path)
        assert "\n" not in str(caught.value) and str(path) in str(caught.value)
        return str(caught.value)

    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    assert "no folder" in said(tmp_path / "missing" / "a.h5")
    assert "is a folder" in said(tmp_path / "folder")
    said(tmp_path / "file" / "a.h5")
    assert "cannot be written" in said(tmp_path / ("x" * 300))
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    assert "no permission" in said(tmp_path / "folder" / "a.h5")
    monkeypatch.undo()
    assert names(tmp_path) == ["file", "folder"] and names(tmp_path / "folder") == []
