"""The exact method against everything that can happen, and Monte Carlo against the exact method."""

import itertools
import math
import sys

import numpy as np
import pytest

import fastgc
from fastgc.errors import FastgcError
from fastgc.report import tables
from fastgc.runs import plan
from suite.checks import close
from twins import engine as twin

MEASURES = ["error", "mean_error", "exact", "survivors", "error_by_survivors", "not_accessed"]
LEVELS = [0.1, 0.5, 0.9, 0.99]
THRESHOLDS = [0.0, 0.5, 1.0]
SHUFFLES = ["none", "random", "cyclic"]

CLASSES = {"model": "two-class", "p_straggle_slow": 0.75, "p_straggle_active": 0.125}


def models(n):
    """Every straggler model in every form; dyadic probabilities leave the twins few digits."""
    steps = [(j + 1) / 8 for j in range(n)]
    return {
        "iid": {"model": "iid", "p": 0.25},
        "iid, one p each": {"model": "iid", "p": steps},
        "uniform": {"model": "uniform", "stragglers": n // 2},
        "p_slow": CLASSES | {"p_slow": 0.375},
        "p_slow, one each": CLASSES | {"p_slow": steps},
        "slow count": CLASSES | {"slow": n // 2},
        "slow list": CLASSES | {"slow": [0, n - 1]},
        "certain": CLASSES | {"p_slow": 0.5, "p_straggle_slow": 1.0, "p_straggle_active": 0.0},
    }


#: name → B; small enough to visit everything.
CODES = {
    "circulant 3": [[1, 0, 1], [1, 1, 0], [0, 1, 1]],
    "frc 4": np.kron(np.eye(2), np.ones((2, 2))).tolist(),
    "intervals 3": [[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0]],
    "any 3": [[1.0, 0.5, 0.0], [0.25, 2.0, 1.0], [0.0, -1.0, 1.0], [1.0, 1.0, 1.0]],
    "any 2": [[1.0, 0.5], [0.0, 2.0], [1.0, 1.0]],
}


def run(code, stragglers, iterations, shuffle, **more):
    code = code if isinstance(code, dict) else {"family": "matrix", "rows": code}
    table = {"code": code, "stragglers": stragglers, "iterations": iterations, "shuffle": shuffle}
    asked = {"measure": MEASURES, "quantiles": LEVELS, "thresholds": THRESHOLDS}
    return fastgc.run(table | asked, **more)


def numbers(result, method):
    return {
        (row.quantity, row.statistic, row.index): row.estimate
        for row in result.entries
        if row.method == method
    }


@pytest.mark.parametrize("shuffle", SHUFFLES)
@pytest.mark.parametrize("model", models(4))
@pytest.mark.parametrize(("code", "iterations"), [
    pytest.param("circulant 3", 3, marks=pytest.mark.night),
    ("frc 4", 1),
    pytest.param("frc 4", 2, marks=pytest.mark.night),
    ("intervals 3", 2),
    ("any 3", 2),
    pytest.param("any 2", 5, marks=pytest.mark.night),
])  # fmt: skip
def test_everything_that_can_happen(code, iterations, model, shuffle):
    B = np.array(CODES[code], float)
    stragglers = models(B.shape[1])[model]
    truth = twin.measures(B, stragglers, iterations, shuffle, levels=LEVELS, thresholds=THRESHOLDS)
    found = numbers(run(CODES[code], stragglers, iterations, shuffle, method="exact"), "exact")
    distribution = {"minimum", "maximum", *(f"quantile({x})" for x in LEVELS)}
    distribution |= {f"P(>{x})" for x in THRESHOLDS}
    if iterations > 1:  # the distribution of an average over iterations is not enumerated
        for key in [key for key in truth if key[0] == "mean_error" and key[1] in distribution]:
            truth.pop(key)
            if key[1] not in ("minimum", "maximum"):  # what was requested is named
                named = found.pop(key)
                assert named.value is None and "only sampled" in named.note
    assert set(found) == set(truth)
    for key, value in truth.items():
        if value is None:
            assert found[key].value is None and found[key].note
        else:
            assert found[key].value == pytest.approx(float(value), rel=1e-11, abs=1e-13), key
            assert found[key].standard_error == 0 and found[key].trials is None


# ---- Monte Carlo against the exact method


def agreement(exact, sampled):
    """(key, standard errors between the methods) of all that is well enough sampled to say."""
    for key, found in sampled.items():
        truth = exact.get(key)
        if truth is None or truth.value is None or found.standard_error is None:
            continue
        if found.standard_error < 1e-12:
            # nothing varies: the methods must meet up to rounding, unless what varies is rare
            rare = found.proportion and min(truth.value, 1 - truth.value) * found.trials < 10
            yield key, 0.0 if rare else abs(found.value - truth.value) / 1e-9
            continue
        hits = found.value**2 / found.standard_error**2  # about the events behind a rare mean
        if hits > 50 or found.value == 0:
            yield key, abs(found.value - truth.value) / found.standard_error


CIRCULANT = {"family": "circulant", "n": 5, "d": 2}
MET = [*itertools.product([CIRCULANT], models(5).values(), SHUFFLES, [1, 3])]
MET += [(CODES[own], models(4)["iid"], "none", 2) for own in ("intervals 3", "any 3", "frc 4")]


@pytest.mark.parametrize(("code", "stragglers", "shuffle", "iterations"), MET)
def test_methods_meet(code, stragglers, shuffle, iterations):
    # some 1 400 comparisons in all; at 4.5 standard errors one of them fails in 1 % of seeds
    result = run(code, stragglers, iterations, shuffle, method="both", trials=60_000)
    exact, sampled = numbers(result, "exact"), numbers(result, "monte-carlo")
    compared = dict(agreement(exact, sampled))
    assert {key: z for key, z in compared.items() if z >= 4.5} == {}
    assert len(compared) >= 12
    assert {key[0] for key in compared} == set(MEASURES)
    for level in LEVELS:
        key = ("error", f"quantile({level})", None)
        low, high = sampled[key].interval(0.9999)
        assert low - 1e-9 <= exact[key].value <= high + 1e-9


# ---- where there is no exact method


def test_too_many_workers():
    with pytest.raises(FastgcError, match=r"n ≤ 24.*n=25"):
        run({"family": "uncoded", "n": 25}, {"model": "iid", "p": 0.5}, 1, "none", method="exact")


def test_auto_takes_the_cheaper_method(monkeypatch):
    code, stragglers = {"family": "circulant", "n": 8, "d": 2}, {"model": "iid", "p": 0.5}
    monkeypatch.setattr(plan, "CHEAP_SECONDS", 0.0)
    for trials, method in ((255, "monte-carlo"), (256, "exact")):
        result = run(code, stragglers, 1, "none", trials=trials)
        assert {row.method for row in result.entries} - {"closed-form"} == {method}


@pytest.mark.parametrize("p", [1e-3, 0.5, 1 - 1e-3, 1 - 1e-6])
def test_probabilities_keep_all_digits_at_both_ends_and_are_probabilities(p):
    """frc on 12 workers is exact with probability (1 - p²)⁶, and fails with one less that."""
    study = {
        "code": {"family": "frc", "n": 12, "d": 2},
        "stragglers": {"model": "iid", "p": p},
        "measure": ["exact", "error"],
        "thresholds": [0.0],
    }
    found = fastgc.run(study, method="exact")["experiment1"]
    recovered, failed = found["exact"].mean.value, found["error"].above(0.0).value
    assert 0 <= recovered <= 1 and 0 <= failed <= 1
    assert recovered == close(((1 - p) * (1 + p)) ** 6, rel=1e-9)
    assert failed == close(-np.expm1(6 * np.log1p(-(p**2))), rel=1e-9)


def test_a_value_that_is_attained_is_not_exceeded():
    """A design has one error for each number of survivors; rounding must not make it larger."""
    for survivors, value in ((3, 1.6), (5, 4 / 7)):
        rows = fastgc.run({
            "code": {"family": "bibd", "name": "fano"},
            "stragglers": {"model": "iid", "p": 0.3},
            "measure": ["error"],
            "thresholds": [value],
            "method": "exact",
        }).rows()  # fmt: skip
        [found] = [row["value"] for row in rows if row["statistic"].startswith("P(")]
        fewer = sum(math.comb(7, r) * 0.7**r * 0.3 ** (7 - r) for r in range(survivors))
        assert found == pytest.approx(fewer, rel=1e-9)


# ---- probabilities that floating point does not hold: bounds and a note, never 0 for certain


SMALLEST = sys.float_info.min
CYCLIC = {"family": "cyclic", "n": 12, "d": 4, "seed": 1}
FRC = {"family": "frc", "n": 12, "d": 2}
STAR = {"kind": "completion", "system": {"family": "k-of-n", "n": 4, "k": 2}}
EXPONENTIAL = {"distribution": "exponential", "mean": 1.0}


def coded(code, p, method, **more):
    return {"code": code, "stragglers": {"model": "iid", "p": p}, "method": method} | more


def row(table, statistic, quantity="error"):
    methods = ("exact", "enumeration-bounds", "union-sampling")
    found = [each for each in fastgc.run(table, trials=1000).rows() if each["method"] in methods]
    [own] = [r for r in found if (r["quantity"], r["statistic"]) == (quantity, statistic)]
    return own


@pytest.mark.parametrize(("table", "statistic"), [
    (coded(CYCLIC, 1e-300, "rare", thresholds=[0.0]), "P(>0.0)"),  # 5e-1198
    (coded(CYCLIC, 1e-80, "rare", thresholds=[0.0]), "P(>0.0)"),  # 4.95e-318
    (coded(CYCLIC, 1e-80, "exact", thresholds=[0.0]), "P(>0.0)"),
    (coded(FRC, 1e-200, "exact", thresholds=[0.0]), "P(>0.0)"),  # 6e-400
    (coded(FRC, 1e-200, "exact"), "mean"),
    (coded(FRC | {"n": 60}, 1e-200, "auto", thresholds=[0.0]), "P(>0.0)"),
    (STAR | {"latency": EXPONENTIAL, "method": "exact", "thresholds": [1e5]}, "P(>100000.0)"),
    (STAR | {"latency": EXPONENTIAL, "method": "rare", "thresholds": [1e5]}, "P(>100000.0)"),
])  # fmt: skip
def test_what_underflows_has_an_upper_end(table, statistic):
    found = row(table, statistic, "time" if "kind" in table else "error")
    assert (found["low"], found["high"]) == (0.0, SMALLEST)
    assert "less than 2.2e-308" in found["note"]
    assert str(tables.value(found)) == "< 2.2e-308"


@pytest.mark.parametrize(("table", "statistic"), [
    (coded(FRC, 0.3, "exact", thresholds=[12.0]), "P(>12.0)"),
    (coded(FRC, 0.0, "exact"), "mean"),
    (STAR | {"latency": {"distribution": "uniform", "low": 1.0, "high": 2.0},
             "method": "exact", "thresholds": [9.0]}, "P(>9.0)"),
])  # fmt: skip
def test_what_never_happens_is_zero(table, statistic):
    found = row(table, statistic, "time" if "kind" in table else "error")
    assert (found["value"], found["low"], found["high"]) == (0.0, 0.0, 0.0)
    assert str(tables.value(found)) == "0"


def test_the_complement_says_how_seldom_it_fails():
    found = row(coded(CYCLIC, 1e-80, "rare", measure=["exact"]), "mean", "exact")
    assert found["value"] == found["high"] == 1.0
    assert found["note"].endswith(
        "its failure has less than 2.2e-308, the smallest number that has all digits"
    )
