"""The command ``python -m bench.faults``."""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bench import command
from bench.faults import company, disks, files
from bench.kills.moments import uninterrupted
from bench.kills.scenes import OUT, Scene, scenes
from bench.outcomes import Outcome

BLOCKS = 4
PARTS = ("files", "disks", "company")


def outcomes(part: str, folder: Path, size: float, seed: int) -> Iterator[Outcome]:
    """Yield what became of every fault of a part; ``size`` scales how often each is tried."""
    known = scenes(BLOCKS)
    scene = known["run"]

    def often(times: int) -> int:
        return max(1, round(times * size))

    def place(name: str) -> Path:
        (folder / name).mkdir()
        return folder / name

    if part == "files":
        whole = folder / "whole"
        uninterrupted(scene, whole)
        yield files.flipped(whole, often(10_000), seed)
        yield files.cut(whole, often(4000), seed)
        every = 1 if size >= 1 else 5
        yield files.foreign(folder / "foreign", (whole / OUT).read_bytes(), every)
    faults: list[tuple[str, Callable[[Scene, Path], Outcome]]] = []
    if part == "disks":
        faults += [
            ("limited", lambda scene, own: disks.limited(scene, own, often(60))),
            ("small", lambda scene, own: disks.small_disks(scene, own, often(60))),
            ("read-only", lambda scene, own: disks.read_only(scene, own, often(6))),
            ("mounted read-only", disks.mounted_read_only),
            ("vanishing", lambda scene, own: disks.vanishing(scene, own, often(6))),
        ]
    if part == "company":
        faults += [
            ("writers", lambda scene, own: company.writers(scene, own, often(100))),
            ("locks", lambda scene, own: company.without_locks(scene, own)),
            ("clocks", lambda scene, own: company.clocks(scene, own, often(20), seed)),
        ]
    for name, fault in faults:
        yield fault(scene, place(name))


def main(arguments: Sequence[str] | None = None) -> int:
    """Try every fault; 1 if anything went wrong."""
    flags = ("--seed", "--folder")
    size = {"type": float, "default": 1.0, "help": "how often each is tried"}
    options = command.parse("bench.faults", __doc__, arguments, *flags, size=size, part=PARTS)
    wrong = []
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        for part in options.part or PARTS:
            (Path(name) / part).mkdir()
            for outcome in outcomes(part, Path(name) / part, options.size, options.seed):
                print(outcome.line(), flush=True)
                wrong += [f"{outcome.name}: {each}" for each in outcome.wrong]
    for each in wrong:
        print(each, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
