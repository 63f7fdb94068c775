"""What pages have in common: how it was measured, how to repeat it, pictures; several in one."""

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fastgc.errors import FastgcError
from fastgc.registry.numbers import spaced
from fastgc.report import document as doc
from fastgc.results import rows as methods
from fastgc.results.rows import Result
from fastgc.study.study import Study


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


MISSING = (
    "There are no pictures: matplotlib is not installed, which draws them; "
    "pip install 'fastgc-sim[plot]' brings it."
)


def drawn(found: Result) -> list[doc.Block]:
    """Return all pictures of a result; or why there are none."""
    if importlib.util.find_spec("matplotlib") is None:
        return [doc.Paragraph(MISSING)]
    from fastgc.report import pictures

    try:
        made = pictures.of(found)
    except FastgcError:  # there is nothing to be seen
        return []
    return [doc.Figure(each, each.title, each.caption) for each in made]


def joined(pages: Sequence[doc.Document], title: str = "Reports") -> doc.Document:
    """Return a page with a section for each page, their names kept apart; of one page, itself."""
    if len(pages) == 1:
        return pages[0]
    sections = []
    for number, each in enumerate(pages, 1):
        own = [_renamed(section, f"page{number}-") for section in each.sections]
        sections.append(
            doc.Section(f"page{number}", each.title, [*map(doc.Paragraph, each.lead), *own])
        )
    return doc.Document(title, [], sections, contents=True)


def in_brief(page: doc.Document) -> doc.Document:
    """Return a page without anything but its answers, and printed numbers beside measured ones."""
    return replace(page, sections=list(_in_brief(page.sections)))


def _in_brief(sections: Sequence[doc.Section]) -> Iterator[doc.Section]:
    for section in sections:
        if section.name.rpartition("-")[2] in ("answer", "printed"):
            yield section
        else:
            inside = _in_brief(
                [block for block in section.blocks if isinstance(block, doc.Section)]
            )
            if blocks := list(inside):
                yield replace(section, blocks=blocks)


def _renamed(section: doc.Section, prefix: str) -> doc.Section:
    """The section and what is in it, their names with a prefix."""
    blocks: list[doc.Block] = []
    for block in section.blocks:
        if isinstance(block, doc.Section):
            block = _renamed(block, prefix)
        elif isinstance(block, doc.Statements):
            entries = [replace(each, name=f"{prefix}{each.name}") for each in block.entries]
            block = replace(block, entries=entries)
        blocks.append(block)
    return replace(section, name=f"{prefix}{section.name}", blocks=blocks)


_METHODS = {
    methods.EXACT: "exact: all straggler patterns with their probabilities, or integrals over the "
    "law of the time, without sampling.",
    methods.ENUMERATION: "enumeration: a finite statement, by brute force.",
    methods.MONTE_CARLO: "monte-carlo: sampled; trials are independent of each other.",
    methods.CLOSED_FORM: "closed-form: what theory says, for comparison.",
    methods.ENUMERATION_BOUNDS: "enumeration-bounds: all sets of few stragglers with their "
    "probabilities; the bounds hold whatever the larger ones do.",
    methods.UNION_SAMPLING: "union-sampling: one of the event's causes is made to happen, in "
    "proportion to its probability, and the rest is sampled (Karp and Luby).",
    methods.LOWER_BOUND: "lower-bound: the worst pattern that a search found; there may be worse.",
}
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
_NAMES = ("fastgc", "stream_version", "python")


def how_measured(subjects: Sequence[Measured]) -> doc.Section:
    """Return the section on how it was measured."""
    taken = dict.fromkeys(row.method for each in subjects for row in each.result.entries)
    facts = [_BRACKETS]
    facts += [_INTERVALS] * any(each.study is not None for each in subjects)
    facts += [_VERDICTS] * any(each.result.verdicts for each in subjects)
    facts += [_METHODS[method] for method in taken if method in _METHODS]
    blocks: list[doc.Block] = [doc.Items(facts)]
    runs, notes = [], []
    for each in subjects:
        written = str(each.provenance["written"]).replace("T", " ").replace("+00:00", " UTC")
        trials = spaced(each.trials) if each.trials else "none: all exact"
        runs.append((_title(each), str(each.seed), trials, each.result.stopped_by, written))
        notes += [f"{each.origin[0].upper()}{each.origin[1:]}."] if each.origin else []
        if not each.result.complete:
            notes.append(f"{_title(each)} is not complete: the same command goes on.")
    heads = ("what", "seed", "trials", "stopped by", "written")
    blocks.append(doc.Table("What was sampled", heads, runs, 1))
    versions = [dict(_versions(each.provenance)) for each in subjects if each.provenance]
    if versions:
        names = list(dict.fromkeys(key for each in versions for key in each))
        rows = [
            (name, ", ".join(dict.fromkeys(each[name] for each in versions if name in each)))
            for name in names
        ]
        blocks.append(doc.Table("Versions", ("program", "version"), rows))
    return doc.Section("method", "How it was measured", [*blocks, *map(doc.Paragraph, notes)])


def measured_with(subjects: Sequence[Measured]) -> str:
    """Return the sentence on with what, and from how many trials, a page is made."""
    versions = ", ".join(dict.fromkeys(str(each.provenance["fastgc"]) for each in subjects))
    seeds = ", ".join(dict.fromkeys(str(each.seed) for each in subjects))
    trials = sum(each.trials for each in subjects)
    days = ", ".join(dict.fromkeys(str(each.provenance["written"])[:10] for each in subjects))
    sampled = f"{spaced(trials)} trials" if trials else "without sampling"
    return f"Measured with fastgc {versions}, seed {seeds}, {sampled}, on {days}."


def _title(each: Measured) -> str:
    path = each.result.path
    return each.result.title or (path.name if path is not None else "")


def _versions(provenance: Mapping[str, Any]) -> list[tuple[str, str]]:
    known = [name for name in provenance if name not in ("points", "written")]
    known.sort(key=lambda name: _NAMES.index(name) if name in _NAMES else len(_NAMES))
    return [(name.replace("_", " "), str(provenance[name])) for name in known]


def repeat(commands: Sequence[str], study: str = "") -> doc.Section:
    """Return the section with the commands, and the study that they need as a file."""
    blocks: list[doc.Block] = []
    if study:
        blocks += [doc.Paragraph("Save this as study.toml:"), doc.Code(study.strip(), "toml")]
    blocks.append(doc.Paragraph("These commands give the same numbers, bit for bit:"))
    return doc.Section("repeat", "Repeat it", [*blocks, doc.Code("\n".join(commands))])
