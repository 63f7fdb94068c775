"""Kills at random moments, again and again until each run is complete."""

import random
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.kills import judge
from bench.kills.children import Child, Marks
from bench.kills.scenes import Scene, small
from bench.outcomes import Outcome
from fastgc.results import store

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


def forked(scene: Scene, kills: int, folder: Path, seed: int) -> Outcome:
    """Kill forked children that run a scene, until so many were killed and each run is complete.

    They are killed the later the more kills came too early. Counted are runs, kills, kills while
    something was written, of each kind, and idle ones, before anything more was kept.
    """
    choose = random.Random(f"{seed} {scene.name}")
    marks, series = Marks((IMAGE, FILE)), Outcome(scene.name)
    own, counts = (scene.own, uninterrupted(scene, folder / "whole")), series.counts
    while counts["kills"] < kills:
        place = folder / str(counts["runs"])
        before(scene, place, folder / "before")
        kept, wrong = judge.look(place)
        early, idle = 0, 0
        while not wrong:
            marks.clear()
            with (
                small(),
                patch.object(store, "save", marks.around(IMAGE, store.save)),
                patch.object(store, "replace", marks.around(FILE, store.replace)),
            ):
                child = Child(lambda place=place: scene.call(place))  # type: ignore[misc]
            code = child.kill_after(choose.uniform(0.0, LONGEST * 2**early))
            said, writing, last = child.said(), marks.under_way(), kept
            child.close()
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
