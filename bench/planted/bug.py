"""Planted bugs, each one small change of a source that makes some numbers wrong.

They are tables of the files in ``bugs``, whose keys are the attributes of `Bug`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

KERNELS = "kernels"
#: Folders of tests for the packages of kernels; those of fastgc have the names of their tests.
OF_KERNELS = {
    "complete": "systems",
    "decode": "decoding",
    "draw": "draws",
    "tally": "statistics",
    "train": "training",
}


@dataclass(frozen=True)
class Bug:
    """A change of one place in the sources."""

    name: str
    file: str  #: Path from the root of the checkout.
    old: str  #: What is replaced, which the file has exactly once,
    new: str  #: and by what.
    effect: str  #: What goes wrong, in a line.
    claims: tuple[str, ...] = ()  #: Ids, or beginnings, of claims that go through the place.
    tests: tuple[str, ...] = ()  #: Tests that must fail with it: of what no claim goes through.
    #: Whether some claim could be expected to see it: not what plans, prints or keeps results.
    counts: bool = True
    #: Whether it loses digits rather than the law, so that no verdict need change.
    digits: bool = False

    @property
    def of_kernels(self) -> bool:
        """Whether kernels are compiled anew with it."""
        return self.file.startswith(f"{KERNELS}/")

    @property
    def folder_of_tests(self) -> str:
        """The tests of the package that it changes."""
        package = self.file.split("/")[2 if self.of_kernels else 1]
        return f"tests/{OF_KERNELS.get(package, 'kernels') if self.of_kernels else package}"

    def planted(self, text: str) -> str:
        """Return a file's text with the bug in it; it must have the place exactly once."""
        found = text.count(self.old)
        if found != 1:
            raise ValueError(f"{self.name}: {self.file} has its place {found} times, not once")
        return text.replace(self.old, self.new)


BUGS: dict[str, Bug] = {}
for _file in sorted(Path(__file__).with_name("bugs").glob("*.toml")):
    for _table in tomllib.loads(_file.read_text(encoding="utf-8"))["bug"]:
        _lists = {key: tuple(_table[key]) for key in ("claims", "tests") if key in _table}
        BUGS[_table["name"]] = Bug(**_table | _lists)
