"""The command ``fastgc measure``: what it prints, keeps and refuses."""

import json
import re
import signal

import numpy as np
import pytest

import fastgc
from suite.checks import every
from suite.waiting import HUNG, until

CODE = '"gradient-code", n = 3, s = 1'
STUDY = """
[[experiment]]
kind = "completion"
system = { family = "gradient-code", n = 3, s = 1 }
latency = { distribution = "exponential", mean = 0.003 }
[measure]
rounds = 5
"""


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(STUDY, encoding="utf-8")
    return path


@pytest.mark.night
def test_rounds_are_run_kept_recorded_and_shown(command, study, tmp_path):
    out, recording = tmp_path / "m.h5", tmp_path / "r.csv"
    code, text, _ = command("measure", study, "-o", out, "--recording", recording)
    assert code == 0
    assert "gradient-code n=3 s=1 on 3 workers (processes)" in text
    assert "Structure open: 5 whole rounds" in text
    assert "Learning held" in text
    assert recording.read_text().splitlines()[:2] == [
        "# unit: seconds",
        "process0,process1,process2",
    ]
    assert command("trace", "show", recording)[0] == 0
    assert command("show", out)[1] == text
    rows = json.loads(command("show", out, "--json")[1])
    assert [row["quantity"] for row in rows] == ["round"] * 5
    assert {"predicted", "measured", "error", "late"} <= rows[0].keys()
    assert every(len(row["late"]) <= 1 for row in rows)  # none where answers come together


def test_what_was_measured_is_shown_though_there_is_nothing_to_record(command, study, tmp_path):
    text = STUDY.replace("mean", "shift = 0.5, mean").replace(
        "= 5", '= 1\nbetween_rounds = "cancel"'
    )
    study.write_text(text, encoding="utf-8")
    own = "--kill", "0@0", "--recording", tmp_path / "r.csv"
    code, text, err = command("measure", study, *own)
    assert code == 2 and "no round has the times of all workers" in err
    assert "Structure open" in text


def test_too_many_dead_workers_end_an_exact_measurement(command, study, tmp_path):
    out = tmp_path / "m.h5"
    killed = "--kill", "0@1", "--kill", "2@1"
    code, text, _ = command("measure", study, "--exact", "-o", out, *killed)
    assert code == 1
    # who has answered at once is killed too late for its round
    assert re.search("round [12] is not decoded exactly: 1 of 3 workers answered", text)
    assert "worker 2 was lost (process2 was ended by SIGKILL)" in text


@pytest.mark.parametrize(("options", "said"), [
    (("--kill", "3@1"), "there is no worker 3"),
    (("--kill", "3"), "kill: must be WORKER@ROUND (got '3')"),
    (("--pause", "1@2"), "pause: must be WORKER@ROUND:SECONDS"),
    (("--slow", "1:1..2"), "slow: must be WORKER:FACTOR"),
    (("--kill", "1@5"), "there is no round 5"),
    (("--html", "--json"), "one form at a time"),
    (("--recording", "{}/no/r.csv"), "there is no folder"),
    (("--recording", "{}/r.csv"), "r.csv is there already"),
    (("-o", "{}/m.h5", "--recording", "{}/m.h5"), "name the same file"),
])  # fmt: skip
def test_mistakes_are_found_before_anything_is_measured(command, study, tmp_path, options, said):
    (tmp_path / "r.csv").write_text("mine", encoding="utf-8")
    code, text, err = command("measure", study, *(each.format(tmp_path) for each in options))
    assert (code, text) == (2, "")
    assert said in err and "Traceback" not in err


@pytest.mark.parametrize(("old", "new", "said"), [
    ("rounds = 5", "round = 5", "measure.round: unknown key; did you mean 'rounds'"),
    ("rounds = 5", 'problem = { model = "linear" }', "measure.problem.samples"),
    (CODE, '"partial", n = 3, d = 2, deadline = 1.0', "partial is no master whose workers"),
    (CODE, '"ring-all-reduce", n = 3', "ring-all-reduce is no master whose workers send one"),
    (CODE, '"block", n = 3, blocks = [0, 1, 999]', "block has layers of tasks"),
    ("[measure]", 'stragglers = { model = "iid", p = 0.1 }\n[measure]', "must be left out"),
])  # fmt: skip
def test_studies_that_cannot_be_run_are_refused(command, study, old, new, said):
    study.write_text(STUDY.replace(old, new), encoding="utf-8")
    code, text, err = command("measure", study)
    assert (code, text) == (2, "")
    assert said in err and "Traceback" not in err


SEVERAL = STUDY.replace(
    "[measure]", "[experiment.sweep]\n'latency.mean' = [0.001, 0.002]\n[measure]"
)


def test_all_points_are_measured_one_after_the_other(command, study, tmp_path):
    study.write_text(SEVERAL, encoding="utf-8")
    code, text, _ = command(
        "measure", study, "-o", tmp_path / "m.h5", "--recording", tmp_path / "r"
    )
    assert code == 0
    assert "latency.mean = 0.001: gradient-code" in text
    assert "latency.mean = 0.002: gradient-code" in text
    names = sorted(each.name for each in tmp_path.glob("[mr]-*"))
    assert names == ["m-1.h5", "m-2.h5", "r-1", "r-2"]


def test_another_seed_gives_other_times(command, study, tmp_path):
    files = [tmp_path / f"{seed}.h5" for seed in (1, 2)]
    for seed, file in enumerate(files, 1):
        assert command("measure", study, "-o", file, "--seed", seed)[0] == 0
    first, second = (fastgc.open(file).arrays["injected"] for file in files)
    assert not np.array_equal(first, second)


@pytest.mark.night
def test_a_signal_ends_a_measurement_between_rounds(study, tmp_path, fastgc_process):
    study.write_text(STUDY.replace("rounds = 5", "rounds = 1000000"), encoding="utf-8")
    process = fastgc_process("measure", study, "-o", tmp_path / "m.h5")
    until((tmp_path / ".m.h5.lock").exists, "nothing has begun")
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=HUNG)
    assert process.returncode == 75, err
    first, last = err.splitlines()
    ends = "with the round under way, which is left; a second SIGTERM leaves at once"
    assert first == f"stopping {ends}"
    many = len(fastgc.open(tmp_path / "m.h5").measured)
    assert last == f"stopped early by SIGTERM: {many} rounds are kept in {tmp_path / 'm.h5'}"
