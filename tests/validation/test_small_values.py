"""Values of 1e-18 and probabilities near 1 are judged as sharply as those about one half."""

import math

import pytest

import fastgc
from fastgc.engine.executors.local import in_threads
from fastgc.results.rows import ENUMERATION_BOUNDS, EXACT
from fastgc.results.verdicts import CONFIRMED, EQUAL_SIDES, LOOSE, REFUTED, UNDECIDED
from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import Case, Claim
from fastgc.validation.decision_rules import Evidence, decide, p_value
from fastgc.validation.measuring import Options, measure
from fastgc.validation.multiple_testing import PendingVerdicts

N, D = 12, 6
#: Mean error n p^d: 1.2e-11, 1.2e-17.
PS = (0.01, 0.001)


def table(p, family="frc", n=N, d=D, **more):
    code = {"family": family, "n": n, "d": d}
    return {"code": code, "stragglers": {"model": "iid", "p": p}} | more


def judged(theory, relation="=", experiment=None, quantity="error", rounding=0.0, **more):
    """The verdict on one case, by the exact method, and its finding."""
    scale = 1.0 if quantity == "exact" else float(N)
    case = Case({}, theory, experiment, quantity, **{"scale": scale, "rounding": rounding} | more)
    claim = Claim("test", "test", "says", "here", relation, CONFIRMED, lambda: (case,))
    with in_threads(1) as pool:
        measured = measure([claim], pool, Options(trials=2**16, method="exact"))
    [found] = PendingVerdicts([claim], 0.01).finish(measured)
    return found.verdict, found.findings[0]


@pytest.mark.parametrize("p", PS)
@pytest.mark.parametrize(("factor", "expected"), [
    (1.0, CONFIRMED), (1 + 1e-6, REFUTED), (1 - 1e-6, REFUTED), (2.0, REFUTED), (1e-4, REFUTED),
])  # fmt: skip
def test_small_means_and_variances(p, factor, expected):
    mean = N * p**D
    variance = D * N * p**D * (1 - p**D)
    assert judged(factor * mean, experiment=table(p))[0] == expected
    own = {"statistic": "variance", "scale": float(N) ** 2}
    assert judged(factor * variance, experiment=table(p), **own)[0] == expected
    assert judged(mean, experiment=table(p), **own)[0] == REFUTED, "the mean is no variance"


@pytest.mark.parametrize(("factor", "at_most", "at_least"), [
    (1.0, CONFIRMED, CONFIRMED),
    (1.001, CONFIRMED, REFUTED),
    (0.999, REFUTED, CONFIRMED),
    (1e-3, REFUTED, LOOSE),
])  # fmt: skip
def test_small_bounds(factor, at_most, at_least):
    theory = factor * N * PS[1] ** D
    assert judged(theory, "<=", table(PS[1]))[0] == at_most
    assert judged(theory, ">=", table(PS[1]))[0] == at_least
    strict = REFUTED if factor == 1 else at_most
    assert judged(theory, "<", table(PS[1]))[0] == strict


def test_a_code_whose_errors_are_decided_by_rounding():
    """Cyclic MDS codes decode three stragglers: an error of 1e-12 is wrong, 0 is not."""
    any_two = table(0.0, "cyclic-mds", 8, 4, stragglers={"model": "uniform", "stragglers": 2})
    verdict, found = judged(1e-12, experiment=any_two, scale=8.0)
    assert verdict == REFUTED and found.estimate.value < found.estimate.rounding < 1e-20
    rare = table(0.001, "cyclic-mds", 8, 4)
    assert judged(1e-13, "<=", rare, scale=8.0)[0] == REFUTED
    assert judged(4e-11, "<=", rare, scale=8.0)[0] == CONFIRMED


def test_probabilities_near_1_are_compared_by_what_is_left():
    p, groups = 0.001, 3
    fails = groups * p**4  # but for squares
    own = {"experiment": table(p, d=4), "quantity": "exact", "rounding": 2e-17}
    assert judged(1 - fails, **own)[0] == CONFIRMED
    assert judged(1 - 2 * fails, **own)[0] == judged(1 - 1.01 * fails, **own)[0] == REFUTED
    assert judged(1.0, "<", **own | {"rounding": 0.0})[0] == CONFIRMED
    # of a failure of 3e-18 the theory is 1 but for rounding, which says nothing
    tiny = own | {"experiment": table(p), "rounding": 3e-18}
    assert judged(1.0, **tiny)[0] == UNDECIDED


def test_what_rounding_hides_is_never_confirmed_to_more_than_a_hundredth():
    def verdict(theory, value, rounding, relation="=", own=None):
        found = Estimate(value, 0.0, rounding=rounding)
        case = Case({}, theory, {}, "error", scale=8.0, rounding=own)
        p = p_value(case, relation, found)
        evidence = Evidence(found, EXACT)
        return decide(case, relation, evidence, is_rejected=p == 0, significance=0.01)

    assert verdict(1e-12, 2e-12, 1e-11).verdict == UNDECIDED
    assert verdict(1e-12, 2e-12, None).verdict == UNDECIDED, "a bound that is not known is 1e-11"
    assert verdict(1e-12, 1e-12, 1e-13).reason.startswith("rounding may be 1.1e-13, too much")
    assert verdict(1e-12, 1e-12, 1e-15, own=0.0).verdict == CONFIRMED
    assert verdict(1e-12, 2e-12, 1e-15, own=0.0).verdict == REFUTED
    assert verdict(1e-12, 2e-12, 1e-11, "<=").verdict == UNDECIDED
    assert verdict(1e-12, 1e-12, 0.0, "<", own=0.0).reason == EQUAL_SIDES
    assert verdict(0.0, 1e-16, 1e-20, ">").verdict == CONFIRMED
    assert verdict(0.0, 1e-20, 1e-16, ">").verdict == REFUTED


# ---- methods for rare events


def test_a_tail_is_known_by_products():
    """frc, n = 60: no enumeration, and 2e8 trials see one event."""
    own = {"statistic": "P(>0.5)", "scale": 1.0}
    groups = table(0.01, n=60, d=5, thresholds=[0.5])
    right = -math.expm1(12 * math.log1p(-(0.01**5)))
    verdict, found = judged(right, experiment=groups, **own)
    assert (verdict, found.method, found.estimate.trials) == (CONFIRMED, EXACT, None)
    assert judged(1.001 * right, experiment=groups, **own)[0] == REFUTED


def test_an_interval_of_failures_decides_a_strict_relation():
    fails = 4.06e-10
    failure = (0.985 * fails, 1.015 * fails)
    ends = (1 - failure[1], 1 - failure[0])
    found = Estimate(1 - fails, 0.0075 * fails, 4096, ends=ends, failure=failure)
    rare = Evidence(found, ENUMERATION_BOUNDS)

    def decided(relation, theory):
        case = Case({}, theory, {}, "exact")
        p = p_value(case, relation, found)
        return decide(case, relation, rare, is_rejected=p < 1e-6, significance=0.01).verdict

    assert decided("<", 1.0) == decided("<", 1 - 0.5 * fails) == CONFIRMED
    assert decided("<", 1 - 2.0 * fails) == decided(">=", 1 - 0.5 * fails) == REFUTED
    assert decided("<", 1 - fails) == UNDECIDED


def test_no_sentence_names_more_trials_than_can_be_drawn():
    sample = Estimate(0.5, 0.4, 10**6)
    case = Case({}, 0.5, {}, "time", tolerance=1e-9)
    said = decide(case, "=", Evidence(sample, kurtosis=3.0), is_rejected=False, significance=0.01)
    assert said.reason.endswith(
        "more than can be drawn would do: take the exact method, on fewer workers"
    )
    extreme = Estimate(0.5, None, 10**6)
    case = Case({}, 8.0, {}, "error", "maximum")
    said = decide(case, "=", Evidence(extreme), is_rejected=False, significance=0.01)
    assert said.reason.startswith("a sample shows no maximum of what can happen; the exact method")


def test_a_claim_takes_the_rare_events_of_a_run():
    cyclic = table(0.001, "cyclic", 25, 4)
    verdict, found = judged(1.0, "<", cyclic, "exact")
    assert (verdict, found.method) == (CONFIRMED, ENUMERATION_BOUNDS)


def time_of(distribution, theory, relation="=", statistic="mean", n=1):
    experiment = {"kind": "completion", "system": {"family": "k-of-n", "n": n, "k": n, "load": 1.0}}
    experiment["latency"] = distribution
    table = {"id": "t.time", "statement": "x", "quantity": "time", "theory": theory}
    table |= {"relation": relation, "statistic": statistic, "experiment": experiment}
    return fastgc.validate({"claim": [table]}, method="exact")[0].verdict


@pytest.mark.parametrize(("off", "verdict"), [(1e-12, "confirmed"), (1e-7, "refuted")])
@pytest.mark.parametrize("mean", [1e-9, 1.0, 1e6])
def test_times_are_known_to_a_share_of_themselves(mean, off, verdict):
    law = {"distribution": "exponential", "mean": mean}
    assert time_of(law, 1.5 * mean * (1 + off), n=2) == verdict
    assert time_of(law, 1.25 * mean**2 * (1 + off), statistic="variance", n=2) == verdict
    late = 2 * math.exp(-30) - math.exp(-60)
    assert time_of(law, late * (1 + off), statistic=f"P(>{30 * mean!r})", n=2) == verdict


def test_a_small_difference_is_not_rounding_between_strict_sides():
    law = {"distribution": "exponential", "mean": 1.0}
    assert time_of(law, 1 + 3e-10, "<") == "undecided"
    assert time_of(law, 1 + 3e-10, ">") == "undecided"


def test_an_infinite_mean_is_at_least_anything():
    law = {"distribution": "pareto", "shape": 0.9, "scale": 1.0}
    said = {relation: time_of(law, 100, relation) for relation in ("<", "<=", "=", ">=", ">")}
    assert [*said.values()] == ["refuted"] * 3 + ["confirmed"] * 2
