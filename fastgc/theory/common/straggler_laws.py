"""Models of stragglers: two classes, Markov chains; errors of fractional repetition under them.

Repetition has n/d groups of d consecutive workers, each group holding d partitions. The error is d
times the number of groups without a survivor.
"""

import math
from collections.abc import Callable

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.theory.common import check
from fastgc.theory.common.numerics import LARGEST_COUNTED, binomial_probabilities, elementwise


@elementwise
def straggle_probability(p_slow: float, p_straggle_slow: float, p_straggle_active: float) -> float:
    """Probability q that a worker straggles in one iteration, its class unknown.

    In one iteration the two-class model is the iid model with this probability (agc, Prop. 1).
    """
    return p_slow * p_straggle_slow + (1.0 - p_slow) * p_straggle_active


def hypergeometric(n: int, marked: int, drawn: int) -> list[float]:
    """Probabilities that 0 … drawn of the drawn are among the marked, out of n."""
    total = math.comb(n, drawn)
    return [
        math.comb(marked, i) * math.comb(n - marked, drawn - i) / total for i in range(drawn + 1)
    ]


@elementwise
def not_accessed_probability_given_slow(
    n: int, d: int, slow: int, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Probability h(m) that all d holders of a partition straggle, m of n workers being slow.

    The m slow workers are placed uniformly, by random shuffling or by the trial:
    h(m) = Σ_i C(m,i) C(n−m,d−i)/C(n,d) p_straggle_slow^i p_straggle_active^(d−i).
    """
    return _all_straggle(n, d, slow, p_straggle_slow, p_straggle_active)


def _all_straggle(n: int, workers: int, slow: int, ss: float, active: float) -> float:
    return math.fsum(
        weight * ss**i * active ** (workers - i)
        for i, weight in enumerate(hypergeometric(n, slow, workers))
    )


def survivors_given_slow(
    n: int, slow: int, p_straggle_slow: float, p_straggle_active: float
) -> Values:
    """Probability P_r of r = 0 … n survivors when m workers are slow (agc, Theorem 1, corrected).

    P_r = Σ_i C(m,i) C(n−m,r−i) (1−p_ss)^i p_ss^(m−i) (1−p_as)^(r−i) p_as^(n−m−r+i), where i runs
    from max(0, r−n+m) to min(r, m). Returns an array of length n + 1.
    """
    law = {"p_straggle_slow": p_straggle_slow, "p_straggle_active": p_straggle_active}
    check.arguments(n=n, slow=slow, **law)
    return np.convolve(
        binomial_probabilities(slow, 1.0 - p_straggle_slow),
        binomial_probabilities(n - slow, 1.0 - p_straggle_active),
    )


def survivors_given_slow_printed(
    n: int, slow: int, p_straggle_slow: float, p_straggle_active: float
) -> Values:
    """P_r as Theorem 1 of agc prints it: with r'(i) = min(i, m), i may exceed m. Not a law."""
    law = {"p_straggle_slow": p_straggle_slow, "p_straggle_active": p_straggle_active}
    check.arguments(n=n, slow=slow, **law)
    ss, active = p_straggle_slow, p_straggle_active
    if ss == 0.0 and slow < n:
        raise FastgcError("p_straggle_slow: got 0, but P_r as printed divides by it")
    printed = np.zeros(n + 1)
    for r in range(n + 1):
        for i in range(r + 1):
            chosen = min(i, slow)
            ways = math.comb(slow, chosen) * math.comb(n - slow, r - chosen)
            if ways:
                printed[r] += (
                    ways
                    * ((1.0 - ss) ** i * ss ** (slow - i))
                    * ((1.0 - active) ** (r - i) * active ** (n - slow - r + i))
                )
    return printed


# ---- workers that straggle in runs: two-state Markov chains, started from their stationary law


@elementwise
def markov_stationary(a: float, b: float) -> float:
    """Share a/(a+b) of iterations in which a worker straggles.

    It begins to straggle with probability a and stops with probability b.
    """
    if a + b == 0.0:
        raise FastgcError("a: got 0 with b = 0, but a worker that never changes has no such share")
    return a / (a + b)


@elementwise
def markov_frc_covariance(n: int, d: int, lag: int, a: float, b: float) -> float:
    """Covariance of frc's errors in two iterations ``lag`` apart, without shuffling.

    With π = a/(a+b) and ρ = 1−a−b: d² (n/d) ((π² + π(1−π)ρ^h)^d − π^(2d)); two indicators of one
    worker are both 1 with probability π² + π(1−π)ρ^h. Derived.
    """
    check.groups(n, d)
    pi = float(markov_stationary(a, b))
    both = pi * pi + pi * (1.0 - pi) * (1.0 - a - b) ** lag
    return n * d * (both**d - pi ** (2 * d))


@elementwise
def markov_frc_mean_error_variance(n: int, d: int, iterations: int, a: float, b: float) -> float:
    """Variance of frc's error averaged over so many iterations, without shuffling."""
    return average_variance(iterations, lambda lag: markov_frc_covariance(n, d, lag, a, b))


# ---- fractional repetition


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
    return _error_variance(n, d, *(_groups_lost(n, d, lost, survivors, p) for lost in (1, 2)))


def _error_variance(n: int, d: int, one: float, two: float) -> float:
    """From the probabilities that all workers of a group straggle, and those of two groups."""
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

    def both(common: int) -> float:
        return float(w**common * q ** (2 * (d - common)))

    return _error_product(n, d, lag, shuffle, both) - float(n * q**d) ** 2


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
    two_class = (p_slow, p_straggle_slow, p_straggle_active)

    def covariance(lag: int) -> float:
        if lag == 0:
            return float(frc_error_variance(n, d, p=straggle_probability(*two_class)))
        return float(frc_autocovariance(n, d, lag, *two_class, shuffle))

    return average_variance(iterations, covariance)


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
    law = slow, p_straggle_slow, p_straggle_active
    return average_variance(
        iterations, lambda lag: frc_covariance_given_slow(n, d, lag, *law, shuffle)
    )


def frc_covariance_given_slow(
    n: int, d: int, lag: int, slow: int, ss: float, active: float, shuffle: str = "none"
) -> float:
    """Covariance of the errors of two iterations of one trial, ``lag`` apart, given m slow."""
    check.groups(n, d)
    one = _all_straggle(n, d, slow, ss, active)
    if lag == 0:
        two = _all_straggle(n, 2 * d, slow, ss, active) if n >= 2 * d else 0.0
        return _error_variance(n, d, one, two)
    if shuffle == "random":
        return 0.0

    def both(common: int) -> float:
        # those in common straggle in both iterations, the others in one
        return math.fsum(
            weight
            * ss ** (2 * i)
            * active ** (2 * (common - i))
            * _all_straggle(n - common, 2 * (d - common), slow - i, ss, active)
            for i, weight in enumerate(hypergeometric(n, slow, common))
            if weight
        )

    return _error_product(n, d, lag, shuffle, both) - (n * one) ** 2


def _error_product(n: int, d: int, lag: int, shuffle: str, both: Callable[[int], float]) -> float:
    """E[e_l e_(l+lag)], where both(o) = P(two sets of d holders straggle, o workers in common)."""
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


def average_variance(iterations: int, covariance: Callable[[int], float]) -> float:
    """Variance of the average of stationary values, from the covariance of those ``lag`` apart."""
    lagged = math.fsum((iterations - h) * covariance(h) for h in range(1, iterations))
    return (covariance(0) + 2.0 * lagged / iterations) / iterations


def _groups_lost(n: int, d: int, lost: int, survivors: int | None, p: float | None) -> float:
    check.groups(n, d)
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
