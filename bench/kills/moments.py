"""Kills at random moments, again and again until each run is complete."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.kills import judge
from bench.kills.children import Child, Marks
from bench.kills.scenes import OUT, Scene, small
from fastgc.results import image, segments, store

IMAGE, FILE, SEGMENT = "making an image", "writing a file", "writing a segment"
LONGEST = 0.3  # seconds until a child is killed, at first
PATIENCE = 8  # kills without a block more, until the next ones come later


@dataclass
class Series:
    """Kills of one scene.

    Attributes
    ----------
    runs : int
        Runs that were completed.
    kills : int
    places : Counter
        How many kills fell into each part of the writing.
    idle : int
        Kills before anything more was kept.
    wrong : list of str
        All that does not hold.
    """

    name: str
    runs: int = 0
    kills: int = 0
    places: Counter[str] = field(default_factory=Counter)
    writing: int = 0
    idle: int = 0
    wrong: list[str] = field(default_factory=list)


@contextlib.contextmanager
def marking(marks: Marks) -> Iterator[None]:
    """Let children mark what they are in."""
    with (
        patch.object(store, "save", marks.around(IMAGE, store.save)),
        patch.object(store, "replace", marks.around(FILE, store.replace)),
        patch.object(segments, "save_segment", marks.around(SEGMENT, segments.save_segment)),
    ):
        yield


def uninterrupted(scene: Scene, folder: Path) -> Any:
    """Content of the file that nobody kills; also compiles all kernels, in this process."""
    folder.mkdir()
    with small():
        scene.before(folder)
        scene.call(folder)
    return judge.content(folder)


def before(scene: Scene, folder: Path, prepared: Path) -> None:
    """Make what lies in a folder before the first run, from a copy where there is one."""
    if not prepared.exists():
        prepared.mkdir()
        with small():
            scene.before(prepared)
    shutil.copytree(prepared, folder)


def forked(scene: Scene, kills: int, folder: Path, seed: int) -> Series:
    """Kill forked children that run a scene, until so many were killed and each run complete."""
    series, choose = Series(scene.name), random.Random(f"{seed} {scene.name}")
    marks = Marks((IMAGE, FILE, SEGMENT))
    whole = uninterrupted(scene, folder / "whole")
    while series.kills < kills:
        own = folder / str(series.runs)
        before(scene, own, folder / "before")
        kept, wrong = judge.look(own)
        longest, idle = LONGEST, 0
        while not wrong:
            marks.clear()
            with small(), marking(marks):
                child = Child(lambda own=own: scene.call(own))
            code = child.kill_after(choose.uniform(0.0, longest))
            said = child.said()
            child.close()
            last = kept
            kept, wrong = judge.look(own, kept)
            if code is not None:
                wrong += [] if code == 0 else [f"ends with {code}: {said}"]
                break
            series.kills += 1
            found = marks.under_way()
            series.places.update(found)
            series.writing += bool(found)
            series.idle += kept == last
            idle = idle + 1 if kept == last else 0
            longest *= 2 if idle and idle % PATIENCE == 0 else 1
        series.runs += 1
        wrong = wrong or judge.finished(own, scene.own, whole)
        series.wrong += [f"run {series.runs}: {each}" for each in wrong]
        if not wrong:
            shutil.rmtree(own)
    return series


#: What is run as a user runs it: seconds to the first checkpoint and to the end are its own.
COMMAND_STUDY = """\
seed = 11
[[experiment]]
name = "any"
code = { family = "sparse-regular", n = 40, d = 4, seed = 1 }
stragglers = { model = "iid", p = 0.3 }
method = "monte-carlo"
"""
COMMANDS = {
    "fastgc run": ("run", "study.toml", "--trials", "4000100"),
    "fastgc run --keep samples": ("run", "study.toml", "--trials", "1000100", "--keep", "samples"),
    "fastgc validate": ("validate", "agc.theorem1", "agc.remark2", "--trials", "3000000"),
}
FASTGC = [sys.executable, "-c", "from fastgc.cli.main import main; main()"]
LATEST = 0.3  # seconds from a command's first checkpoint to its kill


def commands(name: str, kills: int, folder: Path, seed: int) -> Series:
    """Kill the command itself."""
    series, choose = Series(name), random.Random(f"{seed} {name}")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    arguments = [*FASTGC, *COMMANDS[name], "-o", OUT, "--checkpoint-seconds", "0.02"]

    def start(own: Path) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            arguments,
            cwd=own,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def begin(own: Path) -> None:
        own.mkdir()
        (own / "study.toml").write_text(COMMAND_STUDY, encoding="utf-8")

    study = frozenset({"study.toml"})
    begin(folder / "whole")
    process = start(folder / "whole")
    if process.communicate() and process.returncode:
        raise RuntimeError(f"{name} ends with {process.returncode}")
    whole = judge.content(folder / "whole")
    while series.kills < kills:
        own = folder / str(series.runs)
        begin(own)
        kept, wrong = judge.look(own)
        while not wrong:
            partial = own / (OUT + image.PARTIAL_SUFFIX)
            inode = partial.stat().st_ino if partial.exists() else None
            process = start(own)
            while process.poll() is None and (
                not partial.exists() or partial.stat().st_ino == inode
            ):
                time.sleep(0.005)
            said = b""
            with contextlib.suppress(subprocess.TimeoutExpired):
                said = process.communicate(timeout=choose.uniform(0.0, LATEST))[1]
            process.send_signal(signal.SIGKILL)
            said = said or process.communicate()[1]
            last = kept
            kept, wrong = judge.look(own, kept)
            if process.returncode != -signal.SIGKILL:
                wrong += [] if process.returncode == 0 else [said.decode()]
                break
            series.kills += 1
            series.writing += any(own.rglob(".*.tmp"))
            series.idle += kept == last
        series.runs += 1
        wrong = wrong or judge.finished(own, study, whole)
        series.wrong += [f"run {series.runs}: {each}" for each in wrong]
        if not wrong:
            shutil.rmtree(own)
    return series
