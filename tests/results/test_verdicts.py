"""Verdicts against hand computation."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastgc.results import verdicts
from fastgc.results.verdicts import CONFIRMED, LOOSE, REFUTED, UNDECIDED, conclude, rejected
from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import AS_N_GROWS, SOMEWHERE, Case, Claim


def case(theory=1.0):
    return Case({"n": 8}, theory, {}, "error")


# ---- Holm


def test_holm_by_hand():
    # 0.05/4 = 0.0125, /3 = 0.0167, /2 = 0.025, /1 = 0.05
    assert rejected([0.01, 0.04, 0.03, 0.005], 0.05) == [True, False, False, True]
    assert rejected([0.01, 0.02, 0.015, 0.005], 0.05) == [True] * 4
    assert rejected([0.02, 0.02, 0.02, 0.02], 0.05) == [False] * 4
    assert rejected([0.013, 1e-9], 0.02) == [True, True]
    assert rejected([], 0.05) == []


@pytest.mark.night
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


def claim(expected=CONFIRMED, holds="everywhere"):
    return Claim("a.b", "a", "says so", "there", "=", expected, lambda: (case(),), holds)


def finding(name, value=1.0, half=1e-4):
    return verdicts.Finding(
        case(), Estimate(value, 1e-4, 1000), "monte-carlo", name, half, reason=f"is {name}"
    )


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
    alike = sum(name == expected for name in cases)
    assert f"({alike} of {len(cases)} points)" in repr(found)


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


@pytest.mark.parametrize(
    ("cases", "expected"),
    [
        ([REFUTED, CONFIRMED, UNDECIDED], CONFIRMED),
        ([REFUTED, LOOSE], LOOSE),
        ([REFUTED, UNDECIDED], UNDECIDED),
        ([REFUTED, REFUTED], REFUTED),
    ],
)
def test_what_holds_somewhere_holds_if_one_case_does(cases, expected):
    found = conclude(claim(holds=SOMEWHERE), [finding(name, i) for i, name in enumerate(cases)])
    assert found.verdict == expected
    assert found.value == cases.index(expected), "the case that decides is shown"


@pytest.mark.parametrize(
    ("cases", "own", "expected"),
    [
        ([REFUTED, CONFIRMED, CONFIRMED], 1, REFUTED),  # others do not outvote the paper's own
        ([CONFIRMED, REFUTED, REFUTED], 1, CONFIRMED),
        ([CONFIRMED, REFUTED, CONFIRMED], 2, REFUTED),
        ([CONFIRMED, UNDECIDED, CONFIRMED], 2, UNDECIDED),
    ],
)
def test_points_of_the_papers_own_decide(cases, own, expected):
    said = dataclasses.replace(claim(holds=SOMEWHERE), own_points=own)
    found = conclude(said, [finding(name, i) for i, name in enumerate(cases)])
    assert found.verdict == expected and found.value < own


def test_of_a_limit_the_farthest_point_is_shown():
    found = conclude(claim(holds=AS_N_GROWS), [finding(CONFIRMED, x) for x in (3.0, 2.0, 1.5)])
    assert (found.value, found.reason) == (1.5, "is confirmed")
