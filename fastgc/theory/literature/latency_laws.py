"""Laws of a worker's time: moments and tails of one time, and of the k-th of n.

Means and variances of the laws are those of Johnson, Kotz, Balakrishnan, Continuous Univariate
Distributions, volume 1 (1994); those of the k-th of n come from the Beta law of its level.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.theory.cases.completion import completion, late, timed
from fastgc.theory.cases.tables import Table, answers, exponential, whole
from fastgc.theory.common.numerics import half_line
from fastgc.theory.common.order_statistics import order_tail
from fastgc.theory.literature import paper
from fastgc.theory.literature.order_statistics import DAVID
from fastgc.theory.papers.claim import Cases

JOHNSON = "Johnson, Kotz, Balakrishnan, Continuous Univariate Distributions 1 (1994)"
#: A law of each kind, and a time that is neither early nor late in it.
_SINGLE: tuple[tuple[Table, float], ...] = (
    (exponential(1.5, 0.25), 2.0),
    ({"distribution": "gamma", "shape": 2.5, "scale": 0.8, "shift": 0.3}, 2.5),
    ({"distribution": "gamma", "shape": 0.5, "scale": 2.0}, 0.5),
    ({"distribution": "lognormal", "mu": 0.2, "sigma": 0.5}, 1.5),
    ({"distribution": "weibull", "shape": 0.8, "scale": 1.2, "shift": 0.1}, 1.0),
)
_MIXED: tuple[tuple[Table, float], ...] = (
    (
        {
            "distribution": "bimodal",
            "p_slow": 0.3,
            "fast": exponential(1.0),
            "slow": {"distribution": "gamma", "shape": 3.0, "scale": 1.5},
        },
        2.0,
    ),
    (
        {
            "distribution": "bimodal",
            "p_slow": 0.5,
            "fast": exponential(1.0),
            "slow": exponential(3.0),
        },
        1.0,
    ),
    (
        {
            "distribution": "bimodal",
            "p_slow": 0.1,
            "fast": {"distribution": "lognormal", "mu": 0.0, "sigma": 0.3},
            "slow": {"distribution": "weibull", "shape": 2.0, "scale": 5.0},
        },
        1.2,
    ),
)


@dataclass(frozen=True)
class _Law:
    mean: float
    variance: float
    tail: Callable[[float], float]
    least: float = 0.0


def _gamma(shape: float, scale: float) -> _Law:
    from scipy import special

    return _Law(
        shape * scale, shape * scale * scale, lambda t: float(special.gammaincc(shape, t / scale))
    )


def _lognormal(mu: float, sigma: float) -> _Law:
    mean = math.exp(mu + sigma * sigma / 2.0)

    def tail(t: float) -> float:
        return 0.5 * math.erfc((math.log(t) - mu) / (sigma * math.sqrt(2.0))) if t > 0.0 else 1.0

    return _Law(mean, mean * mean * math.expm1(sigma * sigma), tail)


def _weibull(shape: float, scale: float) -> _Law:
    first, second = (math.gamma(1.0 + power / shape) for power in (1, 2))
    return _Law(
        scale * first,
        scale * scale * (second - first * first),
        lambda t: math.exp(-((t / scale) ** shape)),
    )


def _bimodal(p_slow: float, fast: Mapping[str, Any], slow: Mapping[str, Any]) -> _Law:
    parts = ((1.0 - p_slow, law_of(fast)), (p_slow, law_of(slow)))
    mean = sum(share * law.mean for share, law in parts)
    square = sum(share * (law.variance + law.mean**2) for share, law in parts)
    return _Law(mean, square - mean * mean, lambda t: sum(w * law.tail(t) for w, law in parts))


_LAWS: dict[str, Callable[..., _Law]] = {
    "exponential": lambda mean: _gamma(1.0, mean),
    "gamma": _gamma,
    "lognormal": _lognormal,
    "weibull": _weibull,
    "bimodal": _bimodal,
}


def law_of(latency: Mapping[str, Any]) -> _Law:
    """Mean, variance and tail of a law, as a study names it."""
    given = dict(latency)
    name, shift = given.pop("distribution"), given.pop("shift", 0.0)
    if name not in _LAWS:
        raise FastgcError(f"latency: got {name!r}, allowed are {', '.join(sorted(_LAWS))}")
    law = _LAWS[name](**given)
    return _Law(
        law.mean + shift,
        law.variance,
        lambda t: law.tail(t - shift) if t > shift else 1.0,
        law.least + shift,
    )


@paper.formula
def law_mean(latency: Mapping[str, Any]) -> float:
    """Mean of an exponential, gamma, lognormal, Weibull or bimodal time, a table of a study.

    >>> law_mean({"distribution": "gamma", "shape": 2.5, "scale": 2.0, "shift": 1.0})
    6.0
    """
    return law_of(latency).mean


@paper.formula
def law_variance(latency: Mapping[str, Any]) -> float:
    """Variance of such a time.

    >>> law_variance({"distribution": "gamma", "shape": 2.5, "scale": 2.0})
    10.0
    """
    return law_of(latency).variance


@paper.formula
def law_order_mean(n: int, k: int, latency: Mapping[str, Any]) -> float:
    """Mean of the k-th smallest of n such times: the integral of P(X_(k) > t).

    >>> law = {"distribution": "gamma", "shape": 1.0, "scale": 6.0}
    >>> round(law_order_mean(3, 2, law), 9)
    5.0
    """
    law = law_of(latency)

    def tail(t: Values) -> Values:
        return np.array([float(order_tail(n, k, law.tail(x))) for x in t.tolist()])

    return law.least + float(half_line(tail, law.least, law.mean))


def _alone(latency: Table) -> Table:
    return completion(whole(answers(1, 1)), latency)


@paper.claim("laws.mean.printed", f"{JOHNSON}, Chapters 14, 17, 19 and 21")
def _() -> Cases:
    """Means: shape scale of a gamma time, exp(mu + sigma^2/2) of a lognormal one, scale
    G(1 + 1/shape) of a Weibull one."""
    for latency, _ in _SINGLE:
        yield timed(_alone(latency), law_mean(latency))


@paper.claim("laws.variance.printed", f"{JOHNSON}, Chapters 14, 17, 19 and 21")
def _() -> Cases:
    """Variances: shape scale^2 of a gamma time, exp(2 mu + sigma^2) (exp(sigma^2) - 1) of a
    lognormal one, scale^2 (G(1 + 2/shape) - G(1 + 1/shape)^2) of a Weibull one."""
    for latency, _ in _SINGLE[:4]:
        yield timed(_alone(latency), law_variance(latency), "variance")


@paper.claim("laws.tail.printed", f"{JOHNSON}, Chapters 14, 17, 19 and 21")
def _() -> Cases:
    """Tails P(X > t): Q(shape, t/scale), the incomplete gamma function, of a gamma time; that of
    the normal law at (log t - mu)/sigma of a lognormal one; exp(-(t/scale)^shape) of a Weibull
    one."""
    for latency, t in _SINGLE:
        yield late(whole(answers(1, 1)), t, law_of(latency).tail(t), latency)


@paper.claim("laws.mixture.derived", "Derived: one law or the other, chosen by itself")
def _() -> Cases:
    """A time of two humps has the mixture of both laws' tails, first and second moments."""
    for latency, t in _MIXED:
        yield timed(_alone(latency), law_mean(latency))
        yield late(whole(answers(1, 1)), t, law_of(latency).tail(t), latency)
    for latency, _ in _MIXED[:2]:
        yield timed(_alone(latency), law_variance(latency), "variance")


@paper.claim("laws.order.derived", f"Derived from {DAVID}, Section 2.1")
def _() -> Cases:
    """The k-th of n gamma, lognormal or two-humped times is later than t if fewer than k of n are
    done, a binomial probability; its mean is the integral of that."""
    for (n, k), (latency, t) in zip(
        ((5, 4), (8, 3), (10, 9), (12, 6)), (*_SINGLE[1:4], _MIXED[0]), strict=True
    ):
        yield timed(completion(whole(answers(n, k)), latency), law_order_mean(n, k, latency))
        theory = float(order_tail(n, k, law_of(latency).tail(t)))
        yield late(whole(answers(n, k)), t, theory, latency)


@paper.claim("laws.scaling.derived", "Derived from what each scaling of time with load says")
def _() -> Cases:
    """A load l takes l times a time of a load of 1, its variance l^2 times as large
    (server-dependent); l shifts and one rest (data-dependent); or the sum of l independent times,
    its mean and variance l times as large (additive)."""
    shifted = {"distribution": "gamma", "shape": 2.0, "scale": 0.5, "shift": 0.4}
    rest = {key: value for key, value in shifted.items() if key != "shift"}
    load, mean, variance = 3.0, law_mean(rest), law_variance(rest)
    for scaling, total, spread in (
        ("server-dependent", load * (0.4 + mean), load**2 * variance),
        ("data-dependent", load * 0.4 + mean, variance),
        ("additive", load * (0.4 + mean), load * variance),
    ):
        experiment = completion(whole(answers(1, 1)), shifted, work=load, scaling=scaling)
        for case in (timed(experiment, total), timed(experiment, spread, "variance")):
            yield replace(case, point=dict(case.point) | {"scaling": scaling})
