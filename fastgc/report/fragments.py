"""Tables alone as Markdown and LaTeX: of rows, of verdicts, of a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastgc.report import latex, markdown
from fastgc.report.document import Block
from fastgc.report.pages.ranking import tables
from fastgc.report.pages.run import numbers
from fastgc.report.verdicts import case_table, verdict_lines
from fastgc.results.ranking import Ranking
from fastgc.results.verdicts import Verdict


def of_rows(rows: Sequence[dict[str, Any]], form: str) -> str:
    """Return the tables of a run."""
    return _printed([block for section in numbers(rows, {}) for block in section.blocks], form)


def of_verdicts(found: Sequence[Verdict], form: str) -> str:
    """Return verdicts: in LaTeX a line for every case, in Markdown a table of them."""
    return verdict_lines(found) if form == "latex" else _printed([case_table(found)], form)


def of_ranking(found: Ranking, form: str) -> str:
    """Return the tables of a ranking."""
    return _printed(tables(found), form)


def _printed(blocks: Sequence[Block], form: str) -> str:
    return latex.blocks(blocks) if form == "latex" else markdown.blocks(blocks)
