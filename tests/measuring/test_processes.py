"""Real processes: what comes over pipes and shared memory, and that nobody is left behind."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import fastgc
from fastgc.measuring.faults import Faults
from fastgc.measuring.processes import Answer, LostWorker, Processes
from fastgc.measuring.worker import Order, ProductPiece
from fastgc.registry.activity import Batch
from suite.waiting import children, state_of, until
from twins import virtual
from twins.virtual import stopping

STUDY = virtual.STUDY | {"latency": {"distribution": "exponential", "mean": 0.002}}


def pieces(n):
    return [ProductPiece(np.full((1, 2, 3), float(j))) for j in range(n)]


def events(carrier, count):
    found = []

    def all_came():
        found.extend(carrier.wait(1.0))
        return len(found) >= count

    until(all_came, "answers are missing")
    return found


def test_answers_are_those_of_the_pieces():
    with Processes(pieces(3), 3) as carrier:
        for number in range(3):
            for j in range(3):
                carrier.order(j, Order(number, np.array([1.0, 2.0, number])))
            for event in events(carrier, 3):
                assert isinstance(event, Answer) and event.round == number
                assert event.values.tolist() == [event.worker * (3.0 + number)] * 2
                assert event.seconds >= 0


@pytest.mark.parametrize("spin", [False, True])
def test_a_worker_takes_the_seconds_that_are_injected(spin):
    with Processes(pieces(1), 3) as carrier:
        carrier.order(0, Order(0, np.ones(3), seconds=(0.05,), spin=spin, slower=2.0))
        [event] = events(carrier, 1)
        assert event.seconds >= 0.1


@pytest.mark.parametrize(
    "order", [{"seconds": (1e9,)}, {"seconds": (1e9,), "spin": True}, {"delay": 1e9}]
)
def test_a_cancelled_worker_leaves_off_and_goes_on(order):
    with Processes(pieces(1), 3) as carrier:
        carrier.order(0, Order(0, np.ones(3), **order))
        carrier.cancel(0)
        [event] = events(carrier, 1)
        assert event.values is None
        carrier.order(0, Order(1, np.ones(3)))
        carrier.cancel(0)  # too late, or not: it is ready for another order anyway
        assert events(carrier, 1)[0].round == 1
        carrier.order(0, Order(2, np.ones(3)))
        assert events(carrier, 1)[0].round == 2


def test_a_killed_worker_is_lost_and_said_so():
    with Processes(pieces(2), 3) as carrier:
        carrier.order(0, Order(0, np.ones(3), seconds=(1e9,)))
        carrier.kill(0)
        [event] = events(carrier, 1)
        assert isinstance(event, LostWorker) and "SIGKILL" in event.why
        carrier.order(0, Order(1, np.ones(3)))  # nobody is there, and nothing breaks
        assert carrier.wait(0.0) == []


def test_a_stopped_worker_neither_answers_nor_blocks():
    with Processes(pieces(2), 100_000) as carrier:
        carrier.pause(0, True)
        until(lambda: state_of(carrier._processes[0].pid) == "T", "it is not stopped")
        carrier.order(0, Order(0, np.ones(100_000)))
        carrier.cancel(0)
        assert carrier.wait(0.1) == []
        carrier.kill(1)
        assert isinstance(events(carrier, 1)[0], LostWorker)
    assert not multiprocessing.active_children()


def test_gradients_are_exact_with_dead_stopped_and_slow_workers():
    faults = Faults(kill=[(1, 2)], pause=[(0, 4, 0.05)], slow={2: 1.5})
    found = fastgc.measure(STUDY | {"measure": {"rounds": 12}}, faults=faults)
    assert found.complete
    assert max(row["error"] for row in found.rounds) < 1e-24
    assert [worker for _, worker, _ in found.facts["lost"]] == [1]
    assert not multiprocessing.active_children()


@pytest.mark.night
@pytest.mark.parametrize(("name", "options"), [
    ("SIGTERM", []), ("SIGINT", []), ("SIGKILL", []), ("SIGKILL", ["--pause", "1@0:1e6"]),
])  # fmt: skip
def test_whoever_ends_the_master_ends_the_workers(name, options, tmp_path):
    study = tmp_path / "s.toml"
    study.write_text(
        textwrap.dedent("""
        [[experiment]]
        kind = "completion"
        system = { family = "uncoded", n = 3 }
        latency = { distribution = "deterministic", value = 0.06 }
        [measure]
        rounds = 1000000
        """),
        encoding="utf-8",
    )
    out = tmp_path / "m.h5"
    program = "import sys; from fastgc.cli.main import main; main()"
    command = [sys.executable, "-c", program, "measure", str(study), "-o", str(out), *options]
    with subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    ) as master:
        assert "rounds" in master.stderr.readline()  # it has begun
        workers = children(master.pid)
        assert len(workers) >= 3
        if options:
            until(lambda: "T" in map(state_of, workers), "nobody is stopped")
        os.kill(master.pid, getattr(signal, name))
        master.stderr.read()
        code = until(lambda: master.poll() is not None, "it hangs") and master.returncode
    assert code == {"SIGTERM": 75, "SIGINT": 130, "SIGKILL": -9}[name]
    until(lambda: {*map(state_of, workers)} == {"Z"}, "workers are left")
    if name != "SIGKILL":
        assert len(fastgc.open(out).workers) == 3


def silent(line, parameters, answer, piece, joint):
    line.poll(None)


def test_who_is_asked_to_stop_waits_for_no_worker_to_begin(monkeypatch):
    monkeypatch.setattr("fastgc.measuring.processes.work", silent)
    found = fastgc.measure(STUDY, batch=Batch(interrupted=stopping(6)))
    assert (found.facts["ended"], len(found.measured)) == ("asked", 0)
