"""Any process of a measurement is killed at a random moment, again and again.

What is looked for: jobs that hang, processes that outlive them, files that cannot be read,
gradients that are wrong though the code tolerates who was missing, tracebacks.
"""

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from bench.command import FASTGC
from bench.outcomes import Outcome
from fastgc.errors import FastgcError
from fastgc.results import measurements

STUDY = """\
[[experiment]]
kind = "completion"
system = { family = "gradient-code", n = 3, s = 1 }
latency = { distribution = "exponential", shift = 0.01, mean = 0.02 }
[measure]
rounds = 120
between_rounds = "cancel"
problem = { model = "logistic", samples = 60, features = 5 }
"""
OUT, MARK = "m.h5", "FASTGC_KILLED_JOB"
#: Seconds from the begin, or from the kill before, to a kill; and to one while workers begin.
LATEST, EARLY = 3.0, 4.0
#: The share of jobs that are killed while workers begin.
BEGINNING = 0.2
#: Seconds after a kill, or the begin, after which a job hangs, or what is left over is an orphan.
HANGS, LEAVES = 240.0, 60.0
#: Above this a gradient, relative and squared, is not the full one.
WRONG = 1e-20
#: What Python says where its own helper is killed, which gives names of semaphores back.
PYTHONS_OWN = re.compile(r"Traceback .*\n  File .*resource_tracker.py.*\n.*\nKeyError: .*\n")
#: Exit codes of a job that was not killed itself: done, a comparison did not hold, workers lost.
FINE = (0, 1, 74)


def killed(kills: int, folder: Path, seed: int) -> Outcome:
    """Kill so often; a job whose master was killed leaves no file, all others a whole one."""
    choose = random.Random(f"{seed} processes")
    series = Outcome("measurements")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    while series.counts["kills"] < kills:
        series.counts["jobs"] += 1
        wrong, struck = _job(folder, choose, f"{os.getpid()}-{series.counts['jobs']}")
        series.counts["kills"] += struck
        if (folder / OUT).exists():  # done, or all workers are lost
            series.counts["finished"] += 1
            wrong += _wrong(folder / OUT, series)
            (folder / OUT).unlink()
        series.wrong += [f"job {series.counts['jobs']}: {each}" for each in wrong]
    return series


def _wrong(path: Path, series: Outcome) -> list[str]:
    try:
        found = measurements.load(path)
    except (FastgcError, OSError, KeyError) as problem:
        return [f"{path.name}: {problem}"]
    if found is None:
        return [f"{path.name}: is no measurement"]
    exact = found.arrays["decoding_error"] < 1e-9
    off = found.arrays["gradient_error"][exact]
    series.counts["exact rounds"] += int(exact.sum())
    return [f"gradient error {off.max():.2g}"] if np.any(off > WRONG) else []


def _job(folder: Path, choose: random.Random, mark: str) -> tuple[list[str], int]:
    words = [sys.executable, "-c", FASTGC, "measure"]
    paths = os.pathsep.join(path for path in sys.path if path)
    with (folder / "said.txt").open("w+", encoding="utf-8") as said:
        process = subprocess.Popen(
            [*words, "study.toml", "-o", OUT],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": paths, MARK: mark},
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
        )
        until = time.monotonic() + HANGS
        if choose.random() < BEGINNING:
            time.sleep(choose.uniform(0.0, EARLY))
        else:
            while process.poll() is None and "rounds" not in _text(said.name):
                if time.monotonic() > until:
                    break
                time.sleep(0.02)
        struck = 0
        while process.poll() is None:
            time.sleep(choose.uniform(0.0, LATEST))
            there = _marked(mark)
            if there and process.poll() is None and struck < 3:
                os.kill(choose.choice(there), signal.SIGKILL)
                struck += 1
                until = time.monotonic() + HANGS
            elif time.monotonic() > until:
                break
    wrong = [f"hangs after {struck} kills"] if process.poll() is None else []
    end = time.monotonic() + LEAVES
    while not wrong and (left := _marked(mark)):
        if time.monotonic() > end:
            wrong.append(f"leaves processes {left}")
        time.sleep(0.1)
    for number in _marked(mark):
        os.kill(number, signal.SIGKILL)
    process.wait()
    text = PYTHONS_OWN.sub("", _text(said.name))
    if "Traceback" in text or (not struck and process.returncode not in FINE):
        wrong.append(f"ends with {process.returncode}: {text[-2000:]}")
    return wrong, struck


def _marked(mark: str) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            is_own = f"{MARK}={mark}".encode() in (path / "environ").read_bytes().split(b"\0")
            if is_own and (path / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found.append(int(path.name))
        except OSError:
            continue
    return sorted(found)


def _text(name: str) -> str:
    return Path(name).read_text(encoding="utf-8", errors="replace")
