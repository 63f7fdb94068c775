"""Workers that straggle in runs: two-state Markov chains, started from their stationary law."""

from __future__ import annotations

from fastgc.errors import FastgcError
from fastgc.theory.common.arguments import check_count, check_groups, check_probabilities


def markov_stationary(a: float, b: float) -> float:
    """Share a/(a+b) of iterations in which a worker straggles.

    It begins to straggle with probability a and stops with probability b.

    >>> markov_stationary(0.1, 0.4)
    0.2
    """
    check_probabilities(a=a, b=b)
    if a + b == 0.0:
        raise FastgcError("a: got 0 with b = 0, but a worker that never changes has no such share")
    return a / (a + b)


def markov_frc_covariance(n: int, d: int, lag: int, a: float, b: float) -> float:
    """Covariance of frc's errors in two iterations ``lag`` apart, without shuffling.

    With π = a/(a+b) and ρ = 1−a−b: d² (n/d) ((π² + π(1−π)ρ^h)^d − π^(2d)); two indicators of one
    worker are both 1 with probability π² + π(1−π)ρ^h. Derived.

    >>> round(markov_frc_covariance(1, 1, 2, 0.1, 0.4), 6)
    0.04
    """
    check_groups(n, d)
    check_count("lag", lag, 0)
    pi = markov_stationary(a, b)
    both = pi * pi + pi * (1.0 - pi) * (1.0 - a - b) ** lag
    return n * d * (both**d - pi ** (2 * d))


def markov_frc_mean_error_variance(n: int, d: int, iterations: int, a: float, b: float) -> float:
    """Variance of frc's error averaged over so many iterations, without shuffling.

    >>> round(markov_frc_mean_error_variance(1, 1, 2, 0.1, 0.4), 6)
    0.12
    """
    check_count("iterations", iterations, 1)
    own = markov_frc_covariance(n, d, 0, a, b)
    pairs = ((iterations - h) * markov_frc_covariance(n, d, h, a, b) for h in range(1, iterations))
    return (iterations * own + 2.0 * sum(pairs)) / iterations**2
