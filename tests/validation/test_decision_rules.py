"""The rules of verdicts against hand computation."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastgc
from fastgc.results.rows import ENUMERATION_BOUNDS, EXACT
from fastgc.results.verdict_data import CONFIRMED, EQUAL_SIDES, LOOSE, REFUTED, UNDECIDED
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram
from fastgc.theory.papers.claim import Case, Claim
from fastgc.validation import decision_rules
from fastgc.validation.decision_rules import Evidence, decide, p_value, with_variance
from suite.checks import close

T = 10**6
Z = NormalDist().inv_cdf(1 - 0.01 / 2)  # 2.576


def case(theory=1.0, scale=1.0, **more):
    return Case({"n": 8}, theory, {}, **{"quantity": "loss"} | more, scale=scale)


def measured(value, error=1e-4, trials=T, **more):
    return Estimate(value, error, trials, **more)


def decided(said, relation, estimate, *, is_rejected=False, **more):
    evidence = Evidence(estimate, **more)
    return decide(said, relation, evidence, is_rejected=is_rejected, significance=0.01)


def verdict(relation, estimate, theory=1.0, *, is_rejected=False, scale=1.0, **more):
    said = case(theory, scale, **more)
    return decided(said, relation, estimate, is_rejected=is_rejected).verdict


@pytest.mark.parametrize("relation", ["=", "<=", "<", ">=", ">"])
@pytest.mark.parametrize("off", [-3.0, -1.0, 0.0, 1.0, 3.0])
def test_p_value(relation, off):
    wrong_side = {"=": True, "<=": off > 0, "<": off > 0, ">=": off < 0, ">": off < 0}[relation]
    expected = 2 * NormalDist().cdf(-abs(off)) if wrong_side and off else 1.0
    found = p_value(case(), relation, measured(1 + off * 1e-3, 1e-3))
    assert found == pytest.approx(expected, rel=1e-9)


SURE, INFINITE = (lambda value: Estimate(value, 0.0)), Estimate(None, None, note="infinite")
NEVER = {trials: Estimate(0.0, 0.0, trials, proportion=True) for trials in (1000, 10**6)}
TENTH = case(0.7, digits=1)
WIDE = case(0.5, tolerance=0.9)


@pytest.mark.parametrize(("said", "relation", "estimate", "least", "most"), [
    (case(), "=", SURE(1.0), 1, 1),
    (case(), "=", SURE(1 + 1e-12), 1, 1),  # rounding is no contradiction
    (case(), "=", SURE(1 + 1e-6), 0, 0), (case(), "<=", SURE(0.5), 1, 1),
    (case(), "<=", SURE(1.5), 0, 0), (case(8.0), "=", SURE(8 + 1e-7), 0, 0),
    (case(), "=", Estimate(None, None, 0), 1, 1), (case(), "=", Estimate(2.0, None, 1), 1, 1),
    # no hit in 1000 trials has probability e⁻¹; the spread is the theory's own
    (case(1e-3), "=", NEVER[1000], 0.05, 1), (case(1e-3), "=", NEVER[10**6], 0, 1e-9),
    # a mean error of 10⁻³ that is 8 or 0: no hit in 100 trials is likely, in 10⁶ it is not
    (case(1e-3, scale=8), "=", measured(0.0, 0.0, 100), 0.9, 1),
    (case(1e-3, scale=8), "=", measured(0.0, 0.0, 10**6), 0, 1e-9),
    (case(0.0), "=", measured(1.0, 0.0, 50), 0, 1e-9),  # every trial 1 of at most 1
    (case(0.5), "=", measured(0.5, 0.0, 50), 1, 1),
    # a tolerance does not act on exact values, nor digits on a bound
    (WIDE, "=", SURE(1.0), 0, 0), (WIDE, "=", SURE(0.5 + 1e-12), 1, 1),
    (TENTH, "<=", SURE(0.72), 0, 0), (TENTH, "=", SURE(0.72), 1, 1),
    (TENTH, "<=", measured(0.72, 1e-4), 0, 1e-9),
    # equal sides refute a strict relation, and rounding or an interval may be their difference
    *((case(3.0), relation, *more) for relation in "<>" for more in (
        (SURE(3.0 * (1 + 1e-15)), 0, 0),
        (SURE(3.0 * (1 + 1e-10)), 1, 1),
        (measured(3.0, 1e-4), 0.1, 1),
    )),
    # what is less than 1 by less than a float has
    (case(1.0), "<", Estimate(1.0, 0.0, proportion=True), 1, 1), (case(1.0), "=", INFINITE, 0, 0),
    (case(1.0), ">=", INFINITE, 1, 1), (case(math.inf), "=", SURE(1.0), 0, 0),
    (case(math.inf), "=", measured(1.0), 1, 1),  # a sample is always finite
])  # fmt: skip
def test_p_value_of_what_is_exact_rare_rounded_or_infinite(said, relation, estimate, least, most):
    assert least <= p_value(said, relation, estimate) <= most


@given(st.floats(0.01, 0.99), st.integers(2, 5000))
def test_a_right_theory_is_seldom_rejected_where_nothing_varies_yet(mean, trials):
    # an outcome of 1 with a probability small enough that no trial has seen it is no refutation
    probability = mean / trials
    found = p_value(case(probability), "=", measured(0.0, 0.0, trials))
    assert found >= (1 - probability) ** trials * 0.99


def test_tolerances():
    """0.2 % of the larger of theory and measurement; of a probability, of the rarer outcome."""

    def allowed(theory, estimate, **more):
        return decision_rules.tolerance(case(theory, **more), estimate)

    assert allowed(0.5, measured(0.4)) == allowed(-0.5, measured(0.4)) == pytest.approx(0.001)
    assert allowed(0.5, measured(0.6)) == pytest.approx(0.0012)
    assert allowed(0.0, measured(0.4), scale=8) == close(8e-4)
    rare = measured(0.99, proportion=True)
    assert allowed(0.99, rare) == close(2e-5)
    assert allowed(1.0, rare, scale=1.0) == close(1e-4), "what is certain"
    assert allowed(0.5, measured(0.5), tolerance=0.01) == pytest.approx(0.005)
    assert allowed(4.0, measured(4.02), digits=1) == pytest.approx(0.05, rel=1e-6)
    assert allowed(120_000, measured(117_706), digits=-4) == pytest.approx(5000, rel=1e-6)
    assert allowed(2.0, Estimate(2.0, 0.0)) == close(2e-9, rel=0.01), "the exact method"
    # sampling stops before the tolerance is used up
    target = decision_rules.target_half_width(case(0.5), measured(0.5))
    assert 0.0005 < target < 0.001 * 0.75


def test_half_widths():
    assert decision_rules.half_width(case(), measured(1.0, 0.5), 0.01) == pytest.approx(0.5 * Z)
    assert decision_rules.half_width(case(), Estimate(1.0, 0.0), 0.01) == 0
    assert decision_rules.half_width(case(), measured(1.0, None, 1), 0.01) == math.inf
    # no spread in T trials: another value has a probability of at most ln(1/a)/T
    expected = 8 * math.log(100) / T
    assert decision_rules.half_width(case(0.0, 8), measured(0.0, 0.0), 0.01) == close(expected)
    tiny = decision_rules.half_width(case(1.0, 8), measured(1.0, 1e-14), 0.01)
    assert tiny == close(expected), "rounding is no spread"


@pytest.mark.parametrize(("relation", "estimate", "theory", "expected"), [
    # half-width 2.576e-4, and 2e-3 of 1.0017 are allowed; or it is just below 0.2 %
    *(("=", measured(1 + off, 1e-4), 1.0, CONFIRMED) for off in (1.7e-3, -1.7e-3)),
    ("=", measured(1 + 1.8e-3), 1.0, UNDECIDED), ("=", measured(1.0, 0.00077), 1.0, CONFIRMED),
    ("=", measured(1.0, 0.00078), 1.0, UNDECIDED),
    ("=", measured(0.0, 0.0), 0.0, CONFIRMED),
    ("=", measured(0.0, 0.0, 46_051), 0.0, UNDECIDED),  # ln(100) / T must be at most 10⁻⁴
    ("=", measured(0.0, 0.0, 46_053), 0.0, CONFIRMED),
    ("=", measured(3e-5, 2e-5), 0.0, CONFIRMED), ("=", measured(3e-5, 5e-5), 0.0, UNDECIDED),
    ("=", SURE(8.0), 8.0, CONFIRMED), ("=", SURE(8 + 1e-10), 8.0, CONFIRMED),
    ("=", INFINITE, math.inf, CONFIRMED),
    # a bound that is attained is confirmed unless strict, and one of zero is never loose
    *((relation, measured(1.0, 1e-4), 1.0, CONFIRMED) for relation in ("<=", ">=")),
    *((relation, measured(1.0, 1e-4), 1.0, UNDECIDED) for relation in ("<", ">")),
    (">", measured(0.5, 1e-4), 0.0, CONFIRMED),
    # clear of a bound, loosely, and not clear of it; and the mirror image
    ("<=", measured(0.9, 1e-4), 1.0, CONFIRMED), ("<", measured(0.5, 1e-4), 1.0, LOOSE),
    ("<=", measured(0.9, 0.05), 1.0, UNDECIDED), (">=", measured(-0.5, 1e-4), -1.0, LOOSE),
    # nothing that is measured beyond a bound confirms it: here .2 % and a standard error beyond
    ("=", measured(1.0001, 1e-4), 1.0, CONFIRMED), ("<=", measured(1.0001, 1e-4), 1.0, UNDECIDED),
    ("<=", measured(0.9999, 1e-4), 1.0, CONFIRMED),
    (">=", measured(0.9999, 1e-4), 1.0, UNDECIDED),
    *((relation, nothing, 1.0, UNDECIDED) for relation in ("=", "<=", ">=")
      for nothing in (Estimate(None, None, 0), Estimate(1.0, None, 1))),
])  # fmt: skip
def test_verdicts(relation, estimate, theory, expected):
    assert verdict(relation, estimate, theory) == expected
    assert verdict(relation, estimate, theory, is_rejected=True) == REFUTED


@pytest.mark.parametrize(("printed", "digits", "value", "is_right"), [
    (1.5, 1, 1.512, True), (4.0, 1, 4.023, True), (6.6, 1, 6.886, False),
    (0.5173, 4, 0.51737765, False),  # rounds to 0.5174
    (0.5174, 4, 0.51737765, True), (120_000, -4, 117_706, True),
])  # fmt: skip
def test_a_printed_number_is_right_to_half_a_unit_of_its_last_digit(
    printed, digits, value, is_right
):
    said = case(printed, digits=digits)
    assert (p_value(said, "=", Estimate(value, 0.0)) == 1) == is_right
    sampled = measured(value, 1e-6 * value)
    assert (p_value(said, "=", sampled) > 0.01) == is_right
    if is_right:
        assert verdict("=", sampled, printed, digits=digits) == CONFIRMED


def test_confirmed_says_to_within_what():
    found = decided(case(2.0), "=", measured(2.001, 1e-4))
    assert found.within == close((0.001 + Z * 1e-4) / 2.001) and not found.is_absolute
    zero = decided(case(0.0), "=", measured(1e-5, 1e-6))
    assert zero.within == close(1e-5 + Z * 1e-6) and zero.is_absolute
    # of a bound it is how far the interval reaches beyond
    near = decided(case(), "<=", measured(0.9999, 1e-4))
    assert near.within == close(Z * 1e-4 - 1e-4, rel=1e-6)
    assert decided(case(), "<=", measured(0.9, 1e-4)).within is None


def test_why_it_is_undecided_and_what_would_decide_it():
    def why(estimate, theory=1.0, relation="=", **more):
        found = decided(case(theory), relation, estimate, **more)
        assert found.verdict == UNDECIDED
        return found.reason, found.trials_needed

    said, needed = why(measured(1.0, 1e-3, 1000))
    # half-width 2.576e-3 must come down to 0.55 · 2e-3
    assert needed == math.ceil(1000 * (Z / (decision_rules.WIDTH * 2)) ** 2)
    assert said.startswith("the interval is ±0.0026 after 1 000 trials; about 5 48")
    no_spread = Estimate(1.0, None, 10, note="no interval: its own variance is infinite")
    assert "variance is infinite" in why(no_spread)[0]
    said, needed = why(measured(1.0, 1e-5, 1000), kurtosis=100.0)
    assert said == "rests on 10 events, 100 are needed; about 10 000 trials would do"
    assert "mean is infinite" in why(measured(1.0), math.inf)[0]
    assert why(Estimate(None, None, 5, note="never happened"))[0] == "never happened"
    assert "strict" in why(Estimate(1.0, 0.0), relation="<")[0]
    assert "too close" in why(measured(1.0, 1e-6), relation="<")[0]
    assert "extra data" in why(Estimate(None, None), obstacle="install the extra data")[0]
    assert why(measured(1.0001, 1e-4), relation="<=")[0].startswith(
        "measured beyond the bound by 0.0001, of which the probability is 0.32 if it holds; "
    )


@pytest.mark.parametrize(("theory", "seen"), [(1.0, 0.0), (0.0, 1.0)])
def test_no_number_of_trials_shows_what_always_happens(theory, seen):
    def probability(value, error=0.0, trials=T, **more):
        return Estimate(value, error, trials, proportion=True, **more)

    assert verdict("=", probability(theory), theory) == UNDECIDED
    said = decided(case(theory), "=", probability(theory))
    assert said.reason.startswith(
        "no counterexample in 1 000 000 trials, so that its probability is at most 4.6e-06; "
    )
    # one counterexample is enough, however few events there are
    once = probability(theory + (seen - theory) / T, 1e-6)
    assert p_value(case(theory), "=", once) == 0
    assert decision_rules.may_reject(case(theory), Evidence(once))
    # nor an exact 1, which is the float of what is nearly 1; but a certificate does
    exact = Estimate(theory, 0.0, proportion=True)
    said = decided(case(theory), "=", exact)
    assert said.verdict == (CONFIRMED if theory == 0 else UNDECIDED)
    assert theory == 0 or "is at most 1.1e-16" in said.reason
    assert decided(case(theory), "=", exact, certificate="all of them").verdict == CONFIRMED
    certain = Estimate(theory, None, proportion=True, ends=(theory, theory))
    assert verdict("=", certain, theory) == UNDECIDED
    # a failure too rare to be distinguished from 1 by a float
    if theory == 1:
        rare = Estimate(1.0, 1e-29, 4096, ends=(1.0, 1.0), failure=(7e-25, 8e-25), proportion=True)
        assert p_value(case(1.0), "=", rare) == 0


@pytest.mark.parametrize("statistic", ["mean", "maximum", "variance"])
@pytest.mark.parametrize("quantity", ["error", "norm", "lost"])
def test_no_error_at_all_is_such_a_statement(quantity, statistic):
    own = {"quantity": quantity, "statistic": statistic}
    for relation in ("=", "<="):
        said = decided(case(0.0, **own), relation, measured(0.0, 0.0))
        assert said.verdict == UNDECIDED and "no counterexample in 1 000 000 trials" in said.reason
        assert verdict(relation, Estimate(0.0, 0.0), 0.0, **own) == CONFIRMED
        assert verdict(relation, Estimate(1e-12, 0.0), 0.0, **own) == UNDECIDED
        assert p_value(case(0.0, **own), relation, measured(1e-5, 1e-6)) == 0
    # rounding is no error, a bound from below no certainty, and a printed number is rounded
    assert p_value(case(0.0, **own), "=", measured(1e-8, 1e-9, noise=1e-7)) == 1
    assert verdict(">=", measured(1e-3, 1e-5), 0.0, **own) == CONFIRMED
    assert verdict("=", measured(1e-3, 1e-5), 0.0, digits=2, **own) == CONFIRMED


def test_a_theory_that_is_too_small_is_refuted_by_many_events_and_not_by_few():
    """frc, n = 8, d = 4, p = 0.1: 4 000 events say that 4e-4 is wrong, and 8e-4 is right."""
    found = measured(8.06e-4, 0.13e-4, 10**7, least=0.0, most=8.0)
    for wrong in (4e-4, 8e-5, 8e-12):
        assert p_value(case(wrong, 8.0), "=", found) < 1e-9
        assert decision_rules.may_reject(case(wrong, 8.0), Evidence(found))
    assert p_value(case(8e-4, 8.0), "=", found) > 0.5
    once = measured(8e-6, 8e-6, 10**6, least=0.0, most=8.0)
    assert not decision_rules.may_reject(case(1e-7, 8.0), Evidence(once))
    # had the theory been right, a thousand events would have come
    assert decision_rules.may_reject(case(8e-3, 8.0), Evidence(once))
    assert p_value(case(8e-3, 8.0), "=", once) < 1e-9
    assert p_value(case(1.6e-5, 8.0), "=", once) > 0.1, "two were expected, one came"


def test_the_laws_own_variance_stands_in_for_what_a_sample_missed():
    """1 + 1e7 with probability 1e-8: a sample that has seen no such outcome is sure of 1.0."""
    sample = with_variance(measured(1.0, 1e-9, 65_536), 1e14 * 1e-8)
    assert p_value(case(1.1), "=", sample) > 0.5
    assert with_variance(measured(1.0, 0.5, 100), 4.0).standard_error == 0.5


def test_quantiles_have_intervals_by_order_statistics():
    edges = np.linspace(100, 200, 101).astype(int).tolist()
    median = Estimate(
        1.0, None, 10_000, histogram=Histogram({e: 99 for e in edges}, 0.5, 2.0), level=0.5
    )
    low, high = median.interval(0.99)
    half = decision_rules.half_width(case(), median, 0.01)
    assert half == pytest.approx(max(median.value - low, high - median.value))
    assert p_value(case((low + high) / 2), "=", median) > 0.01
    assert p_value(case(high * 2), "=", median) < 1e-6
    assert p_value(case(high * 2), "<=", median) == 1


# ---- values of 1e-18 and probabilities near 1 are judged as sharply as those about one half


N, D = 12, 6


def table(p, family="frc", n=N, d=D, **more):
    code = {"family": family, "n": n, "d": d}
    return {"code": code, "stragglers": {"model": "iid", "p": p}} | more


def judged(theory, relation="=", experiment=None, quantity="error", rounding=0.0, **more):
    """The verdict on one case, by the exact method, and its finding."""
    scale = 1.0 if quantity == "exact" else float(N)
    case = Case({}, theory, experiment, quantity, **{"scale": scale, "rounding": rounding} | more)
    claim = Claim("test", "test", "says", "here", relation, CONFIRMED, lambda: (case,))
    [found] = fastgc.validate(claim, trials=2**16, method="exact")
    return found.verdict, found.findings[0]


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
