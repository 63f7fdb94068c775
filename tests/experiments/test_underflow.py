"""Probabilities that floating point does not hold: bounds and a note, never 0 for certain."""

import sys

import pytest

import fastgc
from fastgc.report.tables import value

SMALLEST = sys.float_info.min
CYCLIC = {"family": "cyclic", "n": 12, "d": 4, "seed": 1}
FRC = {"family": "frc", "n": 12, "d": 2}
STAR = {"kind": "completion", "system": {"family": "k-of-n", "n": 4, "k": 2}}
EXPONENTIAL = {"distribution": "exponential", "mean": 1.0}


def coded(code, p, method, **more):
    return {"code": code, "stragglers": {"model": "iid", "p": p}, "method": method} | more


def row(table, statistic, quantity="error"):
    """The row that theory does not give."""
    methods = ("exact", "enumeration-bounds", "union-sampling")
    found = [each for each in fastgc.run(table, trials=1000).rows() if each["method"] in methods]
    [own] = [r for r in found if (r["quantity"], r["statistic"]) == (quantity, statistic)]
    return own


@pytest.mark.parametrize(
    ("table", "statistic"),
    [
        (coded(CYCLIC, 1e-300, "rare", thresholds=[0.0]), "P(>0.0)"),  # 5e-1198
        (coded(CYCLIC, 1e-80, "rare", thresholds=[0.0]), "P(>0.0)"),  # 4.95e-318
        (coded(CYCLIC, 1e-80, "exact", thresholds=[0.0]), "P(>0.0)"),
        (coded(FRC, 1e-200, "exact", thresholds=[0.0]), "P(>0.0)"),  # 6e-400
        (coded(FRC, 1e-200, "exact"), "mean"),
        (coded(FRC | {"n": 60}, 1e-200, "auto", thresholds=[0.0]), "P(>0.0)"),
        (STAR | {"latency": EXPONENTIAL, "method": "exact", "thresholds": [1e5]}, "P(>100000.0)"),
        (STAR | {"latency": EXPONENTIAL, "method": "rare", "thresholds": [1e5]}, "P(>100000.0)"),
    ],
)
def test_what_underflows_has_an_upper_end(table, statistic):
    found = row(table, statistic, "time" if "kind" in table else "error")
    assert (found["low"], found["high"]) == (0.0, SMALLEST)
    assert "less than 2.2e-308" in found["note"]
    assert str(value(found)) == "< 2.2e-308"


@pytest.mark.parametrize(
    ("table", "statistic"),
    [
        (coded(FRC, 0.3, "exact", thresholds=[12.0]), "P(>12.0)"),
        (coded(FRC, 0.0, "exact"), "mean"),
        (STAR | {"latency": {"distribution": "uniform", "low": 1.0, "high": 2.0},
                 "method": "exact", "thresholds": [9.0]}, "P(>9.0)"),
    ],
)  # fmt: skip
def test_what_never_happens_is_zero(table, statistic):
    found = row(table, statistic, "time" if "kind" in table else "error")
    assert (found["value"], found["low"], found["high"]) == (0.0, 0.0, 0.0)
    assert str(value(found)) == "0"


def test_the_complement_says_how_seldom_it_fails():
    found = row(coded(CYCLIC, 1e-80, "rare", measure=["exact"]), "mean", "exact")
    assert found["value"] == found["high"] == 1.0
    assert found["note"].endswith(
        "its failure has less than 2.2e-308, the smallest number that has all digits"
    )


def test_what_is_small_and_has_all_digits_stays_exact():
    found = row(coded(FRC, 1e-150, "exact", thresholds=[0.0]), "P(>0.0)")
    assert found["value"] == found["high"] == pytest.approx(6e-300, rel=1e-9, abs=0)
