"""Closed forms of paper binary against enumeration of small codes, and its claims."""

import itertools
import math

import numpy as np
import pytest

from fastgc.errors import FastgcError
from fastgc.theory import binary, known
from fastgc.theory.binary.paper import paper
from fastgc.validation import enumerations
from twins import families

SMALL = [(n, s) for n in range(1, 9) for s in range(n)]


def test_loads_are_those_of_balanced_classes():
    for n in range(1, 31):
        for s in range(n):
            loads = families.binary(n, s).sum(axis=0)
            assert binary.loads(n, s).tolist() == loads.tolist()
            assert binary.total_load(n, s) == loads.sum()
            assert binary.least_load(n, s) == loads.min()
            assert binary.unevenness(n, s) == np.abs(loads - (s + 1)).sum()
    assert binary.least_load(7, 2, k=21) == families.binary(7, 2, 21).sum(axis=0).min()


@pytest.mark.parametrize(("n", "s"), SMALL)
def test_exact_and_complete_sets_of_every_size(n, s):
    code = {"family": "binary", "n": n, "s": s}
    exact = families.errors(code) < 1e-9
    complete = families.errors(code, "class") == 0
    for r in range(n + 1):
        chosen = [v for v in range(2**n) if v.bit_count() == r]
        assert binary.exact_patterns(n, s, r) == exact[chosen].sum()
        assert binary.complete_patterns(n, s, r) == complete[chosen].sum()
        assert binary.exact_probability(n, s, survivors=r) == pytest.approx(exact[chosen].mean())
        assert binary.class_probability(n, s, survivors=r) == pytest.approx(complete[chosen].mean())
    for p in (0.0, 0.3, 0.8, 1.0):
        weights = families.probabilities(n, {"model": "iid", "p": p})
        assert binary.exact_probability(n, s, p=p) == pytest.approx(weights @ exact, abs=1e-13)
        assert binary.class_probability(n, s, p=p) == pytest.approx(weights @ complete, abs=1e-13)


def test_known_answers():
    assert binary.loads(11, 3).tolist() == [4, 4, 4, 6, 4, 4, 4, 5, 3, 3, 3]
    assert binary.unevenness(11, 3) == 6
    assert (binary.exact_patterns(11, 3, 3), binary.complete_patterns(11, 3, 3)) == (36, 12)
    assert binary.guaranteed_survivors(11, 3) == 8
    assert binary.heterogeneous_loads([2, 4], [1, 7], 1, 6) == pytest.approx([14 / 3, 2 / 3])
    assert binary.excess_blocks(5, 2) == 2
    assert binary.look_ups_printed([11, 12], 3).tolist() == [12, 16]


def test_guaranteed_survivors_is_n_less_s():
    assert all(binary.guaranteed_survivors(n, s) == n - s for n, s in SMALL)


def test_unequal_workers_take_equal_time_and_share_everything():
    for workers, times, s, k in (([3, 5], [1.5, 2], 3, 10), ([1, 2, 3], [1, 2, 5], 2, 7)):
        loads = binary.heterogeneous_loads(workers, times, s, k)
        assert np.ptp(loads * times) < 1e-12
        assert loads @ workers == pytest.approx((s + 1) * k)
    printed = binary.heterogeneous_loads_printed([3, 5], [1.5, 2], 3, 10)
    assert printed == pytest.approx(binary.heterogeneous_loads([3, 5], [1.5, 2], 3, 10))


@pytest.mark.parametrize("decoder", ["optimal", "class"])
@pytest.mark.parametrize("stragglers", [
    {"model": "iid", "p": 0.3}, {"model": "uniform", "stragglers": 4},
], ids=str)  # fmt: skip
def test_closed_forms_are_the_enumeration(decoder, stragglers):
    for n, s in ((8, 2), (8, 3), (7, 0)):
        experiment = {
            "code": {"family": "binary", "n": n, "s": s},
            "stragglers": stragglers,
            "decoder": decoder,
        }
        forms = known.closed_forms(experiment)
        assert {"exact", "survivors"} <= {form.quantity for form in forms}
        for form in forms:
            if form.quantity in ("exact", "error"):
                truth = families.measure(experiment, form.quantity, form.statistic)
                assert form.value == pytest.approx(truth, abs=1e-12), form


def test_closed_forms_of_mixtures():
    stragglers = {"model": "two-class", "p_straggle_slow": 0.8, "p_straggle_active": 0.1}
    code = {"family": "binary", "n": 8, "s": 2}
    (mixed,) = known.closed_forms(
        {"code": code, "stragglers": stragglers | {"slow": 3}, "measure": ["exact"]}
    )
    weights = np.zeros(2**8)
    for slow in itertools.combinations(range(8), 3):
        p = [0.8 if j in slow else 0.1 for j in range(8)]
        weights += [
            math.prod(1 - p[j] if v >> j & 1 else p[j] for j in range(8)) for v in range(2**8)
        ]
    exact = families.errors(code) < 1e-9
    assert mixed.value == pytest.approx(weights @ exact / math.comb(8, 3), abs=1e-12)
    iid = known.closed_forms(
        {"code": code, "stragglers": stragglers | {"p_slow": 0.5}, "measure": ["exact"]}
    )
    assert iid[0].value == pytest.approx(binary.exact_probability(8, 2, p=0.45))


def test_closed_forms_know_what_they_do_not_know():
    base = {"code": {"family": "binary", "n": 8, "s": 2}, "stragglers": {"model": "iid", "p": 0.1}}
    base["measure"] = ["exact"]
    assert known.closed_forms(base)
    for change in (
        {"kind": "completion"},
        {"decoder": "one-step"},
        {"code": {"family": "binary", "n": 8, "s": 2, "k": 5}},
        {"code": {"family": "frc", "n": 8, "d": 2}, "decoder": "class"},
        {"stragglers": {"model": "iid", "p": [0.1] * 8}},
        {"measure": ["amplification"]},
    ):
        assert known.closed_forms(base | change) == [], change


@pytest.mark.parametrize(("call", "said"), [
    (lambda: binary.loads(3, 3), "s: got 3"),
    (lambda: binary.exact_probability(5, 2), "exactly one"),
    (lambda: binary.exact_probability(5, 2, p=2), "probability"),
    (lambda: binary.exact_patterns(5, 2, 6), "0 … 5"),
    (lambda: binary.heterogeneous_loads([2], [1, 2], 1, 4), "one of each"),
    (lambda: binary.heterogeneous_loads([2, 2], [1, 0], 1, 4), "times: got"),
    (lambda: binary.heterogeneous_loads_printed([2, 2, 2], [1, 2, 3], 1, 4), "for 2"),
])  # fmt: skip
def test_mistakes_are_named_in_one_sentence(call, said):
    with pytest.raises(FastgcError, match=said) as caught:
        call()
    assert "\n" not in str(caught.value)


def is_enumerated(case):
    """Whether a case is not for the engine alone: no large code, no random one."""
    if "finite" in case.experiment:
        return True
    code = case.experiment["code"]
    return code["family"] == "binary" and code["n"] <= 12 and case.quantity in ("error", "exact")


def exact_value(case):
    if "finite" in case.experiment:
        return enumerations.measure(case.experiment)
    return families.measure(case.experiment, case.quantity, case.statistic)


@pytest.mark.parametrize("claim", paper.claims, ids=lambda claim: claim.id)
def test_claims_cite_the_paper(claim):
    assert "Numerically Stable Binary Gradient Coding" in claim.citation


ENUMERATED = [claim for claim in paper.claims if any(map(is_enumerated, claim.cases))]


@pytest.mark.parametrize("claim", ENUMERATED, ids=lambda claim: claim.id)
def test_exact_values_give_the_expected_verdict(claim):
    for case in filter(is_enumerated, claim.cases):
        difference = exact_value(case) - case.theory
        rounding = 1e-9 * case.scale
        holds = {
            "=": abs(difference) <= rounding,
            "<=": difference <= rounding,
            ">=": difference >= -rounding,
            ">": difference > 1e-4,
        }[claim.relation]
        assert holds == (claim.expected == "confirmed"), case
