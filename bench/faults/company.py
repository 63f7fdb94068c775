"""Two writers at once, disks without locks, clocks that jump."""

import errno
import fcntl
import mmap
import os
import random
import time
import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.kills import judge
from bench.kills.children import Child, resumed
from bench.kills.moments import tries, uninterrupted
from bench.kills.scenes import Scene, small
from bench.outcomes import Outcome
from fastgc.errors import FastgcWarning
from fastgc.results import checkpointer, store

WRITERS = 3


def writers(scene: Scene, folder: Path, rounds: int) -> Outcome:
    """Start some at the same instant: one writes, the others are refused or come after it."""
    outcome = Outcome(f"{WRITERS} writers at once: {scene.name}")
    whole = uninterrupted(scene, folder / "whole")
    for number, own in tries(scene, folder, range(rounds)):
        gate = mmap.mmap(-1, 1)

        def race(own: Path = own, gate: mmap.mmap = gate) -> None:
            while gate[0] == 0:
                pass
            scene.call(own)

        with small():
            children = [Child(race) for _ in range(WRITERS)]
        time.sleep(0.02)  # all of them are waiting then
        gate[0] = 1
        ends = [(child.wait(), child.said()) for child in children]
        wrong = []
        for code, said in ends:
            outcome.counts["refused" if code == 2 else "done" if code == 0 else "wrong"] += 1
            if code not in (0, 2) or (code == 2 and "another run is writing it" not in said):
                wrong.append(f"ends with {code}: {said}")
        if all(code for code, _ in ends):
            wrong.append("no process writes")
        wrong = wrong or judge.finished(own, scene.own, whole)
        outcome.wrong += [f"round {number}: {each}" for each in wrong]
    return outcome


def without_locks(scene: Scene, folder: Path) -> Outcome:
    """Have flock fail as on network file systems: a warning, and it goes on."""
    outcome = Outcome(f"no locks: {scene.name}")
    whole = uninterrupted(scene, folder / "whole")
    numbers = errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL
    for number, own in tries(scene, folder, numbers):

        def call(own: Path, number: int = number) -> None:
            def fail(*_: object) -> None:
                raise OSError(number, os.strerror(number))

            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always", FastgcWarning)
                with patch.object(fcntl, "flock", fail):
                    scene.call(own)
            said = [str(each.message) for each in warned]
            assert len(said) == 1 and "has no locks" in said[0], said

        wrong = resumed(call, own)
        outcome.counts["warned"] += not wrong
        wrong = wrong or judge.finished(own, scene.own, whole)
        outcome.wrong += [f"{os.strerror(number)}: {each}" for each in wrong]
    return outcome


class Jumping(datetime):
    """A date that is never twice in the same century."""

    choose = random.Random(1)

    @classmethod
    def now(cls, tz: Any = None) -> "Jumping":
        """Return any."""
        return cls(cls.choose.randrange(1, 9999), 1, 1, tzinfo=tz or UTC)


def clocks(scene: Scene, folder: Path, times: int, seed: int) -> Outcome:
    """Have the time of day jump whenever it is asked for: the same bits, as many checkpoints."""
    outcome = Outcome(f"a clock that jumps: {scene.name}")
    whole = uninterrupted(scene, folder / "whole")
    choose = random.Random(seed)
    for _, own in tries(scene, folder, range(times)):

        def call(own: Path) -> None:
            saves = []
            save = store.save

            def counting(path: Path, run: Any) -> None:
                saves.append(path)
                save(path, run)

            with (
                patch.object(time, "time", lambda: choose.uniform(-1e10, 1e11)),
                patch.object(time, "time_ns", lambda: choose.randrange(10**18)),
                patch.object(checkpointer, "datetime", Jumping),
                patch.object(store, "save", counting),
            ):
                scene.call(own)
            assert len(saves) > 2, f"{len(saves)} checkpoints"

        wrong = resumed(call, own)
        outcome.counts["done"] += not wrong
        outcome.wrong += wrong or judge.finished(own, scene.own, whole)
    return outcome
