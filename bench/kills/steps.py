"""A kill before every single step that changes a file or a folder, and within it."""

import itertools
import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.kills import judge
from bench.kills.children import ended, resumed
from bench.kills.scenes import Scene, small
from bench.kills.syscalls import Syscalls
from bench.outcomes import Attempts


def chosen(names: Sequence[str], every: int, choose: random.Random) -> Iterator[tuple[int, bool]]:
    """Yield steps, and whether the kill comes within it: all, or one of so many at random.

    ``names`` are those of a run that was not killed; others may have some steps more.
    """
    for step in itertools.count():
        is_write = step < len(names) and names[step] == "write"  # others have no half
        for half in (False, True) if is_write else (False,):
            if choose.randrange(every) == 0:
                yield step, half


def sweep(scene: Scene, folder: Path, every: int, seed: int) -> Attempts:
    """Kill a scene at every step; each time look, go on, and look again.

    Where it goes on it is killed at a step again, one of three times, before it may end.
    """
    found = Attempts(scene.name)
    whole = judge.uninterrupted(scene, folder / "whole")
    choose = random.Random(seed)
    names = names_of(scene, folder)
    found.counts.update(names, steps=len(names))
    for step, half in chosen(names, every, choose):
        own = folder / f"{step} {half}"
        scene.prepare(own, folder / "before")
        kept, wrong = judge.look(own)
        code = _killed(scene, own, step, half)
        if code is None:
            found.counts["kills"] += 1
            kept, more = judge.look(own, kept)
            wrong += more
            if choose.randrange(3) == 0 and _killed(scene, own, choose.randrange(60), half) is None:
                found.counts["kills"] += 1
                wrong += judge.look(own, kept)[1]
        wrong += resumed(scene, own, whole)
        found.wrong += [f"{'in' if half else 'before'} step {step}: {each}" for each in wrong]
        if not wrong:
            shutil.rmtree(own)
        if code is not None:
            if code:
                found.wrong.append(f"without a kill it ends with {code}")
            break
    return found


def _killed(scene: Scene, own: Path, step: int, half: bool) -> int | None:
    def call() -> None:
        with Syscalls(own, step, half=half).counting():
            scene.call(own)

    return ended(call)[0]


def names_of(scene: Scene, folder: Path) -> list[str]:
    """Calls of one run, which is not killed."""
    own = folder / "counted"
    scene.prepare(own, folder / "before")
    calls = Syscalls(own)
    with small(), calls.counting():
        scene.call(own)
    return calls.names
