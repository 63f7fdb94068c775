"""``fastgc run --dry-run``: what it prints, and how it is printed."""

import json

import pytest

import fastgc
from suite.files import names

STUDY = """
title = "groups, by enumeration and by sampling"
seed = 3
[stop]
trials = 400_000
relative_error = 0.02
[[experiment]]
name = "groups"
code = { family = "frc", n = 4, d = 2 }
stragglers = { model = "iid", p = 0.3 }
method = "both"
[experiment.sweep]
"stragglers.p" = [0.1, 0.3]
[[experiment]]
name = "many"
code = { family = "circulant", n = 40, d = 2 }
stragglers = { model = "iid", p = 0.3 }
"""

FILES = {"my study.toml": STUDY}


def test_it_prints_every_point_and_the_whole(here, command):
    code, out, _ = command("run", "my study.toml", "--dry-run", "-o", "out.h5")
    assert code == 0
    assert names(here) == ["my study.toml"]
    assert max(map(len, out.splitlines())) <= 80
    assert out.startswith("my study.toml: groups, by enumeration and by sampling\n")
    for said in (
        "groups stragglers.p=0.1\n",
        "groups stragglers.p=0.3\n",
        "\n  exact        16 patterns; ",
        "\n  monte-carlo  65 536 trials, stopped by relative_error\n",
        "               exact method not taken: 2^40 patterns\n",
        "\ntotal\n  core time    ",
        "\n  memory       ",
    ):
        assert said in out, said
    assert "idle cores; this machine is enough memory " in " ".join(out.split())


@pytest.mark.night
def test_json_has_what_python_gives(here, command):
    changes = ["--trials", "3000", "--threads", "3", "--shard", "1/2"]
    code, out, _ = command("run", "my study.toml", "--dry-run", "--json", *changes)
    assert code == 0
    first = json.loads(out)
    batch = fastgc.runs.Batch(shard=(1, 2))
    again = fastgc.runs.dry_run("my study.toml", trials=3000, threads=3, batch=batch).as_dict()
    assert first.keys() == again.keys()
    assert first["points"][2] == again["points"][2]
    for mine, theirs in zip(first["sampled"], again["sampled"], strict=True):
        assert [mine[key] for key in ("name", "trials", "stopped_by")] == [
            theirs[key] for key in ("name", "trials", "stopped_by")
        ]
    assert (first["threads"], first["shard"]) == (3, [1, 2])


def test_a_file_that_is_there_is_said_to_be_left_out(here, command):
    (here / "out.h5").write_bytes(b"")
    arguments = "run", "my study.toml", "--dry-run", "--method", "exact"
    arguments += "--set", "experiment.many.code.n=4", "-o", "out.h5"
    said = "out.h5 is not looked at: the estimate is of all trials\n"
    assert command(*arguments)[::2] == (0, said)


def test_ctrl_c_ends_it_without_a_traceback(here, monkeypatch, command):
    from fastgc.runs.cost import Pilot

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Pilot, "_sample", stop)
    code, out, err = command("run", "my study.toml", "--dry-run")
    assert (code, out, err.strip()) == (130, "", "fastgc: interrupted")
    assert names(here) == ["my study.toml"]
