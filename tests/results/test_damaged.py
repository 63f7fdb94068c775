"""Files that are damaged: HDF5 never sees them, and a sentence says how to go on."""

import errno
import os

import h5py
import pytest

import fastgc
from fastgc.errors import FastgcError, StorageError
from fastgc.results import checkpointer, image, lock, sample_files, store
from suite.files import names
from suite.studies import ring

STUDY = {"seed": 5, "experiment": [ring()]}
TRIALS = 12_800


@pytest.fixture
def path(tmp_path, small_blocks):
    """A name for a file whose run has blocks of 128 trials."""
    return tmp_path / "a.h5"


def stop():
    return "SIGTERM"


def damage(file):
    data = bytearray(file.read_bytes())
    data[-7] ^= 1
    file.write_bytes(data)


def said(call, *arguments, **more):
    with pytest.raises(FastgcError) as caught:
        call(*arguments, **more)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def without_hdf5(monkeypatch):
    """Let nothing be opened as HDF5 by its name: what is read has been checked before."""
    original = h5py.File

    def opened(name, *arguments, **more):
        assert not isinstance(name, str | os.PathLike), f"HDF5 opens {name}"
        return original(name, *arguments, **more)

    monkeypatch.setattr(h5py, "File", opened)


# ---- what to do


def test_a_damaged_checkpoint_can_be_removed_to_start_again(path):
    part = fastgc.run(STUDY, out=path, trials=TRIALS, interrupted=stop).path
    damage(part)
    is_damaged = f"{part}: is damaged: its content does not fit its checksum; "
    assert said(fastgc.run, STUDY, out=path, trials=TRIALS) == (
        f"{is_damaged}name another file, or remove it: the same command then starts again"
    )
    assert said(fastgc.open, part) == (
        f"{is_damaged}bring back a copy, or remove it and run its command again"
    )
    part.unlink()
    assert fastgc.run(STUDY, out=path, trials=TRIALS).complete


@pytest.mark.night
@pytest.mark.parametrize("damaged", ["a.h5", "a.h5.part"])
def test_of_two_files_one_is_enough_to_go_on(path, damaged):
    fastgc.run(STUDY, out=path, trials=1280)
    fastgc.run(STUDY, out=path, trials=TRIALS, interrupted=stop)
    [other] = {"a.h5", "a.h5.part"} - {damaged}
    damage(path.with_name(damaged))
    assert said(fastgc.run, STUDY, out=path, trials=TRIALS).endswith(
        f"or remove it: the same command then goes on from {path.with_name(other)}"
    )
    assert names(path.parent) == ["a.h5", "a.h5.part"]
    path.with_name(damaged).unlink()
    again = fastgc.run(STUDY, out=path, trials=TRIALS)
    assert again.rows() == fastgc.run(STUDY, trials=TRIALS).rows()


def test_a_file_that_is_none_of_ours_can_be_left_alone(path):
    path.write_bytes(b"no HDF5")
    assert said(fastgc.run, STUDY, out=path) == (
        f"{path}: is not a file of fastgc results; name another file, or remove it: the same "
        "command then starts again"
    )
    assert (
        said(fastgc.open, path)
        == f"{path}: is not a file of fastgc results; name one that fastgc has written"
    )


@pytest.mark.parametrize("size", [0, 8, 48, 0.5, -1])
def test_samples_that_end_too_early_are_noticed_before_going_on(path, size):
    fastgc.run(STUDY, out=path, trials=1280, keep="samples")
    [segment] = (path.parent / "a.h5.samples").iterdir()
    whole = segment.read_bytes()
    segment.write_bytes(whole[: int(size * len(whole)) if isinstance(size, float) else size])
    said_of_it = said(fastgc.run, STUDY, out=path, trials=TRIALS, keep="samples")
    assert said_of_it == (
        f"{path}: the samples in {segment} are damaged; bring back a copy, or remove {path} and "
        "run its command again"
    )
    segment.unlink()
    assert said(fastgc.run, STUDY, out=path, trials=TRIALS, keep="samples") == (
        said_of_it.replace("are damaged; bring back a copy", "are missing; bring them back")
    )
    segment.parent.mkdir(exist_ok=True)
    segment.write_bytes(whole)
    assert fastgc.run(STUDY, out=path, trials=TRIALS, keep="samples").complete


def test_samples_of_an_unfinished_run_that_are_missing(path):
    part = fastgc.run(STUDY, out=path, trials=TRIALS, keep="samples", interrupted=stop).path
    [segment, *_] = (path.parent / "a.h5.samples").iterdir()
    segment.unlink()
    assert said(fastgc.run, STUDY, out=path, trials=TRIALS, keep="samples") == (
        f"{part}: the samples in {segment} are missing; bring them back, or remove {part} and run "
        "its command again"
    )
    part.unlink()
    assert fastgc.run(STUDY, out=path, trials=TRIALS, keep="samples").complete


def test_samples_of_a_shard_that_end_too_early_are_not_merged(path):
    files = [path.with_name(f"{i}.h5") for i in range(2)]
    for i, file in enumerate(files):
        fastgc.run(STUDY, out=file, trials=1280, keep="samples", shard=(i, 2))
    [segment] = path.with_name("1.h5.samples").iterdir()
    segment.write_bytes(segment.read_bytes()[:-1])
    assert said(fastgc.merge, files, path).startswith(
        f"{files[1]}: the samples in {segment} are damaged; "
    )
    assert not path.exists()


# ---- HDF5 sees nothing that was not checked


def test_what_lies_beside_is_checked_before_hdf5_reads_it(path, without_hdf5):
    part = fastgc.run(STUDY, out=path, trials=TRIALS, interrupted=stop).path
    part.rename(path.with_name("b.h5"))
    damage(path.with_name("b.h5"))
    segments = path.with_name("a.h5.samples")
    segments.mkdir()
    (segments / "0-0-128.h5").write_bytes(b"which of the files refers to it?")
    sample_files.remove_temporary_files(path)
    assert names(segments) == ["0-0-128.h5"], "the damaged one may"
    path.with_name("b.h5").unlink()
    sample_files.remove_temporary_files(path)
    assert not segments.exists()


@pytest.mark.parametrize("device", ["/dev/null", "/dev/zero", "pipe"])
def test_a_file_without_end_is_not_read(tmp_path, device):
    path = tmp_path / device  # that of a device is its own
    if device == "pipe":
        os.mkfifo(path)
    assert said(store.load, path) == f"{path}: is no plain file; name one that fastgc has written"


def test_a_large_file_of_others_is_not_read_whole(path, monkeypatch):
    with path.open("wb") as file:
        file.truncate(1 << 40)
    assert (
        said(store.load, path)
        == f"{path}: is not a file of fastgc results; name one that fastgc has written"
    )


# ---- a kill between the last steps


def test_a_kill_before_the_checkpoint_is_removed_loses_nothing(path, monkeypatch):
    """The finished file is there, and so is the last checkpoint, of fewer trials."""
    part = fastgc.run(STUDY, out=path, trials=TRIALS, interrupted=stop).path
    before = part.read_bytes()
    fastgc.run(STUDY, out=path, trials=TRIALS)
    part.write_bytes(before)
    inode = path.stat().st_ino
    fastgc.run(STUDY, out=path, trials=TRIALS)
    assert path.stat().st_ino == inode, "nothing was sampled again"
    assert names(path.parent) == ["a.h5"]


@pytest.mark.night
def test_a_checkpoint_that_came_back_without_its_samples(path, monkeypatch):
    """A power cut may undo that it was removed, and not that its samples were."""
    options = {"out": path, "keep": "samples"}
    [ring] = STUDY["experiment"]
    study = {**STUDY, "experiment": [ring, ring | {"name": "next", "shuffle": "cyclic"}]}
    fastgc.run(study, trials=2000, **options)
    part = fastgc.run(study, trials=TRIALS, max_seconds=0.0, **options).path
    before = part.read_bytes()
    needed = {s.file for u in store.load(part).units for s in u.segments}
    monkeypatch.setattr(checkpointer, "FIRST_CHECKPOINT", 1e9)
    fastgc.run(study, trials=TRIALS, **options)
    part.write_bytes(before)
    assert any(not (path.parent / name).exists() for name in needed)
    whole = fastgc.run(study, trials=2 * TRIALS, **options)
    assert whole.rows() == fastgc.run(study, trials=2 * TRIALS).rows()
    assert names(path.parent) == ["a.h5", "a.h5.samples"]


def test_what_cannot_be_cleared_away_is_no_failure(path, monkeypatch):
    fastgc.run(STUDY, out=path, trials=TRIALS, interrupted=stop)
    with monkeypatch.context() as patch:

        def refuse(*_):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        patch.setattr(checkpointer.Path, "unlink", refuse)
        assert fastgc.run(STUDY, out=path, trials=TRIALS).complete
    assert names(path.parent) == ["a.h5", "a.h5.part"]
    fastgc.run(STUDY, out=path, trials=TRIALS)
    assert names(path.parent) == ["a.h5"]


# ---- what disks say


@pytest.fixture
def syncing(monkeypatch):
    """Let the file system refuse to sync folders, or files."""
    original = os.fsync

    def refuse(number, of_folders):
        def sync(handle):
            if os.path.isdir(f"/proc/self/fd/{handle}") == of_folders:
                raise OSError(number, os.strerror(number))
            original(handle)

        monkeypatch.setattr(os, "fsync", sync)

    return refuse


@pytest.mark.parametrize("number", [errno.EINVAL, errno.EBADF, errno.EOPNOTSUPP])
def test_file_systems_that_sync_no_folders(path, syncing, number):
    syncing(number, of_folders=True)
    assert fastgc.run(STUDY, out=path, trials=1280, keep="samples").complete


@pytest.mark.parametrize("of_folders", [True, False])
def test_what_is_not_synced_is_not_kept(path, syncing, of_folders):
    syncing(errno.EIO, of_folders)
    with pytest.raises(StorageError, match=r"cannot be written \(Input/output error\); nothing is"):
        fastgc.run(STUDY, out=path, trials=1280)


def test_no_room_for_the_lock_is_the_disks_fault(path, monkeypatch):
    original = os.open

    def full(name, *more):
        if str(name).endswith(".lock"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return original(name, *more)

    monkeypatch.setattr(os, "open", full)
    said = r"a\.h5: cannot be written \(No space .*\); make that"
    with pytest.raises(StorageError, match=said), lock.writing(path):
        pass


def test_a_folder_that_has_gone(path, tmp_path):
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    fastgc.run(STUDY, out=home / "a.h5", trials=1280)

    def leave():  # when it is asked first, and nothing has been kept since
        if home.exists():
            home.rename(away)

    found = said(fastgc.run, STUDY, out=home / "a.h5", trials=TRIALS, interrupted=leave)
    assert found == (
        f"{home}/a.h5: cannot be written (No such file or directory); {home}/a.h5 has gone, which "
        "kept 1 280 of 12 800 trials; bring it back and the same command goes on from there"
    )
    away.rename(home)
    assert fastgc.run(STUDY, out=home / "a.h5", trials=TRIALS).complete


def test_links_are_synced_before_a_file_refers_to_them(path, monkeypatch):
    files = [path.with_name(f"{i}.h5") for i in range(2)]
    for i, file in enumerate(files):
        fastgc.run(STUDY, out=file, trials=1280, keep="samples", shard=(i, 2))
    done = []
    sync, save = image.sync, store.save
    monkeypatch.setattr(
        "fastgc.results.sample_files.sync", lambda f: done.append(f.name) or sync(f)
    )
    monkeypatch.setattr(store, "save", lambda p, run: done.append(p.name) or save(p, run))
    fastgc.merge(files, path)
    assert done == ["a.h5.samples", "a.h5"]


def test_the_folder_of_samples_is_synced_before_a_file_refers_to_it(path, monkeypatch):
    done = []
    replace, sync = image.replace, image.sync
    monkeypatch.setattr(image, "sync", lambda folder: done.append(folder.name) or sync(folder))
    monkeypatch.setattr(store, "replace", lambda p, data: done.append(p.name) or replace(p, data))
    fastgc.run(STUDY, out=path, trials=1280, keep="samples")
    home, samples = path.parent.name, "a.h5.samples"
    assert done[:2] == [home, samples] and done.index("a.h5") > 1
