"""Claims + evidence → verdicts; the chance of any false refutation is bounded for all together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import NormalDist

from fastgc.results.rows import MONTE_CARLO
from fastgc.results.verdicts import (
    CONFIRMED,
    REFUTED,
    UNDECIDED,
    Finding,
    Verdict,
    conclude,
    rejected,
)
from fastgc.theory.papers.claim import AS_N_GROWS, Case, Claim
from fastgc.validation import growth, judgement
from fastgc.validation.evidence import Evidence
from fastgc.validation.measuring import Measured

#: Chance that an exact value and its sample are said to disagree, of a whole run.
FALSE_ALARM = 1e-6

Pair = tuple[Claim, Case]


class Docket:
    """Claims that wait for their verdicts.

    Parameters
    ----------
    claims : sequence of Claim
    alpha : float
        Chance that any true statement of all of them is refuted (Holm).
    decided : callable
        Called with each verdict as soon as nothing that is still measured can change it; what holds
        instead of a statement comes before the verdict on it.
    """

    def __init__(
        self,
        claims: Sequence[Claim],
        alpha: float,
        decided: Callable[[Verdict], None] = lambda verdict: None,
    ) -> None:
        self._claims = claims
        self._alpha = alpha
        self._decided = decided
        self._verdicts: dict[str, Verdict] = {}
        self._untold: dict[str, Verdict] = {}
        self._corrections: dict[str, set[str]] = {}
        for claim in claims:
            if claim.corrects is not None:
                self._corrections.setdefault(claim.corrects, set()).add(claim.id)
        self._pairs = sum(len(claim.cases) for claim in claims)

    @property
    def decided(self) -> int:
        """How many verdicts have fallen."""
        return len(self._verdicts)

    def look(self, measured: Measured) -> None:
        """Give the verdicts that have become final."""
        for claim in self._claims:
            if claim.id in self._verdicts:
                continue
            known = [measured.evidence.get(id(case)) for case in claim.cases]
            evidence = [each for each in known if each is not None]
            if len(evidence) == len(known) and not any(each.is_awaited for each in evidence):
                chances = _chances(claim, evidence, measured.significance)
                # Holm's rule rejects at alpha over all at least, and never above alpha
                if all(p <= self._alpha / self._pairs or p > self._alpha for p in chances):
                    fallen = [p <= self._alpha for p in chances]
                    self._give(_verdict(claim, evidence, fallen, measured.significance))

    def close(self, measured: Measured) -> list[Verdict]:
        """Give the verdicts that are left, and return all of them in the claims' order."""
        left = [claim for claim in self._claims if claim.id not in self._verdicts]
        pairs = [(claim, case) for claim in self._claims for case in claim.cases]
        chances = []
        for claim in self._claims:
            evidence = [measured.evidence[id(case)] for case in claim.cases]
            chances += _chances(claim, evidence, measured.significance)
        fallen = dict(zip(map(_place, pairs), rejected(chances, self._alpha), strict=True))
        for claim in left:
            evidence = [measured.evidence[id(case)] for case in claim.cases]
            mine = [fallen[_place((claim, case))] for case in claim.cases]
            self._give(_verdict(claim, evidence, mine, measured.significance))
        return [self._verdicts[claim.id] for claim in self._claims]

    def _give(self, verdict: Verdict) -> None:
        self._verdicts[verdict.claim] = verdict
        self._untold[verdict.claim] = verdict
        while ready := [name for name in self._untold if not self._corrections.get(name)]:
            for name in ready:
                self._decided(self._untold.pop(name))
                for corrections in self._corrections.values():
                    corrections.discard(name)


def weigh(claims: Sequence[Claim], measured: Measured, alpha: float) -> list[Verdict]:
    """Verdicts on claims from what was measured; false refutations of all together ≤ alpha."""
    return Docket(claims, alpha).close(measured)


def disagreements(verdicts: Sequence[Verdict]) -> list[tuple[Verdict, Finding]]:
    """Findings whose exact value and sample cannot both be right: a failure of fastgc."""
    pairs = [(v, f) for v in verdicts for f in v.findings if f.sampled is not None]
    return [(v, f) for v, f in pairs if _disagree(f, FALSE_ALARM / len(pairs))]


def _disagree(finding: Finding, level: float) -> bool:
    sample, exact = finding.sampled, finding.estimate.value
    if sample is None or sample.value is None or exact is None:
        return False
    beside = Case({}, exact, {}, finding.case.quantity, scale=finding.case.scale)
    evidence = Evidence(sample, MONTE_CARLO, finding.kurtosis)
    return judgement.may_reject(beside, evidence) and (
        judgement.p_value(beside, "=", sample) <= level
    )


def _place(pair: Pair) -> tuple[str, int]:
    claim, case = pair
    return claim.id, id(case)


def _chances(claim: Claim, evidence: Sequence[Evidence], significance: float) -> list[float]:
    """Chances of what was measured at each case if the claim is true; of a limit that of all."""
    if claim.holds == AS_N_GROWS:
        said = _growth(claim, evidence, significance)
        return [said.p_value] * len(evidence)
    return [_chance(claim, c, e) for c, e in zip(claim.cases, evidence, strict=True)]


def _growth(claim: Claim, evidence: Sequence[Evidence], significance: float) -> growth.Growth:
    """Judge a statement as n grows by all of its sizes together."""
    pairs = list(zip(claim.cases, evidence, strict=True))
    obstacle = next((each.obstacle for each in evidence if each.obstacle), "")
    if obstacle:
        return growth.Growth(1.0, False, "", obstacle)
    if not all(judgement.may_reject(*pair) for pair in pairs):
        return growth.Growth(1.0, False, "", "at some sizes it rests on too few events")
    z = NormalDist().inv_cdf(1 - significance / 2)
    errors = [judgement.half_width(case, each.estimate, significance) / z for case, each in pairs]
    return growth.assess(claim, [each.estimate.value for each in evidence], errors, z)


def _chance(claim: Claim, case: Case, evidence: Evidence) -> float:
    """Chance of what was measured if the claim is true; 1 where it rejects nothing alone."""
    if evidence.obstacle:
        return 1.0
    if not judgement.may_reject(case, evidence):
        return 1.0
    return judgement.p_value(case, claim.relation, evidence.estimate)


def _verdict(
    claim: Claim, evidence: Sequence[Evidence], fallen: Sequence[bool], significance: float
) -> Verdict:
    findings = [
        _finding(claim, case, each, is_rejected, significance)
        for case, each, is_rejected in zip(claim.cases, evidence, fallen, strict=True)
    ]
    if claim.holds == AS_N_GROWS and not any(each.is_out_of_reach for each in evidence):
        findings = _growing(claim, findings, _growth(claim, evidence, significance), any(fallen))
    return conclude(claim, findings)


def _finding(
    claim: Claim, case: Case, evidence: Evidence, is_rejected: bool, significance: float
) -> Finding:
    said = judgement.judge(
        case, claim.relation, evidence, is_rejected=is_rejected, significance=significance
    )
    return Finding(
        case=case,
        estimate=evidence.estimate,
        method=evidence.method,
        sampled=evidence.sampled,
        kurtosis=evidence.kurtosis,
        **vars(said),
    )


def _growing(
    claim: Claim, findings: Sequence[Finding], said: growth.Growth, is_rejected: bool
) -> list[Finding]:
    """The same findings, each with the verdict on all sizes together."""
    if is_rejected:
        verdict, reason = REFUTED, said.reason
    elif said.is_confirmed:
        verdict, reason = CONFIRMED, said.reason
    else:
        reason = ": ".join(filter(None, (said.reason, said.doubt)))
        verdict = UNDECIDED
    return [
        replace(
            finding,
            verdict=verdict,
            within=said.within if verdict == CONFIRMED else None,
            is_absolute=claim.limit == "difference",
            trials_needed=None,
            reason=reason,
        )
        for finding in findings
    ]
