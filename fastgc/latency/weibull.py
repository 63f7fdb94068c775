"""Weibull times: exponential ones raised to a power, with lighter or heavier tails."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from fastgc.latency.elementary import exp, expm1, log, log1p, power
from fastgc.latency.law import Law, NotNegative, Positive
from fastgc.latency.time import Compiled, Time, Values
from fastgc.registry import register
from fastgc_kernels.draw import law_numbers


@register("latency")
class Weibull(Law):
    """``shift`` plus a Weibull time, P(rest > t) = exp(−(t/scale)^shape).

    Parameters
    ----------
    shape : float
        More than 0; 1 is the exponential law, less has a heavier tail.
    scale : float
        Seconds, more than 0: the rest exceeds them with probability 1/e.

    Examples
    --------
    >>> Weibull(shape=1.0, scale=2.0, shift=1.0).time().mean()
    3.0
    """

    distribution: Literal["weibull"] = "weibull"
    shape: Positive
    scale: Positive
    shift: NotNegative = 0.0

    def rest(self) -> Time:
        """Return the Weibull time."""
        return WeibullTime(self.shape, self.scale)


@dataclass(frozen=True)
class WeibullTime(Time):
    """P(T > t) = exp(−(t/scale)^shape)."""

    shape: float
    scale: float

    def survival(self, t: ArrayLike) -> Values:
        """Return P(T > t)."""
        return exp(-self._hazard(t))

    def cdf(self, t: ArrayLike) -> Values:
        """Return P(T ≤ t)."""
        return -expm1(-self._hazard(t))

    def quantile(self, u: ArrayLike) -> Values:
        """Return scale · (−log(1 − u))^(1/shape)."""
        with np.errstate(divide="ignore", over="ignore"):
            hazard = np.abs(log1p(-np.asarray(u, float)))
            return np.asarray(self.scale * power(hazard, 1.0 / self.shape))

    def upper_quantile(self, v: ArrayLike) -> Values:
        """Return scale · (−log v)^(1/shape)."""
        with np.errstate(divide="ignore", over="ignore"):
            hazard = np.abs(log(v))
            return np.asarray(self.scale * power(hazard, 1.0 / self.shape))

    def mean(self) -> float:
        """Return scale · Γ(1 + 1/shape)."""
        try:
            return self.scale * math.gamma(1.0 + 1.0 / self.shape)
        except OverflowError:
            return math.inf

    def compiled(self) -> Compiled | None:
        """Return the form that kernels know."""
        return Compiled.of(law_numbers.WEIBULL, 0.0, self.scale, 1.0 / self.shape)

    def _hazard(self, t: ArrayLike) -> Values:
        with np.errstate(over="ignore"):
            return power(np.maximum(t, 0.0) / self.scale, self.shape)
