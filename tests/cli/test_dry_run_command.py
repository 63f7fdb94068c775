"""``fastgc run --dry-run``: what it prints, and that its lines for a queue work as they stand."""

import json
import os

import pytest

import fastgc
from conftest import COMMAND, environment, program, ran
from fastgc.results import store
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
code = { family = "frc", n = 40, d = 2 }
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
        "  --wrap 'fastgc run '\"'\"'my study.toml'\"'\"' -o out.h5'",
    ):
        assert said in out, said


@pytest.mark.night
def test_json_has_what_python_gives(here, command):
    code, out, _ = command(
        "run", "my study.toml", "--dry-run", "--json", "--trials", "3000", "--threads", "3"
    )
    assert code == 0
    first = json.loads(out)
    again = fastgc.dry_run("my study.toml", trials=3000, threads=3).as_dict()
    assert first.keys() == again.keys()
    assert first["points"][2] == again["points"][2]
    for mine, theirs in zip(first["sampled"], again["sampled"], strict=True):
        same = ("name", "points", "trials", "stopped_by")
        assert [mine[key] for key in same] == [theirs[key] for key in same]
    assert first["file_bytes"] == again["file_bytes"]
    assert first["threads"] == 3
    assert first["batch"]["shards"] == 1 and first["batch"]["merge"] is None


SBATCH = """#!/bin/bash
for word in "$@"; do
    case $word in
        --array=0-*) last=${word#--array=0-} ;;
        --wrap) wraps=yes ;;
        --*=*) ;;
        *) [ "$wraps" = yes ] && script=$word ;;
    esac
done
for SLURM_ARRAY_TASK_ID in $(seq 0 "$last"); do
    export SLURM_ARRAY_TASK_ID
    sh -ec "$script" || exit 1
done
"""


@pytest.mark.night
def test_the_lines_for_a_queue_give_the_file_of_one_process(here, command):
    bash = program("bash")
    changes = ["--set", "experiment.many.stragglers.p=0.25", "--seed", "9", "--trials", "140000"]
    code, out, _ = command("run", "my study.toml", "--dry-run", "--shard", "1/2", *changes)
    assert code == 0
    assert "shard 1/2 alone" in out
    lines = out[out.index("  sbatch --array=0-1 --cpus-per-task=") :]
    tools = here / "tools"
    tools.mkdir()
    called = " ".join(f"'{word}'" for word in COMMAND)
    for name, text in (("sbatch", SBATCH), ("fastgc", f'#!/bin/sh\nexec {called} "$@"\n')):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    ran(bash, "-ec", lines, env=environment(PATH=path), check=True)
    loaded = store.load(here / "my study.h5")
    trials = {unit.trials for unit in loaded.units}
    assert len(trials) == 1 and trials <= set(range(1, 140_001))
    code, _, _ = command(
        "run", "my study.toml", "-o", "one.h5", "--set", "stop.relative_error=1e-9", "--seed", "9",
        "--set", "experiment.many.stragglers.p=0.25", "--trials", str(*trials),
    )  # fmt: skip
    assert code == 0
    for mine, theirs in zip(loaded.units, store.load(here / "one.h5").units, strict=True):
        assert (mine.total().sums.limbs() == theirs.total().sums.limbs()).all()


def test_many_points_are_said_to_be_more(here, command):
    values = ",".join(str(i / 100) for i in range(1, 46))
    code, out, _ = command(
        "run", "my study.toml", "--dry-run", "--method", "exact",
        "--set", f"experiment.groups.sweep={{\"stragglers.p\" = [{values}]}}",
        "--set", "experiment.many.code.n=4",
    )  # fmt: skip
    assert code == 0
    assert "\nand 6 more: --json has them\n" in out


def test_ctrl_c_ends_it_without_a_traceback(here, monkeypatch, command):
    from fastgc.runs.pilots import Pilot

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Pilot, "_sample_blocks", stop)
    code, out, err = command("run", "my study.toml", "--dry-run")
    assert (code, out, err.strip()) == (130, "", "fastgc: interrupted")
    assert names(here) == ["my study.toml"]
