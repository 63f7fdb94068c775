"""The command: what it prints where, and its exit codes."""

import contextlib
import errno
import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import fastgc
from conftest import COMMAND, environment, ran
from fastgc import report
from fastgc.results import store
from fastgc.results.verdict_data import Finding, conclude
from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import Case, Claim
from suite.checks import every
from suite.files import names, state
from suite.waiting import HUNG, until

STUDY = """
title = "groups of two"
seed = 3
[stop]
trials = 1000
[[experiment]]
name = "groups"
code = { family = "frc", n = 4, d = 2 }
stragglers = { model = "iid", p = 0.3 }
method = "both"
measure = ["error", "survivors"]
quantiles = [0.5]
[experiment.sweep]
"stragglers.p" = [0.1, 0.3]
"""

FILES = {"study.toml": STUDY}


# ---- what it prints


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["run", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments, tmp_path):
    program = (
        "import sys\n"
        "from fastgc.cli.main import main\n"
        "try:\n    main()\n"
        "except SystemExit as done:\n    assert not done.code\n"
        "heavy = {'numba', 'llvmlite', 'h5py', 'pydantic', 'numpy', 'tqdm'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = ran(sys.executable, "-c", program, *arguments, cwd=tmp_path)
    assert done.stderr.strip() == "[]"
    assert fastgc.__version__ in done.stdout or "Usage" in done.stdout


@pytest.mark.night
def test_a_run(here, command):
    code, out, err = command("run", "study.toml", "-o", "a.h5")
    assert code == 0
    assert out.splitlines()[0] == "groups of two"
    assert "stragglers.p  error  error quantile(0.5)  survivors[4]" in out
    assert err.strip() == "done: stopped by trials; kept in a.h5"
    assert names(here) == ["a.h5", "study.toml"]
    again = command("show", "a.h5")
    assert again[0] == 0 and again[2] == ""
    # the title is the study's; the numbers are the same
    assert out.splitlines()[2:] == again[1].splitlines()[-len(out.splitlines()[2:]) :]


@pytest.mark.night
def test_options_change_the_study(here, command):
    def rows(*options):
        assert command("run", "study.toml", "-o", "a.h5", *options)[0] == 0
        found = store.load(here / "a.h5").rows
        (here / "a.h5").unlink()
        return found

    plain = rows()
    assert rows("--threads", "2") == plain
    assert rows("--seed", "4") != plain
    assert {row["method"] for row in rows("--method", "exact")} == {"exact", "closed-form"}
    assert {row["trials"] for row in rows("--trials", "77")} == {None, 77}
    changed = rows("--set", "experiment.groups.code.d=4", "--set", "title=other")
    [error] = [
        row["value"]
        for row in changed
        if (row["quantity"], row["statistic"], row["method"]) == ("error", "mean", "exact")
        and row["point"] == {"stragglers.p": 0.3}
    ]
    assert error == pytest.approx(4 * 0.3**4)
    shards = [rows("--shard", f"{own}/2", "--method", "monte-carlo") for own in (0, 1)]
    assert shards[0][0]["trials"] == 1000 and len(shards[1]) < len(shards[0])


@pytest.mark.night
def test_a_terminal_sees_something_at_once(here):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    process = subprocess.Popen(
        [*COMMAND, "run", "study.toml", "--trials", "300000", "--method", "monte-carlo"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=environment(TERM="xterm", FASTGC_LOG=None),
    )
    os.close(theirs)
    assert select.select([ours, process.stdout], [], [], HUNG)[0] == [ours], "rows came before"
    shown = first = os.read(ours, 1000).decode()
    with contextlib.suppress(OSError):  # its end
        while more := os.read(ours, 10_000):
            shown += more.decode(errors="replace")
    out = process.communicate(timeout=HUNG)[0].decode()
    os.close(ours)
    assert process.returncode == 0
    assert "fastgc" in first
    assert "[1/2] groups" in shown and "| 0.00/600k" in shown, shown
    assert "\r" not in out and "\x1b" not in out


@pytest.mark.night
def test_a_reader_that_has_gone(here, command, fastgc_process):
    command("run", "study.toml", "-o", "a.h5")
    process = fastgc_process("show", "a.h5", "--json")
    process.stdout.close()
    error = process.stderr.read()
    assert process.wait(timeout=HUNG) in (0, 74, 141)
    assert error == ""


# ---- exit code 1: a verdict differs


def given(monkeypatch, *found):
    """Let a validation find these verdicts, one after the other, without measuring."""

    def validate(*_, decided=lambda verdict: None, **__):
        for verdict in found:
            decided(verdict)
        return list(found)

    # errata has the function under its own name
    for module in ("reports", "validate"):
        monkeypatch.setattr(f"fastgc.validation.{module}.validate", validate)


def fallen(name, said, expected="confirmed", **more):
    case = Case({"n": 8}, 1.0, {}, "error")
    claim = Claim(name, "test", "so it is", "there", "=", expected, lambda: (case,), **more)
    reason = "too few events" if said == "undecided" else ""
    estimate = Estimate(0.9, 0.01, 1000)
    return conclude(claim, [Finding(case, estimate, "monte-carlo", said, 0.02, reason=reason)])


def test_a_verdict_that_differs(here, command, monkeypatch):
    known, wrong = fallen("a.known", "refuted", "refuted"), fallen("a.wrong", "refuted")
    given(monkeypatch, fallen("a.right", "confirmed"), known)
    code, out, err = command("validate")
    assert (code, err) == (0, "") and "every verdict is the expected one" in out
    given(monkeypatch, known, wrong)
    code, out, err = command("validate")
    assert (code, err) == (1, "") and "1 differs from what was expected" in out
    code, out, _ = command("validate", "--json")
    row = json.loads(out)[1]
    assert (code, row["verdict"], row["expected"]) == (1, "refuted", "confirmed")


def test_undecided_alone_is_a_failure_only_where_it_is_asked_for(here, command, monkeypatch):
    given(monkeypatch, fallen("a.open", "undecided"), fallen("a.right", "confirmed"))
    for form in ([], ["--json"]):
        code, out, err = command("validate", *form)
        assert (code, err) == (0, "")
        assert command("validate", "--strict", *form) == (1, out, "")
    out = command("validate", "--strict")[1]
    assert out.splitlines()[-1] == "a.open is undecided: too few events."
    given(monkeypatch, fallen("a.right", "confirmed"), fallen("a.known", "refuted", "refuted"))
    assert command("validate", "--strict")[0] == 0


def test_methods_that_disagree_are_a_bug(here, command, monkeypatch):
    found = fallen("agc.lemma.printed", "confirmed")
    [exact] = found.findings
    wrong = replace(exact, estimate=Estimate(0.9, 0.0), sampled=Estimate(0.8, 0.001, 10**6))
    given(monkeypatch, replace(found, findings=(wrong,)))
    said = (
        "agc.lemma.printed: mean error at n=8 is 0.9 exactly and 0.8000(10) sampled, which cannot "
        "both be right: it is a bug of fastgc, please report it with `fastgc help versions`\n"
    )
    code, out, err = command("validate", "--json")
    assert (code, err) == (70, said) and json.loads(out)
    code, out, err = command("errata", "agc")
    assert (code, err) == (70, said) and "so it is" in out
    given(monkeypatch, fallen("agc.lemma.printed", "refuted"))
    code, out, err = command("errata", "agc", "--trials", 5)
    assert (code, err) == (1, "") and "look at it again" in out


def test_verdicts_are_printed_as_they_fall(here, command, monkeypatch, capsys):
    verdicts = [fallen("a.first", "confirmed"), fallen("a.second", "undecided")]
    seen = []

    def validate(*_, batch, **__):
        for verdict in verdicts:
            batch.found(verdict)
            seen.append(capsys.readouterr().out)
        return verdicts

    monkeypatch.setattr("fastgc.validation.validate.validate", validate)
    code, out, _ = command("validate")
    assert code == 0
    assert seen == [f"{report.verdict(verdict)}\n" for verdict in verdicts]
    assert out == f"\n{report.summary(verdicts)}\n"


@pytest.mark.night
def test_errata_of_a_file(here, command):
    claims = "agc.theorem1.survivors.printed", "agc.lemma1"
    assert command("validate", *claims, "-o", "a.h5")[0] == 0
    for form in ([], ["--html"], ["--latex"], ["--json"]):
        code, out, err = command("errata", "agc", "--from", "a.h5", *form)
        assert (code, err) == (0, "")
        assert (claims[0] in out and "agc.lemma1" in out) or (
            "--latex" in form and "Theorem 1" in out
        )
    assert json.loads(out) == json.loads(json.dumps(fastgc.validation.errata("agc", source="a.h5")))


# ---- exit code 2: the user's mistake


def one_line(err):
    assert "Traceback" not in err
    assert err.startswith("fastgc: ") and err.endswith("\n") and err.count("\n") == 1, err
    return err


@pytest.mark.parametrize(("arguments", "said"), [
    (["run", "study.toml", "--trials", "0"], ["--trials", "0"]),
    (["run", "study.toml", "--shard", "3/2"], ["--shard", "3/2"]),
    (["run", "study.toml", "--shard", f"0/{'9' * 23}"], ["0 ≤ i < N ≤ 1000000"]),
    (["run", "study.toml", "-o", "study.toml"], ["study.toml: is the study itself; name another"]),
    (["plot", "."], [".: is a directory; name a file in it"]),
    (["run", "study.toml", "--json"], ["belongs to --dry-run"]),
    (["run", "study.toml", "--tirals", "3"], ["--tirals", "--trials"]),
    (["run", "study.toml", "--set", "nonsense"], ["nonsense", "KEY=VALUE"]),
    (["run", "study.toml", "--set", "experiment.groups.code.d=3"], ["divide n", "d=3"]),
    (["inspect", "frc", "--p"], ["'--p'. Did you mean '-p'?; see `fastgc inspect --help`"]),
    (["inspect", "frc", "--html"], ["No such option '--html'; see"]),
    (["theory"], ["theory is looked up by `fastgc help theory`"]),
    (["run", "none.toml"], ["none.toml", "no such file", "fastgc help studies"]),
    (["run", "agc/mian"], ["agc/mian", "did you mean 'agc/main'"]),
    (["run"], ["STUDY", "see `fastgc run --help`\n"]),
    (["run", "study.toml", "--compile-only", "-o", "a.h5"], ["leave -o and --dry-run out"]),
    (["measure", "agc/main"], ['must be "completion" or "training" to be measured']),
    (["rnu", "study.toml"], ["rnu"]),
    (["run", "study.toml", "-o", "other.h5"], ["other.h5", "another study", "remove"]),
    (["show", "none.h5"], ["none.h5", "no such file"]),
    (["show", "other.h5", "--xml"], ["--xml"]),
    (["validate", "agc.theorm1.printed"], ["did you mean 'agc.theorem1.printed'"]),
    (["validate", "zzz"], ["unknown claim 'zzz' (`fastgc validate --list` lists all)"]),
    (["help", "theory", "agc.nosuch", "n=1"], ["agc.nosuch"]),
    (["inspect", "nosuch"], ["nosuch"]),
    (["inspect", "other.h5", "stragglers=3"], ["a file takes no key=value", "--stragglers 3"]),
    (["help", "studies", "zzz"], ["`fastgc help studies` lists them"]),
    (["errata", "agd"], ["agd", "did you mean 'agc'"]),
    (["errata", "agc", "--from", "other.h5"], ["other.h5", "holds no verdicts"]),
    (["errata", "agc", "--from", "other.h5", "--seed", "1"], ["nothing is measured", "--seed"]),
    (["validate", "agc.lemma1", "-o", "other.h5"], ["other.h5", "another study"]),
], ids=" ".join)  # fmt: skip
def test_bad_commands(here, command, arguments, said):
    other = {"code": {"family": "frc", "n": 4, "d": 2}, "stragglers": {"model": "iid", "p": 0.5}}
    fastgc.run(other, out=here / "other.h5", trials=10)
    before = {path.name: path.read_bytes() for path in here.iterdir() if path.is_file()}
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    assert len(one_line(err)) < 300
    for part in said:
        assert part in err, f"{part!r} is not in {err!r}"
    after = {path.name: path.read_bytes() for path in here.iterdir() if path.is_file()}
    assert after == before


@pytest.mark.parametrize(("extra", "package", "line"), [
    ("dask", "distributed", "run study.toml --executor dask"),
    ("data", "sklearn", "run agc/fig2c --dry-run"),
    ("mpi", "mpi4py", "validate agc.lemma1 --executor mpi"),
    ("pandas", "pandas", "trace show a.jsonl"),
    ("parquet", "pandas", "advise a.parquet"),
    ("plot", "matplotlib", "plot a.h5"),
])  # fmt: skip
def test_a_missing_extra_is_named(here, command, monkeypatch, extra, package, line):
    for name in ("a.jsonl", "a.parquet"):
        (here / name).write_text("{}")
    command("run", "study.toml", "-o", "a.h5", "--method", "exact")
    monkeypatch.setitem(sys.modules, package, None)
    code, out, err = command(*line.split())
    assert (code, out) == (2, "") and f"pip install 'fastgc-sim[{extra}]'" in one_line(err)


def test_all_mistakes_at_once(here, command):
    text = STUDY.replace("seed", "sede").replace("d = 2", "d = 3")
    (here / "study.toml").write_text(text.replace("trials = 1000", "trials = 0"))
    code, out, err = command("run", "study.toml", "-o", "a.h5")
    lines = err.splitlines()
    assert (code, out) == (2, "") and every(x.startswith("fastgc: study.toml: ") for x in lines)
    places = {"sede", "stop.trials", "experiment.groups.code.d"}
    assert places <= {line.split(": ")[2] for line in lines} and names(here) == ["study.toml"]


# ---- exit codes 70 and 74


def test_a_bug(here, command, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("cannot be")

    monkeypatch.setattr(report, "results", broken)
    code, out, err = command("run", "study.toml")
    assert (code, out) == (70, "")
    assert "cannot be" in err and "report it" in err.splitlines()[-1]
    code, out, err = command("run", "study.toml", "--log", "json")
    last = json.loads(err.splitlines()[-1])
    assert (code, out, last["event"], last["exit_code"]) == (70, "", "failed", 70)
    assert "report it" in last["message"] and "RuntimeError: cannot be" in last["traceback"]


@pytest.mark.parametrize("said", ["Unable to allocate 74.5 GiB", ""])
def test_what_does_not_fit_into_memory_is_no_bug(here, command, monkeypatch, said):
    def full(*_, **__):
        raise MemoryError(*filter(None, [said]))

    monkeypatch.setattr(report, "results", full)
    code, out, err = command("run", "study.toml")
    assert (code, out) == (2, "")
    why = said or "out of memory"
    assert err == f"fastgc: the matrix does not fit into memory ({why}); take fewer workers\n"


@pytest.mark.night
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_nobody_takes_is_one_sentence(here):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "inspect", "frc", "n=8", "d=2"],
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=HUNG,
        )  # fmt: skip
    assert done.returncode == 74
    assert one_line(done.stderr) == (
        "fastgc: standard output: cannot be written (No space left on device)\n"
    )


def test_a_full_disk(here, command, monkeypatch):
    command("run", "study.toml", "-o", "a.h5")
    before = (here / "a.h5").read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    arguments = "run", "study.toml", "-o", "a.h5", "--trials", "2000", "--rows"
    code, out, err = command(*arguments)
    logged, _, events = command(*arguments, "--log", "json")
    monkeypatch.undo()
    assert code == logged == 74
    assert "2 000 trials" in out, "what could not be kept was seen"
    first, last = map(json.loads, events.splitlines())
    assert (first["event"], last["event"], last["exit_code"]) == ("started", "failed", 74)
    assert "more are lost" in last["message"]
    assert one_line(err) == (
        "fastgc: a.h5: cannot be written (No space left on device); a.h5 keeps 2 000 trials, 2 000 "
        "more are lost; once it can be written the same command goes on from there\n"
    )
    assert (here / "a.h5").read_bytes() == before
    assert names(here) == ["a.h5", "study.toml"]


# ---- signals


LONG = """
seed = 5
[stop]
trials = 5000000
[[experiment]]
name = "long"
code = { family = "matrix", file = "B.npy" }
stragglers = { model = "iid", p = 0.2 }
[[experiment]]
name = "next"
code = { family = "frc", n = 30, d = 3 }
stragglers = { model = "iid", p = 0.2 }
method = "monte-carlo"
"""


def started(folder, name="a.h5"):
    """Wait until a run holds its file: from then on it answers signals."""
    until((folder / f".{name}.lock").exists, "the run did not start")


@pytest.mark.night
def test_signals_leave_a_checkpoint(tmp_path, fastgc_process, command, monkeypatch):
    """Three signals, each to the same command; the fourth run ends as if nothing had happened."""
    np.save(tmp_path / "B.npy", np.random.default_rng(0).normal(size=(40, 40)).round(6))
    (tmp_path / "long.toml").write_text(LONG)
    arguments = "run", "long.toml", "-o", "a.h5", "--threads", "1"
    part, before = tmp_path / "a.h5.part", 0
    for sent, expected in (("SIGINT", 130), ("SIGTERM", 75), ("SIGUSR1", 75)):
        process = fastgc_process(*arguments)
        started(tmp_path)
        until(part.exists, "nothing is kept")
        process.send_signal(getattr(signal, sent))
        out, err = process.communicate(timeout=HUNG)
        assert process.returncode == expected, err
        assert names(tmp_path) == ["B.npy", "a.h5.part", "long.toml"]
        last = err.splitlines()[-1]
        assert last == f"stopped early by {sent}: kept in a.h5.part; the same command goes on"
        assert "Traceback" not in err
        kept = store.load(part)
        assert not kept.complete
        trials = sum(unit.tally.trials for unit in kept.units)
        assert trials >= before
        before = trials
    monkeypatch.chdir(tmp_path)
    code, out, err = command(*arguments)
    assert code == 0, err
    assert names(tmp_path) == ["B.npy", "a.h5", "long.toml"]
    units = store.load(tmp_path / "a.h5").units
    assert 0 < before < sum(unit.tally.trials for unit in units)
    fastgc.run("long.toml", out="whole.h5")
    whole = store.load(tmp_path / "whole.h5").units
    assert [state(unit) for unit in units] == [state(unit) for unit in whole]
    assert "long" in out and "5 000 000" in out


@pytest.mark.night
def test_max_seconds(here, command):
    arguments = "run", "study.toml", "-o", "a.h5", "--method", "monte-carlo", "--trials", 10**13
    code, out, err = command(*arguments, "--max-seconds", "0.3")
    assert code == 75
    assert err == "stopped early by max_seconds: kept in a.h5.part; the same command goes on\n"
    assert "trials" in out
    assert names(here) == ["a.h5.part", "study.toml"]
    _, shown, said = command("show", "a.h5")
    assert "error" in shown and said.startswith("a.h5 is not there yet: this is a.h5.part")
