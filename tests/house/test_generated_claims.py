"""A short form of `python -m bench.generated_claims`, and that it would see a wrong rule."""

import dataclasses
import itertools

import pytest

from bench.generated_claims import KINDS, METHODS, MISJUDGED, generated, judged, validated
from fastgc.results.verdict_data import CONFIRMED, REFUTED
from fastgc.validation import decision_rules


def misjudged(kind, method):
    claims = generated(kind, method, 12, seed=2)
    pairs = zip(claims, validated(claims, method, 65_536), strict=True)
    return [claim for claim, found in pairs if judged(claim, found) in MISJUDGED]


#: What takes over .3 s.
LONG = {("certainty", "exact"), ("equal", "exact")}
PAIRS = [
    pytest.param(*pair, marks=[pytest.mark.night] * (pair in LONG))
    for pair in itertools.product(KINDS, METHODS)
]


@pytest.mark.parametrize(("kind", "method"), PAIRS)
def test_no_wrong_claim_is_confirmed_and_no_true_one_refuted(kind, method):
    assert misjudged(kind, method) == []


@pytest.mark.parametrize("said", [CONFIRMED, REFUTED])
def test_a_wrong_rule_is_seen(said, monkeypatch):
    rule = decision_rules.decide

    def wrong(case, relation, evidence, **keys):
        found = rule(case, relation, evidence, **keys)
        is_near = abs(evidence.estimate.value - case.theory) < 0.5 * case.theory
        return dataclasses.replace(found, verdict=said) if is_near else found

    monkeypatch.setattr(decision_rules, "decide", wrong)
    found = misjudged("equal", "exact")
    assert found and {each.is_true for each in found} == {said == REFUTED}
