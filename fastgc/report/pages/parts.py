"""What pages have in common: how it was measured, how to repeat it, pictures; several in one."""

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fastgc.errors import FastgcError
from fastgc.registry.complaints import one_line
from fastgc.registry.numbers import spaced
from fastgc.report import document as doc
from fastgc.report.html import as_html
from fastgc.results import image
from fastgc.results.rows import Result
from fastgc.study.study import Study

#: The command that makes a page of a file.
SHOW = "fastgc show result.h5 --html -o page.html"


@dataclass(frozen=True)
class Measured:
    """A result with what its file says of how it came about.

    ``provenance`` has versions and when the file was written; ``study`` is None for a validation,
    ``trials`` are of all points together, and ``origin`` says whether it is a shard or was merged.
    """

    result: Result
    seed: int
    provenance: Mapping[str, Any]
    study: Study | None = None
    trials: int = 0
    origin: str = ""

    @property
    def title(self) -> str:
        """The study's title, else the name of the file."""
        path = self.result.path
        return self.result.title or (path.name if path is not None else "A run")


def require_html(path: Path | None) -> None:
    """Refuse a page's name that ends otherwise, before any work."""
    if path is not None and path.suffix.lower() not in (".html", ".htm"):
        raise FastgcError(f"{one_line(str(path))}: a page's name must end in .html")


def save(page: doc.Document, path: Path) -> None:
    """Write a page as HTML; raise StorageError if it cannot be written."""
    image.write(path, f"{as_html(page)}\n".encode())


def drawn(found: Result) -> list[doc.Block]:
    """Return all pictures of a result; or why there are none."""
    if importlib.util.find_spec("matplotlib") is None:
        said = "There are no pictures: matplotlib is not installed, which draws them; "
        return [doc.Paragraph(f"{said}pip install 'fastgc-sim[plot]' brings it.")]
    from fastgc.report import pictures

    try:
        made = pictures.of(found)
    except FastgcError:  # there is nothing to be seen
        return []
    return [doc.Figure(each) for each in made]


def joined(pages: Sequence[doc.Document], title: str = "Results") -> doc.Document:
    """Return a page with a section for each page, their names kept apart; of one page, itself."""
    if len(pages) == 1:
        return pages[0]
    sections = []
    for number, each in enumerate(pages, 1):
        own = [_renamed(section, f"page{number}-") for section in each.sections]
        blocks: list[doc.Block] = [*map(doc.Paragraph, each.lead), *own]
        sections.append(doc.Section(f"page{number}", each.title, blocks))
    return doc.Document(title, [], sections, contents=True)


def _renamed(section: doc.Section, prefix: str) -> doc.Section:
    """The section and those in it, their names with a prefix."""
    blocks = [_renamed(b, prefix) if isinstance(b, doc.Section) else b for b in section.blocks]
    return replace(section, name=f"{prefix}{section.name}", blocks=blocks)


_BRACKETS = (
    "Digits in brackets are the standard error in the last digits: 0.48807(30) is 0.48807 with a "
    "standard error of 0.00030."
)
_INTERVALS = (
    "Intervals hold the true value in 95 of 100 repetitions, each for itself: a page with twenty "
    "of them has one on average that does not."
)
_VERDICTS = (
    "A statement is refuted where its interval does not reach what it says; with probability at "
    "most 1 %, or the alpha that was given, is any true one of all that were judged together "
    "refuted (Holm). It is confirmed to within what its interval shows, and undecided else."
)


def how_measured(subjects: Sequence[Measured]) -> doc.Section:
    """Return the section on how it was measured."""
    facts = [_BRACKETS]
    facts += [_INTERVALS] * any(each.study is not None for each in subjects)
    facts += [_VERDICTS] * any(each.result.verdicts for each in subjects)
    runs, notes = [], []
    versions: dict[str, dict[str, None]] = {}
    for each in subjects:
        written = str(each.provenance["written"]).replace("T", " ").replace("+00:00", " UTC")
        trials = spaced(each.trials) if each.trials else "none: all exact"
        runs.append((each.title, str(each.seed), trials, each.result.stopped_by, written))
        notes += [f"{each.origin[0].upper()}{each.origin[1:]}."] if each.origin else []
        if not each.result.complete:
            notes.append(f"{each.title} is not complete: the same command goes on.")
        for name, version in each.provenance.items():
            if name not in ("points", "written"):
                versions.setdefault(name.replace("_", " "), {})[str(version)] = None
    heads = ("what", "seed", "trials", "stopped by", "written")
    known = [(name, ", ".join(each)) for name, each in versions.items()]
    blocks: list[doc.Block] = [doc.Items(facts), doc.Table("What was sampled", heads, runs, 1)]
    blocks.append(doc.Table("Versions", ("program", "version"), known))
    return doc.Section("method", "How it was measured", [*blocks, *map(doc.Paragraph, notes)])


def measured_with(subjects: Sequence[Measured]) -> str:
    """Return the sentence on with what, and from how many trials, a page is made."""
    versions = ", ".join(dict.fromkeys(str(each.provenance["fastgc"]) for each in subjects))
    seeds = ", ".join(dict.fromkeys(str(each.seed) for each in subjects))
    trials = sum(each.trials for each in subjects)
    days = ", ".join(dict.fromkeys(str(each.provenance["written"])[:10] for each in subjects))
    sampled = f"{spaced(trials)} trials" if trials else "without sampling"
    return f"Measured with fastgc {versions}, seed {seeds}, {sampled}, on {days}."


def repeat(commands: Sequence[str], study: str = "") -> doc.Section:
    """Return the section with the commands, and the study that they need as a file."""
    blocks: list[doc.Block] = []
    if study:
        blocks += [doc.Paragraph("Save this as study.toml:"), doc.Code(study.strip())]
    blocks.append(doc.Paragraph("These commands give the same numbers, bit for bit:"))
    return doc.Section("repeat", "Repeat it", [*blocks, doc.Code("\n".join(commands))])
