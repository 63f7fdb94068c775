"""Verdicts as lines of a LaTeX table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastgc.report.export import plain
from fastgc.report.latex.text import escaped, num
from fastgc.results.verdicts import CONFIRMED, Finding, Verdict

_RELATIONS = {"=": "=", "<=": r"\le", ">=": r"\ge", "<": "<", ">": ">"}


def verdict_lines(found: Sequence[Verdict]) -> str:
    """Return a table row for each case: statement, point, relation, theory, measured, verdict."""
    lines = [
        r"% \usepackage{siunitx}; in brackets the standard error in the last digits",
        "% statement & point & relation & theory & measured & verdict",
    ]
    for verdict in found:
        lines.append(f"% {verdict.claim}")
        said = escaped(verdict.statement)
        for finding in verdict.findings:
            cells = [
                said,
                _point(finding.case.point),
                f"${_RELATIONS[verdict.relation]}$",
                num(finding.case.theory),
                num(finding.estimate.value, finding.estimate.standard_error),
                _verdict(finding),
            ]
            lines.append(" & ".join(cells) + r" \\")
            said = ""
    return "\n".join(lines)


def _point(point: Mapping[str, Any]) -> str:
    return escaped(", ".join(f"{key} = {plain(value)}" for key, value in point.items()))


def _verdict(finding: Finding) -> str:
    """Return the verdict on a case, and within what a value of a sample is confirmed."""
    if finding.verdict != CONFIRMED or finding.within is None or finding.estimate.trials is None:
        return escaped(finding.verdict)
    if finding.is_absolute:
        return rf"confirmed to \num{{{finding.within:.1g}}}"
    return rf"confirmed to \qty{{{100 * finding.within:.1g}}}{{\percent}}"
