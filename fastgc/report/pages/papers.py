"""The pages on verdicts, and on a paper: its claims with errata, its studies, and what is open."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from fastgc import theory
from fastgc.report import printed, wording
from fastgc.report.document import Block, Document, Items, Paragraph, Section
from fastgc.report.pages import errata, parts, run
from fastgc.report.pages.parts import Measured
from fastgc.results.verdicts import UNDECIDED, Verdict


def of_verdicts(measured: Measured) -> Document:
    """Return the page on a validation."""
    found = measured.result.verdicts
    papers = pages_of(measured)
    title = errata.title(papers[0]) if len(papers) == 1 else "What measurement says of claims"
    ids = [each.claim for each in found]
    command = f"fastgc validate {' '.join(ids)} --seed {measured.seed} -o result.h5"
    return Document(
        title,
        [parts.measured_with([measured])],
        [
            *sections(measured),
            *still_open(measured),
            parts.how_measured([measured]),
            parts.repeat([command, "fastgc report result.h5 -o page.html"]),
        ],
    )


def sections(measured: Measured) -> list[Section]:
    """Return the question, the answer and what is decided, paper by paper."""
    found = measured.result.verdicts
    return [
        Section("asked", "What was asked", [Paragraph(question(found))]),
        Section("answer", "The answer", [*map(Paragraph, answer(found, pages_of(measured)))]),
        *decided(measured),
    ]


def decided(measured: Measured) -> list[Section]:
    """Return the verdicts that are decided, with their statements."""
    papers, found = pages_of(measured), []
    if len(papers) == 1:
        return errata.judged(papers[0])
    for each in papers:
        name = each["paper"]
        blocks: list[Block] = [Paragraph(errata.overview(each)), *errata.judged(each, f"{name}-")]
        found.append(Section(name, errata.title(each), blocks))
    return found


def question(found: Sequence[Verdict]) -> str:
    """Return what a validation asks."""
    count = "1 statement" if len(found) == 1 else f"{len(found)} statements"
    points = sum(len(each.findings) for each in found)
    at = "" if points == len(found) else f", at {points} points together"
    return f"Does measurement agree with {count}{at}?"


def answer(found: Sequence[Verdict], papers: Sequence[dict[str, Any]]) -> list[str]:
    """Return how many verdicts there are of each, and for each paper what of it holds."""
    said = [f"Verdicts: {wording.counts(found)}."]
    alone = len(papers) == 1  # whose title is that of the page
    said += [(f"{errata.title(each)}: " * (not alone)) + errata.overview(each) for each in papers]
    wrong = [each for each in found if not each.as_expected]
    if wrong:
        names = ", ".join(each.claim for each in wrong)
        said.append(f"Not the verdict that was expected: {names}.")
    if any(each.verdict == UNDECIDED for each in found):
        said.append("What is undecided stands at the end, with what would decide it.")
    return said


def still_open(measured: Measured) -> list[Section]:
    """Return the section on what is undecided, if there is anything."""
    found = [each for one in pages_of(measured) for each in errata.undecided(one)]
    blocks: list[Block] = [block for section in found for block in section.blocks]
    return [replace(found[0], blocks=blocks)] if found else []


def pages_of(measured: Measured) -> list[dict[str, Any]]:
    """Return the page on each paper as plain data, in the order of its first claim."""
    found = measured.result.verdicts
    papers = dict.fromkeys(each.claim.partition(".")[0] for each in found)
    version = str(measured.provenance.get("fastgc", ""))
    return [
        errata.page(
            paper,
            [each for each in found if each.claim.partition(".")[0] == paper],
            version=version,
            seed=measured.seed,
        )
        for paper in papers
    ]


@dataclass(frozen=True)
class Part:
    """A packaged study of a paper, like ``agc/main``, or its claims, by the paper's name.

    ``measured`` is None where it was left out; ``reason`` says why it was, or why not all of it is
    there. ``command`` measures it alone.
    """

    name: str
    measured: Measured | None
    reason: str = ""
    command: str = ""

    @property
    def title(self) -> str:
        """The study's title, without the paper's name."""
        title = self.measured.result.title if self.measured is not None else ""
        return wording.subject(self.name, title or self.name)


def of_paper(paper: str, studies: Sequence[Part], claimed: Part, command: str) -> Document:
    """Return the page on a paper from its packaged studies and the verdicts on its claims.

    ``command`` is what makes the page again.
    """
    known = [(each, each.measured) for each in studies if each.measured is not None]
    subjects = [measured for _, measured in known]
    subjects += [] if claimed.measured is None else [claimed.measured]
    every = [*studies, claimed]
    titles = [f"{each.name}: {each.title}" for each, _ in known]
    asked: list[Block] = []
    if claimed.measured is not None:
        asked.append(Paragraph(question(claimed.measured.result.verdicts)))
    if known:
        asked += [Paragraph("What do these packaged studies of it show?"), Items(titles)]
    shown = [
        Section(f"study{i}", title, run.sections(measured, f"study{i}-"))
        for i, (title, (_, measured)) in enumerate(zip(titles, known, strict=True), 1)
    ]
    return Document(
        theory.paper(paper).citation or paper,
        [parts.measured_with(subjects)] if subjects else [],
        [
            Section("asked", "What was asked", asked),
            Section("answer", "The answer", _answers(every, claimed)),
            *([] if claimed.measured is None else decided(claimed.measured)),
            *shown,
            *([] if claimed.measured is None else still_open(claimed.measured)),
            parts.how_measured(subjects),
            parts.repeat(list(filter(None, [command, *(each.command for each in every)]))),
        ],
        contents=True,
    )


def _answers(every: Sequence[Part], claimed: Part) -> list[Block]:
    said: list[Block] = []
    numbers = [n for each in every if each.measured is not None for n in run.beside(each.measured)]
    if numbers:
        said.append(Paragraph(printed.counts(numbers), "Printed numbers"))
    if claimed.measured is not None and claimed.measured.result.verdicts:
        found = claimed.measured.result.verdicts
        said += map(Paragraph, answer(found, pages_of(claimed.measured)))
    for each in every:
        if each.reason:
            said.append(Paragraph(f"{each.reason}.", f"{each.name} is not all there"))
        if each is claimed or each.measured is None:
            continue
        said.append(Paragraph(each.title, each.name))
        said.append(Items(run.answer(each.measured)))
    return said
