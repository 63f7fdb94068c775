"""A power cut: of what was not synced the disk may have kept all, nothing, or some."""

import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.kills import judge
from bench.kills.children import ended, resumed
from bench.kills.scenes import Scene
from bench.kills.steps import chosen, names_of
from bench.kills.syscalls import Syscalls
from bench.outcomes import Attempts
from fastgc.results import store

#: States of the disk with some, at random, of what was not synced.
SOME = 2
FOLDER = -1


@dataclass
class Disk:
    """What a disk holds for certain, and what it may hold.

    ``root``: the folder that everything lies in; ``names``: inodes by name, `FOLDER` for a folder:
    all that was synced; ``pending``: in their order, changes of names that were not: the folder,
    and what each name becomes; ``written``: inodes whose content was synced; ``now``: inodes by
    name as everybody sees them; ``kept``: full blocks in checkpoints.
    """

    root: str
    names: dict[str, int]
    written: set[int]
    now: dict[str, int] = field(default_factory=dict)
    pending: list[tuple[str, dict[str, int | None]]] = field(default_factory=list)
    kept: judge.Blocks = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path, beside: Path) -> "Disk":
        """Return that of a folder as it is, all of it synced; each file gets a second name."""
        names: dict[str, int] = {}
        for path in sorted(folder.rglob("*")):
            inode = FOLDER if path.is_dir() else path.stat().st_ino
            names[str(path)] = inode
            if inode != FOLDER and not (beside / str(inode)).exists():
                os.link(path, beside / str(inode))
        return cls(str(folder), names, {*names.values()}, dict(names))

    def replay(self, journal: Path) -> None:
        """Do all that a journal says."""
        for line in journal.read_text().splitlines() if journal.exists() else ():
            kind, *what = json.loads(line)
            if kind == "written":
                self.written.add(what[0])
            elif kind == "listed":
                for _, change in [p for p in self.pending if p[0] == what[0]]:
                    _apply(self.names, change)
                self.pending = [p for p in self.pending if p[0] != what[0]]
            elif kind == "moved":
                assert os.path.dirname(what[0]) == os.path.dirname(what[1])
                self._change({what[1]: self.now[what[0]], what[0]: None})
            elif kind == "kept":
                for key, done in what[0].items():
                    self.kept[key] = max(done, self.kept.get(key, 0))
            else:
                becomes = {"name": what[-1], "folder": FOLDER, "gone": None}[kind]
                self._change({what[0]: becomes})

    def _change(self, change: dict[str, int | None]) -> None:
        self.pending.append((os.path.dirname(next(iter(change))), change))
        _apply(self.now, change)

    def after(self, is_kept: Callable[[], bool]) -> dict[str, int]:
        """Return names after a power cut that kept these of the changes that were not synced."""
        names = dict(self.names)
        for _, change in self.pending:
            if is_kept():
                _apply(names, change)
        return {name: inode for name, inode in names.items() if self._is_reached(name, names)}

    def _is_reached(self, name: str, names: dict[str, int]) -> bool:
        """Whether the folders above are there."""
        above = os.path.dirname(name)
        return above == self.root or (names.get(above) == FOLDER and self._is_reached(above, names))


def _apply(names: dict[str, int], change: dict[str, int | None]) -> None:
    for name, inode in change.items():
        if inode is None:
            names.pop(name, None)
        else:
            names[name] = inode


def states(disk: Disk, choose: random.Random) -> Iterator[dict[str, tuple[int, float]]]:
    """Yield states of a disk after a power cut: by name, an inode and how much of it is there."""
    keepers: list[Callable[[], bool]] = [lambda: False, lambda: True]
    keepers += [lambda: choose.random() < 0.5] * SOME
    seen = []
    for turn, is_kept in enumerate(keepers):
        names = disk.after(is_kept)
        state = {
            name: (inode, 1.0 if inode in disk.written else choose.choice((0.0, 0.5, 1.0)))
            if turn > 1
            else (inode, float(inode in disk.written))
            for name, inode in names.items()
        }
        if state not in seen:
            seen.append(state)
            yield state


def lay_out(state: dict[str, tuple[int, float]], own: Path, target: Path, beside: Path) -> None:
    """Make a folder that is in such a state."""
    target.mkdir()
    for name, (inode, share) in sorted(state.items()):
        place = target / os.path.relpath(name, own)
        if inode == FOLDER:
            place.mkdir()
        else:
            data = (beside / str(inode)).read_bytes()
            place.write_bytes(data[: int(share * len(data))])


def sweep(scene: Scene, folder: Path, every: int, seed: int, *, deaf: bool = False) -> Attempts:
    """Cut the power before every step of a scene; look at what the disk may hold, and go on."""
    found = Attempts(scene.name)
    whole = judge.uninterrupted(scene, folder / "whole")
    choose = random.Random(seed)
    names = names_of(scene, folder)
    found.counts["steps"] = len(names)
    for step, half in chosen(names, every, choose):
        if half:
            continue
        own, beside = folder / str(step), folder / f"{step} inodes"
        scene.prepare(own, folder / "before")
        beside.mkdir()
        disk = Disk.of(own, beside)
        disk.kept, _ = judge.look(own)
        journal = beside / "journal"
        code = _run(scene, own, step, journal, deaf)
        disk.replay(journal)
        for number, state in enumerate(states(disk, choose)):
            found.counts["kills"] += 1
            after = folder / f"{step} state {number}"
            lay_out(state, own, after, beside)
            wrong = judge.look(after, disk.kept)[1]
            wrong += resumed(scene, after, whole)
            found.wrong += [f"step {step}, state {number}: {each}" for each in wrong]
            if not wrong:
                shutil.rmtree(after)
        if not found.wrong:
            shutil.rmtree(own)
            shutil.rmtree(beside)
        if code is not None:
            break
    return found


def _run(scene: Scene, own: Path, step: int, journal: Path, deaf: bool) -> int | None:
    def call() -> None:
        calls = Syscalls(own, step, journal=journal, deaf=deaf)
        save = store.save

        def noting(path: Path, run: Any) -> None:
            save(path, run)
            calls.note("kept", {unit.key: unit.done for unit in run.units})

        with calls.counting(), patch.object(store, "save", noting):
            scene.call(own)

    return ended(call)[0]
