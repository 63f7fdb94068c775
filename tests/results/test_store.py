"""Files of results: never half written, never another's, readable by others."""

import errno
import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import h5py
import numpy as np
import pytest

import fastgc
from conftest import environment, ran
from fastgc.draws import streams
from fastgc.errors import FastgcError, StorageError
from fastgc.results import checkpointer, store
from fastgc.results.other_programs import identifier
from fastgc.results.sound import read_text
from fastgc.results.stored import StoredRun, StoredUnit
from fastgc.statistics.tallies import ExactSums, Histogram, Tally
from fastgc.version import STREAM_VERSION
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
    for run in (a_run(), bare):
        store.save(tmp_path / "a.h5", run)
        assert content(store.load(tmp_path / "a.h5")) == content(run)


@pytest.mark.parametrize(
    "names", [("frc", "a b", "ß-1"), ("a", "b", "a over b"), ("results", "point")]
)
def test_any_names_of_experiments(tmp_path, names):
    study = {
        "common_random_numbers": True,
        "experiment": [ring(name=name) for name in names],
        "ratio": [names[:2]],
    }
    fastgc.run(study, out=tmp_path / "a.h5", trials=100)
    found = {row["experiment"] for row in store.load(tmp_path / "a.h5").rows}
    assert found == {*names, "/".join(names[:2])}


# ---- never half written


def test_written_synced_and_renamed_in_this_order(tmp_path, monkeypatch):
    calls = []

    def noted(name):
        original = getattr(os, name)

        def call(*arguments, **more):
            calls.append(name)
            return original(*arguments, **more)

        monkeypatch.setattr(os, name, call)

    for name in ("write", "fsync", "replace"):
        noted(name)
    store.save(tmp_path / "a.h5", a_run())
    assert calls[0] == "write"
    assert [call for call in calls if call != "write"] == ["fsync", "replace", "fsync"]


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


def test_no_file_is_modified_in_place(file):
    inode = file.stat().st_ino
    with open(file, "rb") as reader:
        before = reader.read()
        store.save(file, a_run(study="new"))
        assert file.stat().st_ino != inode
        reader.seek(0)
        assert reader.read() == before
    assert store.load(file).study == "new"


@pytest.mark.night
def test_killed_at_any_moment_the_last_checkpoint_is_whole(tmp_path):
    program = textwrap.dedent("""
        import sys
        from pathlib import Path
        from fastgc.results import checkpointer, store
        import numpy as np
        from fastgc.results.stored import StoredRun, StoredUnit
        from fastgc.statistics.tallies import Tally
        number = 0
        while True:
            number += 1
            digests = np.full(100_000, number, np.uint64)
            unit = StoredUnit("a", number, len(digests), digests, Tally.empty(3, 1))
            known = checkpointer.provenance()
            run = StoredRun(study=str(number), identity="", provenance=known, units=[unit])
            store.save(Path(sys.argv[1]), run)
            print(number, flush=True)
    """)
    path = tmp_path / "a.h5"
    for turn in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(path)],
            env=environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3 + turn):
            process.stdout.readline()
        time.sleep(0.004 * turn)
        process.send_signal(signal.SIGKILL)
        last = [int(line) for line in process.communicate()[0].split()]
        stored = store.load(path)
        assert int(stored.study) >= max(last, default=3 + turn)
        assert set(stored.units[0].digests.tolist()) == {int(stored.study)}


# ---- what is no file of ours


def refused(path):
    for open_it in (store.load, fastgc.open, lambda place: fastgc.run(STUDY, out=place)):
        with pytest.raises(FastgcError) as caught:
            open_it(path)
        said = str(caught.value)
        assert "\n" not in said and str(path.parent) in said


@pytest.mark.night
def test_a_flipped_bit_is_found(file):
    # in a process of its own: HDF5 itself may hang on what is broken
    program = textwrap.dedent("""
        import random, sys
        from pathlib import Path
        from fastgc.results import store
        from fastgc.errors import FastgcError

        def content(run):
            units = [
                (u.key, u.block, u.done, u.digests.tobytes(), u.stopped_by)
                + tuple(
                    t and (t.trials, t.sums.limbs().tobytes(), t.histograms)
                    for t in (u.tally, u.partial)
                )
                for u in run.units
            ]
            return repr((run.study, run.identity, run.provenance, run.shard, run.rows,
                         run.complete, units))

        path = Path(sys.argv[1])
        whole, truth = path.read_bytes(), content(store.load(path))
        choose = random.Random(1)
        for _ in range(150):
            at, bit = choose.randrange(len(whole)), choose.randrange(8)
            broken = bytearray(whole)
            broken[at] ^= 1 << bit
            path.write_bytes(broken)
            try:
                found = content(store.load(path))
            except FastgcError as error:
                assert "\\n" not in str(error)
            else:
                if found != truth:
                    sys.exit(f"bit {bit} of byte {at} of {len(whole)} changed what was read")
    """)
    done = ran(sys.executable, "-c", program, str(file))
    assert done.returncode == 0, done.stderr


# ---- whose file it is


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": 8}, "another study or seed"),
        ({"overrides": ["experiment.ring.code.n=6"]}, "another study or seed"),
        (
            {"overrides": ["experiment.ring.stragglers.p=0.3", "common_random_numbers=true"]},
            "study",
        ),
        ({"overrides": ["experiment.ring.quantiles=[0.25]"]}, "another study or seed"),
        ({"shard": (0, 2)}, "shard 0/1"),
    ],
)
@pytest.mark.parametrize("unfinished", [False, True])
def test_another_study_is_neither_continued_nor_replaced(tmp_path, change, said, unfinished):
    path = tmp_path / "a.h5"
    result = fastgc.run(
        STUDY,
        out=path,
        trials=10**6,
        interrupted=lambda: "SIGTERM" if unfinished else None,
        method="monte-carlo",
    )
    assert result.path.exists() and result.complete != unfinished
    before = result.path.read_bytes()
    with pytest.raises(FastgcError, match=said) as caught:
        fastgc.run(STUDY, out=path, method="monte-carlo", **change)
    assert "\n" not in str(caught.value) and "remove" in str(caught.value)
    assert result.path.read_bytes() == before
    assert names(tmp_path) == [result.path.name]


HDF5 = b"\x89HDF\r\n\x1a\n"


def hdf5(change):
    """A file of HDF5 that was changed, or made."""

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
        strange(path, b"")
    before = path.read_bytes()
    refused(path)
    assert path.read_bytes() == before and names(path.parent) == ["a.h5", path.name]


def test_a_later_schema_and_no_file(file, tmp_path):
    hdf5(lambda f: f.attrs.__setitem__("fastgc_schema", 99))(file, file.read_bytes())
    refused(file)
    with pytest.raises(FastgcError, match="no such file"):
        store.load(tmp_path / "other.h5")


def test_another_stream_version_is_not_continued(tmp_path, monkeypatch):
    path = tmp_path / "a.h5"
    fastgc.run(STUDY, out=path)
    monkeypatch.setattr(checkpointer, "STREAM_VERSION", 99)
    with pytest.raises(FastgcError) as caught:
        fastgc.run(STUDY, out=path)
    assert str(caught.value) == (
        f"{path}: was sampled with stream version 1, this fastgc has 99; name another file or "
        "remove it"
    )


@pytest.mark.night
def test_a_study_with_another_title_or_length_is_the_same(tmp_path):
    path = tmp_path / "a.h5"
    fastgc.run(STUDY, out=path)
    fastgc.run({**STUDY, "title": "new"}, out=path, trials=2000, threads=2)
    point = fastgc.open(path)["ring", {"stragglers.p": 0.1, "shuffle": "none"}]
    assert point["error"].statistic("mean", "monte-carlo").trials == 2000


@pytest.mark.night
def test_a_complete_file_is_left_alone(tmp_path):
    path = tmp_path / "a.h5"
    first = fastgc.run(STUDY, out=path)
    before = path.stat()
    for trials in (1000, 999, 1):
        again = fastgc.run(STUDY, out=path, trials=trials)
        after = path.stat()
        assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
        assert again.rows() == first.rows()
    assert names(tmp_path) == ["a.h5"]


@pytest.mark.night
def test_checkpoints_while_running(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpointer, "FIRST_CHECKPOINT", 0.0)
    monkeypatch.setattr(checkpointer, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(checkpointer, "CHECKPOINT_SHARE", 1e9)
    saved = []
    original = store.save

    def save(path, run):
        original(path, run)
        saved.append((path.name, run.complete, sum(u.done for u in run.units)))

    monkeypatch.setattr(store, "save", save)
    monkeypatch.setattr(streams, "LARGEST_BLOCK", 64)
    fastgc.run(STUDY, out=tmp_path / "a.h5", threads=1)
    assert len(saved) > 5
    assert {name for name, complete, _ in saved[:-1]} == {"a.h5.part"}
    assert not any(complete for _, complete, _ in saved[:-1])
    assert saved[-1] == ("a.h5", True, 4 * (1000 // 64))
    assert [done for *_, done in saved] == sorted(done for *_, done in saved)
    assert names(tmp_path) == ["a.h5"]


# ---- for other programs


@pytest.fixture
def results(tmp_path):
    fastgc.run(STUDY, out=tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r") as opened:
        yield opened


def test_plain_h5py_finds_the_numbers_with_named_dimensions(results):
    ring = results["results/ring"]
    error, survivors = ring["error_mean_exact"], ring["survivors_mean_monte_carlo"]
    assert error.shape == (4,) and survivors.shape == (4, 6)
    assert (error.attrs["units"], survivors.attrs["units"]) == ("partitions", "1")
    assert error.dims[0][0].name == "/results/ring/point"
    assert survivors.dims[1][0].name == "/results/ring/survivors_index"
    assert survivors.dims[1][0][()].tolist() == [0, 1, 2, 3, 4, 5]
    p = ring["stragglers_p"][()]
    labels = ring["shuffle"].attrs["flag_meanings"].split()
    assert labels == ["none", "cyclic"] == read_text(ring["shuffle_labels"]).split("\n")
    shuffle = [labels[number] for number in ring["shuffle"][()]]
    for row in json.loads(results["rows"][()]):
        at = next(
            i
            for i in range(4)
            if p[i] == row["point"]["stragglers.p"] and shuffle[i] == row["point"]["shuffle"]
        )
        name = identifier(f"{row['quantity']} {row['statistic']} {row['method']}")
        at = at if row["index"] is None else (at, row["index"])
        value = np.nan if row["value"] is None else row["value"]
        np.testing.assert_equal(ring[name][at], value)
        if row["method"] == "monte-carlo" and row["statistic"] == "mean":
            for part in ("standard_error", "low", "high"):
                assert ring[f"{name}_{part}"][at] == row[part]


def test_a_file_repeats_its_study(results, tmp_path):
    provenance = json.loads(results["provenance"][()])
    assert provenance["stream_version"] == STREAM_VERSION
    assert {"fastgc", "numpy", "numba", "h5py", "python", "written"} <= provenance.keys()
    again = tmp_path / "again.toml"
    again.write_text(results["study"][()].decode())
    rows = [row.as_dict() for row in fastgc.run(again).entries]
    assert rows == json.loads(results["rows"][()])


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
    (moved / "study.toml").write_text(store.load(tmp_path / "a.h5").study)
    assert fastgc.run(moved / "study.toml", trials=100).rows() == first.rows()
