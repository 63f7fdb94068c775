"""Laws of latency by maximum likelihood.

Exponential, Pareto, uniform and lognormal laws have estimates and intervals in closed form; those
of Weibull and gamma laws with a shift, and of two lognormal humps, are searched for.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from fastgc.arrays import Values
from fastgc.latency import Bimodal, Exponential, Gamma, Law, Lognormal, Pareto, Uniform, Weibull
from fastgc.traces.parameters import (
    CONFIDENCE,
    Parameter,
    half_width,
    information,
    positive,
    probability,
    variances,
)

_LEAST = "least time; it can only be too large"
_MOST = "greatest time; it can only be too small"
_TAIL = (1 - CONFIDENCE) / 2


@dataclass(frozen=True)
class LawEstimate:
    """A law of latency that fits times best, with ``free`` parameters.

    ``intervals`` returns them; they take longer than the fit alone.
    """

    law: Law
    log_likelihood: float
    free: int
    intervals: Callable[[], tuple[Parameter, ...]]


class UnfitError(Exception):
    """These times cannot come from the model: a sentence says why."""


def exponential(times: Values) -> LawEstimate:
    """Fit a shift and an exponential rest; the intervals are exact."""
    n, (least, mean, ends, below) = len(times), _above_least(times)
    return LawEstimate(
        Exponential(mean=mean, shift=least),
        -n * (math.log(mean) + 1),
        2,
        lambda: (
            Parameter("mean", mean, mean / math.sqrt(n), *ends),
            Parameter("shift", least, mean / n, max(0.0, below), least, _LEAST),
        ),
    )


def pareto(times: Values) -> LawEstimate:
    """Fit a least time and a tail; the intervals are exact: logarithms are exponential."""
    logs = _logs(times)
    n, (least, mean, (low, high), below) = len(times), _above_least(logs)
    shape, scale = 1 / mean, math.exp(least)
    return LawEstimate(
        Pareto(shape=shape, scale=float(times.min())),
        n * (math.log(shape) - 1) - float(logs.sum()),
        2,
        lambda: (
            Parameter("shape", shape, shape / math.sqrt(n), 1 / high, 1 / low),
            Parameter("scale", scale, scale / (n * shape), math.exp(below), scale, _LEAST),
        ),
    )


def uniform(times: Values) -> LawEstimate:
    """Fit the ends; the intervals are exact."""
    low, high = float(times.min()), float(times.max())
    n, width = len(times), high - low
    # a gap at an end is to the range as an exponential time to the sum of n − 1 of them
    reach = width * math.expm1(-math.log(1 - CONFIDENCE) / (n - 1))
    return LawEstimate(
        Uniform(low=low, high=high),
        -n * math.log(width),
        2,
        lambda: (
            Parameter("low", low, width / n, max(0.0, low - reach), low, _LEAST),
            Parameter("high", high, width / n, high, high + reach, _MOST),
        ),
    )


def lognormal(times: Values) -> LawEstimate:
    """Fit mean and deviation of the logarithm; the intervals are Student's and exact."""
    from scipy import special

    logs = _logs(times)
    n, mu, sigma = len(times), float(logs.mean()), float(logs.std())
    error = sigma / math.sqrt(n - 1)
    half = float(special.stdtrit(n - 1, 1 - _TAIL)) * error
    low, high = (sigma * math.sqrt(n / _chi_square(p, n - 1)) for p in (1 - _TAIL, _TAIL))
    return LawEstimate(
        Lognormal(mu=mu, sigma=sigma),
        -n * (math.log(sigma) + 0.5 * math.log(2 * math.pi) + 0.5) - float(logs.sum()),
        2,
        lambda: (
            Parameter("mu", mu, error, mu - half, mu + half),
            Parameter("sigma", sigma, sigma / math.sqrt(2 * n), low, high),
        ),
    )


def _logs(times: Values) -> Values:
    if times.min() <= 0:
        raise UnfitError("a time is 0")
    return np.log(times)


def _above_least(values: Values) -> tuple[float, float, tuple[float, float], float]:
    """Return the least of exponential values, their mean above it with its interval, and the end.

    Twice their sum above the least over their mean is χ²; how far below the least they may begin
    has Fisher's law F(2, 2n−2).
    """
    n, least = len(values), float(values.min())
    excess = float((values - least).sum())
    low, high = (2 * excess / _chi_square(level, 2 * n - 2) for level in (1 - _TAIL, _TAIL))
    reach = excess / n * math.expm1(-math.log(1 - CONFIDENCE) / (n - 1))
    return least, excess / n, (low, high), least - reach


def _chi_square(level: float, freedom: int) -> float:
    from scipy import special

    return float(special.chdtri(freedom, 1 - level))


# ---- Two humps


_STARTS = (0.5, 0.7, 0.85, 0.95, 0.98)  # shares of times that a start calls fast
_FIRST, _MOST_STEPS = 15, 2000  # steps of EM from each start, and from the best one
_SETTLED = 1e-9  # of the log-likelihood a step
_NARROWEST = 1e-3  # of all logarithms' deviation: a component on one value has no likelihood
_FEWEST = 3.0  # times that a component must stand for


def bimodal(times: Values) -> LawEstimate:
    """Fit a share of slow times, and a lognormal law each for fast and slow ones."""
    logs = _logs(times)
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
            found.append(positive(f"{name}.sigma", float(at[i + 1]), math.sqrt(spread[i + 1])))
        return tuple(found)

    fast, slow = (Lognormal(mu=float(at[i]), sigma=float(at[i + 1])) for i in (1, 3))
    law = Bimodal(p_slow=p, fast=fast, slow=slow)
    return LawEstimate(law, height - float(logs.sum()), 5, intervals)


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


# ---- A shift, a shape and a scale
#
# Where the density is infinite at the shift (shape < 1), the likelihood has no maximum: the least
# time is taken as the shift, and shape and scale are those of the other times (Smith, Biometrika
# 72, 1985). Else the likelihood has a local maximum, which is looked for along its profile over the
# shift; only for shapes above 2 is the error of the shift normal.


_GRID = 24  # shifts at which the profile is looked at first
_CLOSEST = 1e-5  # of the times' range: how near to the least time a shift is looked for
_BARTLETT = 10.0
_REGULAR = 2.0  # the shape above which the shift's error is normal
_IRREGULAR = "its error is not normal; interval by likelihood ratio"
_SHIFTED_LEAST = "the least time, as the shape is below 1; it can only be too large"
_LARGEST = 300.0  # logarithm of a hazard: what is so unlikely is not the best fit
_NO_SHIFT = "at its least value"


class _Family(NamedTuple):
    shape: Callable[[Values], float]
    scale: Callable[[Values, float], float]
    likelihood: Callable[[Values, float, float], float]
    law: type[Weibull] | type[Gamma]

    def fitted(self, rests: Values) -> tuple[float, float, float]:
        if rests.min() == rests.max():
            raise UnfitError("all times but the least are the same")
        shape = self.shape(rests)
        scale = self.scale(rests, shape)
        return shape, scale, self.likelihood(rests, shape, scale)


def weibull(times: Values) -> LawEstimate:
    """Fit shape, scale and shift of Weibull times."""
    from scipy import optimize

    def shape(rests: Values) -> float:
        logs = np.log(rests)
        below = logs - logs.max()
        mean = float(below.mean())

        def slope(shape: float) -> float:
            weights = np.exp(shape * below)
            return float(weights @ below) / float(weights.sum()) - mean - 1 / shape

        start = math.pi / math.sqrt(6) / max(float(below.std()), 1e-12)
        return float(optimize.brentq(slope, start / 1000, start * 1000, xtol=1e-10 * start))

    def scale(rests: Values, shape: float) -> float:
        logs = np.log(rests)
        most = float(logs.max())
        return math.exp(most + math.log(float(np.exp(shape * (logs - most)).mean())) / shape)

    def likelihood(rests: Values, shape: float, scale: float) -> float:
        logs = np.log(rests / scale)
        hazard = float(np.exp(np.minimum(shape * logs, _LARGEST)).sum())
        return len(rests) * math.log(shape / scale) + (shape - 1) * float(logs.sum()) - hazard

    return _shifted(times, _Family(shape, scale, likelihood, Weibull))


def gamma(times: Values) -> LawEstimate:
    """Fit shape, scale and shift of gamma times."""
    from scipy import stats

    def likelihood(rests: Values, shape: float, scale: float) -> float:
        logs = float(np.log(rests).sum())
        constant = math.lgamma(shape) + shape * math.log(scale)
        return (shape - 1) * logs - float(rests.sum()) / scale - len(rests) * constant

    def shape(rests: Values) -> float:
        return float(stats.gamma.fit(rests, floc=0)[0])

    return _shifted(times, _Family(shape, lambda r, k: float(r.mean()) / k, likelihood, Gamma))


def _shifted(times: Values, family: _Family) -> LawEstimate:
    least, most = float(times.min()), float(times.max())
    if least <= 0:
        if np.count_nonzero(times == 0) > 1:
            raise UnfitError("several times are 0")
        return _at_least(times, family)

    def profile(log_gap: float) -> float:
        return family.fitted(times - (least - math.exp(log_gap)))[2]

    grid = np.linspace(math.log(min(_CLOSEST * (most - least), least / 2)), math.log(least), _GRID)
    fits = [family.fitted(times - (least - math.exp(each))) for each in grid[:-1]]
    fits.append(family.fitted(times))
    heights = [each[2] for each in fits]
    tops = [
        i
        for i in range(1, _GRID)
        if fits[i][0] > 1 and heights[i] >= max(heights[i - 1], *heights[i + 1 : i + 2], -math.inf)
    ]
    if not tops:
        return _at_least(times, family)
    top = max(tops, key=lambda i: heights[i])
    log_gap, height = _highest(profile, (grid[top - 1], grid[min(top + 1, _GRID - 1)]), 1e-6)
    is_without = top == _GRID - 1 and heights[top] >= height - 1e-9
    if is_without:
        log_gap = float(grid[-1])
    gap = least if is_without else math.exp(log_gap)
    shape, scale, height = family.fitted(times - (least - gap))
    at = np.log([shape, scale, gap])

    def likelihood(given: Values) -> float:
        own_shape, own_scale, own_gap = np.exp(given)
        return family.likelihood(times - (least - own_gap), own_shape, own_scale)

    def best(place: int, value: float) -> float:
        def over_the_other(log_gap: float) -> float:
            rests = times - (least - math.exp(log_gap))
            if place == 0:
                shape = math.exp(value)
                return family.likelihood(rests, shape, family.scale(rests, shape))
            around = at[0] - 3, at[0] + 3
            scale = math.exp(value)
            return _highest(lambda own: family.likelihood(rests, math.exp(own), scale), around)[1]

        gaps = max(float(grid[0]), log_gap - 3), min(float(grid[-1]), log_gap + 3)
        return _highest(over_the_other, gaps)[1]

    def intervals() -> tuple[Parameter, ...]:
        bound = height - _depth(len(times), shape)
        near = _end(profile, log_gap, -0.1, bound, grid[0])
        latest = least - (0.0 if near is None else math.exp(near))
        if is_without:
            shift = Parameter("shift", 0.0, None, 0.0, latest, _NO_SHIFT)
            return (*_shape_and_scale(times, family, shape, scale), shift)
        errors = np.sqrt(variances(information(likelihood, at)))
        parameters = []
        for place, name in enumerate(("shape", "scale")):
            value, error = float(at[place]), float(errors[place])
            bound_of_it = height - _depth(len(times))
            curve = partial(best, place)
            ends = [_end(curve, value, side * min(error, 1.0), bound_of_it) for side in (-2, 2)]
            low, high = (math.exp(value if end is None else end) for end in ends)
            own = math.exp(value) * error if math.isfinite(error) else None
            parameters.append(Parameter(name, math.exp(value), own, low, high))
        far = _end(profile, log_gap, 0.1, bound, grid[-1])
        error, is_regular = float(gap * errors[2]), shape > _REGULAR
        shift = Parameter(
            "shift",
            least - gap,
            error if is_regular and math.isfinite(error) else None,
            0.0 if far is None else least - math.exp(far),
            latest,
            "" if is_regular else _IRREGULAR,
        )
        return (*parameters, shift)

    law = family.law(shape=shape, scale=scale, shift=least - gap)
    return LawEstimate(law, height, 2 if is_without else 3, intervals)


def _highest(
    curve: Callable[[float], float], ends: tuple[float, float], accuracy: float = 1e-4
) -> tuple[float, float]:
    from scipy import optimize

    found = optimize.minimize_scalar(
        lambda at: -curve(at), bounds=ends, method="bounded", options={"xatol": accuracy}
    )
    return float(found.x), -float(found.fun)


def _depth(times: int, shape: float = _REGULAR) -> float:
    """Return how far a profile of the log-likelihood falls to the ends of an interval.

    Twice as much has a χ² law: of one degree of freedom where errors are normal, and of two for
    the shift of exponential times. In between it was measured to be in between; measured, too, is
    what few times add, a factor like Bartlett's.
    """
    one, two = half_width() ** 2, -2 * math.log(1 - CONFIDENCE)
    irregular = min(max(_REGULAR - shape, 0.0), 1.0) ** 3
    return (one + irregular * (two - one)) * (1 + _BARTLETT / times) / 2


def _end(
    profile: Callable[[float], float],
    top: float,
    step: float,
    bound: float,
    most: float | None = None,
) -> float | None:
    from scipy import optimize

    near = top
    for _ in range(40):
        far = near + step
        if most is not None and (far - most) * step >= 0:
            far = most
        if profile(far) < bound:
            return float(optimize.brentq(lambda at: profile(at) - bound, near, far, xtol=1e-6))
        if far == most:
            return None
        near, step = far, 1.5 * step
    return None


def _at_least(times: Values, family: _Family) -> LawEstimate:
    least = float(times.min())
    above = np.sort(times[times > least] - least)
    shape, scale, height = family.fitted(above)
    law = family.law(shape=shape, scale=scale, shift=least)
    # the density is infinite at the least time, which counts as the interval up to the next one
    height += math.log(float(law.rest().cdf(above[0])) / above[0]) * (len(times) - len(above))

    def intervals() -> tuple[Parameter, ...]:
        reach = float(law.rest().quantile(-math.expm1(math.log(1 - CONFIDENCE) / len(times))))
        shift = Parameter("shift", least, None, max(0.0, least - reach), least, _SHIFTED_LEAST)
        return (*_shape_and_scale(above, family, shape, scale), shift)

    return LawEstimate(law, height, 3, intervals)


def _shape_and_scale(
    rests: Values, family: _Family, shape: float, scale: float
) -> tuple[Parameter, Parameter]:
    def likelihood(at: Values) -> float:
        return family.likelihood(rests, *np.exp(at))

    errors = np.sqrt(variances(information(likelihood, np.log([shape, scale]))))
    return positive("shape", shape, errors[0]), positive("scale", scale, errors[1])
