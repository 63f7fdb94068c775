"""The command ``python -m bench.kills``."""

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from bench import command
from bench.kills import measuring, moments, power, steps
from bench.kills.moments import FILE, IMAGE
from bench.kills.scenes import Scene, scenes
from bench.outcomes import Outcome

BLOCKS = 60  # a unit, where moments are random; fewer where every step is tried
FEW_BLOCKS = 4
LONG_LIVED = ("run", "extension", "validate")
PARTS = ("moments", "steps", "power", "measuring")


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill; 1 if anything was unreadable, lost, different or left over."""
    options = command.parse(
        "bench.kills",
        __doc__,
        arguments,
        *("--seed", "--folder"),
        kills={"type": int, "default": 1000, "help": "of forked runs"},
        measurements={"type": int, "default": 50, "help": "kills of measurements"},
        scene=scenes(FEW_BLOCKS),
        blocks={"type": int, "default": BLOCKS, "help": "of a unit of forked runs"},
        every={"type": int, "default": 1, "help": "only every so many-th step"},
        part=PARTS,
        deaf={"action": "store_true", "help": "sync nothing before the power cut: must be found"},
    )
    wrong: list[str] = []
    chosen = options.scene or list(scenes(FEW_BLOCKS))
    parts = options.part or PARTS
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        if "moments" in parts:
            print(f"killed at random moments                runs kills idle | {_PLACES}")
            wrong += _moments(
                [own for own in scenes(options.blocks).values() if own.name in chosen],
                options.kills,
                folder,
                options.seed,
            )
        given = chosen, folder, options.every, options.seed
        if "steps" in parts:
            print("killed before each step, and in half of a write      steps kills")
            wrong += _sweeps("steps", steps.sweep, *given)
        if "power" in parts:
            print("power cut before each step                           steps states of the disk")
            wrong += _sweeps("power", partial(power.sweep, deaf=options.deaf), *given)
        if "measuring" in parts:
            (folder / "measuring").mkdir()
            found = measuring.killed(options.measurements, folder / "measuring", options.seed)
            print(found.line(), flush=True)
            wrong += [f"measuring: {each}" for each in found.wrong]
    for each in wrong:
        print(each, file=sys.stderr)
    return 1 if wrong else 0


_PLACES = "while writing: image, file"


def _moments(chosen: Sequence[Scene], kills: int, folder: Path, seed: int) -> list[str]:
    """Kill at random moments, so often in all."""
    every: list[Outcome] = []
    chosen = [scene for scene in chosen if scene.name in LONG_LIVED]
    for scene in chosen:
        began = time.monotonic()
        (folder / scene.name).mkdir()
        share = -(-kills // len(LONG_LIVED))
        every.append(moments.forked(scene, share, folder / scene.name, seed))
        own = every[-1].counts
        places = ", ".join(str(own[place]) for place in (IMAGE, FILE))
        print(
            f"{scene.name:38} {own['runs']:5} {own['kills']:5} {own['idle']:4} | {own['writing']}: "
            f"{places}  {len(every[-1].wrong)} wrong, {time.monotonic() - began:.0f} s",
            flush=True,
        )
    wrong = [f"{own.name}: {each}" for own in every for each in own.wrong]
    done, writing = (sum(own.counts[key] for own in every) for key in ("kills", "writing"))
    if every:
        said = f"{done} kills, {writing} of them while a checkpoint was written"
        print(f"{said}: {len(wrong)} wrong")
    return wrong


def _sweeps(
    how: str,
    sweep: Callable[..., Outcome],
    chosen: Sequence[str],
    folder: Path,
    every: int,
    seed: int,
) -> list[str]:
    """Kill, or cut the power, at each step of each scene."""
    wrong = []
    for scene in [scenes(FEW_BLOCKS)[name] for name in chosen]:
        own = folder / f"{how} of {scene.name}"
        own.mkdir()
        found = sweep(scene, own, every, seed)
        number, kills = found.counts.pop("steps"), found.counts.pop("kills", 0)
        said = ", ".join(f"{count} {name}" for name, count in sorted(found.counts.items()))
        verdict = f"{len(found.wrong)} wrong{'; ' * bool(said)}{said}"
        print(f"{scene.name:50} {number:6} {kills:5}  {verdict}", flush=True)
        wrong += [f"{scene.name}: {each}" for each in found.wrong]
    return wrong


if __name__ == "__main__":
    sys.exit(main())
