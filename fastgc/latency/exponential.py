"""Exponential times: the law under which waiting longer says nothing about what is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from fastgc.latency.elementary import exp, expm1, log, log1p
from fastgc.latency.gamma import GammaTime
from fastgc.latency.law import Law, NotNegative, Positive
from fastgc.latency.time import Compiled, Time, Values
from fastgc.registry import register
from fastgc_kernels.draw import law_numbers


@register("latency")
class Exponential(Law):
    """``shift`` plus an exponential time of the given mean: X has mean shift + mean.

    Parameters
    ----------
    mean : float
        Mean of the exponential part in seconds, more than 0.

    Examples
    --------
    >>> law = Exponential(mean=0.5, shift=1.0)
    >>> law.time(2.0).mean(), law.time(2.0, "data-dependent").mean()
    (3.0, 2.5)
    """

    distribution: Literal["exponential"] = "exponential"
    mean: Positive
    shift: NotNegative = 0.0

    def rest(self) -> Time:
        """Return the exponential time."""
        return ExponentialTime(self.mean)

    def total(self, count: int) -> Time:
        """Return the sum of ``count`` of them: an Erlang time."""
        return GammaTime(float(count), self.mean)


@dataclass(frozen=True)
class ExponentialTime(Time):
    """P(T > t) = exp(−t/scale)."""

    scale: float

    def survival(self, t: ArrayLike) -> Values:
        """Return P(T > t)."""
        return exp(-np.maximum(t, 0.0) / self.scale)

    def cdf(self, t: ArrayLike) -> Values:
        """Return P(T ≤ t)."""
        return -expm1(-np.maximum(t, 0.0) / self.scale)

    def quantile(self, u: ArrayLike) -> Values:
        """Return −scale · log(1 − u)."""
        with np.errstate(divide="ignore"):
            return np.asarray(self.scale * np.abs(log1p(-np.asarray(u, float))))

    def upper_quantile(self, v: ArrayLike) -> Values:
        """Return −scale · log v."""
        with np.errstate(divide="ignore"):
            return np.asarray(self.scale * np.abs(log(v)))

    def mean(self) -> float:
        """Return the scale."""
        return self.scale

    def compiled(self) -> Compiled | None:
        """Return the form that kernels know."""
        return Compiled.of(law_numbers.EXPONENTIAL, 0.0, self.scale)
