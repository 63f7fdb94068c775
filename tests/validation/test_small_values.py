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
    (1.0, CONFIRMED, CONFIRMED), (1.001, CONFIRMED, REFUTED),
    (0.999, REFUTED, CONFIRMED), (1e-3, REFUTED, LOOSE),
])  # fmt: skip
def test_small_bounds(factor, at_most, at_least):
    theory, strict = factor * N * PS[1] ** D, REFUTED if factor == 1 else at_most
    for relation, expected in (("<=", at_most), (">=", at_least), ("<", strict)):
        assert judged(theory, relation, table(PS[1]))[0] == expected


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


@pytest.mark.parametrize(("relation", "theory", "value", "rounding", "own", "expected"), [
    ("=", 1e-12, 2e-12, 1e-11, None, UNDECIDED),
    ("=", 1e-12, 2e-12, None, None, UNDECIDED),  # a bound that is not known is 1e-11
    ("=", 1e-12, 1e-12, 1e-13, None, "rounding may be 1.1e-13, too much"),
    ("=", 1e-12, 1e-12, 1e-15, 0.0, CONFIRMED), ("=", 1e-12, 2e-12, 1e-15, 0.0, REFUTED),
    ("<=", 1e-12, 2e-12, 1e-11, None, UNDECIDED), ("<", 1e-12, 1e-12, 0.0, 0.0, EQUAL_SIDES),
    (">", 0.0, 1e-16, 1e-20, None, CONFIRMED), (">", 0.0, 1e-20, 1e-16, None, REFUTED),
])  # fmt: skip
def test_what_rounding_hides_is_never_confirmed_to_more_than_a_hundredth(
    relation, theory, value, rounding, own, expected
):
    found = Estimate(value, 0.0, rounding=rounding)
    case = Case({}, theory, {}, "error", scale=8.0, rounding=own)
    p = p_value(case, relation, found)
    evidence = Evidence(found, EXACT)
    said = decide(case, relation, evidence, is_rejected=p == 0, significance=0.01)
    assert said.verdict == expected or said.reason.startswith(expected)


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
    for relation, theory, expected in (
        ("<", 1.0, CONFIRMED), ("<", 1 - 0.5 * fails, CONFIRMED), ("<", 1 - 2.0 * fails, REFUTED),
        (">=", 1 - 0.5 * fails, REFUTED), ("<", 1 - fails, UNDECIDED),
    ):  # fmt: skip
        case, rare = Case({}, theory, {}, "exact"), Evidence(found, ENUMERATION_BOUNDS)
        is_rejected = p_value(case, relation, found) < 1e-6
        said = decide(case, relation, rare, is_rejected=is_rejected, significance=0.01)
        assert said.verdict == expected
    # a claim takes what a run knows of rare events
    said, found = judged(1.0, "<", table(0.001, "cyclic", 25, 4), "exact")
    assert (said, found.method) == (CONFIRMED, ENUMERATION_BOUNDS)


def test_no_sentence_names_more_trials_than_can_be_drawn():
    def reason(case, estimate):
        evidence = Evidence(estimate, kurtosis=3.0)
        return decide(case, "=", evidence, is_rejected=False, significance=0.01).reason

    dear = Case({}, 0.5, {}, "time", tolerance=1e-9)
    assert reason(dear, Estimate(0.5, 0.4, 10**6)).endswith(
        "more than can be drawn would do: take the exact method, on fewer workers"
    )
    assert reason(Case({}, 8.0, {}, "error", "maximum"), Estimate(0.5, None, 10**6)).startswith(
        "a sample shows no maximum of what can happen; the exact method"
    )


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


def test_strict_sides_and_an_infinite_mean():
    exponential = {"distribution": "exponential", "mean": 1.0}
    for relation in "<>":  # a small difference is not rounding
        assert time_of(exponential, 1 + 3e-10, relation) == "undecided"
    heavy = {"distribution": "pareto", "shape": 0.9, "scale": 1.0}
    said = [time_of(heavy, 100, relation) for relation in ("<", "<=", "=", ">=", ">")]
    assert said == ["refuted"] * 3 + ["confirmed"] * 2
