"""`fastgc show` on a run that is not done: once, and with --follow checkpoint by checkpoint."""

import contextlib
import fcntl
import json
import os
import platform
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import time

import pytest

import fastgc
from conftest import COMMAND, environment
from fastgc.errors import FastgcError
from fastgc.results import lock, store
from fastgc.results.rows import with_all_keys
from suite.waiting import HUNG, until

STUDY = """
[stop]
trials = 3000000
[[experiment]]
name = "groups"
code = { family = "frc", n = 20, d = 2 }
stragglers = { model = "iid", p = 0.3 }
method = "monte-carlo"
[experiment.sweep]
"stragglers.p" = [0.1, 0.3]
"""

ENDLESS = ("run", "study.toml", "-o", "a.h5", "--trials", 10**14, "--checkpoint-seconds", 0.1)
FILES = {"study.toml": STUDY}


def unfinished(here):
    """What a run that was stopped leaves."""
    result = fastgc.run(here / "study.toml", out=here / "a.h5", trials=10**12, max_seconds=0.05)
    assert not result.complete and (here / "a.h5.part").exists()


def kept(path):
    """Rows of a file, with all keys."""
    return list(map(with_all_keys, store.load(path).rows))


def written(folder, *names):
    """Wait until one of the files is there."""
    until(lambda: any((folder / name).exists() for name in names), f"{names} were not written")


@pytest.mark.night
def test_an_unfinished_run_is_shown_by_the_name_it_will_have(here, command):
    unfinished(here)
    code, out, err = command("show", "a.h5")
    assert (code, out) == (0, command("show", "a.h5.part")[1])
    assert err.splitlines() == [
        "a.h5 is not there yet: this is a.h5.part, its unfinished run",
        "this run is not complete; the same command goes on",
    ]
    code, out, err = command("show", "a.h5", "--json")
    assert code == 0 and json.loads(out) == kept(here / "a.h5.part")
    assert "its unfinished run" in err


def test_a_complete_run_is_shown_and_left(here, command):
    fastgc.run(here / "study.toml", out=here / "a.h5")
    assert command("show", "a.h5", "--follow") == command("show", "a.h5")
    code, out, _ = command("show", "a.h5", "--follow", "--json")
    content = json.loads(out)
    assert code == 0 and content["event"] == "complete" and content["complete"] is True
    assert content["trials"] == 6_000_000 and content["rows"] == kept(here / "a.h5")


@pytest.mark.night
@pytest.mark.parametrize("name", ["a.h5", "a.h5.part"])
def test_a_run_that_no_process_writes_any_more(here, command, name):
    unfinished(here)
    code, out, err = command("show", name, "--follow")
    [line] = out.splitlines()
    assert code == 75
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d 0 of 2 points sampled, [0-9 ]+ trials, least certain: "
        r"error 0\.\d+\(\d+\) of groups stragglers\.p=0\.1",
        line,
    ), line
    assert err == (
        "a.h5.part: is unfinished and no process writes it; start its command again to go on from "
        "there\n"
    )


@pytest.mark.night
def test_a_run_is_followed_from_before_it_begins_to_its_end(here, fastgc_process):
    follower = fastgc_process("show", "a.h5", "--follow")
    assert follower.stderr.readline() == "a.h5: waiting for a run that writes it\n"
    run = fastgc_process(*ENDLESS)
    written(here, "a.h5.part")
    for _ in range(2):  # two checkpoints, one after the other
        assert "of 2 points sampled" in follower.stdout.readline()
    run.send_signal(signal.SIGTERM)
    assert run.wait(timeout=HUNG) == 75
    assert follower.wait(timeout=HUNG) == 75
    # the same command goes on, this time to the end
    run = fastgc_process("run", "study.toml", "-o", "a.h5", "--checkpoint-seconds", 0.1)
    written(here, ".a.h5.lock", "a.h5")
    follower = fastgc_process("show", "a.h5", "--follow", "--json")
    assert run.wait(timeout=HUNG) == 0
    out, err = follower.communicate(timeout=HUNG)
    lines = [json.loads(line) for line in out.splitlines()]
    assert (follower.returncode, err) == (0, "")
    assert [each["trials"] for each in lines] == sorted(each["trials"] for each in lines)
    assert [each["event"] for each in lines] == ["checkpoint"] * (len(lines) - 1) + ["complete"]
    assert lines[-1]["complete"] is True and lines[-1]["file"] == "a.h5"


@pytest.mark.night
def test_a_killed_writer_is_noticed(here, fastgc_process):
    run = fastgc_process(*ENDLESS)
    written(here, "a.h5.part")
    follower = fastgc_process("show", "a.h5", "--follow")
    assert "trials" in follower.stdout.readline()
    run.kill()
    run.wait()
    assert (here / ".a.h5.lock").exists()
    _, err = follower.communicate(timeout=HUNG)
    assert follower.returncode == 75
    assert err.endswith("no process writes it; start its command again to go on from there\n")


def test_a_writer_that_ends_without_keeping_anything(here, monkeypatch):
    held = iter([True, False])
    monkeypatch.setattr(lock, "is_held", lambda path: next(held))
    first, last = store.follow(here / "a.h5", 0.01)
    assert first.sentence.endswith("a.h5: waiting for its first checkpoint")
    assert last.state == "left" and "kept nothing" in last.sentence


@pytest.mark.night
def test_ctrl_c_ends_it(here, fastgc_process):
    follower = fastgc_process("show", "a.h5", "--follow")
    assert "waiting" in follower.stderr.readline()
    follower.send_signal(signal.SIGINT)
    out, err = follower.communicate(timeout=HUNG)
    assert (follower.returncode, out) == (130, "") and "Traceback" not in err


@pytest.mark.night
def test_a_terminal_is_redrawn(here):
    unfinished(here)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 6, 100, 0, 0))
    process = subprocess.Popen(
        [*COMMAND, "show", "a.h5", "--follow"],
        stdout=theirs,
        stderr=subprocess.PIPE,
        env=environment(TERM="xterm"),
    )
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # its end
        while more := os.read(ours, 10_000):
            shown += more
    process.communicate(timeout=HUNG)
    os.close(ours)
    assert process.returncode == 75
    begun, drawn = shown.decode().split("\x1b[2J")
    lines = drawn.splitlines()
    assert begun == "" and len(lines) <= 5, "it fits on the terminal"
    assert "lines more" in lines[-2] and "points sampled" in lines[-1]


def test_what_is_no_file_of_results(here, command):
    (here / "a.h5").write_text("text")
    code, out, err = command("show", "a.h5", "--follow")
    assert (code, out) == (2, "") and "not a file of fastgc results" in err
    code, out, err = command("show", "a.h5", "--follow", "--csv")
    assert (code, out) == (2, "") and "--csv" in err


# ---- the lock


def test_asking_whether_a_file_is_written(tmp_path):
    path = tmp_path / "a.h5"
    assert lock.is_held(path) is False
    with lock.writing(path):
        assert lock.is_held(path) is True
    assert lock.is_held(path) is False
    left = tmp_path / ".a.h5.lock"
    left.write_text(f"{platform.node()}\n")  # as after a kill
    assert lock.is_held(path) is False
    left.write_text("another-machine\n")  # whose locks may not be seen here
    assert lock.is_held(path) is None


def test_who_asks_keeps_no_writer_out(tmp_path):
    path = tmp_path / "a.h5"
    file = tmp_path / ".a.h5.lock"
    file.write_text("")
    with file.open() as asking:
        fcntl.flock(asking, fcntl.LOCK_SH)
        free = threading.Timer(lock.ASKING_SECONDS / 5, fcntl.flock, (asking, fcntl.LOCK_UN))
        free.start()
        with lock.writing(path):
            pass
        free.join()
    with lock.writing(path), pytest.raises(FastgcError, match="another run is writing"):
        lock.writing(path).__enter__()


def test_a_writer_elsewhere_is_given_up_after_a_long_time_only(here, monkeypatch):
    unfinished(here)
    (here / ".a.h5.lock").write_text("another-machine\n")
    monkeypatch.setattr(store, "PATIENCE_SECONDS", 0.3)
    began = time.monotonic()
    first, last = store.follow(here / "a.h5", 0.02)
    assert time.monotonic() - began > 0.3
    assert (first.state, last.state) == ("checkpoint", "left")
    assert "no checkpoint came for" in last.sentence
