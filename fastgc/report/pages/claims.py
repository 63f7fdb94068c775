"""The page on a validation: verdicts with their statements, errata, and what is open, last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fastgc.report import wording
from fastgc.report.document import Block, Document, Paragraph, Section
from fastgc.report.errata import sentences
from fastgc.report.errata.document import judged, undecided
from fastgc.report.errata.page import page
from fastgc.report.pages import method
from fastgc.report.pages.drawn import drawn
from fastgc.report.pages.measured import Measured
from fastgc.results.verdicts import UNDECIDED, Verdict


def of_verdicts(measured: Measured) -> Document:
    """Return the page on a validation."""
    found = measured.result.verdicts
    papers = pages(measured)
    title = sentences.title(papers[0]) if len(papers) == 1 else "What measurement says of claims"
    ids = [each.claim for each in found]
    command = f"fastgc validate {' '.join(ids)} --seed {measured.seed} -o result.h5"
    return Document(
        title,
        [method.measured_with([measured])],
        [
            *sections(measured),
            *still_open(measured),
            method.section([measured]),
            method.repeat([command, "fastgc report result.h5 -o page.html"]),
        ],
    )


def sections(measured: Measured) -> list[Section]:
    """Return the question, the answer, the pictures and what is decided, paper by paper."""
    found = measured.result.verdicts
    return [
        Section("asked", "What was asked", [Paragraph(question(found))]),
        Section("answer", "The answer", [*map(Paragraph, answer(found, pages(measured)))]),
        *decided(measured),
    ]


def decided(measured: Measured) -> list[Section]:
    """Return the pictures of the verdicts, and those that are decided with their statements."""
    found = measured.result.verdicts
    blocks = drawn(list(found)) if found else []
    pictures = [Section("pictures", "Pictures of the verdicts", blocks)] if blocks else []
    each = pages(measured)
    if len(each) == 1:
        return [*pictures, *judged(each[0])]
    return [*pictures, *map(_of_paper, each)]


def question(found: Sequence[Verdict]) -> str:
    """Return what a validation asks."""
    count = "1 statement" if len(found) == 1 else f"{len(found)} statements"
    points = sum(len(each.findings) for each in found)
    at = "" if points == len(found) else f", at {points} points together"
    return f"Does measurement agree with {count}{at}?"


def answer(found: Sequence[Verdict], papers: Sequence[dict[str, Any]]) -> list[str]:
    """Return how many verdicts there are of each, and for each paper what of it holds."""
    said = [f"Verdicts: {wording.counts(found)}."]
    said += [f"{sentences.title(each)}: {sentences.overview(each)}" for each in papers]
    wrong = [each for each in found if not each.as_expected]
    if wrong:
        names = ", ".join(each.claim for each in wrong)
        said.append(f"Not the verdict that was expected: {names}.")
    if any(each.verdict == UNDECIDED for each in found):
        said.append("What is undecided stands at the end, with what would decide it.")
    return said


def still_open(measured: Measured) -> list[Section]:
    """Return the section on what is undecided, if there is anything."""
    found = [each for one in pages(measured) for each in undecided(one)]
    blocks: list[Block] = [block for section in found for block in section.blocks]
    return [replace(found[0], blocks=blocks)] if found else []


def _of_paper(each: dict[str, Any]) -> Section:
    name = each["paper"]
    blocks: list[Block] = [Paragraph(sentences.overview(each)), *judged(each, f"{name}-")]
    return Section(name, sentences.title(each), blocks)


def pages(measured: Measured) -> list[dict[str, Any]]:
    """Return the page on each paper, in the order of its claims."""
    found = measured.result.verdicts
    papers = dict.fromkeys(each.claim.partition(".")[0] for each in found)
    version = str(measured.provenance.get("fastgc", ""))
    return [
        page(
            paper,
            [each for each in found if each.claim.partition(".")[0] == paper],
            version=version,
            seed=measured.seed,
        )
        for paper in papers
    ]
