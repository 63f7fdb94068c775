"""The short form of ``python -m bench.accuracy``: no tier is wrong by more than it says."""

import decimal
from dataclasses import replace

import numpy as np
import pytest

from bench import accuracy
from suite.checks import every
from twins.least_squares import exact_errors, lstsq_errors


@pytest.fixture(scope="module")
def lines():
    return accuracy.lines(0.2)


def test_every_tier_keeps_its_promise(lines):
    assert every(line.met for line in lines), [line for line in lines if not line.met]
    assert {tier for line in lines for tier in line.worst} == set(accuracy.TIERS)
    assert max(line.condition for line in lines) > 1e11


def test_the_promise_is_not_idle(lines):
    """Some errors come within a thousandth of what is allowed; ten times that would be seen."""
    close = max(max(line.worst.values()) / line.allowed for line in lines)
    assert close > 1e-3
    worse = [
        replace(each, worst={t: e * 11 / close for t, e in each.worst.items()}) for each in lines
    ]
    assert not every(line.met for line in worse)


def test_truth():
    B = np.array([[1.0, 1.0, 0.0, 2.0], [0.0, 1e-8, 1.0, 0.0], [0.5, 0.5, 3.0, 1.0]])
    alive = np.array([[1, 1, 1, 1], [1, 0, 0, 1], [0, 0, 0, 0], [0, 1, 1, 0]], bool)
    with decimal.localcontext(decimal.Context(prec=80)):
        found = accuracy.truth(accuracy.of_floats(B), alive)
    assert found == pytest.approx(exact_errors(B, alive), abs=1e-15)


@pytest.mark.parametrize("make", [lambda: accuracy.tandon(8, 3, 1), lambda: accuracy.mds(8, 4)])
def test_codes_recover_from_as_many_stragglers_as_they_promise(make):
    with decimal.localcontext(decimal.Context(prec=80)):
        exact = make()
        alive = np.ones((8, 8), bool)
        for j, row in enumerate(alive):
            row[[j, (j + 3) % 8]] = False
        assert accuracy.truth(exact, alive).max() < 1e-100
    assert lstsq_errors(exact.astype(float), alive).max() < 1e-20
