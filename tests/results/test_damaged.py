"""Files that are damaged, locked, or cannot be written: a sentence says how to go on."""

import errno
import fcntl
import os
import warnings

import pytest

import fastgc
from fastgc.cli import main
from fastgc.errors import FastgcWarning, StorageError
from fastgc.results import checkpointer, image, store
from fastgc.runs import Batch
from suite.checks import refusal
from suite.files import names
from suite.studies import ring
from suite.waiting import after

STUDY = {"seed": 5, "experiment": [ring()]}
TRIALS = 12_800


@pytest.fixture
def path(tmp_path, small_blocks):
    return tmp_path / "a.h5"


def damage(file):
    data = bytearray(file.read_bytes())
    data[-7] ^= 1
    file.write_bytes(data)


# ---- what to do


def test_a_damaged_checkpoint_can_be_removed_to_start_again(path):
    part = fastgc.run(STUDY, out=path, trials=TRIALS, batch=Batch(interrupted=after(1))).path
    damage(part)
    is_damaged = f"{part}: is damaged: its content does not fit its checksum; "
    assert refusal(fastgc.run, STUDY, out=path, trials=TRIALS) == (
        f"{is_damaged}name another file, or remove it: the same command then starts again"
    )
    assert refusal(fastgc.open, part) == (
        f"{is_damaged}bring back a copy, or remove it and run its command again"
    )
    part.unlink()
    assert fastgc.run(STUDY, out=path, trials=TRIALS).complete


@pytest.mark.night
@pytest.mark.parametrize("damaged", ["a.h5", "a.h5.part"])
def test_of_two_files_one_is_enough_to_go_on(path, damaged):
    fastgc.run(STUDY, out=path, trials=1280)
    fastgc.run(STUDY, out=path, trials=TRIALS, batch=Batch(interrupted=after(1)))
    [other] = {"a.h5", "a.h5.part"} - {damaged}
    damage(path.with_name(damaged))
    assert refusal(fastgc.run, STUDY, out=path, trials=TRIALS).endswith(
        f"or remove it: the same command then goes on from {path.with_name(other)}"
    )
    assert names(path.parent) == ["a.h5", "a.h5.part"]
    path.with_name(damaged).unlink()
    again = fastgc.run(STUDY, out=path, trials=TRIALS)
    assert again.rows() == fastgc.run(STUDY, trials=TRIALS).rows()


def test_a_file_that_is_none_of_ours_can_be_left_alone(path):
    path.write_bytes(b"no HDF5")
    strange = f"{path}: is not a file of fastgc results; name"
    again = f"{strange} another file, or remove it: the same command then starts again"
    assert refusal(fastgc.run, STUDY, out=path) == again
    assert refusal(fastgc.open, path) == f"{strange} one that fastgc has written"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # which is not read whole
    assert refusal(store.load, path) == f"{strange} one that fastgc has written"


# ---- nothing that was not checked is read


@pytest.mark.parametrize("device", ["/dev/null", "/dev/zero", "pipe"])
def test_a_file_without_end_is_not_read(tmp_path, device):
    path = tmp_path / device  # that of a device is its own
    if device == "pipe":
        os.mkfifo(path)
    assert (
        refusal(store.load, path) == f"{path}: is no plain file; name one that fastgc has written"
    )


# ---- a kill between the last steps


def test_what_cannot_be_cleared_away_is_no_failure(path, monkeypatch):
    fastgc.run(STUDY, out=path, trials=TRIALS, batch=Batch(interrupted=after(1)))
    with monkeypatch.context() as patch:

        def refuse(*_):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        patch.setattr(checkpointer.Path, "unlink", refuse)
        assert fastgc.run(STUDY, out=path, trials=TRIALS).complete
    assert names(path.parent) == ["a.h5", "a.h5.part"]
    fastgc.run(STUDY, out=path, trials=TRIALS)
    assert names(path.parent) == ["a.h5"]


# ---- what disks say


@pytest.mark.parametrize(
    ("number", "of_folders"),
    [(errno.EIO, True), (errno.EIO, False)]
    + [(number, True) for number in (errno.EINVAL, errno.EBADF, errno.EOPNOTSUPP)],
)
def test_what_is_not_synced_is_not_kept(path, monkeypatch, number, of_folders):
    """But for file systems that sync no folders."""
    original = os.fsync

    def sync(handle):
        if os.path.isdir(f"/proc/self/fd/{handle}") == of_folders:
            raise OSError(number, os.strerror(number))
        original(handle)

    monkeypatch.setattr(os, "fsync", sync)
    if number == errno.EIO:
        said = refusal(fastgc.run, STUDY, out=path, trials=1280)
        assert "cannot be written (Input/output error); nothing is" in said
    else:
        assert fastgc.run(STUDY, out=path, trials=1280).complete


def test_no_room_for_the_lock_is_the_disks_fault(path, monkeypatch):
    original = os.open

    def full(name, *more):
        if str(name).endswith(".lock"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return original(name, *more)

    monkeypatch.setattr(os, "open", full)
    said = r"a\.h5: cannot be written \(No space .*\); make that"
    with pytest.raises(StorageError, match=said), image.locked(path):
        pass


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
