"""How often a partition is not accessed in a trial: agc, Proposition 1.

For codes in which every partition has d holders: frc, circulant.
"""

from __future__ import annotations

import math

from fastgc.theory.common.arguments import (
    check_code,
    check_count,
    check_probabilities,
    check_shuffle,
    elementwise,
)
from fastgc.theory.common.combinatorics import binomial_probabilities, hypergeometric
from fastgc.theory.common.repetition import average_variance
from fastgc.theory.common.two_class import not_accessed_probability_given_slow, straggle_probability


@elementwise
def proposition1_without_shuffling(
    iterations: int,
    d: int,
    slow_holders: int,
    p_straggle_slow: float,
    p_straggle_active: float,
) -> float:
    """Mean number of iterations without access to a partition, slow_holders of d holders slow.

    agc, Proposition 1: L p_ss^k p_as^(d−k). Exact.

    >>> round(proposition1_without_shuffling(10, 2, 1, 0.8, 0.01), 12)
    0.08
    """
    x = _all_holders_straggle(d, slow_holders, p_straggle_slow, p_straggle_active)
    return _times(iterations, x)


@elementwise
def proposition1_with_shuffling(
    iterations: int, d: int, p_slow: float, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Mean number of iterations without access to a partition, L q^d.

    agc, Proposition 1. Exact when the classes are averaged over too, and then the same under every
    shuffle; wrong given slow_holders (``proposition1_given_holders``).

    >>> round(proposition1_with_shuffling(10, 2, 0.3, 0.8, 0.01), 12)
    0.61009
    """
    check_count("d", d, 1)
    return _times(iterations, straggle_probability(p_slow, p_straggle_slow, p_straggle_active) ** d)


@elementwise
def proposition1_given_slow(
    iterations: int,
    n: int,
    d: int,
    slow: int,
    p_straggle_slow: float,
    p_straggle_active: float,
) -> float:
    """Mean number of iterations without access with random shuffling, m of n workers slow: L h(m).

    Correction of agc, Proposition 1; h is ``not_accessed_probability_given_slow``.

    >>> round(proposition1_given_slow(10, 8, 2, 3, 0.8, 0.01), 6)
    0.728929
    """
    h = not_accessed_probability_given_slow(n, d, slow, p_straggle_slow, p_straggle_active)
    return _times(iterations, h)


@elementwise
def proposition1_given_holders(
    iterations: int,
    n: int,
    d: int,
    slow_holders: int,
    p_slow: float,
    p_straggle_slow: float,
    p_straggle_active: float,
) -> float:
    """Mean number, in so many shuffled iterations, without access, by the proposition's hypothesis.

    Correction of agc, Proposition 1: slow_holders of the d workers that hold the partition *before*
    the first shuffle are slow, the other n−d slow with p_slow each: L E[h(k + Bin(n−d, p_slow))].
    An iteration before the first shuffle has ``proposition1_without_shuffling`` instead.

    >>> round(proposition1_given_holders(10, 8, 2, 2, 0.3, 0.8, 0.01), 6)
    1.402262
    """
    check_code(n, d)
    check_count("slow_holders", slow_holders, 0, d)
    check_probabilities(p_slow=p_slow)
    h = not_accessed_probability_given_slow
    mean = math.fsum(
        weight * h(n, d, slow_holders + others, p_straggle_slow, p_straggle_active)
        for others, weight in enumerate(binomial_probabilities(n - d, p_slow).tolist())
    )
    return _times(iterations, mean)


@elementwise
def not_accessed_variance_without_shuffling(
    iterations: int,
    d: int,
    slow_holders: int,
    p_straggle_slow: float,
    p_straggle_active: float,
) -> float:
    """Variance L x (1−x) of the number of iterations without access, x = p_ss^k p_as^(d−k).

    agc, Proposition 1, proof ("binomial"): right without shuffling given slow_holders.

    >>> round(not_accessed_variance_without_shuffling(10, 2, 2, 0.8, 0.01), 12)
    2.304
    """
    x = _all_holders_straggle(d, slow_holders, p_straggle_slow, p_straggle_active)
    return _times(iterations, x * (1.0 - x))


@elementwise
def not_accessed_variance_printed(
    iterations: int, d: int, p_slow: float, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Variance L q^d (1−q^d) of the binomial that the proof of agc, Proposition 1, names. Wrong.

    >>> round(not_accessed_variance_printed(10, 2, 0.3, 0.8, 0.1), 3)
    0.869
    """
    check_count("d", d, 1)
    x = straggle_probability(p_slow, p_straggle_slow, p_straggle_active) ** d
    return _times(iterations, x * (1.0 - x))


@elementwise
def not_accessed_variance_given_slow(
    iterations: int,
    n: int,
    d: int,
    slow: int,
    p_straggle_slow: float,
    p_straggle_active: float,
) -> float:
    """Variance L h(m) (1−h(m)) with random shuffling and m slow workers: there it is binomial.

    >>> round(not_accessed_variance_given_slow(10, 8, 2, 3, 0.8, 0.01), 6)
    0.675795
    """
    h = not_accessed_probability_given_slow(n, d, slow, p_straggle_slow, p_straggle_active)
    return _times(iterations, h * (1.0 - h))


@elementwise
def not_accessed_variance(
    iterations: int,
    n: int,
    d: int,
    p_slow: float,
    p_straggle_slow: float,
    p_straggle_active: float,
    shuffle: str = "none",
) -> float:
    """Variance of the number of iterations without access, for frc or circulant.

    Correction of agc, Proposition 1: classes persist, so the count is a mixture over the number of
    slow workers (random shuffling: Bin(L, h(m))) or of slow holders (none).

    >>> [round(not_accessed_variance(10, 4, 2, 0.3, 0.8, 0.1, s), 3) for s in ("random", "none")]
    [1.917, 3.602]
    """
    check_code(n, d)
    check_shuffle(shuffle)
    check_count("iterations", iterations, 1)
    q = straggle_probability(p_slow, p_straggle_slow, p_straggle_active)
    w = straggle_probability(p_slow, p_straggle_slow**2, p_straggle_active**2)

    def covariance(lag: int) -> float:
        if shuffle == "none":
            common = [0.0] * d + [1.0]
        elif shuffle == "random":
            common = hypergeometric(n, d, d)
        else:
            turn = lag % n
            common = [0.0] * (d + 1)
            common[max(0, d - turn) + max(0, d - (n - turn))] = 1.0
        both = math.fsum(c * w**o * q ** (2 * (d - o)) for o, c in enumerate(common))
        return float(both - q ** (2 * d))

    variance = q**d * (1.0 - q**d)
    return float(iterations**2 * average_variance(variance, iterations, covariance))


def _all_holders_straggle(
    d: int, slow_holders: int, p_straggle_slow: float, p_straggle_active: float
) -> float:
    check_count("d", d, 1)
    check_count("slow_holders", slow_holders, 0, d)
    check_probabilities(p_straggle_slow=p_straggle_slow, p_straggle_active=p_straggle_active)
    return float(p_straggle_slow**slow_holders * p_straggle_active ** (d - slow_holders))


def _times(iterations: int, value: float) -> float:
    check_count("iterations", iterations, 1)
    return iterations * value
