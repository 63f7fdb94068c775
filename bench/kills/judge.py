"""What must hold of a folder after any kill, and at the end."""

import hashlib
import json
from pathlib import Path
from typing import Any

import h5py

from bench.kills.scenes import OUT, Scene, small
from fastgc.errors import FastgcError
from fastgc.registry.files import MAGIC, USER_BLOCK
from fastgc.results import image, store
from fastgc.results.stored import StoredRun
from fastgc.statistics.tallies import Tally

NAMES = (OUT, OUT + image.PARTIAL_SUFFIX)

#: Full blocks by unit.
Blocks = dict[str, int]


def read(file: Path) -> tuple[StoredRun | None, list[str]]:
    """Read a file with fastgc and without; what is wrong with it."""
    image = file.read_bytes()
    digest = hashlib.sha256(image[USER_BLOCK:]).hexdigest().encode()
    if not image.startswith(MAGIC + digest + b"\n"):
        return None, [f"{file.name}: does not fit its checksum"]
    try:
        run = store.load(file)
        with h5py.File(file, "r") as opened:
            plain = [int(unit.attrs["done"]) for unit in opened.get("tallies", {}).values()]
            plain += opened["unfinished/units"][:, 1].tolist() if "unfinished" in opened else []
    except (FastgcError, OSError, KeyError) as problem:
        return None, [f"{file.name}: {problem}"]
    differs = sorted(plain) != sorted(unit.done for unit in run.units)
    wrong = [f"{file.name}: h5py reads other blocks"] * differs
    for unit in run.units:
        if len(unit.digests) != unit.done or unit.tally.trials != unit.done * unit.block:
            wrong.append(f"{file.name}: digests, blocks and trials differ")
    return run, wrong


def uninterrupted(scene: Scene, folder: Path) -> Any:
    """Content of a file that is not killed; also compiles all kernels, in this process."""
    folder.mkdir()
    with small():
        scene.before(folder)
        scene.call(folder)
    return content(folder)


def look(folder: Path, sampled: Blocks | None = None) -> tuple[Blocks, list[str]]:
    """Return the blocks that are kept, and what is wrong; none of ``sampled`` may be missing."""
    found: Blocks = {}
    wrong: list[str] = []
    for name in NAMES:
        if (folder / name).exists():
            run, own = read(folder / name)
            wrong += own
            for unit in [] if run is None else run.units:
                found[unit.key] = max(found.get(unit.key, 0), unit.done)
    lost = {k: n - found.get(k, 0) for k, n in (sampled or {}).items() if found.get(k, 0) < n}
    if lost:
        wrong.append(f"{sum(lost.values())} committed blocks are lost")
    return found, wrong


def content(folder: Path) -> Any:
    """Everything in a finished file that must not depend on when it was killed."""
    run = store.load(folder / OUT)
    units = sorted(
        (
            unit.key,
            (unit.block, unit.done, unit.digests.tobytes(), unit.stopped_by),
            (_plain(unit.tally), unit.partial and _plain(unit.partial)),
        )
        for unit in run.units
    )
    said = json.dumps([run.study, run.identity, run.shard, run.complete, run.rows, run.verdicts])
    return units, said


def _plain(tally: Tally) -> Any:
    return tally.trials, tally.sums.limbs().tobytes(), tally.histograms


def finished(folder: Path, scene: Scene, whole: Any) -> list[str]:
    """What is wrong with a finished file, ``whole`` being the content of an uninterrupted one."""
    run, wrong = read(folder / OUT)
    if run is None:
        return wrong
    names = ("tallies and digests", "rows")
    pairs = zip(names, content(folder), whole, strict=True)
    wrong += [f"{name} are not those of an uninterrupted run" for name, a, b in pairs if a != b]
    wanted, there = {OUT} | scene.own, {path.name for path in folder.iterdir()}
    wrong += [f"{name}: is left over" for name in sorted(there - wanted)]
    return wrong + [f"{name}: is missing" for name in sorted(wanted - there)]
