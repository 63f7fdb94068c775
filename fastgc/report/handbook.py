"""The handbook: pages in Markdown beside the package's code."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files

from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc.registry.complaints import nearest

#: The order of reading; pages that are not named here come before the last ones.
FIRST = (
    *("own-code", "new-code", "own-theorem", "times", "own-cluster", "traces"),
    *("what-to-time", "which-remedy", "learning", "slurm"),
)
LAST = (
    *("statistics", "verdicts", "limits", "rare", "same-bits", "file", "large", "speed"),
    *("performance", "house", "keys"),
)
#: The heading of the page that `fastgc.report.made` makes when it is read, which takes a while.
MADE = {"keys": "# The keys of studies"}


@dataclass(frozen=True)
class Page:
    """A page of the handbook: its name in ``fastgc help TOPIC``, and what is written of it.

    That is all of its Markdown or, where ``is_made``, its heading.
    """

    topic: str
    written: str
    is_made: bool = False

    @property
    def title(self) -> str:
        """Its heading."""
        return self.written.partition("\n")[0].removeprefix("# ")

    @cached_property
    def text(self) -> str:
        """All of its Markdown."""
        if not self.is_made:
            return self.written
        make = getattr(import_module("fastgc.report.made"), self.topic)
        return f"{self.written}\n\n{make()}"


def pages() -> tuple[Page, ...]:
    """Return all pages in the order of reading."""
    found = {topic: Page(topic, heading, is_made=True) for topic, heading in MADE.items()}
    for file in files("fastgc").joinpath("handbook").iterdir():
        topic, ends = file.name.removesuffix(".md"), file.name.endswith(".md")
        found |= {topic: Page(topic, file.read_text(encoding="utf-8"))} if ends else {}
    between = sorted(found.keys() - {*FIRST, *LAST})
    return tuple(found[topic] for topic in (*FIRST, *between, *LAST) if topic in found)


def page(topic: str, others: Iterable[str] = ()) -> Page:
    """Return a page by its topic, like ``"slurm"``.

    Raises FastgcError if there is none; it names the nearest page, or the nearest of ``others``,
    which are names of commands.

    >>> page("keys").title
    'The keys of studies'
    """
    found = {each.topic: each for each in pages()}
    if topic not in found:
        meant = nearest(topic, [*found, *others]) or "; `fastgc help` lists them"
        raise FastgcError(f"help: there is no page {topic!r}{meant}")
    return found[topic]
