"""Means over all 2ⁿ patterns and their probabilities, computed worker by worker.

A function of the pattern is an array of 2ⁿ values; the index's bit j says that worker j survived.
"""

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values


def subset_sizes(n: int) -> NDArray[np.int64]:
    """Return the number of set bits of 0 … 2ⁿ − 1."""
    sizes = np.zeros(1, np.int64)
    for _ in range(n):
        sizes = np.concatenate([sizes, sizes + 1])
    return sizes


def subset_distribution(n: int, size: int) -> Values:
    """Return the probability of every pattern, (2ⁿ,), where all of a size are alike."""
    possible = subset_sizes(n) == size
    return np.asarray(possible / np.count_nonzero(possible))


def independent_mean(values: Values, straggle: Values) -> float:
    """Mean of ``values`` (2ⁿ,) if worker j straggles with probability ``straggle[j]``."""
    for p in straggle:
        pairs = values.reshape(-1, 2)
        values = p * pairs[:, 0] + (1.0 - p) * pairs[:, 1]
    return float(values[0])


def independent_distribution(straggle: Values) -> Values:
    """Return the probability of every pattern, (2ⁿ,), when workers straggle independently."""
    weights = np.ones(1)
    for p in straggle:
        weights = np.concatenate([p * weights, (1.0 - p) * weights])
    return weights


def class_means(values: Values, straggle_slow: float, straggle_active: float, n: int) -> Values:
    """Return the mean of ``values`` for every slow set, (2ⁿ,): bit j of the index is worker j."""
    given = (straggle_active, 1.0 - straggle_active), (straggle_slow, 1.0 - straggle_slow)
    return _mixed(values, given, n)


def class_mixture(weights: Values, straggle_slow: float, straggle_active: float, n: int) -> Values:
    """Return the probability of every pattern for slow sets with ``weights`` (2ⁿ,)."""
    given = (straggle_active, straggle_slow), (1.0 - straggle_active, 1.0 - straggle_slow)
    return _mixed(weights, given, n)


def _mixed(
    values: Values, shares: tuple[tuple[float, float], tuple[float, float]], n: int
) -> Values:
    # for each worker two sums of the values without and with its bit
    cube = values.reshape((2,) * n)
    for axis in range(n):
        without, with_it = np.take(cube, 0, axis), np.take(cube, 1, axis)
        cube = np.stack([a * without + b * with_it for a, b in shares], axis)
    return cube.reshape(-1)
