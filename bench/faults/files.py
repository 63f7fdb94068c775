"""Files that are damaged, cut off, or none of fastgc's."""

import json
import os
import random
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import h5py

from bench.kills import judge
from bench.kills.children import ended
from bench.kills.scenes import OUT
from bench.outcomes import Outcome, of_sentence
from fastgc.cli.main import main
from fastgc.errors import FastgcError
from fastgc.results import store


def in_child(outcome: Outcome, ask: Callable[[Outcome], None]) -> None:
    """Ask in a child of its own, for HDF5 may hang or crash; add what it found."""

    def call() -> None:
        found = Outcome("")
        ask(found)
        print(json.dumps([found.counts, found.wrong]), file=sys.stderr)

    code, said = ended(call)
    if code:
        outcome.wrong.append(f"ends with {code}: {said[-2000:]}")
        return
    counts, wrong = json.loads(said.splitlines()[-1])
    outcome.counts.update(counts)
    outcome.wrong += wrong


def flips(size: int, number: int, choose: random.Random) -> Iterable[tuple[int, int]]:
    """Yield bytes and bits of a file of such a size."""
    return ((choose.randrange(size), choose.randrange(8)) for _ in range(number))


def flipped(folder: Path, number: int, seed: int) -> Outcome:
    """Flip random bits of a file of results, one at a time, and read it."""
    outcome = Outcome("bits flipped in a file of results")
    file = folder / OUT
    whole, truth = file.read_bytes(), judge.content(folder)

    def ask(found: Outcome) -> None:
        for at, bit in flips(len(whole), number, random.Random(seed)):
            broken = bytearray(whole)
            broken[at] ^= 1 << bit
            file.write_bytes(broken)
            _read(folder, truth, found, f"bit {bit} of byte {at}")

    in_child(outcome, ask)
    file.write_bytes(whole)
    return outcome


def cut(folder: Path, number: int, seed: int) -> Outcome:
    """Cut a file of results off at random lengths, and at those where something begins."""
    outcome = Outcome("a file of results cut off")
    file = folder / OUT
    whole, truth = file.read_bytes(), judge.content(folder)
    choose = random.Random(seed)
    lengths = {0, 1, 511, 512, 513, 520, len(whole) - 1}
    lengths |= {choose.randrange(len(whole)) for _ in range(number)}

    def ask(found: Outcome) -> None:
        for length in sorted(lengths):
            file.write_bytes(whole[:length])
            _read(folder, truth, found, f"length {length}")

    in_child(outcome, ask)
    file.write_bytes(whole)
    return outcome


def _read(folder: Path, truth: object, found: Outcome, what: str) -> None:
    try:
        store.load(folder / OUT)
    except FastgcError as error:
        found.counts["refused"] += 1
        why = of_sentence(str(error), str(folder / OUT)) if "damaged" in str(error) else None
        found.wrong += [] if why is None else [f"{what}: {why}"]
    else:
        same = judge.content(folder) == truth
        found.counts["harmless" if same else "read as something else"] += 1
        found.wrong += [] if same else [f"{what} changed what was read"]


# ---- every command that reads or writes a file of results

#: Names that can be written: what reads alone refuses them.
FREE = ("no file", "a link to itself")

STUDY = """\
[[experiment]]
code = { family = "frc", n = 4, d = 2 }
stragglers = { model = "iid", p = 0.1 }
"""


def strangers(folder: Path, whole: bytes) -> dict[str, Path]:
    """Make files that are none of fastgc's, or were; by what they are."""
    folder.mkdir()
    made = {
        "empty": b"",
        "text": b"no HDF5\n",
        "another HDF5 begun": b"\x89HDF\r\n\x1a\n",
        "zeros": bytes(10_000),
        "its first line alone": whole[:40],
        "half of one": whole[: len(whole) // 2],
        "without its checksum": whole[512:],
        "with bytes behind": whole + b"\0",
        "one bit flipped": whole[:-5] + bytes([whole[-5] ^ 4]) + whole[-4:],
    }
    found = {}
    for number, (what, data) in enumerate(made.items()):
        found[what] = folder / f"s{number}.h5"
        found[what].write_bytes(data)
    with h5py.File(folder / "other.h5", "w") as other:
        other["x"] = [1, 2, 3]
    (folder / "folder.h5").mkdir()
    os.mkfifo(folder / "pipe.h5")
    (folder / "loop.h5").symlink_to("loop.h5")
    found |= {
        "another HDF5": folder / "other.h5",
        "a folder": folder / "folder.h5",
        "a pipe": folder / "pipe.h5",
        "a link to itself": folder / "loop.h5",
        "a device": Path("/dev/zero"),
        "a name in a file": folder / "s1.h5" / "a.h5",
        "a name that is too long": folder / ("x" * 300),
        "no file": folder / "nothing.h5",
    }
    return found


def foreign(folder: Path, whole: bytes, every: int) -> Outcome:
    """Give commands strangers: exit code 2, one line, and the stranger stays as it is.

    ``every`` is 1 for each command with each stranger, or more for one of so many of these pairs.
    """
    outcome = Outcome("foreign files, given to commands")
    found = strangers(folder, whole)
    study = folder / "study.toml"
    study.write_text(STUDY, encoding="utf-8")
    reads: dict[str, Callable[[Path], list[object]]] = {
        "show": lambda path: ["show", path],
        "audit": lambda path: ["show", path, "--audit"],
        "merge": lambda path: ["merge", path, "-o", folder / "merged.h5"],
        "errata": lambda path: ["errata", "agc", "--from", path],
    }
    writes: dict[str, Callable[[Path], list[object]]] = {
        "run": lambda path: ["run", study, "-o", path],
        "validate": lambda path: ["validate", "agc.lemma1", "-o", path],
    }
    pairs = [
        (what, name, arguments(path), path)
        for what, path in found.items()
        for name, arguments in (reads if what in FREE else reads | writes).items()
    ]
    for what, name, arguments, path in pairs[::every]:
        before = _content(path)
        code, said = as_command(arguments)
        outcome.counts["refused"] += code == 2
        if code != 2:
            outcome.wrong.append(f"{name} {what}: ends with {code}: {said[-300:]}")
        elif len(said.splitlines()) != 1 or str(path) not in said:
            outcome.wrong.append(f"{name} {what}: {said!r}")
        if _content(path) != before:
            outcome.wrong.append(f"{name} {what}: the file was changed")
    left = {path.name for path in folder.iterdir()} - {path.name for path in found.values()}
    outcome.wrong += [f"{name} is left over" for name in left - {"study.toml"}]
    shutil.rmtree(folder)
    return outcome


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.is_file() else None
    except OSError:  # its name is too long
        return None


def as_command(arguments: Iterable[object]) -> tuple[int | None, str]:
    """Run the command in a child: its exit code and stderr."""

    def call() -> None:
        sys.argv = ["fastgc", *map(str, arguments)]
        os.environ["FASTGC_LOG"] = "none"
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        try:
            main()
        except SystemExit as left:
            sys.stderr.flush()
            os._exit(int(left.code or 0))

    return ended(call)
