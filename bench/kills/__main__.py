"""The command ``python -m bench.kills``."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.kills import moments, power, steps
from bench.kills.moments import FILE, IMAGE, SEGMENT, Series
from bench.kills.scenes import scenes

BLOCKS = 60  # a unit, where moments are random; fewer where every step is tried
FEW_BLOCKS = 4
LONG_LIVED = ("run", "run, samples", "extension", "extension, samples", "validate")
PARTS = ("moments", "commands", "steps", "power")


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill; 1 if anything was unreadable, lost, different or left over."""
    options = _parser().parse_args(arguments)
    wrong: list[str] = []
    chosen = options.scene or list(scenes(FEW_BLOCKS))
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        if "moments" in (options.part or PARTS):
            wrong += _moments(options.kills, options.blocks, chosen, folder, options.seed)
        if "commands" in (options.part or PARTS):
            wrong += _commands(options.commands, folder, options.seed)
        if "steps" in (options.part or PARTS):
            wrong += _steps(options.every, chosen, folder, options.seed)
        if "power" in (options.part or PARTS):
            wrong += _power(options.every, chosen, folder, options.seed, deaf=options.deaf)
    for each in wrong:
        print(each, file=sys.stderr)
    return 1 if wrong else 0


def _moments(kills: int, blocks: int, chosen: Sequence[str], folder: Path, seed: int) -> list[str]:
    share = -(-kills // len(LONG_LIVED))
    print(f"killed at random moments                runs kills idle | {_PLACES}")
    series = []
    for name in [name for name in LONG_LIVED if name in chosen]:
        began = time.monotonic()
        (folder / name).mkdir()
        series.append(moments.forked(scenes(blocks)[name], share, folder / name, seed))
        _print_series(series[-1], time.monotonic() - began)
    return _summed(series)


_PLACES = "while writing: image, file, segment"


def _commands(kills: int, folder: Path, seed: int) -> list[str]:
    share = -(-kills // len(moments.COMMANDS))
    series = []
    for name in moments.COMMANDS if kills else ():
        began = time.monotonic()
        (folder / name).mkdir()
        series.append(moments.commands(name, share, folder / name, seed))
        _print_series(series[-1], time.monotonic() - began)
    return _summed(series)


def _print_series(own: Series, seconds: float) -> None:
    places = ", ".join(str(own.places[place]) for place in (IMAGE, FILE, SEGMENT) if own.places)
    print(
        f"{own.name:38} {own.runs:5} {own.kills:5} {own.idle:4} | {own.writing}: {places}  "
        f"{len(own.wrong)} wrong, {seconds:.0f} s",
        flush=True,
    )


def _summed(series: Sequence[Series]) -> list[str]:
    kills, writing = sum(s.kills for s in series), sum(s.writing for s in series)
    wrong = [f"{own.name}: {each}" for own in series for each in own.wrong]
    if series:
        print(
            f"{kills} kills, {writing} of them while a checkpoint was written: {len(wrong)} wrong"
        )
    return wrong


def _steps(every: int, chosen: Sequence[str], folder: Path, seed: int) -> list[str]:
    wrong = []
    print("killed before each step, and in half of a write      steps kills")
    for scene in [scenes(FEW_BLOCKS)[name] for name in chosen]:
        own = folder / f"steps of {scene.name}"
        own.mkdir()
        found = steps.sweep(scene, own, every, seed)
        said = ", ".join(f"{count} {name}" for name, count in sorted(found.names.items()))
        print(f"{scene.name:50} {found.steps:6} {found.kills:5}  {len(found.wrong)} wrong; {said}")
        sys.stdout.flush()
        wrong += [f"{scene.name}: {each}" for each in found.wrong]
    return wrong


def _power(every: int, chosen: Sequence[str], folder: Path, seed: int, *, deaf: bool) -> list[str]:
    wrong = []
    print("power cut before each step                           steps states of the disk")
    for scene in [scenes(FEW_BLOCKS)[name] for name in chosen]:
        own = folder / f"power of {scene.name}"
        own.mkdir()
        found = power.sweep(scene, own, every, seed, deaf=deaf)
        print(f"{scene.name:50} {found.steps:6} {found.kills:5}  {len(found.wrong)} wrong")
        sys.stdout.flush()
        wrong += [f"{scene.name}: {each}" for each in found.wrong]
    return wrong


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="of forked runs")
    parser.add_argument("--commands", type=int, default=60, help="kills of the command itself")
    parser.add_argument(
        "--scene", action="append", choices=scenes(FEW_BLOCKS), help="can be repeated"
    )
    parser.add_argument("--blocks", type=int, default=BLOCKS, help="of a unit of forked runs")
    parser.add_argument("--every", type=int, default=1, help="only every so many-th step")
    parser.add_argument("--part", action="append", choices=PARTS, help="can be repeated")
    parser.add_argument(
        "--deaf", action="store_true", help="sync nothing before the power cut: that must be found"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where files are written")
    return parser


if __name__ == "__main__":
    sys.exit(main())
