"""How likely so many of n independent times come before each of several moments.

Noé, The calculation of distributions of two-sided Kolmogorov-Smirnov type statistics (Ann. Math.
Stat. 43, 1972), one-sided, with Poisson weights that neither cancel nor underflow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]


def staircase_probability(n: int, needs: Sequence[int], chances: ArrayLike) -> Values:
    """Probability that at least ``needs[i]`` of n times come before moment i, for all i.

    Parameters
    ----------
    n
        Number of times, independent and with one law.
    needs
        How many must have come by each moment, m of them.
    chances
        Probability that one time comes before each moment, growing along the first axis:
        (m,) or (m, anything).

    Returns
    -------
    numpy.ndarray
        Shape of ``chances`` without its first axis.

    Examples
    --------
    >>> round(float(staircase_probability(2, [1, 2], [0.5, 1.0])), 12)
    0.75
    """
    F = np.asarray(chances, dtype=np.float64)
    shape = F.shape[1:]
    F = np.maximum.accumulate(np.clip(F.reshape(len(needs), -1), 0.0, 1.0))
    counts = np.arange(n + 1)
    log_factorials = np.array([math.lgamma(j + 1.0) for j in counts])

    def poisson(chance: Values) -> Values:
        with np.errstate(divide="ignore", invalid="ignore"):
            exponents = counts[:, None] * np.log(n * chance)
        exponents[0] = 0.0
        return np.asarray(np.exp(exponents - n * chance - log_factorials[:, None]))

    weights = np.zeros((n + 1, F.shape[1]))
    weights[0] = 1.0
    before = np.zeros(F.shape[1])
    for need, chance in zip(needs, F, strict=True):
        step = poisson(chance - before)
        after = np.zeros_like(weights)
        for came in range(n + 1):
            if not step[came].any():
                continue
            after[came:] += step[came] * weights[: n + 1 - came]
        after[:need] = 0.0
        weights, before = after, chance
    rest = poisson(1.0 - before)
    whole = math.exp(n * math.log(n) - n - log_factorials[n])
    found = np.sum(weights * rest[::-1], axis=0) / whole
    return np.asarray(np.minimum(found, 1.0)).reshape(shape)
