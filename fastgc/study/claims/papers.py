"""Papers that are one file each: those that come with fastgc, and those of installed packages."""

import functools
from importlib import resources
from importlib.resources.abc import Traversable
from typing import NamedTuple

from fastgc import theory
from fastgc.errors import FastgcError
from fastgc.registry import plugins
from fastgc.study.claims import read
from fastgc.study.claims.table import PaperTable
from fastgc.theory.papers.claim import Claim


class PaperFile(NamedTuple):
    """A paper and the claims of its file."""

    paper: PaperTable
    claims: tuple[Claim, ...]


def folder() -> Traversable:
    """Return where the files of fastgc's own papers are."""
    return resources.files("fastgc.theory") / "field"


@functools.cache
def field() -> dict[str, PaperFile]:
    """Return the papers that come with fastgc as one file each, by name."""
    found = {}
    for file in sorted(folder().iterdir(), key=lambda each: each.name):
        if file.name.endswith(".toml"):
            paper, claims = read.of_paper(file.read_text(encoding="utf-8"))
            found[paper.name] = PaperFile(paper, tuple(claims))
    return found


def installed() -> dict[str, PaperFile]:
    """Return the papers of installed packages, by entry points in ``fastgc.papers``.

    An entry point is the paper's name and the package that holds ``NAME.toml``.

    Raises FastgcError if a package cannot be loaded, has no such file or there are mistakes in it.
    """
    found: dict[str, PaperFile] = {}
    for entry in plugins.of_group(plugins.PAPERS):
        package = plugins.load(entry)
        place = f"entry point {entry.name!r}{plugins.of_package(entry)}"
        try:
            file = resources.files(package) / f"{entry.name}.toml"
            paper, claims = read.of_paper(file.read_text(encoding="utf-8"))
        except (OSError, TypeError, ValueError) as problem:
            said = "; ".join(str(problem).splitlines())
            raise FastgcError(f"{place}: {said}; repair or uninstall it") from problem
        if paper.name in field() or paper.name in found or paper.name != entry.name:
            raise FastgcError(
                f"{place}: the paper is called {paper.name}, which "
                f"{'is not its name' if paper.name != entry.name else 'is taken'}; "
                "repair or uninstall it"
            )
        found[paper.name] = PaperFile(paper, tuple(claims))
    return found


@functools.cache
def register() -> tuple[Claim, ...]:
    """Return all claims that come with fastgc: those of its papers, then papers of a file each."""
    return (*theory.claims(), *(claim for paper in field().values() for claim in paper.claims))


def names() -> tuple[str, ...]:
    """Return what ids of these claims begin with, in their order."""
    return (*theory.paper_names(), *field())


def group_of(claim: Claim) -> str:
    """Return with which statements one is counted: "core", "field" or "own".

    "core" are those of the five papers, "field" those of everything else that is written.
    """
    if claim.paper in theory.CORE:
        return "core"
    return "field" if claim.paper in names() else "own"


def citation(paper: str) -> str:
    """Return the citation of a paper that comes with fastgc; empty if it is none, or has none."""
    if paper in theory.paper_names():
        return theory.paper(paper).citation
    return field()[paper].paper.citation if paper in field() else ""
