"""Statements about runs that enumeration settles, and the verdicts it gives them."""

import pytest

from fastgc.results.verdicts import REFUTED, judge, p_value
from fastgc.statistics.estimates import Estimate
from fastgc.theory import agc, codedreduce, gcada
from fastgc.validation import enumerations

TRAINING = [claim for claim in agc.paper.claims if ".training." in claim.id]
GRADIENTS = [claim for claim in codedreduce.paper.claims if ".gradients." in claim.id]
FINITE = [
    claim
    for claim in [*TRAINING, *GRADIENTS, *gcada.paper.claims]
    if any("finite" in case.experiment for case in claim.cases)
]


@pytest.mark.parametrize("claim", FINITE, ids=lambda claim: claim.id)
def test_finite_statements_get_their_verdict(claim):
    cases = [case for case in claim.cases if "finite" in case.experiment]
    verdicts = set()
    for case in cases:
        value = Estimate(enumerations.measure(case.experiment), 0.0)
        is_rejected = p_value(case, claim.relation, value) < 1e-3
        verdicts.add(
            judge(case, claim.relation, value, is_rejected=is_rejected, significance=0.01)[0]
        )
    if claim.expected == REFUTED:
        assert REFUTED in verdicts
    else:
        assert verdicts <= {"confirmed", "confirmed, loose"}
