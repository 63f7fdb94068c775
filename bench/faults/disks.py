"""Disks that fill up, folders that are read-only, folders that go away."""

import contextlib
import errno
import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.kills import judge
from bench.kills.children import ended, resumed
from bench.kills.moments import tries, uninterrupted
from bench.kills.scenes import OUT, Scene, small
from bench.outcomes import Outcome, of_sentence
from fastgc.results import store

DISK = 74


def ends(
    outcome: Outcome, own: Path, scene: Scene, whole: Any, fault: Callable[[], object], what: str
) -> None:
    """Run into a fault, look at what is kept, go on without it, and look at the end."""
    kept, wrong = judge.look(own)
    code, said = ended(fault)
    outcome.counts["refused" if code == DISK else "in time" if code == 0 else "wrong"] += 1
    if code == DISK:
        why = of_sentence(said, OUT)
        wrong += [] if why is None else [why]
    elif code != 0:
        wrong.append(f"ends with {code}: {said}")
    wrong += judge.look(own, kept)[1]
    wrong += [f"{path.name} is left" for path in own.rglob(".*.tmp")]
    wrong += resumed(scene.call, own)
    wrong = wrong or judge.finished(own, scene.own, whole)
    outcome.wrong += [f"{scene.name}, {what}: {each}" for each in wrong]


def limited(scene: Scene, folder: Path, sizes: int) -> Outcome:
    """Let no file grow beyond a size, from nothing to as much as is needed."""
    outcome = Outcome(f"RLIMIT_FSIZE: {scene.name}")
    whole = uninterrupted(scene, folder / "whole")
    largest = max(path.stat().st_size for path in (folder / "whole").rglob("*.h5"))
    limits = [(number + 1) * largest // sizes - 1 for number in range(sizes)]
    for limit, own in tries(scene, folder, limits):

        def full(own: Path = own, limit: int = limit) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            scene.call(own)

        ends(outcome, own, scene, whole, full, f"files of {limit} bytes")
    return outcome


@contextlib.contextmanager
def mounted(folder: Path, size: int) -> Iterator[bool]:
    """Mount a small disk; False without permission."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    done = subprocess.run(command, capture_output=True) if shutil.which("mount") else None
    if done is None or done.returncode:
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def small_disks(scene: Scene, folder: Path, sizes: int) -> Outcome:
    """Run on disks of many sizes; then make room, and go on."""
    outcome = Outcome(f"a small disk: {scene.name}")
    whole = uninterrupted(scene, folder / "whole")
    files = [path for path in (folder / "whole").rglob("*") if path.is_file()]
    pages = sum(-(-path.stat().st_size // 4096) for path in files) + len(files)
    for number in range(sizes):
        size = 4096 * (2 + 2 * number * pages // sizes)
        with mounted(folder / str(number), size) as is_mounted:
            if not is_mounted:
                outcome.counts["skipped: no permission to mount a disk"] += 1
                return outcome
            own = folder / str(number)
            kept, wrong = judge.look(own)
            code, said = ended(partial(_begun, scene, own))
            outcome.counts["refused" if code in (DISK, 2) else "in time"] += 1
            if code not in (0, 2, DISK):
                wrong.append(f"ends with {code}: {said}")
            if code:
                why = of_sentence(said, OUT)
                wrong += [] if why is None else [why]
            wrong += judge.look(own, kept)[1]
            room = ["mount", "-o", "remount,size=64m", str(own)]
            subprocess.run(room, check=True, capture_output=True)
            wrong += resumed(scene.call, own)
            wrong = wrong or judge.finished(own, scene.own, whole)
            outcome.wrong += [f"{scene.name}, disk of {size} bytes: {each}" for each in wrong]
    return outcome


def _begun(scene: Scene, own: Path) -> None:
    scene.before(own)
    scene.call(own)


def after_checkpoints(number: int, then: Callable[[], object]) -> Callable[..., None]:
    """Return `store.save`, after the so many-th call of which something happens."""
    save, left = store.save, [number]

    def saving(path: Path, run: Any) -> None:
        save(path, run)
        left[0] -= 1
        if left[0] == 0:
            then()

    return saving


@contextlib.contextmanager
def refusing() -> Iterator[Callable[[], None]]:
    """Yield what makes all writing fail, as on a disk that its system made read-only.

    That cannot be had by mounting: no mount makes a disk read-only while a lock is open on it.
    """
    is_read_only = []

    def unless(function: Callable[..., Any], writes: Callable[..., bool]) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            if is_read_only and writes(*arguments):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS))
            return function(*arguments, **more)

        return call

    with contextlib.ExitStack() as stack:
        for name in ("mkdir", "rmdir", "unlink", "replace", "link"):
            call = unless(getattr(os, name), lambda *_: True)
            stack.enter_context(patch.object(os, name, call))
        opening = unless(os.open, lambda _, flags, *more: bool(flags & os.O_CREAT))
        stack.enter_context(patch.object(os, "open", opening))
        yield lambda: is_read_only.append(True)


def read_only(scene: Scene, folder: Path, times: int) -> Outcome:
    """Let a disk become read-only after some checkpoints, from the first on."""
    outcome = Outcome(f"a disk becomes read-only: {scene.name}")
    whole = uninterrupted(scene, folder / "whole")
    for number, own in tries(scene, folder, range(1, times + 1)):

        def fault(own: Path = own, number: int = number) -> None:
            with refusing() as refuse, contextlib.ExitStack() as stack:
                turn = after_checkpoints(number, refuse)
                stack.enter_context(patch.object(store, "save", turn))
                scene.call(own)

        ends(outcome, own, scene, whole, fault, f"checkpoint {number}")
    return outcome


def mounted_read_only(scene: Scene, folder: Path) -> Outcome:
    """Begin on a disk that is read-only: refused at once, also as root."""
    outcome = Outcome(f"a disk that is read-only: {scene.name}")
    whole = uninterrupted(scene, folder / "whole")
    own = folder / "disk"
    with mounted(own, 64 << 20) as is_mounted:
        if not is_mounted:
            outcome.counts["skipped: no permission to mount a disk"] += 1
            return outcome
        with small():
            scene.before(own)
        for how in ("ro", "rw"):
            command = ["mount", "-o", f"remount,{how}", str(own)]
            subprocess.run(command, check=True, capture_output=True)
            code, said = ended(lambda: scene.call(own))
            outcome.counts["refused" if code else "done"] += 1
            if how == "ro":
                why = of_sentence(said, OUT) if code == 2 else f"ends with {code}: {said}"
                outcome.wrong += [] if why is None else [why]
        outcome.wrong += judge.finished(own, scene.own, whole)
    return outcome


def vanishing(scene: Scene, folder: Path, times: int) -> Outcome:
    """Let the folder go away after some checkpoints, and bring it back."""
    outcome = Outcome(f"the folder goes away: {scene.name}")
    whole = uninterrupted(scene, folder / "whole")
    for number, own in tries(scene, folder, range(1, times + 1)):
        away = folder / f"{number} away"

        def fault(own: Path = own, away: Path = away, number: int = number) -> None:
            turn = after_checkpoints(number, lambda: os.rename(own, away))
            with patch.object(store, "save", turn):
                scene.call(own)

        code, said = ended(fault)
        outcome.counts["refused" if code == DISK else "wrong"] += 1
        wrong = [] if code == DISK else [f"ends with {code}: {said}"]
        why = of_sentence(said, OUT)
        wrong += [] if why is None else [why]
        wrong += [] if "has gone" in said else [f"does not say that it has gone: {said!r}"]
        kept, more = judge.look(away)
        wrong += more + ([] if kept else ["nothing was kept"])
        away.rename(own)
        wrong += resumed(scene.call, own)
        wrong = wrong or judge.finished(own, scene.own, whole)
        outcome.wrong += [f"{scene.name}, checkpoint {number}: {each}" for each in wrong]
    return outcome
