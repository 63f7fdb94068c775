"""The log on stderr, as a batch queue keeps it: lines of text or JSON, from first to last."""

import json
import os
import re
import signal
import sys
import threading

import pytest

from conftest import environment
from fastgc import report
from fastgc.cli import log, main
from fastgc.cli.log import Log
from fastgc.registry.activity import Step, searching
from fastgc_kernels import _sources
from suite.checks import every
from suite.waiting import HUNG, until

STUDY = """
title = "two of them"
[stop]
trials = 2000000
[[experiment]]
name = "groups"
code = { family = "frc", n = 20, d = 2 }
stragglers = { model = "iid", p = 0.3 }
method = "monte-carlo"
[experiment.sweep]
"stragglers.p" = [0.1, 0.3]
"""

DESIGN = """
[design]
workers = 6
schemes = ["uncoded", "k-of-n"]
latency = { distribution = "exponential", mean = 1.0, shift = 1.0 }
"""

STAMP = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
FILES = {"study.toml": STUDY, "design.toml": DESIGN}


def events(err):
    """The lines of a log, each of which must be one object of strict JSON."""

    def refuse(text):
        raise AssertionError(f"{text} is no JSON")

    found = [json.loads(line, parse_constant=refuse) for line in err.splitlines()]
    assert every({"event", "time", "seconds", "command"} <= set(each) for each in found)
    return found


def names(found):
    events = [each["event"] for each in found]
    return [name for name, before in zip(events, [None, *events], strict=False) if name != before]


@pytest.mark.night
def test_a_log_says_at_once_what_runs_and_at_the_end_what_came_of_it(
    here, command, fastgc_command, monkeypatch
):
    code, quiet, said = command("run", "study.toml")
    assert (code, said) == (0, "done: stopped by trials\n")
    # where neither option nor variable asks for it, a run that is no terminal's keeps a log
    done = fastgc_command("run", "study.toml", "-o", "a.h5", env=environment(FASTGC_LOG=None))
    assert done.returncode == 0 and done.stdout == quiet
    first, *between, last = done.stderr.splitlines()
    said = "fastgc run study.toml: two of them: 2 points, [0-9]+ cores?, kept in a.h5"
    assert re.fullmatch(f"{STAMP} {said}", first), first
    assert between == [], "30 s have not passed"
    said = r"done: stopped by trials; kept in a.h5 \(4 000 000 trials, [0-9]+ s\)"
    assert re.fullmatch(f"{STAMP} {said}", last), last
    monkeypatch.setenv("FASTGC_LOG", "text")
    assert "2 points, shard 1/2, " in command("run", "study.toml", "--shard", "1/2")[2]
    again = command("run", "study.toml", "-o", "a.h5", "--trials", 3000000)[2]
    assert "going on from 4 000 000 trials" in again.splitlines()[0]
    (here / "one.toml").write_text(STUDY.partition("[experiment.sweep]")[0])
    one = command("run", "one.toml", "--trials", 1000)[2]
    assert ": 1 point, " in one.splitlines()[0]


@pytest.mark.night
def test_a_program_can_follow_a_night(here, fastgc_process, command):
    arguments = "run", "study.toml", "-o", "a.h5", "--log", "json"
    often = environment(FASTGC_LOG_SECONDS="0.05")
    process = fastgc_process(*arguments, "--trials", 10**11, env=often)
    lines = []
    while not lines or not (events(lines[-1])[0].get("eta") and '"value": 0.' in lines[-1]):
        lines.append(process.stderr.readline())
        assert lines[-1], lines
    process.send_signal(signal.SIGTERM)
    lines += [process.communicate(timeout=HUNG)[1]]
    found = events("".join(lines))
    assert names(found) in (
        ["started", "progress", "stopping", "finished"],
        ["started", "progress", "stopping", "progress", "finished"],
    )
    first, last = found[0], found[-1]
    [stopping] = [each for each in found if each["event"] == "stopping"]
    assert stopping["signal"] == "SIGTERM" and "second SIGTERM" in stopping["message"]
    assert [first[key] for key in ("subject", "title", "file")] == [
        "study.toml",
        "two of them",
        "a.h5",
    ]
    assert (first["what"], first["total"], first["trials"]) == ("points", 2, 0)
    assert first["goal"] == 2 * 10**11 and first["cores"] >= 1
    assert process.returncode == last["exit_code"] == 75
    assert last["stopped_by"] == "SIGTERM" and last["complete"] is False
    assert last["file"] == "a.h5.part" and last["trials"] > 0
    progress = [each for each in found if each["event"] == "progress"]
    trials = [each["trials"] for each in progress]
    assert trials == sorted(trials) and trials[-1] <= last["trials"]
    known = next(each for each in progress if each["value"] and each["eta"])
    assert known["low"] < known["value"] < known["high"] and known["quantity"] == "error"
    assert known["eta"] > 0 and known["goal"] == 2 * 10**11 and known["kept"] >= 0
    # the same command with fewer trials has enough and ends
    found = events(command(*arguments)[2])
    assert found[0]["trials"] == last["trials"]
    assert found[-1] | {"exit_code": 0, "complete": True, "file": "a.h5"} == found[-1]


def test_leaving_at_once_is_an_event_too(monkeypatch, capfd):
    left = []
    monkeypatch.setattr(os, "_exit", left.append)
    monkeypatch.setattr(log, "current", lambda: Log("json", command="run"))
    asked = log.StopRequest()
    for number in (signal.SIGINT, signal.SIGINT, signal.SIGUSR1):  # the second is an echo
        asked.hear(number, None)
    assert (asked.reason(), asked.exit_code, left) == ("SIGINT", 130, [])
    asked.at -= 1.0
    capfd.readouterr()
    asked.hear(signal.SIGTERM, None)
    [event] = events(capfd.readouterr().err)
    assert (event["event"], event["signal"], event["exit_code"]) == ("failed", "SIGTERM", 75)
    assert left == [75] and "left at once" in event["message"]


@pytest.mark.night
@pytest.mark.parametrize(("arguments", "ends"), [
    (["run", "study.toml"], {"trials": 4_000_000, "stopped_by": "trials"}),
    (["validate", "agc.lemma1", "agc.theorem1.printed"], {"claims": 2}),
    (["errata", "hierarchical", "--method", "exact", "--trials", 1000], {"file": None}),
    (["design", "design.toml"], {"message": "done: 4 systems ranked"}),
    (["show", "whole.h5", "--audit", 1, "--seed", 1], {"passed": True, "blocks": 32}),
    (["merge", "s_0.h5", "s_1.h5", "-o", "all.h5"], {"file": "all.h5"}),
], ids=lambda words: words[0] if isinstance(words, list) else "")  # fmt: skip
def test_every_command_that_takes_long_has_the_same_log(
    here, command, monkeypatch, arguments, ends
):
    files = {"whole.h5": [], "s_0.h5": ["--shard", "0/2"], "s_1.h5": ["--shard", "1/2"]}
    for file in files.keys() & set(arguments):
        trials = 10**6 if file == "whole.h5" else 10**5
        assert command("run", "study.toml", "-o", file, "--trials", trials, *files[file])[0] == 0
    plain = command(*arguments)
    (here / "all.h5").unlink(missing_ok=True)
    monkeypatch.setenv("FASTGC_LOG", "json")
    code, out, err = command(*arguments)
    assert (code, out) == plain[:2]
    found = events(err)
    assert names(found)[0] == "started" and names(found)[-1] == "finished"
    assert every(each["command"] == arguments[0] for each in found)
    assert found[-1] | ends | {"exit_code": code} == found[-1]


# ---- what goes wrong


@pytest.mark.parametrize(("arguments", "said"), [
    ("run none.toml", "no such file"),
    ("run study.toml --trials 0", "--trials"),
    ("run", "STUDY"),
])  # fmt: skip
def test_a_mistake_is_one_event(here, command, monkeypatch, arguments, said):
    for extra in (["--log", "json"], ["--log=json"]):
        code, out, err = command(*arguments.split(), *extra)
        last = events(err)[-1]
        assert (code, out) == (2, "")
        assert (last["event"], last["exit_code"]) == ("failed", 2) and said in last["message"]
    monkeypatch.setenv("FASTGC_LOG", "json")
    assert events(command(*arguments.split())[2])[-1]["message"] == last["message"]


@pytest.mark.parametrize("seconds", ["0", "nan", "often"])
def test_seconds_between_lines_are_more_than_none(here, command, monkeypatch, seconds):
    monkeypatch.setenv("FASTGC_LOG_SECONDS", seconds)
    code, out, err = command("run", "study.toml")
    assert (code, out) == (2, "") and f"FASTGC_LOG_SECONDS: must be above 0 (got {seconds})" in err


def test_a_form_that_is_none_is_refused_by_its_variable(here, command, monkeypatch):
    monkeypatch.setenv("FASTGC_LOG", "xml")
    for arguments in (["run", "study.toml"], ["show", "study.toml", "--html"]):
        code, out, err = command(*arguments)
        said = "FASTGC_LOG: must be one of bar, text, json, none (got xml)"
        assert (code, out) == (2, "") and said in err


def test_a_line_says_what_is_waited_for_and_no_time_left_while_nothing_is_added(
    here, command, monkeypatch
):
    """A search says how much of it is done; the time left of a run that stands is not known."""

    def long(*_, progress, **__):
        with searching("sets", 200) as looked_at:
            looked_at.done = 82
            progress(Step("parts", 1, 3, "ring"))
            until(lambda: sys.stderr.getvalue().count("ring") >= 2, "no two lines")
        return []

    monkeypatch.setattr("fastgc.planning.design", long)
    monkeypatch.setattr(report, "remedies", lambda found: "nothing")
    monkeypatch.setenv("FASTGC_LOG_SECONDS", "0.1")
    arguments = "design", "design.toml"
    text = command(*arguments, "--log", "text")[2]
    assert "ring: 1 of 3 parts, searching sets: 41 % of 200" in text
    found = events(command(*arguments, "--log", "json")[2])
    lines = [each for each in found if each["event"] == "progress"]
    said = {(each["done"], each["total"], each["name"], each["waiting"]) for each in lines}
    assert len(lines) >= 2 and said == {(1, 3, "ring", "searching sets: 41 % of 200")}
    assert every(each["eta"] is None for each in lines), "parts of a search differ too much"


@pytest.mark.parametrize(("form", "compiled", "said"), [
    (None, ["svd"], 1), ("text", ["svd"], 1), ("bar", ["svd"], 0), ("none", ["svd"], 0),
    (None, [], 0),
])  # fmt: skip
def test_it_is_said_once_that_kernels_are_compiled(form, compiled, said, monkeypatch, capsys):
    monkeypatch.delenv("FASTGC_LOG", raising=False)
    monkeypatch.setattr(_sources, "COMPILING_NOW", compiled)
    ended = threading.Event()
    end = threading.Timer(2.0, ended.set)
    end.start()
    main._say_what_is_compiled(Log(form), ended)
    found = capsys.readouterr()
    assert (found.out, found.err.count("fastgc: compiling kernels, once")) == ("", said)
    assert ended.is_set() is not bool(compiled)
    end.cancel()
    end.join()
