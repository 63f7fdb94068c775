"""Verdicts against hand computation."""

import math
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastgc.results import verdicts
from fastgc.results.verdicts import (
    CONFIRMED,
    LOOSE,
    REFUTED,
    UNDECIDED,
    conclude,
    judge,
    p_value,
    rejected,
)
from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import Case, Claim

T = 10**6
Z = NormalDist().inv_cdf(1 - 0.01 / 2)  # 2.576


def case(theory=1.0, scale=1.0):
    return Case({"n": 8}, theory, {}, "error", scale=scale)


def measured(value, error=1e-4, trials=T, **more):
    return Estimate(value, error, trials, **more)


def verdict(relation, estimate, theory=1.0, *, is_rejected=False, scale=1.0):
    return judge(
        case(theory, scale), relation, estimate, is_rejected=is_rejected, significance=0.01
    )[0]


# ---- p-values


@pytest.mark.parametrize("relation", ["=", "<=", "<", ">=", ">"])
@pytest.mark.parametrize("off", [-3.0, -1.0, 0.0, 1.0, 3.0])
def test_p_value(relation, off):
    wrong_side = {"=": True, "<=": off > 0, "<": off > 0, ">=": off < 0, ">": off < 0}[relation]
    expected = 2 * NormalDist().cdf(-abs(off)) if wrong_side and off else 1.0
    found = p_value(case(), relation, measured(1 + off * 1e-3, 1e-3))
    assert found == pytest.approx(expected, rel=1e-9)


def test_p_value_of_exact_values():
    assert p_value(case(), "=", Estimate(1.0, 0.0)) == 1
    assert p_value(case(), "=", Estimate(1 + 1e-12, 0.0)) == 1, "rounding is no contradiction"
    assert p_value(case(), "=", Estimate(1 + 1e-6, 0.0)) == 0
    assert p_value(case(), "<=", Estimate(0.5, 0.0)) == 1
    assert p_value(case(), "<=", Estimate(1.5, 0.0)) == 0


def test_p_value_of_nothing():
    assert p_value(case(), "=", Estimate(None, None, 0)) == 1
    assert p_value(case(), "=", Estimate(2.0, None, 1)) == 1


def test_p_value_of_a_probability_that_never_hit():
    # theory 10⁻³, no hit in 1000 trials: chance e⁻¹; the spread is the theory's own
    never = Estimate(0.0, 0.0, 1000, proportion=True)
    assert p_value(case(1e-3), "=", never) > 0.05
    never = Estimate(0.0, 0.0, 10**6, proportion=True)
    assert p_value(case(1e-3), "=", never) < 1e-9


def test_p_value_of_a_mean_without_spread():
    # a mean error of 10⁻³ that is 8 or 0: no hit in 100 trials is likely, in 10⁶ it is not
    assert p_value(case(1e-3, scale=8), "=", measured(0.0, 0.0, 100)) > 0.9
    assert p_value(case(1e-3, scale=8), "=", measured(0.0, 0.0, 10**6)) < 1e-9
    # theory 0, every trial 1 of at most 1
    assert p_value(case(0.0), "=", measured(1.0, 0.0, 50)) < 1e-9
    assert p_value(case(0.5), "=", measured(0.5, 0.0, 50)) == 1


@given(st.floats(0.01, 0.99), st.integers(2, 5000))
def test_a_right_theory_is_seldom_rejected_where_nothing_varies_yet(mean, trials):
    # an outcome of 1 with a chance small enough that no trial has seen it is no refutation
    chance = mean / trials
    assert p_value(case(chance), "=", measured(0.0, 0.0, trials)) >= (1 - chance) ** trials * 0.99


# ---- half-widths


def test_targets():
    assert verdicts.target_half_width(case(0.5)) == 0.001
    assert verdicts.target_half_width(case(-0.5)) == 0.001
    assert verdicts.target_half_width(case(0.0, scale=8)) == pytest.approx(8e-4)


def test_half_widths():
    assert verdicts.half_width(case(), measured(1.0, 0.5), 0.01) == pytest.approx(0.5 * Z)
    assert verdicts.half_width(case(), Estimate(1.0, 0.0), 0.01) == 0
    assert verdicts.half_width(case(), measured(1.0, None, 1), 0.01) == math.inf
    # no spread in T trials: another value has a chance of at most ln(1/a)/T
    expected = 8 * math.log(100) / T
    assert verdicts.half_width(case(0.0, 8), measured(0.0, 0.0), 0.01) == pytest.approx(expected)
    tiny = verdicts.half_width(case(1.0, 8), measured(1.0, 1e-14), 0.01)
    assert tiny == pytest.approx(expected), "rounding is no spread"


# ---- verdicts on equalities


@pytest.mark.parametrize(
    ("value", "error", "expected"),
    [
        (1.0, 1e-4, CONFIRMED),
        (1 + 2.5e-4, 1e-4, CONFIRMED),  # half-width 2.576e-4
        (1 - 2.5e-4, 1e-4, CONFIRMED),
        (1 + 2.6e-4, 1e-4, UNDECIDED),  # outside its own interval, yet not rejected
        (1.0, 0.00077, CONFIRMED),  # half-width just below 0.2 %
        (1.0, 0.00078, UNDECIDED),
    ],
)
def test_equality(value, error, expected):
    assert verdict("=", measured(value, error)) == expected
    assert verdict("=", measured(value, error), is_rejected=True) == REFUTED


def test_equality_with_zero():
    assert verdict("=", measured(0.0, 0.0), 0.0) == CONFIRMED
    # ln(100) / T must be at most 10⁻⁴
    assert verdict("=", measured(0.0, 0.0, 46_051), 0.0) == UNDECIDED
    assert verdict("=", measured(0.0, 0.0, 46_053), 0.0) == CONFIRMED
    assert verdict("=", measured(0.0, 0.0, 46_053), 0.0, scale=8.0) == CONFIRMED
    assert verdict("=", measured(3e-5, 2e-5), 0.0) == CONFIRMED
    assert verdict("=", measured(3e-5, 5e-5), 0.0) == UNDECIDED


def test_equality_of_finite_statements():
    assert verdict("=", Estimate(8.0, 0.0), 8.0) == CONFIRMED
    assert verdict("=", Estimate(8 + 1e-12, 0.0), 8.0) == CONFIRMED
    assert verdict("=", Estimate(9.0, 0.0), 8.0, is_rejected=True) == REFUTED


# ---- verdicts on bounds


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(
    ("value", "error", "expected"),
    [
        (0.9, 1e-4, CONFIRMED),
        (0.5, 1e-4, LOOSE),
        (0.9, 0.05, UNDECIDED),  # not clear of the bound
        (1.0, 0.01, UNDECIDED),
    ],
)
def test_upper_bounds(value, error, expected, strict):
    assert verdict("<" if strict else "<=", measured(value, error)) == expected
    # the mirror image
    assert verdict(">" if strict else ">=", measured(-value, error), -1.0) == expected


def test_a_bound_that_is_attained_is_confirmed_unless_strict():
    assert verdict("<=", measured(1.0, 1e-4)) == verdict(">=", measured(1.0, 1e-4)) == CONFIRMED
    assert verdict("<", measured(1.0, 1e-4)) == verdict(">", measured(1.0, 1e-4)) == UNDECIDED


def test_a_bound_of_zero_is_never_loose():
    assert verdict(">", measured(0.5, 1e-4), 0.0) == CONFIRMED


@pytest.mark.parametrize("relation", ["=", "<=", ">="])
def test_nothing_measured_is_undecided(relation):
    assert verdict(relation, Estimate(None, None, 0)) == UNDECIDED
    assert verdict(relation, Estimate(1.0, None, 1)) == UNDECIDED


def test_trials_needed():
    # half-width 2.576e-3 must come down to 2e-3
    _, half, needed = judge(
        case(), "=", measured(1.0, 1e-3, 1000), is_rejected=False, significance=0.01
    )
    assert half == pytest.approx(Z * 1e-3)
    assert needed == math.ceil(1000 * (Z / 2) ** 2)
    assert judge(case(), "=", measured(1.0), is_rejected=False, significance=0.01)[2] is None


# ---- Holm


def test_holm_by_hand():
    # 0.05/4 = 0.0125, /3 = 0.0167, /2 = 0.025, /1 = 0.05
    assert rejected([0.01, 0.04, 0.03, 0.005], 0.05) == [True, False, False, True]
    assert rejected([0.01, 0.02, 0.015, 0.005], 0.05) == [True] * 4
    assert rejected([0.02, 0.02, 0.02, 0.02], 0.05) == [False] * 4
    assert rejected([0.013, 1e-9], 0.02) == [True, True]
    assert rejected([], 0.05) == []


@given(st.lists(st.floats(0, 1), max_size=12), st.floats(0.001, 0.2))
def test_holm(p_values, alpha):
    found = rejected(p_values, alpha)
    order = sorted(p_values)
    steps = 0
    while steps < len(order) and order[steps] <= alpha / (len(order) - steps):
        steps += 1
    assert sum(found) == steps
    assert sorted(p for p, out in zip(p_values, found, strict=True) if out) == order[:steps]


def test_holm_keeps_its_level():
    # 20 true statements: any rejected in 5 % of 4000 runs; 4.5 standard deviations, 7e-6
    import random

    choose = random.Random(1)
    runs = 4000
    wrong = sum(any(rejected([choose.random() for _ in range(20)], 0.05)) for _ in range(runs))
    expected = 1 - (1 - 0.05 / 20) ** 20
    assert abs(wrong / runs - expected) < 4.5 * math.sqrt(expected * (1 - expected) / runs)


# ---- a claim of several cases


def claim(expected=CONFIRMED):
    return Claim("a.b", "a", "says so", "there", "=", expected, lambda: (case(),))


def finding(name, value=1.0, half=1e-4):
    return verdicts.Finding(case(), measured(value), "monte-carlo", name, half)


@pytest.mark.parametrize(
    ("cases", "expected"),
    [
        ([CONFIRMED, CONFIRMED], CONFIRMED),
        ([CONFIRMED, REFUTED, UNDECIDED], REFUTED),
        ([CONFIRMED, UNDECIDED, LOOSE], UNDECIDED),
        ([LOOSE, CONFIRMED], CONFIRMED),  # tight somewhere
        ([LOOSE, LOOSE], LOOSE),
    ],
)
def test_a_claim_is_as_good_as_its_worst_case(cases, expected):
    found = conclude(claim(), [finding(name) for name in cases])
    assert found.verdict == expected
    assert len(found.findings) == len(cases)


def test_a_claim_shows_the_first_case_that_decides():
    # the first one, so that other trials or claims do not change which point is shown
    near, far = finding(REFUTED, 1.01), finding(REFUTED, 1.5)
    found = conclude(claim(), [finding(CONFIRMED, 1.0), near, far])
    assert (found.value, found.point, found.method) == (1.01, {"n": 8}, "monte-carlo")


@pytest.mark.parametrize(
    ("found", "expected", "fine"),
    [
        (CONFIRMED, CONFIRMED, True),
        (REFUTED, REFUTED, True),
        (UNDECIDED, CONFIRMED, True),
        (CONFIRMED, REFUTED, False),
        (REFUTED, CONFIRMED, False),
        (LOOSE, CONFIRMED, False),
    ],
)
def test_as_expected(found, expected, fine):
    assert conclude(claim(expected), [finding(found)]).as_expected == fine
