"""Kills at random moments, again and again until each run is complete."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.command import FASTGC
from bench.kills import judge
from bench.kills.children import Child, Marks
from bench.kills.scenes import OUT, Scene, small
from bench.outcomes import Outcome
from fastgc.results import image, store

#: Names that a finished folder has, and the content of its file.
Own = tuple[frozenset[str], Any]
IMAGE, FILE = "making an image", "writing a file"
LONGEST = 0.3  # seconds until a child is killed, at first
PATIENCE = 8  # kills without a block more, until the next ones come later


def uninterrupted(scene: Scene, folder: Path) -> Any:
    """Content of a file that is not killed; also compiles all kernels, in this process."""
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


def tries(scene: Scene, folder: Path, each: Iterable[Any]) -> Iterator[tuple[Any, Path]]:
    """Yield a folder as it is before the first run, for each; afterwards it goes."""
    for one in each:
        before(scene, folder / str(one), folder / "before")
        yield one, folder / str(one)
        shutil.rmtree(folder / str(one))


#: Runs a scene in a folder, and kills it, the later the more kills came too early: its exit code
#: or None, what it said, and what it was writing.
Attempt = Callable[[Path, int], tuple[int | None, str, set[str]]]


def _again(
    name: str, kills: int, folder: Path, begin: Callable[[Path], None], attempt: Attempt, own: Own
) -> Outcome:
    """Kill until so many were killed, and each run is complete.

    Counted are runs, kills, kills while something was written, of each kind, and idle ones, before
    anything more was kept. ``own`` is what a finished folder has, and the content of its file.
    """
    series = Outcome(name)
    counts = series.counts
    while counts["kills"] < kills:
        place = folder / str(counts["runs"])
        begin(place)
        kept, wrong = judge.look(place)
        early, idle = 0, 0
        while not wrong:
            code, said, writing = attempt(place, early)
            last = kept
            kept, wrong = judge.look(place, kept)
            if code is not None:
                wrong += [] if code == 0 else [f"ends with {code}: {said}"]
                break
            counts.update(writing, kills=1, writing=bool(writing), idle=kept == last)
            idle = idle + 1 if kept == last else 0
            early += idle > 0 and idle % PATIENCE == 0
        counts["runs"] += 1
        wrong = wrong or judge.finished(place, *own)
        series.wrong += [f"run {counts['runs']}: {each}" for each in wrong]
        if not wrong:
            shutil.rmtree(place)
    return series


def forked(scene: Scene, kills: int, folder: Path, seed: int) -> Outcome:
    """Kill forked children that run a scene."""
    choose = random.Random(f"{seed} {scene.name}")
    marks = Marks((IMAGE, FILE))

    def attempt(place: Path, early: int) -> tuple[int | None, str, set[str]]:
        marks.clear()
        with (
            small(),
            patch.object(store, "save", marks.around(IMAGE, store.save)),
            patch.object(store, "replace", marks.around(FILE, store.replace)),
        ):
            child = Child(lambda: scene.call(place))
        code = child.kill_after(choose.uniform(0.0, LONGEST * 2**early))
        said = child.said()
        child.close()
        return code, said, marks.under_way()

    own = scene.own, uninterrupted(scene, folder / "whole")
    return _again(
        scene.name,
        kills,
        folder,
        lambda place: before(scene, place, folder / "before"),
        attempt,
        own,
    )


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
    "fastgc validate": ("validate", "agc.theorem1", "agc.remark2", "--trials", "3000000"),
}
#: Has checkpoints come at once.
EARLY = "from fastgc.results import checkpointer as c; c.FIRST_CHECKPOINT = c.CHECKPOINT_SECONDS ="
EARLY += " 0.02; c.CHECKPOINT_SHARE = 1.0; "
LATEST = 0.3  # seconds from a command's first checkpoint to its kill


def commands(name: str, kills: int, folder: Path, seed: int) -> Outcome:
    """Kill the command itself."""
    choose = random.Random(f"{seed} {name}")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    words = [sys.executable, "-c", EARLY + FASTGC, *COMMANDS[name], "-o", OUT]

    def start(place: Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            words,
            cwd=place,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def begin(place: Path) -> None:
        place.mkdir()
        (place / "study.toml").write_text(COMMAND_STUDY, encoding="utf-8")

    def attempt(place: Path, early: int) -> tuple[int | None, str, set[str]]:
        partial = place / (OUT + image.PARTIAL_SUFFIX)
        inode = partial.stat().st_ino if partial.exists() else None
        process = start(place)
        while process.poll() is None and (not partial.exists() or partial.stat().st_ino == inode):
            time.sleep(0.005)
        said = ""
        with contextlib.suppress(subprocess.TimeoutExpired):
            said = process.communicate(timeout=choose.uniform(0.0, LATEST))[1]
        process.send_signal(signal.SIGKILL)
        said = said or process.communicate()[1]
        if process.returncode != -signal.SIGKILL:
            return process.returncode, said, set()
        return None, said, {FILE} if any(place.rglob(".*.tmp")) else set()

    begin(folder / "whole")
    process = start(folder / "whole")
    if process.communicate() and process.returncode:
        raise RuntimeError(f"{name} ends with {process.returncode}")
    own = frozenset({"study.toml"}), judge.content(folder / "whole")
    return _again(name, kills, folder, begin, attempt, own)
