"""Order statistics, replicated work and MDS codes against draws, sums and exhaustion."""

import math

import numpy as np
import pytest
from scipy import integrate, special

from fastgc import theory
from fastgc.theory import literature
from fastgc.theory.common.numerics import half_line
from suite.checks import every

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
    second = literature.exponential_order_variance(n, k) + mean**2
    for found, quantile, rel in (
        (mean, exponential, 1e-9),
        (second, lambda u: exponential(u) ** 2, 1e-9),
    ):
        assert found == pytest.approx(beta_quadrature(n, k, quantile), rel=rel)


def test_tails():
    for n, k in STARS:
        for late in (0.0, 0.2, 0.9, 1.0):
            exact = special.betainc(n - k + 1, k, late) if 0 < late < 1 else late
            assert literature.order_tail(n, k, late) == pytest.approx(exact, rel=1e-11, abs=1e-15)


@pytest.mark.parametrize(("mean", "shift"), [(1.0, 1.0), (1.0, 0.1), (3.0, 1.0)])
def test_the_fastest_code(mean, shift):
    share = literature.mds_best_share(mean, shift)
    lambert = special.lambertw(-math.exp(-shift / mean - 1), -1).real
    assert share == pytest.approx(1 + 1 / lambert, rel=1e-12)
    assert literature.mds_best_mean(50, mean, shift) == pytest.approx(-lambert * mean / 50)
    for n in (20, 50, 200):
        best = min(range(1, n + 1), key=lambda k: literature.mds_mean(n, k, mean, shift))
        assert best in (math.floor(n * share), math.floor(n * share) + 1)
        ratio = literature.mds_mean(n, best, mean, shift) / literature.mds_best_mean(n, mean, shift)
        assert 1 - 1 / n < ratio < 1


def test_quadrature():
    assert half_line(lambda t: np.exp(-3 * (t - 2)), 2.0, 1.0) == pytest.approx(1 / 3, rel=1e-13)
    assert half_line(lambda t: t * np.exp(-t), 0.0, 5.0) == pytest.approx(1.0, rel=1e-12)


def forms(system, latency, **more):
    table = {"kind": "completion", "system": system, "latency": [latency], **more}
    found = theory.closed_forms(table)
    assert len({(f.quantity, f.statistic) for f in found}) == len(found)
    known = {claim.id for claim in theory.claims()}
    assert every(form.claim is None or form.claim in known for form in found)
    return {(f.quantity, f.statistic): f.value for f in found}


def test_messages_of_stars_are_as_many_as_are_waited_for():
    law = {"distribution": "exponential", "mean": 1.0}
    for family, own, need in (
        ("uncoded", {}, 4), ("ignore-stragglers", {"stragglers": 1}, 3),
        ("k-of-n", {"k": 3}, 3), ("gradient-code", {"s": 1}, 3),
    ):  # fmt: skip
        star = {"family": family, "n": 4, **own}
        assert forms(star, law)["messages", "mean"] == need
        assert ("time", "mean") not in forms(star, law, port={"receive": 1.0, "opens": "start"})
