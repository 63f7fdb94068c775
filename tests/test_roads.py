"""Which roads a study takes, what it says of those it does not, and its closed forms."""

import fastgc
from fastgc import engine, roads
from fastgc.roads import Plan
from fastgc.study import Study

IID = {"model": "iid", "p": 0.25}


def decoding(n, **more):
    code = {"family": "frc", "n": n, "d": 2}
    return {"code": code, "stragglers": IID} | more


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
