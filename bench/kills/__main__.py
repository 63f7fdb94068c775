"""The command ``python -m bench.kills``."""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from bench import command
from bench.kills import power, steps
from bench.kills.scenes import scenes
from bench.outcomes import Outcome

BLOCKS = 4  # of a unit
PARTS = ("steps", "power")


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill; 1 if anything was unreadable, lost, different or left over."""
    options = command.parse(
        "bench.kills",
        __doc__,
        arguments,
        *("--seed", "--folder"),
        scene=scenes(BLOCKS),
        every={"type": int, "default": 1, "help": "only every so many-th step"},
        part=PARTS,
        deaf={"action": "store_true", "help": "sync nothing before the power cut: must be found"},
    )
    chosen, seed = options.scene or list(scenes(BLOCKS)), options.seed
    parts = options.part or PARTS

    def outcomes(folder: Path) -> Iterator[tuple[str, Outcome]]:
        """Yield what was done before each step and in half of a write."""

        def place(name: str) -> Path:
            (folder / name).mkdir()
            return folder / name

        cut = partial(power.sweep, deaf=options.deaf)
        for part, sweep in (("steps", steps.sweep), ("power", cut)):
            for scene in [scenes(BLOCKS)[name] for name in chosen if part in parts]:
                yield part, sweep(scene, place(f"{part} of {scene.name}"), options.every, seed)

    is_wrong = False
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for part, found in outcomes(Path(folder)):
            said = ", ".join(f"{count} {how}" for how, count in sorted(found.counts.items()))
            print(f"{part:10}{found.name:14}{len(found.wrong)} wrong; {said}", flush=True)
            for each in found.wrong:
                print(f"{part} of {found.name}: {each}", file=sys.stderr)
            is_wrong |= bool(found.wrong)
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
