"""Models of stragglers: two classes, Markov chains."""

import math
from collections.abc import Iterator

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.theory.common import check
from fastgc.theory.common.numerics import binomial_probabilities, elementwise, hypergeometric


@elementwise
def straggle_probability(p_slow: float, p_straggle_slow: float, p_straggle_active: float) -> float:
    """Probability q that a worker straggles in one iteration, its class unknown.

    In one iteration the two-class model is the iid model with this probability (agc, Prop. 1).
    """
    check.probabilities(
        p_slow=p_slow, p_straggle_slow=p_straggle_slow, p_straggle_active=p_straggle_active
    )
    return p_slow * p_straggle_slow + (1.0 - p_slow) * p_straggle_active


@elementwise
def not_accessed_probability_given_slow(
    n: int, d: int, slow: int, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Probability h(m) that all d holders of a partition straggle, m of n workers being slow.

    The m slow workers are placed uniformly, by random shuffling or by the trial:
    h(m) = Σ_i C(m,i) C(n−m,d−i)/C(n,d) p_straggle_slow^i p_straggle_active^(d−i).
    """
    check.code(n, d)
    check.count("slow", slow, 0, n)
    check.probabilities(p_straggle_slow=p_straggle_slow, p_straggle_active=p_straggle_active)
    return math.fsum(
        weight * p_straggle_slow**i * p_straggle_active ** (d - i)
        for i, weight in enumerate(hypergeometric(n, slow, d))
    )


def survivors_given_slow(
    n: int, slow: int, p_straggle_slow: float, p_straggle_active: float
) -> Values:
    """Probability P_r of r = 0 … n survivors when m workers are slow (agc, Theorem 1, corrected).

    P_r = Σ_i C(m,i) C(n−m,r−i) (1−p_ss)^i p_ss^(m−i) (1−p_as)^(r−i) p_as^(n−m−r+i), where i runs
    from max(0, r−n+m) to min(r, m). Returns an array of length n + 1.
    """
    _check_survivors(n, slow, p_straggle_slow, p_straggle_active)
    return np.convolve(
        binomial_probabilities(slow, 1.0 - p_straggle_slow),
        binomial_probabilities(n - slow, 1.0 - p_straggle_active),
    )


def survivors_given_slow_printed(
    n: int, slow: int, p_straggle_slow: float, p_straggle_active: float
) -> Values:
    """P_r as Theorem 1 of agc prints it: with r'(i) = min(i, m), i may exceed m. Not a law."""
    _check_survivors(n, slow, p_straggle_slow, p_straggle_active)
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


def _check_survivors(n: int, slow: int, p_straggle_slow: float, p_straggle_active: float) -> None:
    check.count("n", n, 1)
    check.count("slow", slow, 0, n)
    check.probabilities(p_straggle_slow=p_straggle_slow, p_straggle_active=p_straggle_active)


# ---- workers that straggle in runs: two-state Markov chains, started from their stationary law


def markov_stationary(a: float, b: float) -> float:
    """Share a/(a+b) of iterations in which a worker straggles.

    It begins to straggle with probability a and stops with probability b.
    """
    check.probabilities(a=a, b=b)
    if a + b == 0.0:
        raise FastgcError("a: got 0 with b = 0, but a worker that never changes has no such share")
    return a / (a + b)


def markov_frc_covariance(n: int, d: int, lag: int, a: float, b: float) -> float:
    """Covariance of frc's errors in two iterations ``lag`` apart, without shuffling.

    With π = a/(a+b) and ρ = 1−a−b: d² (n/d) ((π² + π(1−π)ρ^h)^d − π^(2d)); two indicators of one
    worker are both 1 with probability π² + π(1−π)ρ^h. Derived.
    """
    check.groups(n, d)
    check.count("lag", lag, 0)
    pi = markov_stationary(a, b)
    both = pi * pi + pi * (1.0 - pi) * (1.0 - a - b) ** lag
    return n * d * (both**d - pi ** (2 * d))


def markov_frc_clusters_error(n: int, d: int, iterations: int, a: float, b: float) -> float:
    """Mean error of frc over the iterations of a trial, groups made anew by who straggled last.

    Of m workers that straggled last, each of n/d groups has ⌊md/n⌋ or one more; a group is lost
    with probability (1−b)^j a^(d−j), j being its number of them. m is binomial with a/(a+b), and
    the first iteration has no past: n (a/(a+b))^d. Derived.
    """
    check.count("iterations", iterations, 1)
    later = math.fsum(
        chance * d * (few * lost + more * lost_more)
        for chance, few, lost, more, lost_more in _clusters(n, d, a, b)
    )
    return (n * markov_stationary(a, b) ** d + (iterations - 1) * later) / iterations


def markov_frc_clusters_exact(n: int, d: int, iterations: int, a: float, b: float) -> float:
    """Probability that frc with groups as in `markov_frc_clusters_error` decodes exactly.

    Given who straggled last, groups are lost independently; over all iterations of a trial, the
    first of which has no past. Derived.
    """
    check.count("iterations", iterations, 1)
    later = math.fsum(
        chance * (1.0 - lost) ** few * (1.0 - lost_more) ** more
        for chance, few, lost, more, lost_more in _clusters(n, d, a, b)
    )
    first = (1.0 - markov_stationary(a, b) ** d) ** (n // d)
    return (first + (iterations - 1) * later) / iterations


def _clusters(n: int, d: int, a: float, b: float) -> Iterator[tuple[float, int, float, int, float]]:
    """Yield, for each number of last stragglers, its probability, groups with few and with one
    more of them, and after each of these counts the probability that such a group is lost.
    """
    check.groups(n, d)
    pi, groups = markov_stationary(a, b), n // d
    for m in range(n + 1):
        each, more = divmod(m, groups)
        lost = [(1.0 - b) ** j * a ** (d - j) for j in (each, min(each + 1, d))]
        chance = math.comb(n, m) * pi**m * (1.0 - pi) ** (n - m)
        yield chance, groups - more, lost[0], more, lost[1]


def markov_frc_mean_error_variance(n: int, d: int, iterations: int, a: float, b: float) -> float:
    """Variance of frc's error averaged over so many iterations, without shuffling."""
    check.count("iterations", iterations, 1)
    own = markov_frc_covariance(n, d, 0, a, b)
    pairs = ((iterations - h) * markov_frc_covariance(n, d, h, a, b) for h in range(1, iterations))
    return (iterations * own + 2.0 * sum(pairs)) / iterations**2
