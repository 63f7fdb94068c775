"""Files that are damaged: HDF5 never sees them, and a sentence says how to go on."""

import errno
import os

import pytest

import fastgc
from fastgc.errors import StorageError
from fastgc.results import checkpointer, image, store
from suite.checks import refusal
from suite.files import names
from suite.studies import ring
from suite.waiting import after

STUDY = {"seed": 5, "experiment": [ring()]}
TRIALS = 12_800


@pytest.fixture
def path(tmp_path, small_blocks):
    """A name for a file whose run has blocks of 128 trials."""
    return tmp_path / "a.h5"


def damage(file):
    data = bytearray(file.read_bytes())
    data[-7] ^= 1
    file.write_bytes(data)


# ---- what to do


def test_a_damaged_checkpoint_can_be_removed_to_start_again(path):
    part = fastgc.run(STUDY, out=path, trials=TRIALS, batch=fastgc.Batch(interrupted=after(1))).path
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
    fastgc.run(STUDY, out=path, trials=TRIALS, batch=fastgc.Batch(interrupted=after(1)))
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


def test_a_kill_before_the_checkpoint_is_removed_loses_nothing(path, monkeypatch):
    """The finished file is there, and so is the last checkpoint, of fewer trials."""
    part = fastgc.run(STUDY, out=path, trials=TRIALS, batch=fastgc.Batch(interrupted=after(1))).path
    before = part.read_bytes()
    fastgc.run(STUDY, out=path, trials=TRIALS)
    part.write_bytes(before)
    inode = path.stat().st_ino
    fastgc.run(STUDY, out=path, trials=TRIALS)
    assert path.stat().st_ino == inode, "nothing was sampled again"
    assert names(path.parent) == ["a.h5"]


def test_what_cannot_be_cleared_away_is_no_failure(path, monkeypatch):
    fastgc.run(STUDY, out=path, trials=TRIALS, batch=fastgc.Batch(interrupted=after(1)))
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
