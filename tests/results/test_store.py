"""Files of results: never half written, never another's, readable by others."""

import errno
import os
from dataclasses import replace

import h5py
import numpy as np
import pytest

import fastgc
from fastgc.errors import StorageError
from fastgc.results import checkpointer, store
from fastgc.results.stored import StoredRun, StoredUnit
from fastgc.statistics.tallies import ExactSums, Histogram, Tally
from fastgc.version import STREAM_VERSION
from suite.checks import refusal
from suite.files import names, state
from suite.studies import ring

SWEEP = {"stragglers.p": [0.1, 0.2], "shuffle": ["none", "cyclic"]}
RING = ring(method="both", measure=["error", "survivors"], quantiles=[0.5], sweep=SWEEP)
STUDY = {"seed": 7, "stop": {"trials": 1000}, "experiment": [RING]}


def tally(values):
    sums = ExactSums(2)
    sums.add(np.array(values, float).reshape(-1, 2))
    return Tally(3, sums, [Histogram({0: 2, 130_944: 1}, 0.0, 1.0, 1, 2)])


def a_run(**changes):
    unit = StoredUnit(
        key="a stream with “quotes” and \n lines",
        block=64,
        done=2,
        digests=np.array([2**64 - 1, 0], np.uint64),
        tally=tally([[1e300, -5e-324], [0.1, 3.0]]),
        partial=tally([[1.0, 2.0]]),
        stopped_by="trials",
    )
    fresh = StoredUnit("b", 128, 0, np.empty(0, np.uint64), Tally.empty(2, 1))
    rows = [row.as_dict() for row in fastgc.run(STUDY).entries]
    fields = {
        "study": "title = 'ß'\n",
        "identity": "{}",
        "provenance": checkpointer.provenance()
        | {"list": [1], "written": "2026-01-02T03:04:05+00:00"},
        "shard": (1, 3),
        "units": [unit, fresh],
        "rows": rows,
        "complete": True,
    }
    return StoredRun(**fields | changes)


def content(run):
    units = [(state(unit), unit.stopped_by) for unit in run.units]
    return run.study, run.identity, run.provenance, run.shard, units, run.rows, run.complete


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.h5"
    store.save(path, a_run())
    return path


# ---- round trip


@pytest.mark.parametrize("pieces", [None, 1000])
def test_everything_comes_back(tmp_path, monkeypatch, pieces):
    """Also where the file system writes in pieces."""
    original = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: original(handle, data[:pieces]))
    bare = StoredRun(study="", identity="", provenance=checkpointer.provenance())
    for run in (a_run(), a_run(complete=False), bare, replace(bare, complete=True)):
        store.save(tmp_path / "a.h5", run)
        assert content(store.load(tmp_path / "a.h5")) == content(run)


def test_an_unfinished_file_of_many_points_has_no_more_groups_than_one_of_few(tmp_path):
    """HDF5 takes a millisecond for each: a checkpoint of 10 000 points would take half a minute."""
    sizes = []
    for count in (1, 50):
        units = a_run().units[:1] * count
        store.save(tmp_path / "a.h5.part", a_run(complete=False, units=units))
        with h5py.File(tmp_path / "a.h5.part", "r") as file:
            found = []
            file.visit(found.append)
        sizes.append(len(found))
    assert sizes[0] == sizes[1]


# ---- never half written


def test_written_synced_and_renamed_in_this_order(file, monkeypatch):
    """Never in place: who has opened the old file reads it to its end."""
    calls, before = [], file.read_bytes()

    def noted(name):
        original = getattr(os, name)

        def call(*arguments, **more):
            calls.append(name)
            return original(*arguments, **more)

        monkeypatch.setattr(os, name, call)

    for name in ("write", "fsync", "replace"):
        noted(name)
    with open(file, "rb") as reader:
        store.save(file, a_run(study="new"))
        assert reader.read() == before
    assert calls[0] == "write"
    assert [call for call in calls if call != "write"] == ["fsync", "replace", "fsync"]
    assert store.load(file).study == "new"


@pytest.mark.parametrize("call", ["open", "write", "second write", "fsync", "replace"])
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_what_fails_leaves_the_old_file(file, monkeypatch, call, error):
    before, inode = file.read_bytes(), file.stat().st_ino
    name = call.split()[-1]
    original, calls = getattr(os, name), []

    def fail(*arguments, **_):
        calls.append(arguments)
        if call == "second write" and len(calls) == 1:
            handle, content = arguments
            return original(handle, content[:100])
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(os, name, fail)
    with pytest.raises(StorageError) as caught:
        store.save(file, a_run(study="new"))
    monkeypatch.undo()
    assert str(caught.value) == f"{file}: cannot be written ({os.strerror(error)})"
    assert (file.read_bytes(), file.stat().st_ino) == (before, inode)
    assert names(file.parent) == ["a.h5"]


# ---- whose file it is


@pytest.mark.parametrize(("change", "said"), [
    ({"seed": 8}, "another study or seed: seed is 7, here 8"),
    ({"overrides": ["experiment.ring.stragglers.p=0.3", "common_random_numbers=true"]}, ""),
    ({"overrides": ["experiment.ring.quantiles=[0.25]"]}, "another study or seed: "),
    ({"batch": fastgc.runs.Batch(shard=(0, 2))}, "shard 0/1"),
])  # fmt: skip
@pytest.mark.parametrize("unfinished", [False, True])
def test_another_study_is_neither_continued_nor_replaced(tmp_path, change, said, unfinished):
    path = tmp_path / "a.h5"
    result = fastgc.run(
        STUDY,
        out=path,
        trials=10**6,
        batch=fastgc.runs.Batch(interrupted=lambda: "SIGTERM" if unfinished else None),
        method="monte-carlo",
    )
    assert result.path.exists() and result.complete != unfinished
    before = result.path.read_bytes()
    refused = refusal(fastgc.run, STUDY, out=path, method="monte-carlo", **change)
    assert said in refused and "remove" in refused
    assert result.path.read_bytes() == before
    assert names(tmp_path) == [result.path.name]


HDF5 = b"\x89HDF\r\n\x1a\n"


def hdf5(change):
    def made(path, whole):
        path.write_bytes(whole)
        with h5py.File(path, "r+" if whole else "w") as file:
            change(file)

    return made


STRANGE = {
    **{f"bytes {text[:9]}": text for text in (b"", b"no HDF5", HDF5, bytes(10_000))},
    **{f"share {x}": x for x in (0.001, 0.01, 0.1, 0.3, 0.5, 0.9, 0.99, 0.9999)},
    "other HDF5": hdf5(lambda file: file.create_dataset("x", data=[1, 2, 3])),
    "schema alone": hdf5(lambda f: f.attrs.__setitem__("fastgc_schema", store.SCHEMA_VERSION)),
    "a later schema": hdf5(lambda f: f.attrs.__setitem__("fastgc_schema", 99)),
}


@pytest.mark.parametrize("name", STRANGE)
def test_what_is_no_file_of_ours_is_refused_and_left(file, name):
    """Other bytes, files that were cut, HDF5 of others: in one line, also with an odd name."""
    strange, whole = STRANGE[name], file.read_bytes()
    path = file.with_name("b\nc.h5")
    if isinstance(strange, float):
        path.write_bytes(whole[: int(strange * len(whole))])
    elif isinstance(strange, bytes):
        path.write_bytes(strange)
    else:
        strange(path, whole if name == "a later schema" else b"")
    before = path.read_bytes()
    for open_it in (store.load, fastgc.open, lambda place: fastgc.run(STUDY, out=place)):
        assert str(path.parent) in refusal(open_it, path)
    assert path.read_bytes() == before and names(path.parent) == ["a.h5", path.name]


def test_files_of_other_versions_are_read_or_name_who_reads_them(tmp_path, monkeypatch):
    path = tmp_path / "a.h5"
    rows = fastgc.run(STUDY, out=path).rows()
    old = store.load(path)
    old.provenance["fastgc"] = "1.8.0"
    store.save(path, old)
    assert fastgc.open(path).rows() == fastgc.run(STUDY, out=path).rows() == rows
    for was, becomes in (("circulant", "pool"), ("0.2", "0.3")):
        store.save(path, replace(old, study=old.study.replace(was, becomes)))
        for use in (fastgc.open, lambda each: fastgc.runs.merge([each], tmp_path / "b.h5")):
            assert "fastgc 1.8.0 wrote this file, and reads it" in refusal(use, path)
    monkeypatch.setattr(store, "SCHEMA_VERSION", 4)
    store.save(path, old)
    monkeypatch.undo()
    assert "has schema 4; this fastgc reads 5, fastgc 1.0.0 reads 4;" in refusal(fastgc.open, path)


def test_another_stream_version_is_not_continued(tmp_path, monkeypatch):
    path = tmp_path / "a.h5"
    fastgc.run(STUDY, out=path)
    monkeypatch.setattr(checkpointer, "STREAM_VERSION", 99)
    assert refusal(fastgc.run, STUDY, out=path) == (
        f"{path}: was sampled with stream version 1, this fastgc has 99; name another file or "
        "remove it"
    )


@pytest.mark.night
def test_a_complete_file_is_left_alone_until_more_is_asked_for(tmp_path):
    path = tmp_path / "a.h5"
    first = fastgc.run(STUDY, out=path)
    before = path.stat()
    for trials in (1000, 999, 1):
        again = fastgc.run(STUDY, out=path, trials=trials)
        after = path.stat()
        assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
        assert again.rows() == first.rows()
    assert names(tmp_path) == ["a.h5"]
    # with another title, too, it is the same study
    fastgc.run({**STUDY, "title": "new"}, out=path, trials=2000, threads=2)
    point = fastgc.open(path)["ring", {"stragglers.p": 0.1, "shuffle": "none"}]
    assert point["error"].statistic("mean", "monte-carlo").trials == 2000


# ---- for other programs


def test_a_file_repeats_its_study_wherever_a_matrix_went(tmp_path):
    np.save(tmp_path / "own.npy", np.array([[1.0, 0.5], [0.0, 1.0]]))
    text = """
        [[experiment]]
        code = { family = "matrix", file = "own.npy" }
        stragglers = { model = "iid", p = 0.3 }
        method = "monte-carlo"
    """
    (tmp_path / "study.toml").write_text(text)
    first = fastgc.run(tmp_path / "study.toml", out=tmp_path / "a.h5", trials=100)
    (tmp_path / "own.npy").unlink()
    assert fastgc.open(tmp_path / "a.h5").rows() == first.rows()
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    kept = store.load(tmp_path / "a.h5")
    assert kept.provenance["stream_version"] == STREAM_VERSION
    assert {"fastgc", "numpy", "numba", "h5py", "python", "written"} <= kept.provenance.keys()
    (moved / "study.toml").write_text(kept.study)
    assert fastgc.run(moved / "study.toml", trials=100).rows() == first.rows()
