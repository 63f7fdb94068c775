"""Order statistics, MDS codes and layered tasks against draws, sums and exhaustion."""

import math

import numpy as np
import pytest
from scipy import integrate, special

from fastgc.theory import hierarchical, literature
from fastgc.theory.common.numerics import half_line

LONG = [9, 8, 7, 6, 5, 4, 3, 3, 3, 2]
STARS = ((1, 1), (5, 1), (5, 5), (12, 7), (100, 80))


def beta_quadrature(n, k, quantile):
    """Mean of quantile(u) over Beta(k, n − k + 1), by an integrator of general use."""
    constant = special.gammaln(n + 1) - special.gammaln(k) - special.gammaln(n - k + 1)

    def of(u):
        return quantile(u) * math.exp(constant + (k - 1) * math.log(u) + (n - k) * math.log1p(-u))

    return integrate.quad(of, 0, 1, limit=500, epsabs=0, epsrel=1e-11)[0]


@pytest.mark.parametrize(("n", "k"), STARS)
def test_order_statistics_by_beta_quadrature(n, k):
    def exponential(u):
        return -math.log1p(-u)

    mean = literature.exponential_order_mean(n, k)
    assert mean == pytest.approx(beta_quadrature(n, k, exponential), rel=1e-9)
    second = literature.exponential_order_variance(n, k) + mean**2
    truth = beta_quadrature(n, k, lambda u: exponential(u) ** 2)
    assert second == pytest.approx(truth, rel=1e-9)


def test_tails():
    for n, k in STARS:
        for late in (0.0, 0.2, 0.9, 1.0):
            exact = special.betainc(n - k + 1, k, late) if 0 < late < 1 else late
            assert literature.order_tail(n, k, late) == pytest.approx(exact, rel=1e-11, abs=1e-15)


def test_quadrature():
    assert half_line(lambda t: np.exp(-3 * (t - 2)), 2.0, 1.0) == pytest.approx(1 / 3, rel=1e-13)
    assert half_line(lambda t: t * np.exp(-t), 0.0, 5.0) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize(("n", "k", "shift"), [(4, [3, 2], 0.0), (10, LONG, 0.1), (6, [1, 4], 1.0)])
def test_distributions_by_draws(n, k, shift):
    speeds = np.sort(shift + np.random.default_rng(11).exponential(size=(30_000, n)), axis=1)
    done = np.max([j * speeds[:, need - 1] for j, need in enumerate(k, 1) if need], axis=0)
    mean = hierarchical.finishing_mean(n, k, 1.0, shift)
    # false alarms once in 10^6
    assert abs(done.mean() - mean) < 4.9 * done.std() / math.sqrt(len(done))
    variance = hierarchical.finishing_variance(n, k, 1.0, shift)
    assert done.var() == pytest.approx(variance, rel=0.1)
    for t in np.quantile(done, [0.1, 0.5, 0.9]).tolist():
        p = hierarchical.finishing_probability(n, k, t, 1.0, shift)
        assert abs((done <= t).mean() - p) < 5.5 * math.sqrt(p * (1 - p) / len(done))
