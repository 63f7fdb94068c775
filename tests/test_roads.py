"""Which roads a study takes, what it says of those it does not, and its closed forms."""

import fastgc
from fastgc import engine, roads
from fastgc.roads import Plan
from fastgc.study import Study

IID = {"model": "iid", "p": 0.25}


def decoding(n, **more):
    code = {"family": "frc", "n": n, "d": 2}
    return {"code": code, "stragglers": IID} | more


def sampled(result):
    """Rows of the Monte Carlo road by (quantity, statistic, index)."""
    return {
        (row["quantity"], row["statistic"], row["index"]): row
        for row in result.rows()
        if row["method"] == "monte-carlo"
    }


def test_closed_forms_are_found_once_for_every_point(monkeypatch):
    asked = []
    found = roads.closed_forms
    monkeypatch.setattr(roads, "closed_forms", lambda table: asked.append(table) or found(table))
    table = decoding(4, method="monte-carlo")
    table["sweep"] = {"stragglers.p": [i / 1000 for i in range(300)]}
    plan = Plan.of(Study.parse({"experiment": [table]}))
    stored = [engine.fresh(unit) for unit in plan.units]
    first = plan.rows(stored)
    assert plan.rows(stored) == first
    assert len({str(row.point) for row in first}) == 300
    assert len(asked) == 300


def test_a_mean_of_few_events_stays_in_its_range():
    table = decoding(8, method="monte-carlo", quantiles=[0.999])
    table |= {"stragglers": {"model": "iid", "p": 0.01}, "measure": ["error", "not_accessed"]}
    result = fastgc.run({"seed": 1, "experiment": [table]}, trials=20_000)
    mean = sampled(result)["error", "mean", None]
    hits = round(mean["value"] * 20_000 / 2)  # each lost group is an error of 2
    assert 0 < hits < 20
    assert mean["note"] == f"rests on about {hits} events in 20000 trials"
    assert 0 < mean["low"] < 8e-4 < mean["high"], "four groups, each lost in .01² of trials: 8e-4"
    assert mean["standard_error"] * 1.96 > 0.3 * mean["value"]
    never = decoding(8, method="monte-carlo") | {"stragglers": {"model": "iid", "p": 0.0}}
    row = sampled(fastgc.run(never, trials=1000))["error", "mean", None]
    assert (row["value"], row["low"]) == (0.0, 0.0)
    assert row["high"] == 8 * (1 - 0.025 ** (1 / 1000))
    assert row["note"] == "no events in 1000 trials"
