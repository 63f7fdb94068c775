"""Fast and slow times, both lognormal, by maximum likelihood: EM, then Newton's steps."""

from __future__ import annotations

import math

import numpy as np

from fastgc.latency import Bimodal, Lognormal
from fastgc.traces.parameters import (
    Estimated,
    Parameter,
    UnfitError,
    Values,
    half_width,
    information,
    positive,
    probability,
    variances,
)

_STARTS = (0.5, 0.7, 0.85, 0.95, 0.98)  # shares of times that a start calls fast
_FIRST, _MOST = 15, 2000  # steps of EM from each start, and from the best one
_SETTLED = 1e-9  # of the log-likelihood a step
_NARROWEST = 1e-3  # of all logarithms' deviation: a component on one value has no likelihood
_FEWEST = 3.0  # times that a component must stand for


def bimodal(times: Values) -> Estimated:
    """Fit a share of slow times, and a lognormal law each for fast and slow ones.

    Examples
    --------
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
    at, height = _climb(logs, max(tried, key=lambda each: each[1])[0], narrowest, _MOST)
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
            raise UnfitError("its parts cannot be told apart")
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
