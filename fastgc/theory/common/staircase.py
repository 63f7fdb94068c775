"""How likely so many of n independent times come before each of several moments.

Noé, The calculation of distributions of two-sided Kolmogorov-Smirnov type statistics (Ann. Math.
Stat. 43, 1972), one-sided, with Poisson weights that neither cancel nor underflow.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from fastgc.arrays import Values
from fastgc.theory.common.numerics import exp, log


def staircase_probability(n: int, needs: Sequence[int], probabilities: ArrayLike) -> Values:
    """Probability that at least ``needs[i]`` of n times come before moment i, for all i.

    ``n``: number of times, independent and with one law; ``needs``: how many must have come by each
    moment, m of them; ``probabilities``: probability that one time comes before each moment,
    growing along the first axis: (m,) or (m, anything). Returns numpy.ndarray: shape of
    ``probabilities`` without its first axis.

    >>> round(float(staircase_probability(2, [1, 2], [0.5, 1.0])), 12)
    0.75
    """
    F = np.asarray(probabilities, dtype=np.float64)
    shape = F.shape[1:]
    F = np.maximum.accumulate(np.clip(F.reshape(len(needs), -1), 0.0, 1.0))
    for _, weights in _moments(n, needs, np.diff(F, axis=0, prepend=0.0)):
        come = weights  # too few of which are left out before the next moment
    return np.asarray(np.minimum(_the_rest_come(n, come, 1.0 - F[-1]), 1.0)).reshape(shape)


def staircase_failure(n: int, needs: Sequence[int], survivals: ArrayLike) -> Values:
    """Probability that fewer than ``needs[i]`` of n times come before some moment i.

    One less `staircase_probability`, but a sum of positive terms, over the first moment that too
    few come before: its digits are right however small it is.

    ``n``, ``needs``: as for `staircase_probability`; ``survivals``: probability that one time comes
    after each moment, falling along the first axis: (m,) or (m, anything). Returns numpy.ndarray:
    shape of ``survivals`` without its first axis.

    >>> float(staircase_failure(2, [1, 2], [0.5, 0.0]).round(12))
    0.25
    >>> f"{float(staircase_failure(1, [1], [1e-30])):.12g}"
    '1e-30'
    """
    S = np.asarray(survivals, dtype=np.float64)
    shape = S.shape[1:]
    S = np.minimum.accumulate(np.clip(S.reshape(len(needs), -1), 0.0, 1.0))
    failed = np.zeros(S.shape[1])
    moments = _moments(n, needs, -np.diff(S, axis=0, prepend=1.0))
    for (need, weights), survival in zip(moments, S, strict=True):
        too_few = weights.copy()
        too_few[need:] = 0.0
        failed += _the_rest_come(n, too_few, survival)
    return np.asarray(np.minimum(failed, 1.0)).reshape(shape)


def _moments(n: int, needs: Sequence[int], probabilities: Values) -> Iterator[tuple[int, Values]]:
    """Go through the moments: each need, and the weights (n + 1, points) of 0 … n times come.

    Before each moment every time comes with a probability (m, points); then too few are left out.
    """
    weights = np.zeros((n + 1, probabilities.shape[1]))
    weights[0] = 1.0
    for need, probability in zip(needs, probabilities, strict=True):
        step = _poisson(n, probability)
        before, weights = weights, np.zeros_like(weights)
        for came in np.flatnonzero(step.any(axis=1)).tolist():
            weights[came:] += step[came] * before[: n + 1 - came]
        yield need, weights
        weights[:need] = 0.0


def _the_rest_come(n: int, weights: Values, probability: Values) -> Values:
    """Probability of the states that the weights count, each of the times left coming after."""
    whole = math.exp(n * math.log(n) - n - math.lgamma(n + 1.0))
    return np.asarray(np.sum(weights * _poisson(n, probability)[::-1], axis=0) / whole)


def _poisson(n: int, probability: Values) -> Values:
    """Probabilities of 0 … n events, n·probability being expected, (n + 1, points)."""
    counts = np.arange(n + 1)[:, None]
    log_factorials = np.array([math.lgamma(j + 1.0) for j in range(n + 1)])[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        exponents = counts * log(n * probability)
    exponents[0] = 0.0
    return np.asarray(exp(exponents - n * probability - log_factorials))
