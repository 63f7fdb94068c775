"""Laws of latency by maximum likelihood, where estimates and intervals have closed forms."""

import math

import numpy as np

from fastgc.arrays import Values
from fastgc.latency import Bimodal, Exponential, Lognormal, Pareto, Uniform
from fastgc.traces.fits import (
    CONFIDENCE,
    Estimated,
    Parameter,
    UnfitError,
    half_width,
    information,
    positive,
    probability,
    variances,
)

_LEAST = "least time; it can only be too large"
_MOST = "greatest time; it can only be too small"
_TAIL = (1 - CONFIDENCE) / 2


def exponential(times: Values) -> Estimated:
    """Fit a shift and an exponential rest; the intervals are exact.

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


_STARTS = (0.5, 0.7, 0.85, 0.95, 0.98)  # shares of times that a start calls fast
_FIRST, _MOST_STEPS = 15, 2000  # steps of EM from each start, and from the best one
_SETTLED = 1e-9  # of the log-likelihood a step
_NARROWEST = 1e-3  # of all logarithms' deviation: a component on one value has no likelihood
_FEWEST = 3.0  # times that a component must stand for


def bimodal(times: Values) -> Estimated:
    """Fit a share of slow times, and a lognormal law each for fast and slow ones.

    >>> levels = np.arange(0.0005, 1, 0.001)
    >>> fast, slow = (Lognormal(mu=mu, sigma=0.1).time().quantile(levels) for mu in (0.0, 2.0))
    >>> law = bimodal(np.concatenate([fast, fast, fast, slow])).law
    >>> round(law.p_slow, 3), round(law.slow.mu, 2)
    (0.25, 2.0)
    """
    if times.min() <= 0:
        raise UnfitError("a time is 0")
    logs = np.log(times)
    ordered = np.sort(logs)
    narrowest = _NARROWEST * float(logs.std())
    tried = []
    for share in _STARTS:
        cut = int(share * len(logs))
        parts = ordered[:cut], ordered[cut:]
        if min(map(len, parts)) < _FEWEST:
            continue
        start = [1 - cut / len(logs)]
        for part in parts:
            start += [float(part.mean()), max(float(part.std()), narrowest)]
        tried.append(_climb(logs, np.array(start), narrowest, _FIRST))
    if not tried:
        raise UnfitError("too few times")
    at, height = _climb(logs, max(tried, key=lambda each: each[1])[0], narrowest, _MOST_STEPS)
    if at[3] < at[1]:
        at = np.array([1 - at[0], at[3], at[4], at[1], at[2]])
    p = float(at[0])
    if min(p, 1 - p) * len(logs) < _FEWEST or min(at[2], at[4]) <= narrowest * 1.01:
        raise UnfitError("no second hump")
    law = Bimodal(
        p_slow=p,
        fast=Lognormal(mu=float(at[1]), sigma=float(at[2])),
        slow=Lognormal(mu=float(at[3]), sigma=float(at[4])),
    )

    def intervals() -> tuple[Parameter, ...]:
        def likelihood(free: Values) -> float:
            share = 1 / (1 + math.exp(-free[0]))
            given = [share, free[1], math.exp(free[2]), free[3], math.exp(free[4])]
            return float(np.logaddexp(*_parts(logs, np.array(given))).sum())

        free = np.array([math.log(p / (1 - p)), at[1], math.log(at[2]), at[3], math.log(at[4])])
        spread = variances(information(likelihood, free))
        if not np.isfinite(spread).all():
            raise UnfitError("its parts cannot be distinguished")
        found = [probability("p_slow", p, float(spread[0]) * (p * (1 - p)) ** 2, len(logs))]
        for name, i in (("fast", 1), ("slow", 3)):
            mu, error = float(at[i]), math.sqrt(spread[i])
            half = half_width() * error
            found.append(Parameter(f"{name}.mu", mu, error, mu - half, mu + half))
            relative = math.sqrt(spread[i + 1])
            found.append(positive(f"{name}.sigma", float(at[i + 1]), relative))
        return tuple(found)

    return Estimated(law, height - float(logs.sum()), 5, intervals)


def _climb(logs: Values, at: Values, narrowest: float, steps: int) -> tuple[Values, float]:
    """Take steps of EM until they gain nothing; return where, and the logarithms' likelihood."""
    before = -math.inf
    for _ in range(steps):
        fast, slow = _parts(logs, at)
        both = np.logaddexp(fast, slow)
        height = float(both.sum())
        if height - before <= _SETTLED * abs(height):
            break
        before = height
        share = np.exp(slow - both)
        new = [float(share.mean())]
        for weights in (1 - share, share):
            total = max(float(weights.sum()), 1e-300)
            mu = float(weights @ logs) / total
            sigma = math.sqrt(float(weights @ (logs - mu) ** 2) / total)
            new += [mu, max(sigma, narrowest)]
        at = np.array(new)
    return at, before


def _parts(logs: Values, at: Values) -> tuple[Values, Values]:
    """Return the log-densities of fast and of slow logarithms, times their shares."""
    p, *laws = at
    found = []
    for share, mu, sigma in ((1 - p, *laws[:2]), (p, *laws[2:])):
        constant = math.log(max(share, 1e-300)) - math.log(sigma) - 0.5 * math.log(2 * math.pi)
        found.append(constant - 0.5 * ((logs - mu) / sigma) ** 2)
    return found[0], found[1]
