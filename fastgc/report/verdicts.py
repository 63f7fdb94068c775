"""Verdicts as tables and as plain data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from fastgc.report.columns import columns
from fastgc.report.export import Rows, plain
from fastgc.report.numbers import number
from fastgc.results.verdicts import TRACE, UNDECIDED, Verdict, of_claim


def kept_verdicts(rows: Rows) -> str:
    """Return the table of a validation's rows, with a line for each case of a claim."""
    table = [["claim", "point", "relation", "theory", "measured", "verdict"]]
    before = None
    for row in rows:
        table.append(
            [
                "" if row["claim"] == before else row["claim"],
                ", ".join(f"{key}={plain(value)}" for key, value in row["point"].items()),
                row["relation"],
                f"{row['theory']:.6g}",
                number(row["value"], row["standard_error"]),
                row["verdict"],
            ]
        )
        before = row["claim"]
    by_claim: dict[str, list[str]] = {}
    for row in rows:
        by_claim.setdefault(row["claim"], []).append(row["verdict"])
    said = _counts([of_claim(verdicts) for verdicts in by_claim.values()])
    return "\n".join([*columns(table), "", f"{len(by_claim)} claims: {said}."])


def verdicts(found: Sequence[Verdict]) -> str:
    """Return the table of verdicts, and below it sentences on those that are undecided."""
    table = [["claim", "relation", "theory", "measured", "verdict", ""]]
    for verdict in found:
        mark = "" if verdict.as_expected else f"expected: {verdict.expected}"
        table.append(
            [
                verdict.claim,
                verdict.relation,
                f"{verdict.theory:.6g}",
                number(verdict.value, verdict.standard_error),
                verdict.verdict,
                mark,
            ]
        )
    lines = columns(table)
    said = _counts([verdict.verdict for verdict in found])
    traced = bool(found) and all(verdict.method == TRACE for verdict in found)
    judged = "no verdict is expected of a recorded trace" if traced else _contradictions(found)
    if traced:
        facts = ", ".join(f"{key} {value}" for key, value in found[0].point.items())
        lines = [facts, "", *lines]
    lines += ["", f"{len(found)} claims: {said}; {judged}."]
    for verdict in found:
        if verdict.method == TRACE:
            lines.append(_seen(verdict))
        elif verdict.verdict == UNDECIDED:
            open_cases = [f for f in verdict.findings if f.verdict == UNDECIDED]
            needed = max((f.trials_needed or 0 for f in open_cases), default=0)
            more = f"; about {needed:,} trials would do".replace(",", " ") if needed else ""
            lines.append(
                f"{verdict.claim} is undecided at {len(open_cases)} of "
                f"{len(verdict.findings)} points{more}."
            )
    return "\n".join(lines)


def _seen(verdict: Verdict) -> str:
    """Return a sentence on what a recorded trace shows of a statement."""
    [finding] = verdict.findings
    needed = finding.trials_needed
    number_needed = f"{needed or 0:,}".replace(",", " ")
    more = f"; about {number_needed} iterations would decide" if needed else ""
    return f"{verdict.claim}: p = {finding.p_value:.2g}; {finding.remark}{more}."


def _counts(verdicts: Sequence[str]) -> str:
    return ", ".join(f"{verdicts.count(name)} {name}" for name in sorted(set(verdicts)))


def _contradictions(found: Sequence[Verdict]) -> str:
    wrong = sum(not verdict.as_expected for verdict in found)
    if wrong:
        return f"{wrong} differ from what was expected"
    if any(verdict.verdict == UNDECIDED for verdict in found):
        return "none contradicts the expected one, but not all are decided"
    return "every verdict is the expected one"


def verdict_rows(found: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Return verdicts as plain data, with every case."""
    return [
        {
            "claim": v.claim,
            "statement": v.statement,
            "citation": v.citation,
            "relation": v.relation,
            "theory": v.theory,
            "value": v.value,
            "standard_error": v.standard_error,
            "verdict": v.verdict,
            "expected": v.expected,
            "method": v.method,
            "point": v.point,
            "cases": [
                {
                    "point": dict(f.case.point),
                    "theory": f.case.theory,
                    "value": f.estimate.value,
                    "standard_error": f.estimate.standard_error,
                    "half_width": f.half_width if math.isfinite(f.half_width) else None,
                    "trials": f.estimate.trials,
                    "verdict": f.verdict,
                    "trials_needed": f.trials_needed,
                }
                | ({"p_value": f.p_value, "remark": f.remark} if f.method == TRACE else {})
                for f in v.findings
            ],
        }
        for v in found
    ]
