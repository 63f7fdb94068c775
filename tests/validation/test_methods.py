"""Which method decides a claim, what stands beside it, and when a verdict is final."""

import dataclasses
import math

import pytest

import fastgc
from fastgc.engine.executors.local import in_threads
from fastgc.errors import FastgcError
from fastgc.results.verdict_data import CONFIRMED, REFUTED, UNDECIDED, Finding
from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import NOT_REPRODUCIBLE, Case, Claim
from fastgc.training import scikit
from fastgc.validation import multiple_testing, requests
from fastgc.validation.measuring import Options, ValidationRun
from fastgc.validation.multiple_testing import PendingVerdicts, disagreements
from fastgc.validation.requests import ENOUGH, FIRST_LOOK, MOST, SEEN


def of_frc(n, d, p):
    return {"code": {"family": "frc", "n": n, "d": d}, "stragglers": {"model": "iid", "p": p}}


FRC = of_frc(8, 2, 0.5)
PARETO = {
    "kind": "completion",
    "system": {"family": "uncoded", "n": 1},
    "latency": {"distribution": "pareto", "shape": 0.9, "scale": 1.0},
}


def claim(*cases, relation="=", name="test.claim", **more):
    return Claim(name, "test", "says so", "nowhere", relation, CONFIRMED, lambda: cases, **more)


def case(theory, experiment=FRC, quantity="error", **more):
    return Case({"n": 8}, theory, experiment, quantity, **{"scale": 8.0} | more)


def measured_of(claims, found=lambda measured: None, **more):
    with in_threads(1) as pool:
        return ValidationRun(claims, pool, Options(**more), found=found).measure()


def verdict(*claims, **more):
    return fastgc.validate(claims, **{"trials": 2**20} | more)


def test_the_exact_method_decides_and_a_sample_stands_beside_it():
    [found] = verdict(claim(case(2.0)))
    [finding] = found.findings
    assert (found.verdict, found.method, finding.estimate.trials) == (CONFIRMED, "exact", None)
    assert finding.within < 1e-12
    assert finding.sampled.trials == ENOUGH * 65_536
    assert abs(finding.sampled.value - 2.0) < 5 * finding.sampled.standard_error
    assert disagreements([found]) == []
    [alone] = verdict(claim(case(2.0)), method="exact")
    assert (alone.method, alone.findings[0].sampled) == ("exact", None)
    assert disagreements([alone]) == [] and multiple_testing.FALSE_ALARM < 1e-5


@pytest.mark.parametrize(
    ("n", "d", "p", "blocks"), [(16, 2, 0.9, FIRST_LOOK), (8, 2, 0.5, ENOUGH), (8, 4, 0.02, MOST)]
)
def test_a_sample_beside_it_ends_where_a_wrong_sampler_would_show(n, d, p, blocks):
    lost = case(n * p**d, of_frc(n, d, p), scale=float(n))
    [found] = verdict(claim(lost), trials=2**24)
    sampled = found.findings[0].sampled
    assert sampled.trials == blocks * 65_536
    shows = 6.5 * sampled.standard_error < SEEN * sampled.value
    assert shows == (blocks < MOST)  # there are hardly any events


def test_what_has_no_exact_method_is_sampled_beside_what_has():
    large = case(16.0, of_frc(64, 2, 0.5), scale=64.0)
    found = verdict(claim(case(2.0)), claim(large, name="test.large"), trials=2**24)
    assert [v.method for v in found] == ["exact", "monte-carlo"]
    assert [v.verdict for v in found] == [CONFIRMED, CONFIRMED]


def test_a_wrong_exact_method_is_distinguished_from_a_wrong_theory(monkeypatch):
    """The exact method is 1 % off: its sample beside says so."""
    right = requests.CaseRequest._exactly

    def wrong(self, case):
        found = right(self, case)
        return dataclasses.replace(found, value=1.01 * found.value)

    monkeypatch.setattr(requests.CaseRequest, "_exactly", wrong)
    [found] = verdict(claim(case(2.02)), trials=2**21)
    assert found.verdict == CONFIRMED
    [(same, finding)] = disagreements([found])
    assert same == found and finding.estimate.value == pytest.approx(2.02)


def test_a_sampled_difference_around_an_exact_0_is_no_contradiction():
    """Two errors that are alike differ by 0 exactly; of samples some differ by less than 0."""
    apart = case(0.0, against=FRC)
    found = Finding(apart, Estimate(0.0, None, None), "exact", CONFIRMED, 0.0, kurtosis=6.0)
    [one] = verdict(claim(case(2.0)))
    for off, contradicts in ((1e-4, False), (-2e-3, False), (1e-2, True)):
        beside = dataclasses.replace(found, sampled=Estimate(off, 1e-3, 2**21))
        found_beside = dataclasses.replace(one, findings=(beside,))
        assert bool(disagreements([found_beside])) is contradicts


def test_verdicts_fall_as_soon_as_nothing_can_change_them():
    finite = Case({}, 8.0, {"finite": "cycle_classes", "n": 8, "weight": 4, "order": 8}, "count")
    first, second = claim(finite, name="test.finite"), claim(case(2.0))
    announced, seen = [], []
    pending = PendingVerdicts([second, first], 0.01, lambda each: announced.append(each.claim))

    def found(measured):
        pending.update(measured)
        seen.append(tuple(announced))

    verdicts = pending.finish(measured_of([second, first], trials=1000, found=found))
    assert announced == ["test.finite", "test.claim"]
    assert seen[0] == ("test.finite",), "what is enumerated needs no sample"
    assert [v.claim for v in verdicts] == ["test.claim", "test.finite"], "in the claims' order"
    assert verdicts[1].method == "enumeration"
    assert verdicts[1].findings[0].estimate == Estimate(8.0, 0.0)


@pytest.mark.parametrize("seed", range(1, 6))
def test_what_falls_early_is_what_holms_rule_says_at_the_end(seed):
    """Theories one to six standard errors off: some are rejected late, by the others."""
    claims = []
    for i, p in enumerate((0.3, 0.35, 0.4, 0.45, 0.5)):
        off = case(64 * p**2 * (1 + 0.0015 * i), of_frc(64, 2, p), scale=64.0)
        claims.append(claim(off, name=f"test.c{i}"))
    pending = PendingVerdicts(claims, 0.05)
    measured = measured_of(claims, trials=2**17, seed=seed, found=pending.update)
    assert pending.finish(measured) == PendingVerdicts(claims, 0.05).finish(measured)


def test_an_infinite_mean_is_known_exactly_and_by_the_law():
    assert verdict(claim(case(math.inf, PARETO, "time")))[0].verdict == CONFIRMED
    [sampled] = verdict(claim(case(10.0, PARETO, "time")), method="monte-carlo")
    assert sampled.verdict == REFUTED, "the law says that there is no mean"


@pytest.mark.parametrize("theory", [1e11, 1 / 12])
def test_a_sampled_variance_that_missed_what_is_rare_decides_nothing(theory):
    """Of 65 536 trials none takes 1e9, which makes all but 1/12 of the variance."""
    fast = {"distribution": "uniform", "low": 0.0, "high": 1.0}
    slow = {"distribution": "deterministic", "value": 1e9}
    both = {"distribution": "bimodal", "p_slow": 1e-7, "fast": fast, "slow": slow}
    table = {"kind": "completion", "system": {"family": "k-of-n", "n": 1, "k": 1, "load": 1.0}}
    made = [table | {"latency": law} for law in (both, fast)]
    cases = [case(theory, each, "time", statistic="variance") for each in made]
    missed, met = (verdict(claim(c), method="monte-carlo", trials=65_536)[0] for c in cases)
    assert missed.verdict == UNDECIDED
    assert missed.reason.startswith("rests on 0 events, 100 are needed")
    assert met.verdict == (REFUTED if theory > 1 else UNDECIDED)
    assert theory > 1 or met.reason.startswith("the interval is ±")


def test_a_theory_that_is_no_number_is_a_mistake():
    with pytest.raises(FastgcError, match=r"test\.claim: the theory is not a number at"):
        verdict(claim(case(math.nan)))


def test_without_scikit_learn_a_claim_on_its_data_is_undecided(monkeypatch):
    monkeypatch.setattr(scikit, "installed", lambda: False)
    table = {"kind": "training", "problem": {"model": "linear", "data": "diabetes"}}
    [found] = verdict(claim(case(1.0, table, "loss"), needs="data"))
    assert (found.verdict, found.as_expected) == (UNDECIDED, True)
    assert "install the extra data" in found.reason


def test_a_worst_case_is_undecided_where_only_samples_count():
    worst = FRC | {"stragglers": {"model": "adversarial", "stragglers": 2}}
    both = claim(case(2.0, worst, statistic="maximum"), name="test.worst"), claim(case(2.0))
    found = verdict(*both, method="monte-carlo")
    assert [v.verdict for v in found] == [UNDECIDED, UNDECIDED]
    assert "trials would do" in found[1].reason
    assert found[0].reason.startswith("a worst case draws no trials")
    assert [v.verdict for v in verdict(*both)] == [CONFIRMED, CONFIRMED]


def test_what_cannot_be_recomputed_is_not_measured_and_stands_in_a_file_and_on_its_page(tmp_path):
    printed = claim(Case({"n": 156}, 22.5, {}, "speed-up", digits=1))
    said = dataclasses.replace(printed, expected=NOT_REPRODUCIBLE, missing="alpha is not printed")
    path = tmp_path / "a.h5"
    [found] = fastgc.validate(said, out=path)
    assert (found.verdict, found.reason) == (NOT_REPRODUCIBLE, "alpha is not printed")
    assert found.as_expected and found.value is None and found.method == "none"
    again = fastgc.open(path)
    assert again.verdicts[0] == found
    [row] = again.rows()
    assert (row["value"], row["theory"], row["method"]) == (None, 22.5, "none")
    page = fastgc.validation.errata("test", source=path)
    assert [each["claim"] for each in page["not_reproducible"]] == ["test.claim"]
