"""The k-th smallest of n independent times: means, variances, tails; so many before each moment.

David, Nagaraja, Order Statistics (2003). ``shift`` is added to every time.

Staircases: Noé, The calculation of distributions of two-sided Kolmogorov-Smirnov type statistics
(Ann. Math. Stat. 43, 1972), one-sided, with Poisson weights that neither cancel nor underflow.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from fastgc.arrays import Values
from fastgc.theory.common import check
from fastgc.theory.common.numerics import binomial_probabilities, broadcast, elementwise, exp


@broadcast
def harmonic(n: int, above: int = 0) -> float:
    """H_n − H_above = 1/(above+1) + … + 1/n."""
    check.count("n", n, 0)
    check.count("above", above, 0, n)
    return math.fsum(1.0 / i for i in range(int(n), int(above), -1))


@elementwise
def exponential_order_mean(n: int, k: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean shift + mean (H_n − H_{n−k}) of the k-th smallest of n exponential times.

    Rényi (1953): the gaps are independent, the i-th with mean/(n−i+1).
    """
    check.count("k", k, 1, n)
    return shift + mean * float(harmonic(n, n - k))


@elementwise
def exponential_order_variance(n: int, k: int, mean: float = 1.0) -> float:
    """Variance mean² (1/n² + … + 1/(n−k+1)²) of the k-th smallest of n exponential times."""
    check.count("k", k, 1, n)
    return mean * mean * math.fsum(1.0 / (i * i) for i in range(n, int(n - k), -1))


@elementwise
def order_tail(n: int, k: int, late: float) -> float:
    """Probability that fewer than k of n workers are done, each late with probability ``late``.

    P(X_(k) > t) for late = P(X > t).
    """
    check.count("k", k, 1, n)
    return math.fsum(binomial_probabilities(n, late)[n - int(k) + 1 :].tolist())


# ---- how likely so many of n times come before each of several moments

#: Poisson weights of more expected events leave the range of floats.
LARGEST = 1300


def staircase_probability(n: int, needs: Sequence[int], probabilities: ArrayLike) -> Values:
    """Probability that at least ``needs[i]`` of n times come before moment i, for all i.

    ``n``: number of times, independent and with one law; ``needs``: how many must have come by each
    moment, m of them; ``probabilities``: probability that one time comes before each moment,
    growing along the first axis: (m,) or (m, anything). Returns numpy.ndarray: shape of
    ``probabilities`` without its first axis. Raises FastgcError if there are more than `LARGEST`.
    """
    check.count("n", n, 1, LARGEST)
    F = np.asarray(probabilities, dtype=np.float64)
    shape = F.shape[1:]
    F = np.maximum.accumulate(np.clip(F.reshape(len(needs), -1), 0.0, 1.0))
    weights = np.zeros((n + 1, F.shape[1]))  # of 0 … n times that have come
    weights[0] = 1.0
    least = 0  # of those that have come before
    for need, probability in zip(needs, np.diff(F, axis=0, prepend=0.0), strict=True):
        step = _poisson(n, probability, n - least)
        before, weights = weights, np.zeros_like(weights)
        for came in np.flatnonzero(step.any(axis=1)).tolist():
            weights[least + came :] += step[came] * before[least : n + 1 - came]
        weights[:need] = 0.0  # too few
        least = max(least, need)
    whole = _poisson(n, np.ones(1), n)[n]
    rest = _poisson(n, 1.0 - F[-1], n - least)[::-1]  # come later
    found = np.sum(weights[least:] * rest, axis=0) / whole
    return np.asarray(np.minimum(found, 1.0)).reshape(shape)


def _poisson(n: int, probability: Values, most: int) -> Values:
    """Probabilities of 0 … ``most`` events, n·probability being expected, (most + 1, points)."""
    expected = n * probability
    half = exp(-expected / 2)  # before and after, for neither it nor the powers may leave the range
    steps = expected / np.arange(1, most + 1)[:, None]
    return np.asarray(np.cumprod(np.vstack([half, steps]), axis=0) * half)
