"""Finite statements beside the sampling: all of them, in order, and none after a mistake."""

import threading

import pytest

from fastgc.validation import aside
from fastgc.validation.aside import Aside
from fastgc.validation.validate import select

IDS = ("agc.theorem2.cycle-classes", "binary.algorithm2.printed", "tandon.frc.exact")


@pytest.fixture
def claims():
    return [claim for name in IDS for claim in select(name)]


def finite(claims):
    return [case for claim in claims for case in claim.cases if case.is_finite]


def test_all_that_are_unknown_are_found_in_order(claims):
    known = id(finite(claims)[0])
    names, evidence = [], {}
    with Aside(claims, {known}) as beside:
        beside.gather(evidence, names.append, wait=True)
    assert list(evidence) == [id(case) for case in finite(claims)[1:]]
    assert names == [c.id for c in claims if any(id(case) in evidence for case in c.cases)]


def test_nothing_is_waited_for_unless_asked(claims, monkeypatch):
    go = threading.Event()
    monkeypatch.setattr(aside, "measure", lambda _: float(go.wait(60)))
    evidence = {}
    with Aside(claims, {}) as beside:
        beside.gather(evidence, lambda _: None)
        assert evidence == {}
        go.set()
        beside.gather(evidence, lambda _: None, wait=True)
    assert {each.estimate.value for each in evidence.values()} == {1.0}


def test_a_mistake_ends_what_was_not_begun(claims, monkeypatch):
    begun, go = [], threading.Event()

    def measure(experiment):
        begun.append(experiment)
        go.wait(60)

    monkeypatch.setattr(aside, "measure", measure)
    with pytest.raises(ValueError, match="no"), Aside(claims, {}) as beside:
        raise ValueError("no")
    go.set()
    beside._thread.shutdown()
    assert len(finite(claims)) > 1 >= len(begun)
