"""One writer at a time, and places that cannot be written."""

import errno
import os
import warnings

import pytest

import fastgc
from fastgc.cli import main
from fastgc.errors import FastgcWarning
from fastgc.results import image, store
from suite.checks import refusal
from suite.files import names
from suite.studies import ring

STUDY = {"seed": 7, "stop": {"trials": 1000}, "experiment": [ring(method="both")]}


def test_a_second_writer_is_refused(tmp_path):
    path = tmp_path / "a.h5"
    with image.locked(path):
        assert "another run is writing it" in refusal(fastgc.run, STUDY, out=path)
        # another file beside it is free
        fastgc.run(STUDY, out=tmp_path / "b.h5")
    (tmp_path / ".a.h5.lock").touch()  # of a writer that died
    fastgc.run(STUDY, out=path)
    assert "another study or seed" in refusal(fastgc.run, STUDY, out=path, seed=8)
    assert names(tmp_path) == ["a.h5", "b.h5"], "no lock stays"


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL])
def test_a_file_system_without_locks(tmp_path, monkeypatch, number):
    """As some network file systems are."""
    import fcntl

    def fail(*_):
        raise OSError(number, os.strerror(number))

    path = tmp_path / "a.h5"
    monkeypatch.setattr(fcntl, "flock", fail)
    with pytest.warns(FastgcWarning) as warned:
        fastgc.run(STUDY, out=path)
    assert [str(each.message) for each in warned] == [
        f"{path}: its file system has no locks ({os.strerror(number)}): nothing keeps a second run "
        "from writing it too; start only one"
    ]
    assert store.load(path).complete and names(tmp_path) == ["a.h5"]


def test_the_command_says_warnings_of_fastgc_as_sentences(monkeypatch, capsys):
    for kind, is_said in ((FastgcWarning, True), (DeprecationWarning, False)):
        monkeypatch.setattr(main, "_run", lambda log, kind=kind: warnings.warn("old", kind, 2) or 0)
        with warnings.catch_warnings(record=True), pytest.raises(SystemExit):
            warnings.simplefilter("always")
            main.main()
        assert ("fastgc: old" in capsys.readouterr().err) == is_said


# ---- places that cannot be written


def test_places_that_cannot_be_written(tmp_path, monkeypatch):
    def said(path):
        text = refusal(fastgc.run, STUDY, out=path)
        assert str(path) in text
        return text

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
