"""Verdicts as plain data for other programs, with every case."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from fastgc.report import wording
from fastgc.results.verdicts import TRACE, Finding, Verdict
from fastgc.statistics.estimates import Estimate


def verdict_rows(found: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Return verdicts as plain data, with every case; what is not finite is None."""
    return [verdict_row(each) for each in found]


def verdict_row(each: Verdict) -> dict[str, Any]:
    """Return one verdict as plain data, with every case."""
    return {
        "claim": each.claim,
        "statement": each.statement,
        "citation": each.citation,
        "relation": each.relation,
        "theory": _finite(each.theory),
        "value": _finite(each.value),
        "standard_error": _finite(each.standard_error),
        "verdict": each.verdict,
        "expected": each.expected,
        "within": _finite(each.within),
        "kind": each.kind,
        "reason": each.reason,
        "holds": each.holds,
        "holds_at": wording.holds_at(each),
        "own_points": each.own_points,
        "category": each.category,
        "corrects": each.corrects,
        "reads": each.reads,
        "proof": each.proof,
        "method": each.method,
        "point": each.point,
        "cases": [_case(finding) for finding in each.findings],
    }


def _case(finding: Finding) -> dict[str, Any]:
    case = finding.case
    row = {
        "point": dict(case.point),
        "quantity": case.quantity,
        "statistic": case.statistic,
        "index": case.index,
        "theory": _finite(case.theory),
        **_numbers(finding.estimate),
        "half_width": _finite(finding.half_width),
        "within": _finite(finding.within),
        "method": finding.method,
        "sampled": None if finding.sampled is None else _numbers(finding.sampled),
        "verdict": finding.verdict,
        "reason": finding.reason,
        "trials_needed": finding.trials_needed,
        "digits": case.digits,
        "tolerance": case.tolerance,
        "size": case.size,
        "rate": case.rate,
        "experiment": dict(case.experiment),
        "against": None if case.against is None else dict(case.against),
        "how": None if case.against is None else case.how,
    }
    if finding.method == TRACE:
        row |= {"p_value": finding.p_value, "remark": finding.remark}
    return row


def _numbers(estimate: Estimate) -> dict[str, Any]:
    return {
        "value": _finite(estimate.value),
        "standard_error": _finite(estimate.standard_error),
        "trials": estimate.trials,
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
