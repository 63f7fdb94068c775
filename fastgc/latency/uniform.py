"""Uniform times: anything between two limits, all alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pydantic
from numpy.typing import ArrayLike

from fastgc.latency.law import Law, NotNegative, Positive
from fastgc.latency.time import Compiled, Time, Values
from fastgc.registry import register
from fastgc_kernels.draw import law_numbers


@register("latency")
class Uniform(Law):
    """A time between ``low`` and ``high``, all alike.

    Parameters
    ----------
    low : float
        Seconds, 0 or more.
    high : float
        Seconds, more than ``low``.

    Examples
    --------
    >>> Uniform(low=1.0, high=3.0).time(2.0).mean()
    4.0
    """

    distribution: Literal["uniform"] = "uniform"
    low: NotNegative
    high: Positive

    @pydantic.field_validator("high")
    @classmethod
    def _above(cls, high: float, info: pydantic.ValidationInfo) -> float:
        low = info.data.get("low")
        if low is not None and high <= low:
            raise ValueError(f"must be more than low = {low!r} (got {high!r})")
        return high

    def rest(self) -> Time:
        """Return the uniform time."""
        return UniformTime(self.low, self.high)


@dataclass(frozen=True)
class UniformTime(Time):
    """P(T > t) = (high − t)/(high − low) in between."""

    low: float
    high: float

    def survival(self, t: ArrayLike) -> Values:
        """Return P(T > t)."""
        return np.asarray((self.high - np.clip(t, self.low, self.high)) / (self.high - self.low))

    def cdf(self, t: ArrayLike) -> Values:
        """Return P(T ≤ t)."""
        return np.asarray((np.clip(t, self.low, self.high) - self.low) / (self.high - self.low))

    def quantile(self, u: ArrayLike) -> Values:
        """Return low + u · (high − low)."""
        return np.asarray(self.low + np.asarray(u, float) * (self.high - self.low))

    def upper_quantile(self, v: ArrayLike) -> Values:
        """Return high − v · (high − low)."""
        return np.asarray(self.high - np.asarray(v, float) * (self.high - self.low))

    def mean(self) -> float:
        """Return (low + high)/2."""
        return self.low + 0.5 * (self.high - self.low)

    def compiled(self) -> Compiled | None:
        """Return the form that kernels know."""
        return Compiled.of(law_numbers.UNIFORM, self.low, self.high - self.low)
