"""The master's patience: what it is, and in a study."""

import pytest

import fastgc
from fastgc.systems import gradient_code, ignore_stragglers
from fastgc.systems.timing.completing import complete
from fastgc.systems.timing.stars import Flat, Patient
from suite.checks import refusal


def test_what_patience_is():
    system = gradient_code(n=4, s=1, patience=0.5)
    assert system.structure() == Patient(Flat(4, 3), 0.5)
    # three have answered at 2.0, and the master waits until 1.5 · 1.6 = 2.4
    assert complete(system, [1.6, 2.0, 1.8, 9.0]).time == pytest.approx(2.4)
    assert complete(system, [1.6, 2.0, 1.8, 9.0]).messages == 3
    # all have answered: nothing is left to wait for
    assert complete(system, [1.6, 2.0, 1.8, 2.1]).time == 2.1
    # two are too few: it waits on for the third
    assert complete(system, [1.0, 2.0, 1.1, 9.0]).time == 2.0
    assert gradient_code(4, 1, patience=0).structure() == gradient_code(4, 1).structure()
    assert gradient_code(4, 1).settings() == {"family": "gradient-code", "n": 4, "s": 1}
    inexact = complete(ignore_stragglers(4, 3, patience=0.5), [1.0, 1.4, 2.0, 9.0])
    assert (inexact.time, inexact.messages) == (1.5, 2.0)


def study(**system):
    return {
        "kind": "completion",
        "system": system,
        "latency": {"distribution": "exponential", "mean": 1.0, "shift": 1.0},
        "measure": ["time", "messages"],
        "method": "monte-carlo",
    }


def test_in_an_experiment():
    table = study(family="gradient-code", n=6, s=2, patience=0.3)
    found = fastgc.run(table, trials=4000)
    assert 4 < found["experiment1"]["messages"].mean.value < 6
    # no closed form of the plain code may stand beside it
    assert {row["method"] for row in found.rows()} == {"monte-carlo"}
    assert "patience has no exact law" in refusal(fastgc.run, table | {"method": "exact"})
