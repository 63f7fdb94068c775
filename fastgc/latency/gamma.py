"""Gamma times: what several exponential stages take together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from fastgc.latency.law import Law, NotNegative, Positive
from fastgc.latency.time import Compiled, Time, Values
from fastgc.registry import register
from fastgc_kernels.draw import law_numbers


def _special() -> Any:
    """scipy's special functions, whose import takes longer than many a command."""
    from scipy import special

    return special


@register("latency")
class Gamma(Law):
    """``shift`` plus a gamma time of mean shape · scale.

    Parameters
    ----------
    shape : float
        More than 0; an integer is that many exponential stages.
    scale : float
        Mean of one stage in seconds, more than 0.

    Examples
    --------
    >>> Gamma(shape=3.0, scale=0.5).time().mean()
    1.5
    """

    distribution: Literal["gamma"] = "gamma"
    shape: Positive
    scale: Positive
    shift: NotNegative = 0.0

    def rest(self) -> Time:
        """Return the gamma time."""
        return GammaTime(self.shape, self.scale)

    def total(self, count: int) -> Time:
        """Return the sum of ``count`` of them: the shapes add up."""
        return GammaTime(count * self.shape, self.scale)


@dataclass(frozen=True)
class GammaTime(Time):
    """P(T > t) = Γ(shape, t/scale)/Γ(shape)."""

    shape: float
    scale: float

    def survival(self, t: ArrayLike) -> Values:
        """Return P(T > t)."""
        return np.asarray(_special().gammaincc(self.shape, np.maximum(t, 0.0) / self.scale))

    def cdf(self, t: ArrayLike) -> Values:
        """Return P(T ≤ t)."""
        return np.asarray(_special().gammainc(self.shape, np.maximum(t, 0.0) / self.scale))

    def quantile(self, u: ArrayLike) -> Values:
        """Return the inverse of the distribution function."""
        return np.asarray(self.scale * _special().gammaincinv(self.shape, np.asarray(u, float)))

    def upper_quantile(self, v: ArrayLike) -> Values:
        """Return the inverse of the survival function."""
        return np.asarray(self.scale * _special().gammainccinv(self.shape, np.asarray(v, float)))

    def mean(self) -> float:
        """Return shape · scale."""
        return self.shape * self.scale

    def compiled(self) -> Compiled | None:
        """Return the form that kernels know."""
        return Compiled.of(law_numbers.GAMMA, 0.0, self.scale, self.shape)
