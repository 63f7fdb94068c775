"""Lognormal times: products of many small delays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from fastgc.latency.elementary import exp, log
from fastgc.latency.law import Law, Positive
from fastgc.latency.time import Compiled, Time, Values
from fastgc.registry import register
from fastgc_kernels.draw import law_numbers


def _special() -> Any:
    """scipy's special functions, whose import takes longer than many a command."""
    from scipy import special

    return special


@register("latency")
class Lognormal(Law):
    """A time whose logarithm is normal with mean ``mu`` and standard deviation ``sigma``.

    Parameters
    ----------
    mu : float
        Mean of the logarithm of the seconds.
    sigma : float
        Standard deviation of the logarithm, more than 0.

    Examples
    --------
    >>> Lognormal(mu=0.0, sigma=1.0).time().quantile(0.5).item()
    1.0
    """

    distribution: Literal["lognormal"] = "lognormal"
    mu: Annotated[float, Field(allow_inf_nan=False)]
    sigma: Positive

    def rest(self) -> Time:
        """Return the lognormal time."""
        return LognormalTime(self.mu, self.sigma)


@dataclass(frozen=True)
class LognormalTime(Time):
    """log T is normal(mu, sigma²)."""

    mu: float
    sigma: float

    def survival(self, t: ArrayLike) -> Values:
        """Return P(T > t)."""
        return np.asarray(_special().ndtr(-self._standard(t)))

    def cdf(self, t: ArrayLike) -> Values:
        """Return P(T ≤ t)."""
        return np.asarray(_special().ndtr(self._standard(t)))

    def quantile(self, u: ArrayLike) -> Values:
        """Return exp(mu + sigma · z), z the standard normal quantile of u."""
        with np.errstate(over="ignore"):
            return np.asarray(exp(self.mu + self.sigma * _special().ndtri(np.asarray(u, float))))

    def upper_quantile(self, v: ArrayLike) -> Values:
        """Return exp(mu − sigma · z), z the standard normal quantile of v."""
        with np.errstate(over="ignore"):
            return np.asarray(exp(self.mu - self.sigma * _special().ndtri(np.asarray(v, float))))

    def mean(self) -> float:
        """Return exp(mu + sigma²/2)."""
        try:
            return math.exp(self.mu + 0.5 * self.sigma**2)
        except OverflowError:
            return math.inf

    def compiled(self) -> Compiled | None:
        """Return the form that kernels know."""
        return Compiled.of(law_numbers.LOGNORMAL, 0.0, 1.0, self.mu, self.sigma)

    def _standard(self, t: ArrayLike) -> Values:
        with np.errstate(divide="ignore"):
            return np.asarray((log(np.maximum(t, 0.0)) - self.mu) / self.sigma)
