"""Pareto times: power-law tails, with moments only below the shape."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from fastgc.latency.elementary import exp, expm1, log1p, power
from fastgc.latency.law import Law, Positive
from fastgc.latency.time import Compiled, Time, Values
from fastgc.registry import register
from fastgc_kernels.draw import law_numbers


@register("latency")
class Pareto(Law):
    """A Pareto time, P(X > t) = (scale/t)^shape from its minimum ``scale`` on.

    Parameters
    ----------
    shape : float
        More than 0; only moments below it are finite.
    scale : float
        The least time in seconds, more than 0.

    Examples
    --------
    >>> law = Pareto(shape=2.0, scale=1.0)
    >>> law.time().mean(), law.time().survival(4.0).round(12).item()
    (2.0, 0.0625)
    """

    distribution: Literal["pareto"] = "pareto"
    shape: Positive
    scale: Positive

    def rest(self) -> Time:
        """Return the Pareto time."""
        return ParetoTime(self.shape, self.scale)


@dataclass(frozen=True)
class ParetoTime(Time):
    """P(T > t) = (scale/t)^shape for t ≥ scale."""

    shape: float
    scale: float

    def survival(self, t: ArrayLike) -> Values:
        """Return P(T > t)."""
        return power(self.scale / np.maximum(t, self.scale), self.shape)

    def cdf(self, t: ArrayLike) -> Values:
        """Return P(T ≤ t)."""
        excess = np.maximum(np.asarray(t, float) - self.scale, 0.0) / self.scale
        return -expm1(-self.shape * log1p(excess))

    def quantile(self, u: ArrayLike) -> Values:
        """Return scale · (1 − u)^(−1/shape)."""
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(self.scale * exp(-log1p(-np.asarray(u, float)) / self.shape))

    def upper_quantile(self, v: ArrayLike) -> Values:
        """Return scale · v^(−1/shape)."""
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(self.scale * power(v, -1.0 / self.shape))

    def mean(self) -> float:
        """Return scale · shape/(shape − 1); infinite for shape ≤ 1."""
        return self.scale * self.shape / (self.shape - 1.0) if self.shape > 1 else math.inf

    def compiled(self) -> Compiled | None:
        """Return the form that kernels know."""
        return Compiled.of(law_numbers.PARETO, 0.0, self.scale, 1.0 / self.shape)
