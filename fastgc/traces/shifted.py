"""Weibull and gamma times with a shift, by maximum likelihood.

Where the density is infinite at the shift (shape < 1), the likelihood has no maximum: the least
time is taken as the shift, and shape and scale are those of the other times (Smith, Biometrika 72,
1985). Else the likelihood has a local maximum, which is looked for along its profile over the
shift; only for shapes above 2 is the error of the shift normal.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fastgc.arrays import Values
from fastgc.latency import Gamma, Law, Weibull
from fastgc.traces.fits import (
    CONFIDENCE,
    Estimated,
    Parameter,
    UnfitError,
    half_width,
    information,
    known,
    positive,
    variances,
)

_GRID = 24  # shifts at which the profile is looked at first
_CLOSEST = 1e-5  # of the times' range: how near to the least time a shift is looked for
_BARTLETT = 10.0
_REGULAR = 2.0  # the shape above which the shift's error is normal
_IRREGULAR = "its error is not normal; interval by likelihood ratio"
_LEAST = "the least time, as the shape is below 1; it can only be too large"
_LARGEST = 300.0  # logarithm of a hazard: what is so unlikely is not the best fit
_NO_SHIFT = "at its least value"

_Two = Callable[[Values], tuple[float, float, float]]


@dataclass(frozen=True)
class _Family:
    """A law with shape and scale: how both are fitted, or either given the other."""

    two: _Two
    scale: Callable[[Values, float], float]
    shape: Callable[[Values, float], float]
    likelihood: Callable[[Values, float, float], float]
    law: Callable[[float, float, float], Law]


def weibull(times: Values) -> Estimated:
    """Fit shape, scale and shift of Weibull times.

    >>> times = Weibull(shape=3.0, scale=2.0, shift=5.0).time().quantile(np.arange(0.001, 1, 0.002))
    >>> [round(each, 1) for each in (lambda w: (w.shape, w.scale, w.shift))(weibull(times).law)]
    [3.0, 2.0, 5.0]
    """
    return _fit(times, _WEIBULL)


def gamma(times: Values) -> Estimated:
    """Fit shape, scale and shift of gamma times."""
    return _fit(times, _GAMMA)


def _fit(times: Values, family: _Family) -> Estimated:
    from scipy import optimize

    least = float(times.min())
    span = float(times.max()) - least
    if least <= 0:
        if np.count_nonzero(times == 0) > 1:
            raise UnfitError("several times are 0")
        return _at_least(times, family)

    def profile(log_gap: float) -> float:
        return family.two(times - (least - math.exp(log_gap)))[2]

    grid = np.linspace(math.log(min(_CLOSEST * span, least / 2)), math.log(least), _GRID)
    fits = [family.two(times - (least - math.exp(each))) for each in grid[:-1]]
    fits.append(family.two(times))
    heights = np.array([each[2] for each in fits])
    tops = [
        i
        for i in range(1, _GRID)
        if fits[i][0] > 1
        and heights[i] >= heights[i - 1]
        and (i == _GRID - 1 or heights[i] >= heights[i + 1])
    ]
    if not tops:
        return _at_least(times, family)
    top = max(tops, key=lambda i: float(heights[i]))
    right = grid[min(top + 1, _GRID - 1)]
    found = optimize.minimize_scalar(
        lambda log_gap: -profile(log_gap),
        bounds=(grid[top - 1], right),
        method="bounded",
        options={"xatol": 1e-6},
    )
    gap = math.exp(found.x)
    if top == _GRID - 1 and heights[top] >= -found.fun - 1e-9:
        return _without_shift(times, family)
    shape, scale, height = family.two(times - (least - gap))

    def intervals() -> tuple[Parameter, ...]:
        def likelihood(at: Values) -> float:
            shape, scale, gap = np.exp(at)
            return family.likelihood(times - (least - gap), shape, scale)

        def best(given: Callable[[Values], float]) -> float:
            """Return the greatest likelihood over shifts, at the shape or scale that is given."""
            found_here = optimize.minimize_scalar(
                lambda log_gap: -given(times - (least - math.exp(log_gap))),
                bounds=(max(grid[0], found.x - 3), min(grid[-1], found.x + 3)),
                method="bounded",
                options={"xatol": 1e-4},
            )
            return -float(found_here.fun)

        def of_shape(at: float) -> float:
            shape = math.exp(at)
            return best(lambda rests: family.likelihood(rests, shape, family.scale(rests, shape)))

        def of_scale(at: float) -> float:
            scale = math.exp(at)
            return best(lambda rests: family.likelihood(rests, family.shape(rests, scale), scale))

        errors = np.sqrt(variances(information(likelihood, np.log([shape, scale, gap]))))
        bound = height - _depth(len(times))
        parameters = []
        for name, value, error, curve in (
            ("shape", shape, errors[0], of_shape),
            ("scale", scale, errors[1], of_scale),
        ):
            step = 2 * min(error, 1.0)
            ends = [_end(curve, math.log(value), side * step, bound) for side in (-1, 1)]
            low, high = (value if end is None else math.exp(end) for end in ends)
            parameters.append(Parameter(name, value, known(value * error), low, high))
        bound = height - _depth(len(times), shape)
        near = _end(profile, found.x, -0.1, bound, grid[0])
        far = _end(profile, found.x, 0.1, bound, grid[-1])
        regular = shape > _REGULAR
        return (
            *parameters,
            Parameter(
                "shift",
                least - gap,
                known(gap * errors[2]) if regular else None,
                0.0 if far is None else least - math.exp(far),
                least - (0.0 if near is None else math.exp(near)),
                "" if regular else _IRREGULAR,
            ),
        )

    return Estimated(family.law(shape, scale, least - gap), height, 3, intervals)


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
    """Return where a profile falls below a bound, from its top on; None where it does not.

    ``step`` is how far to go at first, to which side; ``most`` is where the profile ends.
    """
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


def _without_shift(times: Values, family: _Family) -> Estimated:
    """Return the fit without a shift: the likelihood falls as soon as there is one."""
    shape, scale, height = family.two(times)

    def intervals() -> tuple[Parameter, ...]:
        least = float(times.min())
        bound = height - _depth(len(times), shape)
        most = 0.0
        for share in np.linspace(0.01, 0.99, 99):
            if family.two(times - share * least)[2] < bound:
                break
            most = float(share) * least
        return (
            *_shape_and_scale(times, family, shape, scale),
            Parameter("shift", 0.0, None, 0.0, most, _NO_SHIFT),
        )

    return Estimated(family.law(shape, scale, 0.0), height, 2, intervals)


def _at_least(times: Values, family: _Family) -> Estimated:
    """Return the fit whose shift is the least time."""
    least = float(times.min())
    above = np.sort(times[times > least] - least)
    shape, scale, height = family.two(above)
    law = family.law(shape, scale, least)
    # the density is infinite at the least time, which counts as the interval up to the next one
    height += math.log(float(law.rest().cdf(above[0])) / above[0]) * (len(times) - len(above))

    def intervals() -> tuple[Parameter, ...]:
        reach = float(law.rest().quantile(-math.expm1(math.log(1 - CONFIDENCE) / len(times))))
        return (
            *_shape_and_scale(above, family, shape, scale),
            Parameter("shift", least, None, max(0.0, least - reach), least, _LEAST),
        )

    return Estimated(law, height, 3, intervals)


def _shape_and_scale(
    rests: Values, family: _Family, shape: float, scale: float
) -> tuple[Parameter, Parameter]:
    def likelihood(at: Values) -> float:
        return family.likelihood(rests, *np.exp(at))

    errors = np.sqrt(variances(information(likelihood, np.log([shape, scale]))))
    return positive("shape", shape, errors[0]), positive("scale", scale, errors[1])


def _weibull(rests: Values) -> tuple[float, float, float]:
    """Return shape, scale and log-likelihood of the best Weibull law without a shift."""
    below = np.log(rests)
    below -= below.max()
    mean = float(below.mean())

    def step(shape: float) -> float:
        weights = np.exp(shape * below)
        total = float(weights.sum())
        first = float(weights @ below) / total
        second = float(weights @ below**2) / total
        return (first - mean - 1 / shape) / (second - first**2 + 1 / shape**2)

    shape = _newton(step, math.pi / math.sqrt(6) / max(float(below.std()), 1e-12))
    scale = _weibull_scale(rests, shape)
    return shape, scale, _weibull_likelihood(rests, shape, scale)


def _weibull_scale(rests: Values, shape: float) -> float:
    logs = np.log(rests)
    most = float(logs.max())
    return math.exp(most + math.log(float(np.exp(shape * (logs - most)).mean())) / shape)


def _weibull_shape(rests: Values, scale: float) -> float:
    logs = np.log(rests / scale)

    def step(shape: float) -> float:
        hazards = np.exp(np.minimum(shape * logs, _LARGEST))
        slope = len(logs) / shape + float(logs.sum()) - float(hazards @ logs)
        return -slope / (len(logs) / shape**2 + float(hazards @ logs**2))

    return _newton(step, 1.0)


def _weibull_likelihood(rests: Values, shape: float, scale: float) -> float:
    logs = np.log(rests / scale)
    hazard = float(np.exp(np.minimum(shape * logs, _LARGEST)).sum())
    return len(rests) * math.log(shape / scale) + (shape - 1) * float(logs.sum()) - hazard


def _gamma(rests: Values) -> tuple[float, float, float]:
    """Return shape, scale and log-likelihood of the best gamma law without a shift."""
    mean = float(rests.mean())
    shape = _gamma_at(math.log(mean) - float(np.log(rests).mean()))
    return shape, mean / shape, _gamma_likelihood(rests, shape, mean / shape)


def _gamma_at(gap: float) -> float:
    """Return the shape whose logarithm exceeds its digamma by the gap."""
    from scipy import special

    gap = max(gap, 1e-12)

    def step(shape: float) -> float:
        excess = math.log(shape) - float(special.psi(shape)) - gap
        return excess / (1 / shape - float(special.polygamma(1, shape)))

    return _newton(step, (3 - gap + math.sqrt((gap - 3) ** 2 + 24 * gap)) / (12 * gap))


def _gamma_scale(rests: Values, shape: float) -> float:
    return float(rests.mean()) / shape


def _gamma_shape(rests: Values, scale: float) -> float:
    from scipy import special

    level = float(np.log(rests).mean()) - math.log(scale)

    def step(shape: float) -> float:
        return (float(special.psi(shape)) - level) / float(special.polygamma(1, shape))

    return _newton(step, math.exp(level) + 0.5)


def _gamma_likelihood(rests: Values, shape: float, scale: float) -> float:
    logs = float(np.log(rests).sum())
    constant = math.lgamma(shape) + shape * math.log(scale)
    return (shape - 1) * logs - float(rests.sum()) / scale - len(rests) * constant


def _newton(step: Callable[[float], float], start: float) -> float:
    """Return where Newton's steps end, all values positive."""
    at = start
    for _ in range(100):
        by = step(at)
        at = at - by if by < at else at / 2
        if abs(by) < 1e-10 * at:
            break
    return at


_WEIBULL = _Family(
    _weibull,
    _weibull_scale,
    _weibull_shape,
    _weibull_likelihood,
    lambda shape, scale, shift: Weibull(shape=shape, scale=scale, shift=shift),
)
_GAMMA = _Family(
    _gamma,
    _gamma_scale,
    _gamma_shape,
    _gamma_likelihood,
    lambda shape, scale, shift: Gamma(shape=shape, scale=scale, shift=shift),
)
