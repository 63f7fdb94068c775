"""Closed forms of paper agc against rational enumeration, and its claims as data."""

import math
from fractions import Fraction

import numpy as np
import pytest

from fastgc.theory import agc, known
from fastgc.theory.common import numerics
from suite.checks import a_third_by_day, close
from twins import patterns

CODES = (
    {"family": "frc", "n": 4, "d": 2}, {"family": "frc", "n": 6, "d": 3},
    {"family": "frc", "n": 3, "d": 3}, {"family": "uncoded", "n": 4},
    *({"family": "circulant", "n": n, "d": 2} for n in (3, 5, 6)),
)  # fmt: skip
STRAGGLERS = (
    *({"model": "iid", "p": p} for p in (0.3, 0, 1.0)),
    *({"model": "uniform", "stragglers": s} for s in (0, 2, 3)),
    {"model": "two-class", "p_slow": 0.3, "p_straggle_slow": 0.8, "p_straggle_active": 0.1},
    {"model": "two-class", "slow": 2, "p_straggle_slow": 0.7, "p_straggle_active": 0.2},
)
TRIALS = (("none", 1), ("none", 4), ("random", 4), ("cyclic", 4))


@pytest.mark.parametrize("code", a_third_by_day(CODES), ids=str)
@pytest.mark.parametrize("stragglers", STRAGGLERS, ids=str)
def test_every_closed_form_is_the_rational_enumeration(code, stragglers):
    own, wanted = {"code": code, "stragglers": stragglers}, {"error", "mean_error", "exact"}
    for shuffle, iterations in TRIALS:
        experiment = own | {"shuffle": shuffle, "iterations": iterations}
        forms = [form for form in known.closed_forms(experiment) if form.quantity != "error_lag"]
        assert wanted | {"survivors", "not_accessed"} <= {form.quantity for form in forms}
        for form in forms:
            measured = experiment, form.quantity
            if form.quantity == "error_by_survivors":
                given = {"model": "uniform", "stragglers": code["n"] - form.index}
                measured = {"code": code, "stragglers": given}, "error"
            truth = patterns.measure(*measured, form.statistic, form.index)
            assert form.value == pytest.approx(float(truth), rel=1e-11, abs=1e-13), form


def test_arrays_in_arrays_out():
    means = agc.frc_mean_error(n=8, d=2, survivors=[5, 6, 8])
    assert means.tolist() == [agc.frc_mean_error(8, 2, r) for r in (5, 6, 8)]
    grid = agc.straggle_probability(np.array([[0.1], [0.2]]), 0.5, np.array([0.0, 0.1, 0.2]))
    assert grid.shape == (2, 3)
    assert isinstance(agc.frc_mean_error(8, 2, p=0.1), float)
    # what theorem 6 is quoted as
    assert agc.theorem6_quoted(8, 2, 1) == agc.frc_mean_error(8, 2, survivors=1)
    assert agc.theorem6_quoted(8, 2, [0, 2, 3]).tolist() == [120.0, 8 / 28, 0.0]


def test_circulants_of_other_replications():
    moments = {"mean": agc.circulant_mean_error, "variance": agc.circulant_error_variance}
    for n, d in ((2, 2), (4, 3), (5, 4), (6, 4)):
        code = {"family": "circulant", "n": n, "d": d}
        for survivors in range(n + 1):
            few = {"model": "uniform", "stragglers": n - survivors}
            for statistic, formula in moments.items():
                truth = patterns.measure({"code": code, "stragglers": few}, "error", statistic)
                assert formula(n, d, survivors=survivors) == pytest.approx(float(truth), abs=1e-12)


def test_binomial_probabilities_are_exact_and_never_overflow():
    p = Fraction(247, 1000)
    for trials in (1, 7, 40):
        truth = [math.comb(trials, i) * p**i * (1 - p) ** (trials - i) for i in range(trials + 1)]
        found = numerics.binomial_probabilities(trials, 0.247)
        assert found == close([float(x) for x in truth], rel=1e-13)
    many = numerics.binomial_probabilities(100_000, 0.01)
    assert many.sum() == pytest.approx(1.0) and many.argmax() == 1000
