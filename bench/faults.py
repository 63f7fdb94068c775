"""Damaged files, full disks, folders that go away, two writers: each a sentence, nothing lost.

``python -m bench.faults`` from the repository's root.
"""

import itertools
import json
import mmap
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench import command
from bench.kills import judge
from bench.kills.children import Child, ended, resumed
from bench.kills.scenes import OUT, Scene, scenes, small
from bench.outcomes import Attempts, of_sentence
from fastgc.errors import FastgcError
from fastgc.results import store

BLOCKS = 4
DISK = 74
WRITERS = 3


def damaged(scene: Scene, folder: Path, times: int, seed: int) -> Attempts:
    """Flip random bits of a file of results, and cut it off at random lengths; read it each time.

    In a child of its own, for HDF5 may hang or crash.
    """
    truth = judge.uninterrupted(scene, folder / "whole")
    file, choose = folder / "whole" / OUT, random.Random(seed)
    whole = file.read_bytes()
    lengths = [0, 1, 511, 512, 513, 520, len(whole) - 1]
    broken = [(f"length {length}", whole[:length]) for length in lengths]
    for _ in range(times):
        at, length = choose.randrange(len(whole)), choose.randrange(len(whole))
        bit = choose.randrange(8)
        flipped = whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :]
        broken += [(f"bit {bit} of byte {at}", flipped), (f"length {length}", whole[:length])]
    outcome = Attempts("bits flipped, and files cut off")

    def call() -> None:
        for what, data in broken:
            file.write_bytes(data)
            try:
                store.load(file)
            except FastgcError as error:
                outcome.counts["refused"] += 1
                why = of_sentence(str(error), str(file)) if "damaged" in str(error) else None
            else:
                same = judge.content(folder / "whole") == truth
                outcome.counts["harmless" if same else "read as something else"] += 1
                why = None if same else "changed what was read"
            outcome.wrong += [] if why is None else [f"{what}: {why}"]
        print(json.dumps([outcome.counts, outcome.wrong]), file=sys.stderr)

    code, said = ended(call)
    if code:
        return replace(outcome, wrong=[f"ends with {code}: {said[-2000:]}"])
    counts, wrong = json.loads(said.splitlines()[-1])
    return replace(outcome, counts=Counter(counts), wrong=wrong)


def interrupted(
    scene: Scene,
    folder: Path,
    name: str,
    times: int,
    fault: Callable[[Path, int], object],
    repair: Callable[[Path], object] = Path.exists,
) -> Attempts:
    """Run into a fault, look at what is kept, go on without it, and look at the end."""
    outcome = Attempts(f"{name}: {scene.name}")
    whole = judge.uninterrupted(scene, folder / "whole")
    for number, own in scene.tries(folder, range(1, times + 1)):
        kept, wrong = judge.look(own)
        code, said = ended(partial(fault, own, number))
        repair(own)
        outcome.counts["refused" if code == DISK else "in time" if code == 0 else "wrong"] += 1
        if code == DISK:
            why = of_sentence(said, OUT)
            wrong += [] if why is None else [why]
        elif code != 0:
            wrong.append(f"ends with {code}: {said}")
        wrong += judge.look(own, kept)[1]
        wrong += [f"{path.name} is left" for path in own.rglob(".*.tmp")]
        wrong += resumed(scene, own, whole)
        outcome.wrong += [f"{scene.name}, {number}: {each}" for each in wrong]
    return outcome


def limited(scene: Scene, folder: Path, times: int) -> Attempts:
    """Let no file grow beyond a size, from nothing to as much as is needed."""

    def full(own: Path, number: int) -> None:
        largest = max(path.stat().st_size for path in (folder / "whole").rglob("*.h5"))
        limit = number * largest // times - 1
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        scene.call(own)

    return interrupted(scene, folder, "RLIMIT_FSIZE", times, full)


def vanishing(scene: Scene, folder: Path, times: int) -> Attempts:
    """Let the folder go away after some checkpoints, and bring it back."""
    away, save = folder / "away", store.save

    def fault(own: Path, number: int) -> None:
        left = itertools.count(number - 1, -1)

        def saving(path: Path, run: Any) -> None:
            save(path, run)
            if next(left) == 0:
                own.rename(away)

        with patch.object(store, "save", saving):
            scene.call(own)

    name = "the folder goes away"
    return interrupted(scene, folder, name, times, fault, lambda own: away.rename(own))


def writers(scene: Scene, folder: Path, rounds: int) -> Attempts:
    """Start some at the same instant: one writes, the others are refused or come after it."""
    outcome = Attempts(f"{WRITERS} writers at once: {scene.name}")
    whole = judge.uninterrupted(scene, folder / "whole")
    for number, own in scene.tries(folder, range(rounds)):
        gate = mmap.mmap(-1, 1)

        def race(own: Path = own, gate: mmap.mmap = gate) -> None:
            while gate[0] == 0:
                pass
            scene.call(own)

        with small():
            children = [Child(race) for _ in range(WRITERS)]
        time.sleep(0.02)  # all of them are waiting then
        gate[0] = 1
        ends = [child.wait() for child in children]
        wrong = []
        for code, said in ends:
            outcome.counts["refused" if code == 2 else "done" if code == 0 else "wrong"] += 1
            if code not in (0, 2) or (code == 2 and "another run is writing it" not in said):
                wrong.append(f"ends with {code}: {said}")
        if all(code for code, _ in ends):
            wrong.append("no process writes")
        wrong = wrong or judge.finished(own, scene, whole)
        outcome.wrong += [f"round {number}: {each}" for each in wrong]
    return outcome


def main(arguments: Sequence[str] | None = None) -> int:
    """Try every fault; 1 if anything went wrong."""
    size = {"type": float, "default": 1.0, "help": "how often each is tried"}
    options = command.parse("bench.faults", __doc__, arguments, "--seed", "--folder", size=size)
    scene, wrong = scenes(BLOCKS)["run"], []
    faults: list[tuple[int, Callable[[Scene, Path, int], Attempts]]] = [
        (10_000, lambda *given: damaged(*given, options.seed)),
        (60, limited),
        (6, vanishing),
        (100, writers),
    ]
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        for number, (times, fault) in enumerate(faults):
            place = Path(name) / str(number)
            place.mkdir()
            outcome = fault(scene, place, max(1, round(times * options.size)))
            print(outcome.line(), flush=True)
            wrong += [f"{outcome.name}: {each}" for each in outcome.wrong]
    for each in wrong:
        print(each, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
