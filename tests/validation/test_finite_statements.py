"""Statements that enumeration settles, by brute force or on what fastgc builds: their verdicts."""

import dataclasses

import pytest

from fastgc import theory
from fastgc.engine.executors.threads import in_threads
from fastgc.results.verdicts import CONFIRMED
from fastgc.theory.papers.claim import EVERYWHERE
from fastgc.validation.measuring import measure
from fastgc.validation.multiple_testing import verdicts_on


def finite_part(claim):
    """The claim at those of its points that need no sampling, where they decide it."""
    cases = [case for case in claim.cases if case.is_finite]
    if len(cases) < len(claim.cases) and (claim.expected != CONFIRMED or claim.holds != EVERYWHERE):
        return None
    return dataclasses.replace(claim, make=lambda: cases) if cases else None


@pytest.mark.parametrize("group", theory.claim_groups())
def test_finite_statements_get_their_verdict(group):
    """One test a group: which claims are finite is not computed where tests are only collected."""
    claims = [claim for claim in theory.claims() if claim.paper == group]
    finite = [part for part in map(finite_part, claims) if part is not None]
    assert len(finite) >= 10
    with in_threads(1) as pool:
        for claim in finite:
            [verdict] = verdicts_on([claim], measure([claim], pool), 0.01)
            assert verdict.verdict == claim.expected, (claim.id, verdict.findings)
