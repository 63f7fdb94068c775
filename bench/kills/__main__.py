"""The command ``python -m bench.kills``."""

import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bench import command
from bench.kills import power, steps
from bench.kills.scenes import scenes

BLOCKS = 4  # of a unit


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill; 1 if anything was unreadable, lost, different or left over."""
    options = command.parse(
        "bench.kills",
        __doc__,
        arguments,
        *("--seed", "--folder"),
        scene=scenes(BLOCKS),
        every={"type": int, "default": 1, "help": "only every so many-th step"},
        part=("steps", "power"),
        deaf={"action": "store_true", "help": "sync nothing before the power cut: must be found"},
    )
    sweeps = {"steps": steps.sweep, "power": partial(power.sweep, deaf=options.deaf)}
    wrong = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for part in options.part or sweeps:
            for name in options.scene or scenes(BLOCKS):
                place = Path(folder, f"{part} of {name}")
                place.mkdir()
                found = sweeps[part](scenes(BLOCKS)[name], place, options.every, options.seed)
                said = ", ".join(f"{count} {how}" for how, count in sorted(found.counts.items()))
                print(f"{part:10}{name:14}{len(found.wrong)} wrong; {said}", flush=True)
                wrong += [f"{part} of {name}: {each}" for each in found.wrong]
    print(*wrong, sep="\n", end="\n" * bool(wrong), file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
