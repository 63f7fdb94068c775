"""Closed forms of paper agc: arrays, circulants of any replication, binomial probabilities."""

import math
from fractions import Fraction

import numpy as np
import pytest

import fastgc
from fastgc.theory import agc
from fastgc.theory.common import numerics
from suite.checks import close


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
            rows = fastgc.run({"code": code, "stragglers": few, "method": "exact"}).rows()
            for statistic, formula in moments.items():
                (truth,) = (r["value"] for r in rows if r["statistic"] == statistic)
                assert formula(n, d, survivors=survivors) == pytest.approx(truth, abs=1e-12)


def test_binomial_probabilities_are_exact_and_never_overflow():
    p = Fraction(247, 1000)
    for trials in (1, 7, 40):
        truth = [math.comb(trials, i) * p**i * (1 - p) ** (trials - i) for i in range(trials + 1)]
        found = numerics.binomial_probabilities(trials, 0.247)
        assert found == close([float(x) for x in truth], rel=1e-13)
    many = numerics.binomial_probabilities(100_000, 0.01)
    assert many.sum() == pytest.approx(1.0) and many.argmax() == 1000
