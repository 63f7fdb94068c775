"""Rows for programs and estimates for people, from a run and from a file."""

import json
import math
import re

import pytest

import fastgc
from suite.checks import every, refusal
from suite.studies import groups, ring

KEYS = [
    "experiment", "point", "quantity", "statistic", "index", "value", "standard_error", "low",
    "high", "confidence", "trials", "method", "theory", "claim", "unit", "relation", "verdict",
    "note", "variance_reduction", "at_most",
]  # fmt: skip
STUDY = {
    "common_random_numbers": False,
    "experiment": [
        groups(
            4,
            0.3,
            method="both",
            iterations=2,
            measure=["error", "mean_error", "exact", "survivors", "error_by_survivors"],
            quantiles=[0.5, 0.99],
            thresholds=[0.0, 2.0],
            sweep={"code.d": [1, 2], "stragglers.p": [0.0, 0.3]},
        ),
        ring(stragglers={"model": "uniform", "stragglers": 2}, measure=["not_accessed", "error"]),
    ],
}
POINT = {"code.d": 2, "stragglers.p": 0.3}


@pytest.fixture(scope="module")
def result():
    return fastgc.run(STUDY, trials=400)


def test_rows_are_the_contract(result):
    rows = result.rows()
    assert every(list(row) == KEYS for row in rows)
    assert every("less variance" in row["note"] for row in rows if row["variance_reduction"])
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows
    address = ("experiment", "point", "quantity", "statistic", "index", "method")
    addresses = {str([row[key] for key in address]) for row in rows}
    assert len(addresses) == len(rows), "one row an address"
    assert {row["method"] for row in rows} == {"exact", "monte-carlo", "closed-form"}
    for row in rows:
        assert row["confidence"] == 0.95
        if row["method"] != "monte-carlo" and row["value"] is not None:
            assert (row["standard_error"], row["trials"]) == (0, None)
            assert row["low"] == row["high"] == row["value"]
        elif row["low"] is not None:
            assert row["low"] <= row["value"] <= row["high"]


def test_closed_forms_stand_beside(result):
    error = result["groups", POINT]["error"]
    values = {m: error.statistic("mean", m).value for m in ("exact", "closed-form")}
    assert values["exact"] == pytest.approx(4 * 0.3**2) == pytest.approx(values["closed-form"])
    asked = ("groups", POINT, "monte-carlo", "error", "mean")
    keys = ("experiment", "point", "method", "quantity", "statistic")
    [row] = [row for row in result.rows() if tuple(row[key] for key in keys) == asked]
    assert row["theory"] == values["closed-form"]


def test_one_number(result):
    point = result["groups", POINT]
    mean = point["error"].mean
    assert mean.value == pytest.approx(0.36) and mean.standard_error == 0
    assert mean.interval(0.99) == (mean.value, mean.value)
    assert point["error"].variance.value == pytest.approx(4 * 2 * 0.09 * 0.91)
    assert point["error"].quantile(0.5).value == 0
    assert (point["error"].minimum.value, point["error"].maximum.value) == (0, 4)
    assert point["error"].above(0).value == pytest.approx(1 - 0.91**2)
    assert point["survivors"][4].mean.value == pytest.approx(0.7**4)
    sampled = point["error"].statistic("mean", "monte-carlo")
    low, high = sampled.interval(0.99)
    assert low < sampled.value < high and sampled.trials == 400
    assert high - sampled.value == pytest.approx(2.5758 * sampled.standard_error, rel=1e-4)
    for method in ("exact", "monte-carlo"):
        shares = [point["survivors"][r].statistic("mean", method).value for r in range(5)]
        assert math.fsum(shares) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("pick", "said"), [
    (lambda r: r["gruops"], "no experiment 'gruops'; there is groups, ring"),
    (lambda r: r["ring", {"code.d": 9}], "no point"),
    (lambda r: r[0], r"must be asked for an experiment, like .* \(got 0\)"),
    (lambda r: r["ring", "error"], "or one with a point, like"),
    (lambda r: r["groups"], "has 4 such points"),
    (lambda r: r["groups", {"code.d": 2}], "has 2 such points; say which"),
    (lambda r: r["groups", {"d": 2}], "{'d': 2}; there is {'code.d': 1, 'stragglers.p': 0.0}"),
    (lambda r: r["ring", {"d": 2}], "has no point {'d': 2}; nothing is swept"),
    (lambda r: r["ring"]["error"].statistic("mean", "exact"), "exact; there is monte-carlo"),
    (lambda r: r["ring"]["exact"], "'exact' was not measured; there is not_accessed, error"),
    (lambda r: r["ring"]["error"].quantile(0.5), r"no quantile\(0.5\); there is"),
    (lambda r: r["ring"]["error"].above(1), r"no P\(>1.0\)"),
    (lambda r: r["ring"]["not_accessed"][5], "no index 5"),
    (lambda r: r["ring"]["not_accessed"].mean,
     r'has a mean at 5 indices; index it, like \["not_accessed"\]\[4\].mean'),
])  # fmt: skip
def test_what_is_not_there(result, pick, said):
    assert re.search(said, refusal(pick, result))


def test_a_result_prints_a_line_a_point(result):
    lines = str(result).splitlines()
    assert len(repr(result)) < 300
    assert lines[-1] == f"stopped by {result.stopped_by}"
    assert f"rows() has all {len(result.entries)} rows" in " ".join(lines)
    first = result["groups", result.rows()[0]["point"]]["error"].mean
    assert any(repr(first) in line.split() for line in lines)


def test_rounding_in_a_minimum_of_0_is_shown_as_0():
    study = {"code": fastgc.codes.cyclic(6, 2, seed=1), "stragglers": 0.1, "method": "both"}
    result = fastgc.run(study, trials=1000)
    assert 0 < result["error"].minimum.value < 1e-24
    assert "minimum 0, maximum 6" in repr(result) and "(minima of 0, " in str(result)
    sampled = fastgc.run({**study, "method": "monte-carlo"}, trials=1000)
    assert "minimum 0 (no interval), maximum ≥ " in repr(sampled["experiment1"])
    [line] = [each for each in str(sampled).splitlines() if "maximum" in each and "≥" in each]
    assert f"≥ {sampled['error'].maximum.value:.9g}" in line
    none = {"model": "adversarial", "stragglers": 1}
    assert "error maximum  exact   0" in str(
        fastgc.run({**study, "method": "auto", "stragglers": none})
    )


def test_what_never_happens_has_no_value_but_a_note():
    table = groups(4, 0.0, measure=["error_by_survivors"], method="both")
    for row in fastgc.run(table, trials=100).rows():
        if row["index"] != 4 and row["method"] != "closed-form":
            assert row["value"] is row["low"] is row["high"] is None and row["note"]
