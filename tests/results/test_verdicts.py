"""Verdicts against hand computation."""

import dataclasses

import pytest

from fastgc.results import verdict_data
from fastgc.results.verdict_data import CONFIRMED, LOOSE, REFUTED, UNDECIDED, conclude, rejected
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


# ---- a claim of several cases


def claim(expected=CONFIRMED, holds="everywhere", own=0):
    made = Claim("a.b", "a", "says so", "there", "=", expected, lambda: (case(),), holds)
    return dataclasses.replace(made, own_points=own)


def finding(name, value=1.0, half=1e-4):
    return verdict_data.Finding(
        case(), Estimate(value, 1e-4, 1000), "monte-carlo", name, half, reason=f"is {name}"
    )


@pytest.mark.parametrize(
    ("holds", "own", "cases", "expected"),
    [
        ("everywhere", 0, [CONFIRMED, CONFIRMED], CONFIRMED),
        ("everywhere", 0, [CONFIRMED, REFUTED, UNDECIDED], REFUTED),
        ("everywhere", 0, [CONFIRMED, UNDECIDED, LOOSE], UNDECIDED),
        ("everywhere", 0, [LOOSE, CONFIRMED], CONFIRMED),  # tight somewhere
        ("everywhere", 0, [LOOSE, LOOSE], LOOSE),
        (SOMEWHERE, 0, [REFUTED, CONFIRMED, UNDECIDED], CONFIRMED),
        (SOMEWHERE, 0, [REFUTED, LOOSE], LOOSE),
        (SOMEWHERE, 0, [REFUTED, UNDECIDED], UNDECIDED),
        (SOMEWHERE, 0, [REFUTED, REFUTED], REFUTED),
        (SOMEWHERE, 1, [REFUTED, CONFIRMED, CONFIRMED], REFUTED),  # others do not outvote
        (SOMEWHERE, 1, [CONFIRMED, REFUTED, REFUTED], CONFIRMED),  # the paper's own
        (SOMEWHERE, 2, [CONFIRMED, REFUTED, CONFIRMED], REFUTED),
        (SOMEWHERE, 2, [CONFIRMED, UNDECIDED, CONFIRMED], UNDECIDED),
    ],
)
def test_which_case_decides(holds, own, cases, expected):
    found = conclude(claim(holds=holds, own=own), [finding(n, i) for i, n in enumerate(cases)])
    assert found.verdict == expected and len(found.findings) == len(cases)
    assert found.value == cases.index(expected), "the case that decides is shown"
    assert f"({cases.count(expected)} of {len(cases)} points)" in repr(found)


def test_of_a_limit_the_farthest_point_is_shown():
    found = conclude(claim(holds=AS_N_GROWS), [finding(CONFIRMED, x) for x in (3.0, 2.0, 1.5)])
    assert (found.value, found.reason) == (1.5, "is confirmed")
