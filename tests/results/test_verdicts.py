"""Verdicts against hand computation."""

import pytest

from fastgc.results import verdict_data
from fastgc.results.verdict_data import CONFIRMED, LOOSE, REFUTED, UNDECIDED, conclude
from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import AS_N_GROWS, SOMEWHERE, Case, Claim


def case(theory=1.0):
    return Case({"n": 8}, theory, {}, "error")


# ---- a claim of several cases


def claim(expected=CONFIRMED, holds="everywhere"):
    return Claim("a.b", "a", "says so", "there", "=", expected, lambda: (case(),), holds)


def finding(name, value=1.0, half=1e-4):
    return verdict_data.Finding(
        case(), Estimate(value, 1e-4, 1000), "monte-carlo", name, half, reason=f"is {name}"
    )


@pytest.mark.parametrize(("holds", "cases", "expected"), [
    ("everywhere", [CONFIRMED, CONFIRMED], CONFIRMED),
    ("everywhere", [CONFIRMED, REFUTED, UNDECIDED], REFUTED),
    ("everywhere", [CONFIRMED, UNDECIDED, LOOSE], UNDECIDED),
    ("everywhere", [LOOSE, CONFIRMED], CONFIRMED),  # tight somewhere
    ("everywhere", [LOOSE, LOOSE], LOOSE),
    (SOMEWHERE, [REFUTED, CONFIRMED, UNDECIDED], CONFIRMED),
    (SOMEWHERE, [REFUTED, LOOSE], LOOSE),
    (SOMEWHERE, [REFUTED, UNDECIDED], UNDECIDED),
    (SOMEWHERE, [REFUTED, REFUTED], REFUTED),
])  # fmt: skip
def test_which_case_decides(holds, cases, expected):
    found = conclude(claim(holds=holds), [finding(n, i) for i, n in enumerate(cases)])
    assert found.verdict == expected and len(found.findings) == len(cases)
    assert found.value == cases.index(expected), "the case that decides is shown"
    assert f"({cases.count(expected)} of {len(cases)} points)" in repr(found)


def test_of_a_limit_the_farthest_point_is_shown():
    found = conclude(claim(holds=AS_N_GROWS), [finding(CONFIRMED, x) for x in (3.0, 2.0, 1.5)])
    assert (found.value, found.reason) == (1.5, "is confirmed")
