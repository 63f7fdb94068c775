"""The theory of a statement, known a second time: by brute force over patterns or sets of workers.

It shares no code with the theory, nor with the methods that measure; of a code it takes the matrix.
"""

import itertools
import math
from collections.abc import Iterable, Mapping
from typing import Any

from fastgc.results.rows import ENUMERATION
from fastgc.results.verdicts import REFUTED, Finding
from fastgc.theory.papers.claim import AS_N_GROWS, Case, Claim
from fastgc.validation.finite.brute_force import patterns, sets
from fastgc.validation.finite.product.codes import code_of

#: Points of a statement that are walked through at most.
POINTS = 3
_SAME, _NOTHING = 1e-8, 1e-11


def derivation(claim: Claim, findings: Iterable[Finding]) -> tuple[bool, str]:
    """Return whether the theory is known twice, and how; or what contradicts it."""
    findings = tuple(findings)
    if claim.second:
        return True, claim.second
    finite = [f for f in findings if f.method == ENUMERATION and "finite" in f.case.experiment]
    if finite:
        return True, f"brute force at {len(finite)} of {len(findings)} points"
    if claim.holds == AS_N_GROWS:
        return False, "its theory is one formula"
    known = ((finding, brute_force(finding.case)) for finding in findings)
    walked = [*itertools.islice(((f, value) for f, value in known if value is not None), POINTS)]
    for finding, value in walked:
        case = finding.case
        if _holds(case, claim.relation, value) == (finding.verdict == REFUTED):
            at = ", ".join(f"{key}={each}" for key, each in case.point.items())
            return False, f"brute force gives {value:.9g}, the theory {case.theory:.9g} at {at}"
    if walked:
        return True, f"brute force at {len(walked)} of {len(findings)} points"
    return False, "its theory is one formula"


def brute_force(case: Case) -> float | None:
    """Return what a case compares with its theory, by brute force; None if that is not done.

    >>> from fastgc import theory
    >>> claim = next(each for each in theory.claims() if each.id == "agc.remark2.corrected")
    >>> case = claim.cases[0]
    >>> abs(brute_force(case) - case.theory) < 1e-9
    True
    """
    if case.is_finite or not case.experiment or case.index is not None:
        return None
    value = _of(case.experiment, case)
    if value is None or case.against is None:
        return value
    other = _of(case.against, case)
    if other is None:
        return None
    return value - other if case.how == "difference" else value / other


def _of(experiment: Mapping[str, Any], case: Case) -> float | None:
    kind = experiment.get("kind", "decoding")
    if kind == "completion":
        return sets.statistic_of_sets(experiment, case.quantity, case.statistic)
    table = experiment.get("code", {})
    if kind != "decoding" or table.get("seed") == "trial":  # or a matrix that is drawn anew
        return None
    code = code_of(table)
    if code.n > patterns.MOST_WORKERS:
        return None
    return patterns.statistic_of_patterns(
        experiment, code.B.tolist(), code.pieces, case.quantity, case.statistic
    )


def _holds(case: Case, relation: str, value: float) -> bool:
    theory = case.theory
    near = _SAME * max(abs(value), abs(theory)) + _NOTHING * case.scale
    if case.digits is not None and relation == "=":
        near = 0.5 * 10.0**-case.digits * (1 + _SAME)
    off = value - theory
    if relation == "=":
        return math.isfinite(theory) and abs(off) <= near
    return off <= near if relation in ("<=", "<") else off >= -near
