"""Verdicts on claims, from measured numbers and what the theory says."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import Case, Claim

CONFIRMED = "confirmed"
LOOSE = "confirmed, loose"
REFUTED = "refuted"
UNDECIDED = "undecided"

TRACE = "trace"  # method of verdicts on a recorded trace, of which none is expected beforehand

HALF_WIDTH = 0.002  # of the theory
HALF_WIDTH_AT_ZERO = 1e-4  # of the measure's scale, where the theory is 0
ROUNDING = 1e-9  # of the scale: floats are not asked for more
WIDE = 25  # an interval wider than so many targets rests on too few events to reject anything
TIGHT = 0.2  # a bound within this share of the measured value is not loose


@dataclass(frozen=True)
class Finding:
    """One case of a claim, measured.

    Attributes
    ----------
    case : Case
        The parameter point and the theory's value.
    estimate : Estimate
        What was measured there.
    method : str
        ``"monte-carlo"``, ``"enumeration"`` or ``"trace"``.
    verdict : str
        One of `CONFIRMED`, `LOOSE`, `REFUTED` and `UNDECIDED`.
    half_width : float
        Half-width of the family-wise interval.
    trials_needed : int or None
        Trials that would decide an undecided case, or iterations of a trace; None where it is
        decided or their number is not known.
    p_value : float or None
        On a trace, the chance of a deviation at least so large if the statement is true.
    remark : str
        On a trace, what else the data show.
    """

    case: Case
    estimate: Estimate
    method: str
    verdict: str
    half_width: float
    trials_needed: int | None = None
    p_value: float | None = None
    remark: str = ""


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim, with the numbers of the case that decided it.

    A claim is refuted if one of its cases is, and confirmed if all are.
    """

    claim: str
    statement: str
    citation: str
    relation: str
    theory: float
    value: float | None
    standard_error: float | None
    verdict: str
    expected: str
    method: str
    point: dict[str, Any]
    findings: tuple[Finding, ...]

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the expected one or undecided, which is no contradiction."""
        return self.verdict in (self.expected, UNDECIDED)


def target_half_width(case: Case) -> float:
    """Return the half-width of the family-wise interval at which a case can be decided."""
    if case.theory == 0:
        return HALF_WIDTH_AT_ZERO * case.scale
    return HALF_WIDTH * abs(case.theory)


def half_width(case: Case, estimate: Estimate, significance: float) -> float:
    """Return the half-width of the interval that misses with probability ``significance``.

    Where all trials gave the same value nothing is known of the spread; then a different value
    has a chance of at most ln(1/significance)/trials, and is taken to differ by the scale.
    """
    if estimate.trials is None:
        return 0.0
    if estimate.standard_error is None:
        return math.inf
    if estimate.standard_error <= ROUNDING * case.scale / math.sqrt(estimate.trials):
        return case.scale * math.log(1 / significance) / estimate.trials
    return NormalDist().inv_cdf(1 - significance / 2) * estimate.standard_error


def p_value(case: Case, relation: str, estimate: Estimate) -> float:
    """Return the chance of a value at least so far on the wrong side if the claim is true."""
    if estimate.value is None or estimate.standard_error is None:
        return 1.0
    off = estimate.value - case.theory
    if relation in ("<=", "<"):
        off = max(off, 0.0)
    elif relation in (">=", ">"):
        off = min(off, 0.0)
    if abs(off) <= ROUNDING * max(case.scale, abs(case.theory)):
        return 1.0
    error = estimate.standard_error
    if estimate.proportion and estimate.trials and 0 < case.theory < 1:
        # the spread that the theory itself predicts, also where no trial hit
        error = max(error, math.sqrt(case.theory * (1 - case.theory) / estimate.trials))
    if error <= ROUNDING * case.scale and estimate.trials is not None:
        # all trials alike: an outcome that differs by the scale may just not have come yet
        return (1 - min(1.0, abs(off) / case.scale)) ** estimate.trials
    if error == 0:
        return 0.0
    return 2 * NormalDist().cdf(-abs(off) / error)


def rejected(p_values: list[float], alpha: float) -> list[bool]:
    """Return which statements Holm's rule rejects; with chance ≤ alpha it rejects a true one."""
    out = [False] * len(p_values)
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    for place, i in enumerate(order):
        if p_values[i] > alpha / (len(p_values) - place):
            break
        out[i] = True
    return out


def may_reject(case: Case, estimate: Estimate, significance: float) -> bool:
    """Return whether there are enough trials for the normal law to hold in its tails."""
    return half_width(case, estimate, significance) <= WIDE * target_half_width(case)


def judge(
    case: Case, relation: str, estimate: Estimate, *, is_rejected: bool, significance: float
) -> tuple[str, float, int | None]:
    """Return the verdict on a case, its half-width, and the trials that would decide it."""
    half = half_width(case, estimate, significance)
    if is_rejected:
        return REFUTED, half, None
    if estimate.value is None:
        return UNDECIDED, half, None
    off = estimate.value - case.theory
    slack = ROUNDING * max(case.scale, abs(case.theory))
    narrow = half <= target_half_width(case)
    if relation == "=":
        decided = narrow and abs(off) <= half + slack
        verdict = CONFIRMED
    else:
        beyond = -off if relation in ("<=", "<") else off
        clear = beyond > half
        equal = relation in ("<=", ">=") and narrow and abs(off) <= half + slack
        decided = clear or equal
        loose = case.theory != 0 and abs(off) > TIGHT * abs(estimate.value)
        verdict = LOOSE if clear and loose else CONFIRMED
    if decided:
        return verdict, half, None
    needed = None
    if estimate.trials and math.isfinite(half):
        needed = math.ceil(estimate.trials * (half / target_half_width(case)) ** 2)
    return UNDECIDED, half, needed


def of_claim(verdicts: Iterable[str]) -> str:
    """Return the verdict on a claim whose cases have these verdicts."""
    given = set(verdicts)
    return next(name for name in _SEVERITY if name in given)


def conclude(claim: Claim, findings: list[Finding]) -> Verdict:
    """Return the verdict on a claim of which these cases were measured."""
    by_verdict = {name: [f for f in findings if f.verdict == name] for name in _SEVERITY}
    name = of_claim(f.verdict for f in findings)
    deciding = by_verdict[name][0]  # the same point for any number of trials and claims
    return Verdict(
        claim=claim.id,
        statement=claim.statement,
        citation=claim.citation,
        relation=claim.relation,
        theory=deciding.case.theory,
        value=deciding.estimate.value,
        standard_error=deciding.estimate.standard_error,
        verdict=name,
        expected=claim.expected,
        method=deciding.method,
        point=dict(deciding.case.point),
        findings=tuple(findings),
    )


#: One refuted case refutes a claim; a bound is loose only if it is nowhere tight.
_SEVERITY = (REFUTED, UNDECIDED, CONFIRMED, LOOSE)
