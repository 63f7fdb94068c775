"""The page on a paper that was reproduced: its studies, its claims, and what of them holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastgc import theory
from fastgc.report.document import Block, Document, Items, Paragraph, Section
from fastgc.report.pages import claims, method, run
from fastgc.report.pages.measured import Measured


@dataclass(frozen=True)
class Part:
    """A packaged study of a paper, or its claims.

    Attributes
    ----------
    name : str
        Like ``agc/main``; of the claims the paper's.
    measured : Measured or None
        None where it was left out.
    reason : str
        Why it was left out, or why not all of it is there.
    command : str
        What measures it alone.
    """

    name: str
    measured: Measured | None
    reason: str = ""
    command: str = ""


def of_paper(paper: str, studies: Sequence[Part], claimed: Part, command: str) -> Document:
    """Return the page on a paper.

    Parameters
    ----------
    paper : str
        Its name.
    studies : sequence of Part
        Its packaged studies.
    claimed : Part
        The verdicts on its claims.
    command : str
        What makes the page again.
    """
    known = [each for each in studies if each.measured is not None]
    subjects = [each.measured for each in [*known, claimed] if each.measured is not None]
    parts = [*studies, claimed]
    return Document(
        theory.paper(paper).citation or paper,
        [method.measured_with(subjects)] if subjects else [],
        [
            Section("asked", "What was asked", _asked(known, claimed)),
            Section("answer", "The answer", _answer(parts, claimed)),
            *([] if claimed.measured is None else claims.decided(claimed.measured)),
            *map(_study, known, range(1, len(known) + 1)),
            *([] if claimed.measured is None else claims.still_open(claimed.measured)),
            method.section(subjects),
            method.repeat(list(filter(None, [command, *(each.command for each in parts)]))),
        ],
        contents=True,
    )


def _asked(known: Sequence[Part], claimed: Part) -> list[Block]:
    said: list[Block] = []
    if claimed.measured is not None:
        said.append(Paragraph(claims.question(claimed.measured.result.verdicts)))
    if known:
        said += [Paragraph("What do these packaged studies of it show?"), Items(_titles(known))]
    return said


def _titles(known: Sequence[Part]) -> list[str]:
    return [
        f"{each.name}: {each.measured.result.title}" for each in known if each.measured is not None
    ]


def _answer(parts: Sequence[Part], claimed: Part) -> list[Block]:
    said: list[Block] = []
    if claimed.measured is not None and claimed.measured.result.verdicts:
        found = claimed.measured.result.verdicts
        said += map(Paragraph, claims.answer(found, claims.pages(claimed.measured)))
    for each in parts:
        if each.reason:
            said.append(Paragraph(f"{each.reason}.", f"{each.name} is not all there"))
        if each is claimed or each.measured is None:
            continue
        said.append(Paragraph(each.measured.result.title, each.name))
        said.append(Items(run.answer(each.measured)))
    return said


def _study(part: Part, number: int) -> Section:
    assert part.measured is not None
    prefix = f"study{number}-"
    title = part.measured.result.title or part.name
    return Section(f"study{number}", f"{part.name}: {title}", run.sections(part.measured, prefix))
