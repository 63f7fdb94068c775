"""Tails of order statistics, and moments of layered tasks, against integrals of general use."""

import numpy as np
import pytest
from scipy import integrate, special

from fastgc.theory import hierarchical, literature
from fastgc.theory.common.numerics import half_line

LONG = [9, 8, 7, 6, 5, 4, 3, 3, 3, 2]
STARS = ((1, 1), (5, 1), (5, 5), (12, 7), (100, 80))


def test_tails():
    for n, k in STARS:
        for late in (0.0, 0.2, 0.9, 1.0):
            exact = special.betainc(n - k + 1, k, late) if 0 < late < 1 else late
            assert literature.order_tail(n, k, late) == pytest.approx(exact, rel=1e-11, abs=1e-15)


def test_quadrature():
    assert half_line(lambda t: np.exp(-3 * (t - 2)), 2.0, 1.0) == pytest.approx(1 / 3, rel=1e-13)
    assert half_line(lambda t: t * np.exp(-t), 0.0, 5.0) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize(("n", "k", "shift"), [(4, [3, 2], 0.0), (10, LONG, 0.1), (6, [1, 4], 1.0)])
def test_probabilities_add_up_to_the_moments(n, k, shift):
    def late(t):
        return 1.0 - hierarchical.finishing_probability(n, k, t, 1.0, shift)

    mean = integrate.quad(late, 0, 80, limit=500)[0]
    assert hierarchical.finishing_mean(n, k, 1.0, shift) == pytest.approx(mean, rel=1e-7)
    second = integrate.quad(lambda t: 2 * t * late(t), 0, 80, limit=500)[0]
    variance = hierarchical.finishing_variance(n, k, 1.0, shift)
    assert variance == pytest.approx(second - mean**2, rel=1e-6)
