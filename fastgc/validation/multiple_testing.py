"""Claims + evidence → verdicts, by Holm's rule over all of them: multiple testing."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Any

from fastgc.results.rows import MONTE_CARLO
from fastgc.results.verdict_data import (
    CONFIRMED,
    LOOSE,
    REFUTED,
    UNDECIDED,
    Counterexample,
    Finding,
    Verdict,
    conclude,
)
from fastgc.statistics.estimates import holm_rejections
from fastgc.theory.papers.claim import AS_N_GROWS, Claim
from fastgc.validation import checks, decision_rules, growth
from fastgc.validation.decision_rules import Evidence
from fastgc.validation.finite import shown
from fastgc.validation.measuring import CaseEvidence
from fastgc.validation.requests import FALSE_ALARM, PAIRS


class PendingVerdicts:
    """Claims that wait for their verdicts.

    ``alpha``: probability that any true statement of all of them is refuted (Holm); ``decided``:
    called with each verdict as soon as nothing that is still measured can change it; what holds
    instead of a statement comes before the verdict on it.
    """

    def __init__(
        self,
        claims: Sequence[Claim],
        alpha: float,
        decided: Callable[[Verdict], None] | None = None,
    ) -> None:
        self._claims, self._alpha, self._decided = claims, alpha, decided
        self._verdicts: dict[str, Verdict] = {}
        self._unannounced: dict[str, Verdict] = {}
        self._corrections: dict[str, set[str]] = {}
        for claim in claims:
            if claim.corrects is not None:
                self._corrections.setdefault(claim.corrects, set()).add(claim.id)
        self._pairs = sum(len(claim.cases) for claim in claims)

    @property
    def decided(self) -> int:
        """How many claims have their verdict."""
        return len(self._verdicts)

    def update(self, measured: CaseEvidence) -> None:
        """Announce the verdicts that have become final."""
        for claim in [each for each in self._claims if each.id not in self._verdicts]:
            known = [measured.evidence.get(id(case)) for case in claim.cases]
            evidence = [each for each in known if each is not None and not each.is_awaited]
            if len(evidence) < len(known):
                continue
            p_values = _p_values(claim, evidence, measured.significance)
            # Holm's rule rejects at alpha over all at least, and never above alpha
            if all(p <= self._alpha / self._pairs or p > self._alpha for p in p_values):
                is_rejected = [p <= self._alpha for p in p_values]
                self._announce(_verdict(claim, evidence, is_rejected, measured.significance))

    def finish(self, measured: CaseEvidence) -> list[Verdict]:
        """Announce the verdicts that are left, and return all of them in the claims' order."""
        evidence = [[measured.evidence[id(case)] for case in claim.cases] for claim in self._claims]
        both = list(zip(self._claims, evidence, strict=True))
        p_values = [p for claim, own in both for p in _p_values(claim, own, measured.significance)]
        is_rejected = iter(holm_rejections(p_values, self._alpha))
        for claim, own in both:
            mine = list(itertools.islice(is_rejected, len(own)))
            if claim.id not in self._verdicts:
                self._announce(_verdict(claim, own, mine, measured.significance))
        return [self._verdicts[claim.id] for claim in self._claims]

    def _announce(self, verdict: Verdict) -> None:
        self._verdicts[verdict.claim] = verdict
        self._unannounced[verdict.claim] = verdict
        while ready := [name for name in self._unannounced if not self._corrections.get(name)]:
            for name in ready:
                found = self._unannounced.pop(name)
                if self._decided is not None:
                    self._decided(found)
                for corrections in self._corrections.values():
                    corrections.discard(name)


def disagreements(verdicts: Sequence[Verdict]) -> list[tuple[Verdict, Finding]]:
    """Findings whose exact value and sample cannot both be right: a failure of fastgc."""
    pairs = [(v, f) for v in verdicts for f in v.findings if f.sampled is not None]
    return [(v, f) for v, f in pairs if _disagree(f, FALSE_ALARM / len(pairs))]


def _disagree(finding: Finding, level: float) -> bool:
    sample, exact = finding.sampled, finding.estimate.value
    if sample is None or sample.value is None or exact is None:
        return False
    beside = replace(finding.case, theory=exact, digits=None, tolerance=None, rounding=None)
    evidence = Evidence(sample, MONTE_CARLO, finding.kurtosis)
    return decision_rules.may_reject(beside, evidence) and (
        decision_rules.p_value(beside, "=", sample) <= level
    )


def _p_values(claim: Claim, evidence: Sequence[Evidence], significance: float) -> list[float]:
    # if the claim is true; of a limit that of all cases, and 1 where a case rejects nothing alone
    if claim.holds == AS_N_GROWS:
        return [_growth(claim, evidence, significance).p_value] * len(evidence)
    return [
        0.0
        if decision_rules.is_disproved(case, claim.relation, each)
        else decision_rules.p_value(case, claim.relation, each.estimate)
        if not each.obstacle and decision_rules.may_reject(case, each)
        else 1.0
        for case, each in zip(claim.cases, evidence, strict=True)
    ]


def _growth(claim: Claim, evidence: Sequence[Evidence], significance: float) -> growth.Growth:
    pairs = list(zip(claim.cases, evidence, strict=True))
    obstacle = next((each.obstacle for each in evidence if each.obstacle), "")
    if not obstacle and not all(decision_rules.may_reject(*pair) for pair in pairs):
        obstacle = "at some sizes it rests on too few events"
    if obstacle:
        return growth.Growth(1.0, False, "", obstacle)
    z = NormalDist().inv_cdf(1 - significance / 2)
    errors = [
        decision_rules.half_width(case, each.estimate, significance) / z for case, each in pairs
    ]
    return growth.assess(claim, [each.estimate.value for each in evidence], errors, z)


def _verdict(
    claim: Claim, evidence: Sequence[Evidence], is_rejected: Sequence[bool], significance: float
) -> Verdict:
    findings = [
        decision_rules.decide(
            case, claim.relation, each, is_rejected=rejects, significance=significance
        )
        for case, each, rejects in zip(claim.cases, evidence, is_rejected, strict=True)
    ]
    findings = [with_object(claim, each) for each in findings]
    if claim.holds == AS_N_GROWS and not any(each.is_out_of_reach for each in evidence):
        said = _growth(claim, evidence, significance)
        name, reason = UNDECIDED, ": ".join(filter(None, (said.reason, said.doubt)))
        if any(is_rejected) or said.is_confirmed:
            held = LOOSE if said.is_loose else CONFIRMED
            name, reason = REFUTED if any(is_rejected) else held, said.reason
        limit: dict[str, Any] = {"verdict": name, "reason": reason, "trials_needed": None}
        limit["within"] = said.within if name == CONFIRMED else None
        limit["is_absolute"] = claim.limit == "difference"
        findings = [replace(each, **limit) for each in findings]
    found = conclude(claim, findings)
    _, wrong = checks.control(claim)  # which meets the same evidence
    refuses = [p <= significance for p in _p_values(wrong, evidence, significance)]
    disagree = any(_disagree(each, FALSE_ALARM / PAIRS) for each in found.findings)
    return replace(found, checks=checks.verdict_checks(claim, found, refuses, disagree=disagree))


def with_object(claim: Claim, finding: Finding) -> Finding:
    """Return the finding with what a reader can check by hand, where a statement is refuted."""
    if finding.verdict != REFUTED or finding.counterexample is not None:
        return finding
    object_ = shown(finding.case.experiment) if finding.case.is_finite else ""
    said = ". ".join(filter(None, (object_, claim.by_hand)))
    return replace(finding, counterexample=Counterexample(said=said)) if said else finding
