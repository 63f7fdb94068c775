"""`python -m bench.windows` counts what it says it counts."""

import json
import math

import numpy as np
import pytest

from bench import windows
from fastgc.systems import gradient_code, replication
from fastgc.systems.timing.evaluator import Evaluator


def test_values_on_the_whole_are_those_of_the_systems():
    times = np.random.default_rng(1).gamma(2.0, size=(50, 6)).round(6)
    for system in (gradient_code(6, 2), replication(6, 3)):
        done = Evaluator(system.structure()).done(system.share() * times.T)
        assert windows.value(system.settings(), times, "mean") == pytest.approx(done.mean())
        assert windows.value(system.settings(), times, "quantile(0.9)") == np.sort(done)[44]


@pytest.mark.night
def test_windows_of_independent_rows(tmp_path, capsys):
    rng = np.random.default_rng(2)
    times = (1 + rng.gamma(0.5, size=(120, 4))).round(6)
    lines = ["worker,seconds"] + [f"{j},{x!r}" for row in times.tolist() for j, x in enumerate(row)]
    (tmp_path / "long.csv").write_text("\n".join(lines) + "\n")
    command = ["--traces", str(tmp_path), "--columns", "worker,seconds", "--windows", "6"]
    assert windows.main([*command, "--rows", "40,100", "--goals", "mean", "--json"]) == 0
    [found] = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert found["recording"] == "long" and found["rows"] == 40 and found["windows"] == 6
    assert found["covered"] > 0.7 and found["speaking"] == 1.0 and found["certain_wrong"] == 0.0
    assert windows.main([*command, "--rows", "40", "--goals", "quantile(0.99)"]) == 0
    assert "100 %" in capsys.readouterr().out  # of the intervals are open


def test_rows_after_a_window_are_judged_alone():
    # the last worker is slow in the second half: what the first half says does not hold there
    times = 1 + 0.01 * np.random.default_rng(3).random((80, 3))
    times[40:, 2] *= 10
    found = list(windows.windows(times, 40, "mean", 3))
    assert [each.worse_after is None for each in found] == [False, True, True]
    assert found[0].certain and found[0].held_after == 0
    assert found[0].worse_after == pytest.approx(
        times[40:, 2].mean() / (2 * np.sort(times[40:], axis=1)[:, 1].mean()), rel=1e-9
    )
    said = windows.summary(found)
    assert said["after"] == said["certain_after"] == 1
    assert said["first_right_after"] == said["certain_right_after"] == 0
    assert said["covered_after"] == 0
    still = windows.summary(list(windows.windows(times[:40], 20, "mean", 2)))
    assert still["after"] == 1 and still["first_right_after"] == 1
    assert still["certain_after"] == 0 and math.isnan(still["certain_right_after"])


def test_times_of_rounds_are_named(tmp_path, capsys):
    rounds = 1 + np.random.default_rng(4).random((60, 1)) + np.zeros((60, 3))
    lines = ["a,b,c"] + [",".join(map(repr, row)) for row in rounds.tolist()]
    (tmp_path / "steps.csv").write_text("\n".join(lines))
    assert windows.main(["--traces", str(tmp_path), "--rows", "20", "--json"]) == 0
    said = capsys.readouterr()
    assert said.out == "" and "steps                refused: times of rounds" in said.err


def test_mistakes_are_counted():
    right = windows.Window(held=2, given=2, open=0, speaks=True, certain=True, worse=1.0)
    wrong = windows.Window(held=0, given=2, open=1, speaks=False, certain=True, worse=1.6)
    said = windows.summary([right, right, right, wrong])
    assert said["covered"] == 0.75 and said["covered_speaking"] == 1.0
    assert said["certain_wrong"] == said["first_wrong"] == 0.25 and said["open"] == 0.125
