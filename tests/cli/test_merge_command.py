"""``fastgc merge``, and what ``show`` says of shards: what is printed where, and exit codes."""

import json

import pytest

from suite.checks import every

STUDY = """
seed = 3
[stop]
trials = 1000
relative_error = 0.04
[[experiment]]
name = "groups"
code = { family = "frc", n = 4, d = 2 }
stragglers = { model = "iid", p = 0.3 }
method = "monte-carlo"
"""

FILES = {"study.toml": STUDY}


@pytest.fixture
def shards(here, small_blocks, command):
    for own in range(3):
        code, _, err = command("run", "study.toml", "--shard", f"{own}/3", "-o", f"s_{own}.h5")
        assert code == 0 and "stopped by trials" in err, "precision stops no shard"
    return here


def rows(command, *arguments):
    code, out, _ = command("show", *arguments, "--json")
    assert code == 0
    return json.loads(out)


@pytest.mark.night
def test_merging(shards, command):
    code, out, err = command("merge", "s_0.h5", "s_1.h5", "s_2.h5", "-o", "all.h5")
    assert code == 0 and "groups" in out
    count, remedy, done = err.splitlines()
    assert count == "0 of 1 points have the precision that is asked for"
    assert remedy.startswith("to get there, run each shard again with --trials ")
    assert int(remedy.split()[9]) > 1000 and remedy.endswith("and merge again; groups takes most")
    assert done == "done: merged 3 shards; kept in all.h5"
    whole = command("run", "study.toml", "-o", "whole.h5", "--set", "stop.relative_error=0.04")
    assert whole[0] == 0
    assert rows(command, "all.h5") == rows(command, "whole.h5")
    before = (shards / "all.h5").stat().st_ino
    code, _, err = command("run", "study.toml", "-o", "all.h5")
    assert code == 0 and (shards / "all.h5").stat().st_ino == before


@pytest.mark.night
def test_show_says_where_a_file_comes_from(shards, command):
    code, out, err = command("show", "s_1.h5")
    assert code == 0 and "groups" in out
    assert err == "this is shard 1/3 of a run; `fastgc merge` joins all 3\n"
    assert err in command("plot", "s_1.h5")[2]
    command("merge", "s_0.h5", "s_1.h5", "-o", "some.h5", "--partial")
    for form in ([], ["--json"]):
        assert command("show", "some.h5", *form)[2] == (
            "this was merged from 2 of 3 shards: s_0.h5, s_1.h5; merged without shard 2/3\n"
        )
    command("run", "study.toml", "-o", "whole.h5")
    assert command("show", "whole.h5")[2] == ""


def test_a_missing_shard(shards, command):
    code, out, err = command("merge", "s_0.h5", "s_2.h5", "-o", "all.h5")
    assert (code, out) == (2, "")
    assert err == ("fastgc: shard 1/3 is missing; run and name it, or accept that with --partial\n")
    assert not (shards / "all.h5").exists()
    code, out, err = command("merge", "s_0.h5", "s_2.h5", "-o", "all.h5", "--partial")
    assert code == 0 and "merged without shard 1/3" in out
    assert every("merged without shard 1/3" in row["note"] for row in rows(command, "all.h5"))
    code, out, err = command("run", "study.toml", "-o", "all.h5")
    assert (code, out) == (2, "") and "no run can fill the gaps" in err


def test_mistakes(here, command):
    for arguments, said in (
        (["-o", "all.h5"], "SHARD"),
        (["s_0.h5"], "--out"),
        (["s_0.h5", "-o", "none/all.h5"], "there is no folder none"),
    ):
        code, out, err = command("merge", *arguments)
        assert (code, out) == (2, "") and len(err.splitlines()) == 1 and said in err
