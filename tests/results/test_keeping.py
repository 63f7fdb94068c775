"""What a run keeps of what it sampled: when, after which loss, and what it clears away."""

import errno
import os
from functools import partial

import numpy as np
import pytest

import fastgc
from fastgc.errors import FastgcError
from fastgc.registry.activity import Batch
from fastgc.results import checkpointer, store
from fastgc.results.stored import StoredUnit
from fastgc.statistics.tallies import Tally
from suite.checks import refusal
from suite.files import names
from suite.studies import ring

STUDY = {"seed": 5, "experiment": [ring()]}
CLAIM = "agc.remark2.corrected"
sampled = partial(fastgc.validate, method="monte-carlo")


@pytest.fixture
def clock(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(checkpointer.time, "monotonic", lambda: now[0])

    def move(seconds):
        now[0] += seconds

    return move


# ---- when


@pytest.fixture
def checkpoints(monkeypatch, clock):
    """Times at which a keeper writes, asked eight times a second while a unit is sampled."""

    def times(own, unit, seconds, cost=0.0):
        original, found, began = store.save, [], checkpointer.time.monotonic()

        def save(path, run):
            found.append(checkpointer.time.monotonic() - began)
            clock(cost)
            original(path, run)

        monkeypatch.setattr(store, "save", save)
        own.units = {unit.key: unit}
        while checkpointer.time.monotonic() - began < seconds:
            if own.is_due():
                own.keep([unit], [], complete=False)
            unit.tally.trials += 100
            clock(0.125)
        return found

    return times


@pytest.fixture
def unit():
    return StoredUnit("a", 64, 0, np.empty(0, np.uint64), Tally.empty(1, 0))


@pytest.mark.parametrize(("asked", "cost", "expected"), [
    (None, 0.0, [0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 61.5, 91.5, 121.5]),
    (None, 1.0, [0.5, 101.5, 202.5, 303.5, 404.5]),  # they take one per cent at most
    pytest.param(0.25, 0.0, [0.25 * i for i in range(1, 80)], marks=pytest.mark.night),
    (5.0, 0.0, [0.5, 1.5, 3.5, 7.5, 12.5, 17.5]),
    (5.0, 1.0, [0.5, 2.5, 5.5, 10.5, 16.5]),  # it counts, whatever it costs
    (1e9, 0.0, [0.5, 1.5, 3.5, 7.5, 15.5]),
])  # fmt: skip
def test_the_first_checkpoint_comes_soon_and_later_ones_are_rare(
    tmp_path, clock, unit, checkpoints, asked, cost, expected
):
    own = checkpointer.Checkpointer(tmp_path / "a.h5", "", "x", checkpoint_seconds=asked)
    clock(100.0)  # compiling, enumerating: nothing is at risk yet
    seconds = 20 if asked else 130 if not cost else 500
    assert checkpoints(own, unit, seconds, cost) == expected


def test_nothing_new_is_not_written_again(tmp_path, clock, unit):
    own = checkpointer.Checkpointer(tmp_path / "a.h5", "", "x")
    own.units = {unit.key: unit}
    assert not own.is_due()
    clock(100.0)
    assert not own.is_due(), "no trial is at risk"
    unit.tally.trials = 64
    assert own.is_due()
    own.keep([unit], [], complete=False)
    clock(100.0)
    assert not own.is_due()


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan"), float("inf")])
def test_what_is_no_time_between_checkpoints(tmp_path, seconds):
    said = rf"^checkpoint_seconds: must be a number of seconds above 0 \(got {seconds}\)$"
    for call, what in ((fastgc.run, STUDY), (fastgc.validate, CLAIM)):
        with pytest.raises(FastgcError, match=said):
            call(what, out=tmp_path / "a.h5", batch=Batch(checkpoint_seconds=seconds))
        with pytest.raises(FastgcError, match=r"checkpoints need a file; name one with out$"):
            call(what, batch=Batch(checkpoint_seconds=1.0))
    assert names(tmp_path) == []


# ---- what is lost


@pytest.fixture
def small_and_slow(small_blocks, monkeypatch):
    monkeypatch.setattr(checkpointer, "FIRST_CHECKPOINT", 1e9)


def lost(call, *arguments, **more):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "write", full)
        return refusal(call, *arguments, **more)


def test_a_disk_that_was_full_from_the_start_keeps_nothing(tmp_path, small_and_slow):
    path = tmp_path / "a.h5"
    assert lost(fastgc.run, STUDY, out=path, trials=1000) == (
        f"{path}: cannot be written (No space left on device); nothing is kept: 1 000 trials are "
        "lost; once it can be written the same command starts again"
    )
    assert names(tmp_path) == []


@pytest.mark.parametrize("open_it", [fastgc.open, store.load])
def test_a_run_that_is_not_complete_is_pointed_at(tmp_path, open_it, small_blocks):
    path = tmp_path / "a.h5"
    fastgc.run(STUDY, out=path, trials=12_800, batch=Batch(interrupted=lambda: "SIGTERM"))
    assert names(tmp_path) == ["a.h5.part"]
    assert refusal(open_it, path) == (
        f"{path}: there is no such file; its run is not complete: see {path}.part"
    )
    assert not fastgc.open(f"{path}.part").complete


# ---- what killed runs leave


def test_the_next_run_removes_what_a_killed_one_left(tmp_path, small_blocks):
    """Also beside a complete file; what others have there stays."""
    strangers = [".a.h5.old.tmp", ".b.h5.123.tmp"]
    for _ in range(2):
        for name in (".a.h5.123.tmp", ".a.h5.part.77.tmp", *strangers):
            (tmp_path / name).write_bytes(b"half")
        found = fastgc.run(STUDY, out=tmp_path / "a.h5", trials=1000)
        assert names(tmp_path) == [*strangers, "a.h5"]
    assert found.rows() == fastgc.run(STUDY, trials=1000).rows()
