"""Which methods a study takes, what it says of those it does not, and its closed forms."""

import math

import pytest

import fastgc
from fastgc.engine.units import Unit
from fastgc.runs import plan as plans
from fastgc.runs.plan import Plan
from fastgc.study.study import Study
from suite.checks import every

IID = {"model": "iid", "p": 0.25}


def decoding(n, **more):
    code = {"family": "frc", "n": n, "d": 2}
    return {"code": code, "stragglers": IID} | more


def sampled(result, quantity, statistic="mean"):
    [row] = [
        row
        for row in result.rows()
        if (row["method"], row["quantity"], row["statistic"], row["index"])
        == ("monte-carlo", quantity, statistic, None)
    ]
    return row


def test_closed_forms_are_found_once_for_every_point(monkeypatch):
    asked, found = [], plans.closed_forms
    monkeypatch.setattr(plans, "closed_forms", lambda table: asked.append(table) or found(table))
    table = decoding(
        4, method="monte-carlo", sweep={"stragglers.p": [i / 1000 for i in range(300)]}
    )
    plan = Plan.of(Study.parse({"experiment": [table]}))
    stored = [unit.fresh() for unit in plan.units]
    first = plan.rows(stored)
    assert plan.rows(stored) == first
    assert len({str(row.point) for row in first}) == len(asked) == 300


def test_a_mean_of_few_events_stays_in_its_range():
    table = decoding(8, method="monte-carlo", quantiles=[0.999])
    table |= {"stragglers": {"model": "iid", "p": 0.01}, "measure": ["error", "not_accessed"]}
    mean = sampled(fastgc.run({"seed": 1, "experiment": [table]}, trials=20_000), "error")
    hits = round(mean["value"] * 20_000 / 2)  # each lost group is an error of 2
    assert 0 < hits < 20
    assert mean["note"] == f"rests on about {hits} events in 20 000 trials"
    assert 0 < mean["low"] < 8e-4 < mean["high"], "four groups, each lost in .01² of trials: 8e-4"
    assert mean["standard_error"] * 1.96 > 0.3 * mean["value"]
    never = decoding(8, method="monte-carlo", stragglers={"model": "iid", "p": 0.0})
    row = sampled(fastgc.run(never, trials=1000), "error")
    assert (row["value"], row["low"]) == (0.0, 0.0)
    assert row["high"] == 8 * (1 - 0.025 ** (1 / 1000))
    assert row["note"] == "no events in 1 000 trials"


def methods_of(table, trials, **study):
    result = fastgc.run({"experiment": [table], **study}, trials=trials)
    return [row for row in result.rows() if row["method"] != "closed-form"]


def test_a_method_that_is_not_taken_is_named_once():
    found = methods_of(decoding(40, measure=["survivors", "error"]), trials=100)
    assert {row["method"] for row in found} == {"monte-carlo"}
    [said] = [row for row in found if "not taken" in (row["note"] or "")]
    assert (said["quantity"], said["index"]) == ("survivors", 0)
    assert said["note"] == "exact method not taken: 2^40 patterns"
    first, *_ = methods_of(decoding(4), trials=1000, common_random_numbers=True)
    assert (first["method"], first["statistic"]) == ("monte-carlo", "mean")
    assert first["note"] == "exact method not taken: common random numbers"
    asked_for, *_ = methods_of(decoding(40, method="monte-carlo"), trials=1000)
    assert asked_for["note"] == ""


def test_what_takes_longer_than_its_trials_is_sampled(monkeypatch):
    table = decoding(22, code={"family": "circulant", "n": 22, "d": 2})
    seconds = 2**22 * (5e-7 + 3 * 1e-7)
    (mean, *_) = methods_of(table, trials=100)
    assert mean["note"].endswith(f"exact method not taken: {2**22} patterns, about {seconds:.2g} s")
    monkeypatch.setattr(plans, "CHEAP_SECONDS", seconds * 1.01)
    assert Plan.of(Study.parse({"experiment": [table]}, trials=100)).units == ()


@pytest.mark.parametrize("measure", ["error", "mean_error", "norm"])
def test_rounding_is_no_event(measure):
    table = decoding(40, code={"family": "circulant", "n": 40, "d": 8}, measure=[measure])
    table |= {"stragglers": {"model": "iid", "p": 0.001}, "method": "monte-carlo"}
    row = sampled(fastgc.run(table, trials=2000), measure)
    assert 0 < row["value"] < 1e-12, "the case is too clean"
    most = 40**0.5 if measure == "norm" else 40
    assert (row["low"], row["high"]) == (0.0, most * (1 - ((1 - 0.95) / 2) ** (1 / 2000)))
    assert row["note"] == "no events in 2 000 trials"


GROUPS = {"code": {"family": "frc", "n": 60, "d": 3}, "stragglers": {"model": "iid", "p": 0.01}}


def test_no_trial_is_drawn_for_what_is_known_exactly():
    table = GROUPS | {"thresholds": [1.0, 3.0, 6.0]}
    rows = {row["statistic"]: row for row in fastgc.run(table).rows()}
    assert every(row["trials"] is None and not row["note"] for row in rows.values())
    assert rows["mean"]["value"] == pytest.approx(60 * 1e-6, rel=1e-12, abs=0)
    lost = [math.comb(20, g) * 1e-6**g * (1 - 1e-6) ** (20 - g) for g in range(21)]
    for t, fewest in ((1.0, 1), (3.0, 2), (6.0, 3)):
        row = rows[f"P(>{t})"]
        assert row["value"] == pytest.approx(sum(lost[fewest:]), rel=1e-9, abs=0)
        assert row["method"] == "exact"
    often = fastgc.run(table | {"stragglers": {"model": "iid", "p": 0.5}})["error"].above(1)
    assert often.value == pytest.approx(1 - (7 / 8) ** 20, rel=1e-12) and not often.trials


@pytest.mark.parametrize("more", [
    {"quantiles": [0.5]},  # known by no formula
    {"measure": ["error", "amplification"]},
    {"iterations": 2, "measure": ["error", "mean_error"]},
    {"method": "monte-carlo"},
    {"stragglers": {"model": "iid", "p": [0.01] * 59 + [0.02]}},  # no formula for the mean
])  # fmt: skip
def test_trials_are_drawn_where_something_is_not_known(more):
    known = GROUPS | {"thresholds": [1.0]}
    assert len(Plan.of(Study.parse(known | more, trials=1000)).units) == 1
    study = Study.parse(known, trials=1000)
    assert Plan.of(study).units == ()
    [point] = study.points()
    key = Unit([point], study.seed, study.canonical(point)).key
    assert len(Plan.of(study, [key]).units) == 1, "what a file has sampled is sampled on"
