"""Fractional repetition: n/d groups of d consecutive workers, each group holding d partitions.

The error is d times the number of groups without a survivor.
"""

import math
from collections.abc import Callable

import numpy as np

from fastgc.theory.common import check
from fastgc.theory.common.numerics import LARGEST_COUNTED, elementwise, hypergeometric
from fastgc.theory.common.stragglers import (
    not_accessed_probability_given_slow,
    straggle_probability,
)


@elementwise
def frc_mean_error(n: int, d: int, survivors: int | None = None, p: float | None = None) -> float:
    """Mean error n C(n−d,r)/C(n,r) given r survivors, or n p^d for iid stragglers.

    The first is the term of agc, Theorem 1 (all patterns of r survivors alike), exact for every r.
    """
    return n * _groups_lost(n, d, 1, survivors, p)


@elementwise
def frc_error_variance(
    n: int, d: int, survivors: int | None = None, p: float | None = None
) -> float:
    """Variance of the error of one iteration, given r survivors or for iid stragglers."""
    one, two = (_groups_lost(n, d, lost, survivors, p) for lost in (1, 2))
    return n * (d * (one - two) + n * (two - one * one))


@elementwise
def frc_uncovered_probability(
    n: int, d: int, groups: int, survivors: int | None = None, p: float | None = None
) -> float:
    """Probability that exactly so many groups have no survivor.

    Given r survivors C(g,u) Σ_i (−1)^i C(g−u,i) C(n−d(u+i),r)/C(n,r), for iid stragglers binomial
    with n/d groups and probability p^d.
    """
    check.groups(n, d)
    check.given(n, survivors, p)
    total = n // d
    check.count("groups", groups, 0, total)
    if p is not None:
        lost = p**d
        return math.comb(total, groups) * lost**groups * (1.0 - lost) ** (total - groups)
    assert survivors is not None
    patterns: int = sum(
        (-1) ** i * math.comb(total - groups, i) * math.comb(n - d * (groups + i), survivors)
        for i in range(total - groups + 1)
    )
    return math.comb(total, groups) * patterns / math.comb(n, survivors)


@elementwise
def frc_exact_probability(
    n: int, d: int, survivors: int | None = None, p: float | None = None
) -> float:
    """Probability that every group has a survivor, so that the gradient is exact."""
    return float(frc_uncovered_probability(n, d, 0, survivors, p))


@elementwise
def frc_autocovariance(
    n: int,
    d: int,
    lag: int,
    p_slow: float,
    p_straggle_slow: float,
    p_straggle_active: float,
    shuffle: str = "none",
) -> float:
    """Covariance of the errors of two iterations of one trial, lag ≥ 1 apart, two-class model.

    With w = p_slow p_ss² + (1−p_slow) p_as², q the probability to straggle, g = n/d groups and
    u = lag mod d: none (and cyclic with u = 0 or g = 1) d² g (w^d − q^2d); cyclic
    d² g (w^(d−u) q^2u + w^u q^2(d−u) − 2 q^2d); random
    n² (Σ_o C(d,o) C(n−d,d−o)/C(n,d) w^o q^2(d−o) − q^2d). Derived; not in the paper.
    """
    check.groups(n, d)
    check.count("lag", lag, 1)
    q = straggle_probability(p_slow, p_straggle_slow, p_straggle_active)
    w = straggle_probability(p_slow, p_straggle_slow**2, p_straggle_active**2)
    mean = float(n * q**d)

    def both(common: int) -> float:
        return float(w**common * q ** (2 * (d - common)))

    return frc_error_product(n, d, lag, shuffle, both) - mean * mean


@elementwise
def frc_mean_error_variance(
    n: int,
    d: int,
    iterations: int,
    p_slow: float,
    p_straggle_slow: float,
    p_straggle_active: float,
    shuffle: str = "none",
) -> float:
    """Variance over trials of the error averaged over the iterations, two-class model.

    It is what shuffling changes; the mean stays n q^d under every shuffle.
    """
    check.count("iterations", iterations, 1)
    q = straggle_probability(p_slow, p_straggle_slow, p_straggle_active)
    two_class = (p_slow, p_straggle_slow, p_straggle_active)
    return average_variance(
        frc_error_variance(n, d, p=q),
        iterations,
        lambda lag: float(frc_autocovariance(n, d, lag, *two_class, shuffle)),
    )


@elementwise
def frc_mean_error_variance_given_slow(
    n: int,
    d: int,
    iterations: int,
    slow: int,
    p_straggle_slow: float,
    p_straggle_active: float,
    shuffle: str = "none",
) -> float:
    """Variance over trials of the error averaged over the iterations, given m slow workers.

    The m slow workers are placed uniformly in each trial. With random shuffling iterations are then
    independent; otherwise two sets of d holders with o workers in common straggle together with
    Σ_ij C(o,i) C(2(d−o),j) C(n−2d+o,m−i−j)/C(n,m) p_ss^(2i+j) p_as^(2(o−i)+2(d−o)−j). Derived.
    """
    check.groups(n, d)
    check.count("iterations", iterations, 1)
    check.shuffle(shuffle)
    ss, active = p_straggle_slow, p_straggle_active
    one = float(not_accessed_probability_given_slow(n, d, slow, ss, active))
    two = 0.0
    if n >= 2 * d:
        two = float(not_accessed_probability_given_slow(n, 2 * d, slow, ss, active))
    variance = n * (d * (one - two) + n * (two - one * one))
    if shuffle == "random" or iterations == 1:
        return variance / iterations

    def both(common: int) -> float:
        apart = 2 * (d - common)
        rest = n - common - apart
        ways = math.fsum(
            math.comb(common, i)
            * math.comb(apart, j)
            * math.comb(rest, slow - i - j)
            * ss ** (2 * i + j)
            * active ** (2 * (common - i) + apart - j)
            for i in range(common + 1)
            for j in range(apart + 1)
            if 0 <= slow - i - j <= rest
        )
        return ways / math.comb(n, slow)

    return average_variance(
        variance,
        iterations,
        lambda lag: frc_error_product(n, d, lag, shuffle, both) - (n * one) ** 2,
    )


def frc_error_product(
    n: int, d: int, lag: int, shuffle: str, both: Callable[[int], float]
) -> float:
    """E[e_l e_(l+lag)], where both(o) = P(two sets of d holders straggle, o workers in common)."""
    check.groups(n, d)
    check.shuffle(shuffle)
    if shuffle == "random":
        weights = hypergeometric(n, d, d)
        return n * n * math.fsum(weight * both(o) for o, weight in enumerate(weights) if weight)
    groups, shift = n // d, lag % d
    if shuffle == "none" or shift == 0 or groups == 1:
        pairs = groups * both(d)
        apart = groups * (groups - 1)
    else:
        pairs = groups * (both(d - shift) + both(shift))
        apart = groups * (groups - 2)
    return d * d * (pairs + (apart * both(0) if apart else 0.0))


def average_variance(
    variance: float, iterations: int, autocovariance: Callable[[int], float]
) -> float:
    """Variance of the average of stationary values, from their variance and autocovariance."""
    lagged = math.fsum((iterations - h) * autocovariance(h) for h in range(1, iterations))
    return (variance + 2.0 * lagged / iterations) / iterations


def _groups_lost(n: int, d: int, lost: int, survivors: int | None, p: float | None) -> float:
    check.groups(n, d)
    check.given(n, survivors, p)
    if p is not None:
        return p ** (d * lost)
    assert survivors is not None
    workers = d * lost
    if n < workers:
        return 0.0
    if n <= LARGEST_COUNTED:
        return math.comb(n - workers, survivors) / math.comb(n, survivors)
    if n - survivors < workers:
        return 0.0
    i = np.arange(workers)
    return math.exp(math.fsum(np.log((n - survivors - i) / (n - i)).tolist()))
