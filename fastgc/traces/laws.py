"""Laws of latency by maximum likelihood, where estimates and intervals have closed forms."""

from __future__ import annotations

import math

import numpy as np

from fastgc.latency import Exponential, Lognormal, Pareto, Uniform
from fastgc.traces.parameters import CONFIDENCE, Estimated, Parameter, UnfitError, Values

_LEAST = "least time; it can only be too large"
_MOST = "greatest time; it can only be too small"
_TAIL = (1 - CONFIDENCE) / 2


def exponential(times: Values) -> Estimated:
    """Fit a shift and an exponential rest; the intervals are exact.

    Examples
    --------
    >>> exponential(np.array([1.0, 2.0, 6.0])).law
    Exponential(distribution='exponential', mean=2.0, shift=1.0)
    """
    least, excess = _above_least(times)
    n, mean = len(times), excess / len(times)

    def intervals() -> tuple[Parameter, ...]:
        below = least - _reach(excess, n)
        return (
            Parameter("mean", mean, mean / math.sqrt(n), *_of_scale(excess, n)),
            Parameter("shift", least, mean / n, max(0.0, below), least, _LEAST),
        )

    return Estimated(Exponential(mean=mean, shift=least), -n * (math.log(mean) + 1), 2, intervals)


def pareto(times: Values) -> Estimated:
    """Fit a least time and a tail; the intervals are exact: logarithms are exponential."""
    if times.min() <= 0:
        raise UnfitError("a time is 0")
    logs = np.log(times)
    least, excess = _above_least(logs)
    n, shape = len(times), len(times) / excess

    def intervals() -> tuple[Parameter, ...]:
        low, high = _of_scale(excess, n)
        scale = math.exp(least)
        below = math.exp(least - _reach(excess, n))
        return (
            Parameter("shape", shape, shape / math.sqrt(n), 1 / high, 1 / low),
            Parameter("scale", scale, scale / (n * shape), below, scale, _LEAST),
        )

    likelihood = n * (math.log(shape) - 1) - float(logs.sum())
    return Estimated(Pareto(shape=shape, scale=float(times.min())), likelihood, 2, intervals)


def uniform(times: Values) -> Estimated:
    """Fit the ends; the intervals are exact."""
    low, high = float(times.min()), float(times.max())
    n, width = len(times), high - low

    def intervals() -> tuple[Parameter, ...]:
        # a gap at an end is to the range as an exponential time to the sum of n − 1 of them
        reach = width * math.expm1(-math.log(1 - CONFIDENCE) / (n - 1))
        return (
            Parameter("low", low, width / n, max(0.0, low - reach), low, _LEAST),
            Parameter("high", high, width / n, high, high + reach, _MOST),
        )

    return Estimated(Uniform(low=low, high=high), -n * math.log(width), 2, intervals)


def lognormal(times: Values) -> Estimated:
    """Fit mean and deviation of the logarithm; the intervals are Student's and exact."""
    from scipy import special

    if times.min() <= 0:
        raise UnfitError("a time is 0")
    logs = np.log(times)
    n, mu, sigma = len(times), float(logs.mean()), float(logs.std())

    def intervals() -> tuple[Parameter, ...]:
        error = sigma / math.sqrt(n - 1)
        half = float(special.stdtrit(n - 1, 1 - _TAIL)) * error
        ends = [sigma * math.sqrt(n / _chi_square(1 - tail, n - 1)) for tail in (_TAIL, 1 - _TAIL)]
        return (
            Parameter("mu", mu, error, mu - half, mu + half),
            Parameter("sigma", sigma, sigma / math.sqrt(2 * n), ends[0], ends[1]),
        )

    likelihood = -n * (math.log(sigma) + 0.5 * math.log(2 * math.pi) + 0.5) - float(logs.sum())
    return Estimated(Lognormal(mu=mu, sigma=sigma), likelihood, 2, intervals)


def _above_least(values: Values) -> tuple[float, float]:
    """Return the least value, and the sum of what all others are above it."""
    least = float(values.min())
    return least, float((values - least).sum())


def _of_scale(excess: float, n: int) -> tuple[float, float]:
    """Return the interval of the mean of n exponentials: twice their excess over it is χ²."""
    return (
        2 * excess / _chi_square(1 - _TAIL, 2 * n - 2),
        2 * excess / _chi_square(_TAIL, 2 * n - 2),
    )


def _reach(excess: float, n: int) -> float:
    """Return how far below the least of n exponentials their start may lie: Fisher's F(2, 2n−2)."""
    return excess / n * math.expm1(-math.log(1 - CONFIDENCE) / (n - 1))


def _chi_square(level: float, freedom: int) -> float:
    from scipy import special

    return float(special.chdtri(freedom, 1 - level))
