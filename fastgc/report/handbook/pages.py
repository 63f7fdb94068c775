"""Which pages the handbook has: one Markdown file each, found where the package lies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files

from fastgc.errors import FastgcError
from fastgc.registry.complaints import nearest

#: The order of reading; pages that are not named here come before the last ones.
FIRST = (
    "own-code",
    "own-theorem",
    "times",
    "own-cluster",
    "traces",
    "what-to-time",
    "learning",
    "slurm",
)
LAST = (
    "statistics",
    "rare",
    "same-bits",
    "file",
    "large",
    "speed",
    "performance",
    "house",
    "keys",
    "claims",
)
#: The list of all pages, for who reads them where they lie; made by ``python -m bench.handbook``.
INDEX = "index"


@dataclass(frozen=True)
class Page:
    """A page of the handbook.

    Attributes
    ----------
    topic : str
        Its name in ``fastgc help TOPIC``, and that of its file.
    text : str
        Markdown (CommonMark with tables).
    """

    topic: str
    text: str

    @property
    def title(self) -> str:
        """Its heading."""
        return self.text.splitlines()[0].removeprefix("# ")


def pages() -> tuple[Page, ...]:
    """Return all pages in the order of reading.

    Examples
    --------
    >>> [found.title for found in pages() if found.topic == "statistics"]
    ['How the statistics are done']
    """
    found = {
        file.name.removesuffix(".md"): file.read_text(encoding="utf-8")
        for file in files("fastgc").joinpath("handbook").iterdir()
        if file.name.endswith(".md") and file.name != f"{INDEX}.md"
    }
    between = sorted(found.keys() - {*FIRST, *LAST})
    return tuple(Page(topic, found[topic]) for topic in (*FIRST, *between, *LAST) if topic in found)


def page(topic: str, others: Iterable[str] = ()) -> Page:
    """Return a page by its topic.

    Parameters
    ----------
    topic : str
        Like ``"slurm"``; `pages` has them all.
    others : iterable of str, optional
        What is no page but may be meant, too: names of commands.

    Raises
    ------
    FastgcError
        If there is no such page; the message names the nearest.

    Examples
    --------
    >>> page("keys").title
    'The keys of studies'
    """
    found = {each.topic: each for each in pages()}
    if topic not in found:
        meant = nearest(topic, [*found, *others]) or "; `fastgc help` lists them"
        raise FastgcError(f"help: there is no page {topic!r}{meant}")
    return found[topic]
