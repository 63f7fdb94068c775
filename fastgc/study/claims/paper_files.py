"""Papers that are one file each, which come with fastgc."""

import functools
from importlib import resources
from typing import NamedTuple

from fastgc import theory
from fastgc.study.claims import read
from fastgc.study.claims.claim_table import PaperTable
from fastgc.theory.papers.claim import Claim


class PaperFile(NamedTuple):
    """A paper and the claims of its file."""

    paper: PaperTable
    claims: tuple[Claim, ...]


@functools.cache
def field() -> dict[str, PaperFile]:
    """Return the papers that come with fastgc as one file each, by name."""
    found = {}
    folder = resources.files("fastgc.theory") / "field"
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        if file.name.endswith(".toml"):
            paper, claims = read.read_paper(file.read_text(encoding="utf-8"), file.name)
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
