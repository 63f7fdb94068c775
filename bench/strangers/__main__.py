"""The command ``python -m bench.strangers``."""

import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench import command
from bench.strangers import results, texts
from bench.strangers.trying import Tally, attempt

#: By its name, what makes files of a kind, and how many the long form tries.
KINDS = {
    "results": (results.cases, 2000),
    "studies": (texts.studies, 2000),
    "matrices": (texts.matrices, 500),
    "traces": (texts.traces, 500),
    "claims": (texts.claims, 500),
}


def tried(kind: str, count: int, seed: int, folder: Path) -> Tally:
    """Make files of a kind, and give each to the command."""
    make, _ = KINDS[kind]
    found = Tally(kind)
    for name, commands in make(folder, count, random.Random(f"{seed} {kind}")):
        codes, wrong = attempt(commands, folder)
        found.tried += 1
        if wrong:
            found.dirty.append(f"{name}: {wrong}")
            print(found.dirty[-1], file=sys.stderr, flush=True)
        else:
            found.refused += 2 in codes
            (folder / name).unlink()
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Try files of all kinds; 1 if any of them was dirty."""
    flags, kind = ("--seed", "--folder"), tuple(KINDS)
    count = {"type": int, "help": "files of each kind; by default as many as named"}
    options = command.parse("bench.strangers", __doc__, arguments, *flags, kind=kind, count=count)
    print(f"{'kind':10}{'tried':>8}{'clean':>8}{'refused':>9}{'dirty':>7}")
    dirty = []
    with tempfile.TemporaryDirectory() as temporary:
        for kind in options.kind or KINDS:
            folder = (options.folder or Path(temporary)) / kind
            folder.mkdir(parents=True, exist_ok=True)
            found = tried(kind, options.count or KINDS[kind][1], options.seed, folder)
            print(found.line(), flush=True)
            dirty += found.dirty
    return 1 if dirty else 0


if __name__ == "__main__":
    sys.exit(main())
