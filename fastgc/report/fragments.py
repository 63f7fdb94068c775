"""Tables alone as Markdown and LaTeX: of rows, of verdicts, of a ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastgc.report import latex, markdown, wording
from fastgc.report.document import Block, Cell, Number, Table
from fastgc.report.export import plain
from fastgc.report.pages import numbers
from fastgc.report.pages.ranking import tables
from fastgc.results.ranking import Ranking
from fastgc.results.verdicts import Verdict


def of_rows(rows: Sequence[dict[str, Any]], form: str) -> str:
    """Return the tables of a run."""
    found = [block for section in numbers.sections(rows, {}) for block in section.blocks]
    return _printed(found, form)


def of_verdicts(found: Sequence[Verdict], form: str) -> str:
    """Return verdicts: in LaTeX a line for every case, in Markdown a table of them."""
    if form == "latex":
        return latex.verdict_lines(found)
    lines: list[list[Cell]] = []
    for verdict in found:
        said = f"{verdict.statement} ({verdict.claim})"
        for finding in verdict.findings:
            estimate = finding.estimate
            lines.append(
                [
                    said,
                    _point(finding.case.point),
                    Number(finding.case.theory, before=wording.sign(verdict.relation)),
                    Number(estimate.value, estimate.standard_error),
                    finding.verdict,
                ]
            )
            said = ""
    heads = ("statement", "point", "said", "measured", "verdict")
    return _printed([Table("Verdicts", heads, lines)], form)


def of_ranking(found: Ranking, form: str) -> str:
    """Return the tables of a ranking."""
    return _printed(tables(found), form)


def _point(point: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} = {plain(value)}" for key, value in point.items())


def _printed(blocks: Sequence[Block], form: str) -> str:
    return latex.blocks(blocks) if form == "latex" else markdown.blocks(blocks)
