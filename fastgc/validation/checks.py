"""What a verdict rests on: the checks that it passed, and those that it lacks, each with why.

*Methods agree*: the number is known twice, exactly and from a sample, or by enumeration and from
what fastgc builds. *Could fail*: a theory that is 5 % off is refuted by the same measurement, or,
where nothing is to be counted, the same measure refutes another statement. *Second derivation*: the
theory is known by a second formula, or by brute force over patterns or sets of workers, which
shares no code with it, nor with the methods that measure; of a code it takes the matrix.
"""

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

from fastgc import theory
from fastgc.results.rows import ENUMERATION
from fastgc.results.verdict_data import LOOSE, NONE, REFUTED, Check, Finding, Verdict
from fastgc.theory.papers.claim import AS_N_GROWS, SOMEWHERE, Case, Claim
from fastgc.validation.finite.brute_force import brute_statistics
from fastgc.validation.finite.product import code_of

#: How far off the theory of the negative control is, and as n grows by which power of the size.
OFF, POWER = 0.05, 0.25


def control(claim: Claim) -> tuple[str, Claim]:
    """Return a wrong claim that the same measurement must refute, and what it is called."""
    up = claim.relation not in ("<=", "<")
    if claim.holds == AS_N_GROWS:
        name = f"the theory times the size to the power {POWER if up else -POWER}"
    else:
        name = f"the theory {100 * OFF:g} % too {'large' if up else 'small'}"
        if all(case.theory == 0 for case in claim.cases):
            name = f"a theory of {'' if up else '−'}{OFF * claim.cases[0].scale:g} in place of 0"

    def wrong(case: Case) -> float:
        if claim.holds == AS_N_GROWS and claim.limit != "difference":
            return case.theory * math.pow(case.size or 1.0, POWER if up else -POWER)
        off = OFF * (abs(case.theory) or case.scale)
        if case.digits is not None:
            off = max(off, 2 * 10.0**-case.digits)
        return case.theory + (off if up else -off)

    cases = tuple(replace(case, theory=wrong(case)) for case in claim.cases)
    return name, replace(claim, make=lambda: cases)


def verdict_checks(
    claim: Claim, found: Verdict, refuses: Sequence[bool], *, disagree: bool
) -> tuple[Check, ...]:
    """Return the checks of a verdict.

    ``refuses``: at which cases the measurement refutes the negative control; ``disagree``: whether
    an exact value and its sample contradict each other.
    """
    findings = found.findings
    if all(finding.method == NONE for finding in findings):
        return ()
    beside = sum(each.sampled is not None for each in findings)
    ways = {"built" in each.case.experiment for each in findings if each.case.is_finite}
    methods = ", ".join(dict.fromkeys(each.method for each in findings))
    agree = False, f"one method alone: {methods}"
    if disagree:
        agree = False, "an exact value and its sample cannot both be right"
    elif beside:
        agree = True, f"exact and sampled at {beside} of {len(findings)} points"
    elif len(ways) == 2:
        agree = True, "by enumeration and from what fastgc builds"
    elif ways and any(not each.case.is_finite for each in findings):
        agree = True, "by enumeration and by experiment"
    return (
        Check("methods agree", *agree),
        Check("could fail", *_control(claim, found, refuses)),
        Check("second derivation", *derivation(claim, findings)),
    )


def _control(claim: Claim, found: Verdict, refuses: Sequence[bool]) -> tuple[bool, str]:
    if found.verdict == REFUTED:
        return True, "it does: it is refuted"
    cases = [finding.case for finding in found.findings]
    if all(case.is_finite and case.theory == 0 for case in cases):
        refuted = (_refuted()[each.quantity] for each in cases if each.quantity in _refuted())
        if (other := next(refuted, None)) is not None:
            return True, f"the same measure refutes {other}"
        return False, "it says that there is none of something, and nothing shows that one is seen"
    name, _ = control(claim)
    alone = all(refuses) if claim.holds in (SOMEWHERE, AS_N_GROWS) else any(refuses)
    if alone:
        at = "" if claim.holds == AS_N_GROWS else f" at {sum(refuses)} of {len(refuses)} points"
        return True, f"{name} is refuted{at}"
    return False, f"{name} is not refuted{': the bound is loose' * (found.verdict == LOOSE)}"


@functools.cache
def _refuted() -> dict[str, str]:
    return {
        case.quantity: claim.id
        for claim in theory.claims()
        if claim.expected == REFUTED
        for case in claim.cases
        if case.is_finite
    }


# ---- the theory, known a second time


#: Points of a statement that are walked through at most.
POINTS = 3
_SAME, _NOTHING = 1e-8, 1e-11


def derivation(claim: Claim, findings: Sequence[Finding]) -> tuple[bool, str]:
    """Return whether the theory is known twice, and how; or what contradicts it."""
    if claim.second:
        return True, claim.second
    count = sum(f.method == ENUMERATION and "finite" in f.case.experiment for f in findings)
    if count == 0 and claim.holds != AS_N_GROWS:
        known = ((finding, brute_force(finding.case)) for finding in findings)
        walked = ((finding, value) for finding, value in known if value is not None)
        for finding, value in itertools.islice(walked, POINTS):
            case = finding.case
            near = _SAME * max(abs(value), abs(case.theory)) + _NOTHING * case.scale
            if case.digits is not None and claim.relation == "=":
                near = 0.5 * 10.0**-case.digits * (1 + _SAME)
            off = value - case.theory
            holds = off <= near if claim.relation in ("<=", "<") else off >= -near
            if claim.relation == "=":
                holds = math.isfinite(case.theory) and abs(off) <= near
            seen, least = finding.estimate.value or 0.0, brute_statistics.ROUNDING * case.scale
            if case.theory == value == 0 < abs(seen) <= least and finding.verdict == REFUTED:
                return False, f"brute force does not tell {seen:.2g} from 0"
            if holds == (finding.verdict == REFUTED):
                at = ", ".join(f"{key}={each}" for key, each in case.point.items())
                said = f"brute force gives {value:.9g}, the theory {case.theory:.9g} at {at}"
                return False, said
            count += 1
    if count:
        return True, f"brute force at {count} of {len(findings)} points"
    return False, "its theory is one formula"


def brute_force(case: Case) -> float | None:
    """Return what a case compares with its theory, by brute force; None if that is not done."""
    if case.is_finite or not case.experiment or case.index is not None:
        return None
    values = []
    for table in filter(None, (case.experiment, case.against)):
        value, code = None, table.get("code", {})
        kind = table.get("kind", "decoding")
        if kind == "completion":
            value = brute_statistics.statistic_of_sets(table, case.quantity, case.statistic)
        elif kind == "decoding" and code.get("seed") != "trial":  # a matrix that is drawn anew
            made = code_of(code)
            if made.n <= brute_statistics.MOST_WORKERS:
                rows = made.B.tolist()
                value = brute_statistics.statistic_of_patterns(
                    table, rows, case.quantity, case.statistic
                )
        if value is None:
            return None
        values.append(value)
    first, *others = values
    if not others:
        return first
    return first - others[0] if case.how == "difference" else first / others[0]
