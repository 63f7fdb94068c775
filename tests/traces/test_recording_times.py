"""Recording: real processes, one task a round for each, whole rounds only."""

import functools
import os
import signal

import pytest

import fastgc
from fastgc.errors import FastgcError, StorageError, WorkersError
from fastgc.latency.traces import parse
from fastgc.traces import recorder, steps
from suite.checks import refusal


def die_in_the_third_round(folder, _):
    """Count the rounds of this process, the one before the first included; die in its third."""
    own = folder / str(os.getpid())
    with own.open("a") as file:
        file.write("x")
    if len(own.read_text()) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return 0.5


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    path = tmp_path_factory.mktemp("t") / "trace.csv"
    told = []
    made = fastgc.traces.record_processes(path, workers=2, rounds=6, work=5, progress=told.append)
    return made, told


@pytest.mark.night
def test_a_column_a_worker_and_a_line_a_round(recorded):
    made, told = recorded
    text = made.path.read_text()
    trace = parse(text, "t")
    assert trace.workers == made.workers == ("process0", "process1")
    assert text.startswith("# unit: seconds\n")
    assert trace.rows.shape == (6, 2) and text.endswith("\n") and (trace.rows > 0).all()
    assert made.rounds == 6 and made.work == 5 and made.stopped_by is None
    assert made.seconds == pytest.approx(trace.rows.min(), abs=1e-9)
    assert [(step.done, step.total) for step in told] == [(i, 6) for i in range(7)]
    with pytest.raises(FastgcError, match="is there already; name another file or remove it"):
        fastgc.traces.record_processes(made.path, workers=1, rounds=1, work=1)
    assert made.path.read_text() == text


@pytest.mark.night
def test_a_round_that_is_stopped_is_not_written(tmp_path):
    asked, how = [], {"workers": 1, "rounds": 50, "work": 1}
    stop = {"interrupted": lambda: "SIGINT" if len(asked) == 4 else None}
    made = fastgc.traces.record_processes(tmp_path / "t.csv", **how, progress=asked.append, **stop)
    assert made.stopped_by == "SIGINT" and made.rounds == 3
    assert len((tmp_path / "t.csv").read_text().splitlines()) == 5


@pytest.mark.night
def test_a_lost_worker_ends_the_recording_with_its_whole_rounds(tmp_path, monkeypatch):
    """Each worker is one process: two of them die in their third round, the second recorded."""
    monkeypatch.setattr(recorder, "seconds_of", functools.partial(die_in_the_third_round, tmp_path))
    with pytest.raises(WorkersError, match=r"a worker was lost .*; 1 rounds are kept"):
        fastgc.traces.record_processes(tmp_path / "t.csv", workers=2, rounds=9, work=1)
    assert parse((tmp_path / "t.csv").read_text(), "t").rows.tolist() == [[0.5, 0.5]]
    counted = [own.read_text() for own in tmp_path.iterdir() if own.name.isdecimal()]
    assert max(counted) == "xxx" and len(counted) == 2


@pytest.mark.parametrize("room", [0, 7])
def test_a_full_disk_keeps_whole_rounds(tmp_path, monkeypatch, room):
    path = tmp_path / "t.csv"
    write = os.write
    with (
        pytest.raises(StorageError, match="its whole rounds are kept"),
        steps.opened(path, ("a", "b")) as line,
    ):
        line([1.0, 2.0])
        monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:room]))
        line([3.0, 4.0])
    assert path.read_text() == "# unit: seconds\na,b\n1.000000000,2.000000000\n"


@pytest.mark.parametrize("key", ["rounds", "workers", "work"])
def test_mistakes(tmp_path, key):
    said = refusal(fastgc.traces.record_processes, tmp_path / "t.csv", **{key: 0})
    assert said.startswith(f"{key}: must be at least 1") and not (tmp_path / "t.csv").exists()
