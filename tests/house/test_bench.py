"""The benchmark compares like with like: fastgc and its peers agree; times are not tested."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys

import numpy as np
import pytest

from bench import peers, scaling
from bench.contests import FASTGC, Contest, Outcome, hold, moments
from bench.decoding import binary_matrix
from bench.timing import Contestant
from bench.workloads import CONTESTS, NAMES
from conftest import ROOT, environment

TINY = 0.002


@pytest.mark.parametrize("name", CONTESTS)
def test_fastgc_and_its_peers_agree(name):
    outcome = hold(CONTESTS[name](TINY), rounds=1)
    assert outcome.name == name
    assert outcome.disagreements == []
    assert set(outcome.floors) <= set(outcome.ratios)


def _contest(shift, difference):
    values = np.arange(100.0)
    return Contest(
        "made-up",
        [Contestant(FASTGC, lambda: values, 100), Contestant("peer", lambda: values + shift, 100)],
        moments,
        lambda: {"peer": difference},
        1e-9,
    )


@pytest.mark.parametrize(
    ("shift", "difference", "complaints"),
    [(0.0, 0.0, 0), (30.0, 0.0, 1), (0.0, 1e-6, 1), (0.0, float("nan"), 1), (30.0, 1.0, 2)],
)
def test_disagreement_is_found(shift, difference, complaints):
    assert len(hold(_contest(shift, difference), rounds=1).disagreements) == complaints


def test_a_missed_floor_is_found():
    met = Outcome("x", 0.0, {}, {"peer": 3.0}, {"peer": 3.0}, {}, {}, [])
    assert met.below == []
    missed = dataclasses.replace(met, floors={"peer": 3.1})
    assert missed.below == ["x: 3 × peer, floor 3.1 ×"]


def test_peers_agree_with_the_loop():
    rng = np.random.default_rng(5)
    B = binary_matrix(8, 3)
    alive = np.concatenate(
        [rng.random((60, 8)) < 0.6, np.zeros((1, 8), bool), np.ones((1, 8), bool)]
    )
    truth = peers.lstsq_loop(B, alive)
    for errors in (peers.Ridge(B), peers.Dual(B), peers.Table(B)):
        assert np.allclose(errors(alive), truth, atol=1e-7)
    frc = np.kron(np.eye(4), np.ones((2, 2)))
    truth = peers.lstsq_loop(frc, alive)
    assert np.allclose(peers.groups(2, alive), truth, atol=1e-9)
    straggling = (~alive).T.reshape(4, 2, -1).transpose(1, 0, 2)
    assert np.allclose(peers.lost_groups(2, straggling), truth, atol=1e-9)
    circulant = np.eye(8) + np.roll(np.eye(8), 1, axis=0)
    truth = peers.lstsq_loop(circulant, alive)
    assert np.allclose(peers.cycle_gaps(alive), truth, atol=1e-9)


def _bench(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "bench", *map(str, arguments)],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_the_command_prints_and_writes_what_it_measured(tmp_path):
    file = tmp_path / "bench.json"
    only = ["--only", "frc-20", "--only", "threads", "--only", "start"]
    done = _bench("--quick", "--check", "--json", file, *only)
    assert done.returncode == 0, done.stderr
    assert "frc-20" in done.stdout
    assert "lstsq loop" in done.stdout
    report = json.loads(file.read_text(encoding="utf-8"))
    assert [contest["name"] for contest in report["contests"]] == ["frc-20"]
    assert set(report["contests"][0]["ratios"]) == {"lstsq loop", "reshape", "best layout"}
    assert set(report["start"]) == {"python", "--help", "warm", "cold"}
    assert len(report["threads"]) == 2
    assert report["complaints"] == []


def test_an_unknown_workload_is_refused_with_those_there_are():
    done = _bench("--only", "nothing")
    assert done.returncode == 2
    assert NAMES[0] in done.stderr


def test_scaling_times_an_executor_and_weighs_what_travels(capsys):
    # so short an answer says nothing about the floor: either code is right
    assert scaling.main(["--size", "0.001", "--rounds", "1", "--only", "threads"]) in (0, 1)
    said = capsys.readouterr().out
    assert re.search(r"threads +[\d.]+ s on one, [\d.]+ s on two: [\d.]+ × \(floor 1.8", said)
    assert re.search(r"feeds [\d,]+ workers", said)
    weights = re.findall(r": ([\d,]+) bytes are sent, ([\d,]+) come back", said)
    assert len(weights) == 3
    assert all(100 < int(n.replace(",", "")) < 100_000 for pair in weights for n in pair)
