"""The laws with formulas."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import pydantic
from numpy.typing import ArrayLike
from pydantic import Field

from fastgc.arrays import Values
from fastgc.latency.empirical import Empirical
from fastgc.latency.law import Law, NotNegative, Positive, Scaling
from fastgc.latency.libm import exp, expm1, log, log1p, power
from fastgc.latency.time import Certain, KernelLaw, Mixture, Time
from fastgc.registry import register
from fastgc_kernels.draw import law_numbers


def _special() -> Any:
    """scipy's special functions, whose import takes longer than many a command."""
    from scipy import special

    return special


class _HazardTime(Time):
    """P(T > t) = exp(−hazard(t)), with a hazard that has an inverse."""

    @abstractmethod
    def hazard(self, t: ArrayLike) -> Values:
        """Return −log P(T > t)."""

    @abstractmethod
    def at(self, hazard: Values) -> Values:
        """Return the time with this hazard."""

    def survival(self, t: ArrayLike) -> Values:
        return exp(-self.hazard(t))

    def cdf(self, t: ArrayLike) -> Values:
        return -expm1(-self.hazard(t))

    def quantile(self, u: ArrayLike) -> Values:
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(self.at(np.abs(log1p(-np.asarray(u, float)))))

    def upper_quantile(self, v: ArrayLike) -> Values:
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(self.at(np.abs(log(v))))


@register("latency")
class Exponential(Law):
    """``shift`` plus an exponential time of the given mean: X has mean shift + mean.

    * ``mean`` (float): Mean of the exponential part in seconds, more than 0.
    * ``shift`` (float): Seconds that come first, at least 0; 0 by default.

    >>> law = Exponential(mean=0.5, shift=1.0)
    >>> law.time(2.0).mean(), law.time(2.0, "data-dependent").mean()
    (3.0, 2.5)
    """

    distribution: Literal["exponential"] = "exponential"
    mean: Positive
    shift: NotNegative = 0.0

    def rest(self) -> Time:
        return ExponentialTime(self.mean)


@dataclass(frozen=True)
class ExponentialTime(_HazardTime):
    """P(T > t) = exp(−t/scale)."""

    scale: float

    def hazard(self, t: ArrayLike) -> Values:
        return np.maximum(t, 0.0) / self.scale

    def at(self, hazard: Values) -> Values:
        return self.scale * hazard

    def mean(self) -> float:
        return self.scale

    def compiled(self) -> KernelLaw:
        return KernelLaw.of(law_numbers.EXPONENTIAL, 0.0, self.scale)

    def total(self, count: int) -> Time:
        return self if count == 1 else GammaTime(float(count), self.scale)


@register("latency")
class Weibull(Law):
    """``shift`` plus a Weibull time, P(rest > t) = exp(−(t/scale)^shape).

    * ``shape`` (float): More than 0; 1 is the exponential law, less has a heavier tail.
    * ``scale`` (float): Seconds, more than 0: the rest exceeds them with probability 1/e.
    * ``shift`` (float): Seconds that come first, at least 0; 0 by default.

    >>> Weibull(shape=1.0, scale=2.0, shift=1.0).time().mean()
    3.0
    """

    distribution: Literal["weibull"] = "weibull"
    shape: Positive
    scale: Positive
    shift: NotNegative = 0.0

    def rest(self) -> Time:
        return WeibullTime(self.shape, self.scale)


@dataclass(frozen=True)
class WeibullTime(_HazardTime):
    """P(T > t) = exp(−(t/scale)^shape)."""

    shape: float
    scale: float

    def hazard(self, t: ArrayLike) -> Values:
        with np.errstate(over="ignore"):
            return power(np.maximum(t, 0.0) / self.scale, self.shape)

    def at(self, hazard: Values) -> Values:
        return self.scale * power(hazard, 1.0 / self.shape)

    def mean(self) -> float:
        try:
            return self.scale * math.gamma(1.0 + 1.0 / self.shape)
        except OverflowError:
            return math.inf

    def compiled(self) -> KernelLaw:
        return KernelLaw.of(law_numbers.WEIBULL, 0.0, self.scale, 1.0 / self.shape)


@register("latency")
class Gamma(Law):
    """``shift`` plus a gamma time of mean shape · scale.

    * ``shape`` (float): More than 0; an integer is that many exponential stages.
    * ``scale`` (float): Mean of one stage in seconds, more than 0.
    * ``shift`` (float): Seconds that come first, at least 0; 0 by default.

    >>> Gamma(shape=3.0, scale=0.5).time().mean()
    1.5
    """

    distribution: Literal["gamma"] = "gamma"
    shape: Positive
    scale: Positive
    shift: NotNegative = 0.0

    def rest(self) -> Time:
        return GammaTime(self.shape, self.scale)


@dataclass(frozen=True)
class GammaTime(Time):
    """P(T > t) = Γ(shape, t/scale)/Γ(shape)."""

    shape: float
    scale: float

    def survival(self, t: ArrayLike) -> Values:
        return np.asarray(_special().gammaincc(self.shape, np.maximum(t, 0.0) / self.scale))

    def cdf(self, t: ArrayLike) -> Values:
        return np.asarray(_special().gammainc(self.shape, np.maximum(t, 0.0) / self.scale))

    def quantile(self, u: ArrayLike) -> Values:
        return np.asarray(self.scale * _special().gammaincinv(self.shape, np.asarray(u, float)))

    def upper_quantile(self, v: ArrayLike) -> Values:
        return np.asarray(self.scale * _special().gammainccinv(self.shape, np.asarray(v, float)))

    def mean(self) -> float:
        return self.shape * self.scale

    def compiled(self) -> KernelLaw:
        return KernelLaw.of(law_numbers.GAMMA, 0.0, self.scale, self.shape)

    def total(self, count: int) -> Time:
        return GammaTime(count * self.shape, self.scale)


@register("latency")
class Pareto(Law):
    """A Pareto time, P(X > t) = (scale/t)^shape from its minimum ``scale`` on.

    * ``shape`` (float): More than 0; only moments below it are finite.
    * ``scale`` (float): The least time in seconds, more than 0.

    >>> law = Pareto(shape=2.0, scale=1.0)
    >>> law.time().mean(), law.time().survival(4.0).round(12).item()
    (2.0, 0.0625)
    """

    distribution: Literal["pareto"] = "pareto"
    shape: Positive
    scale: Positive

    def rest(self) -> Time:
        return ParetoTime(self.shape, self.scale)


@dataclass(frozen=True)
class ParetoTime(Time):
    """P(T > t) = (scale/t)^shape for t ≥ scale."""

    shape: float
    scale: float

    def survival(self, t: ArrayLike) -> Values:
        return power(self.scale / np.maximum(t, self.scale), self.shape)

    def cdf(self, t: ArrayLike) -> Values:
        excess = np.maximum(np.asarray(t, float) - self.scale, 0.0) / self.scale
        return -expm1(-self.shape * log1p(excess))

    def quantile(self, u: ArrayLike) -> Values:
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(self.scale * exp(-log1p(-np.asarray(u, float)) / self.shape))

    def upper_quantile(self, v: ArrayLike) -> Values:
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(self.scale * power(v, -1.0 / self.shape))

    def mean(self) -> float:
        return self.scale * self.shape / (self.shape - 1.0) if self.shape > 1 else math.inf

    def compiled(self) -> KernelLaw:
        return KernelLaw.of(law_numbers.PARETO, 0.0, self.scale, 1.0 / self.shape)

    def tail_exponent(self) -> float:
        return self.shape


@register("latency")
class Lognormal(Law):
    """A time whose logarithm is normal with mean ``mu`` and standard deviation ``sigma``.

    * ``mu`` (float): Mean of the logarithm of the seconds.
    * ``sigma`` (float): Standard deviation of the logarithm, more than 0.

    >>> Lognormal(mu=0.0, sigma=1.0).time().quantile(0.5).item()
    1.0
    """

    distribution: Literal["lognormal"] = "lognormal"
    mu: Annotated[float, Field(allow_inf_nan=False)]
    sigma: Positive

    def rest(self) -> Time:
        return LognormalTime(self.mu, self.sigma)


@dataclass(frozen=True)
class LognormalTime(Time):
    """log T is normal(mu, sigma²)."""

    mu: float
    sigma: float

    def survival(self, t: ArrayLike) -> Values:
        return np.asarray(_special().ndtr(-self._standard(t)))

    def cdf(self, t: ArrayLike) -> Values:
        return np.asarray(_special().ndtr(self._standard(t)))

    def quantile(self, u: ArrayLike) -> Values:
        with np.errstate(over="ignore"):
            return np.asarray(exp(self.mu + self.sigma * _special().ndtri(np.asarray(u, float))))

    def upper_quantile(self, v: ArrayLike) -> Values:
        with np.errstate(over="ignore"):
            return np.asarray(exp(self.mu - self.sigma * _special().ndtri(np.asarray(v, float))))

    def mean(self) -> float:
        try:
            return math.exp(self.mu + 0.5 * self.sigma**2)
        except OverflowError:
            return math.inf

    def compiled(self) -> KernelLaw:
        return KernelLaw.of(law_numbers.LOGNORMAL, 0.0, 1.0, self.mu, self.sigma)

    def _standard(self, t: ArrayLike) -> Values:
        with np.errstate(divide="ignore"):
            return np.asarray((log(np.maximum(t, 0.0)) - self.mu) / self.sigma)


@register("latency")
class Uniform(Law):
    """A time between ``low`` and ``high``, all alike.

    * ``low`` (float): Seconds, 0 or more.
    * ``high`` (float): Seconds, more than ``low``.

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
        return UniformTime(self.low, self.high)


@dataclass(frozen=True)
class UniformTime(Time):
    """P(T > t) = (high − t)/(high − low) in between."""

    low: float
    high: float

    def survival(self, t: ArrayLike) -> Values:
        return np.asarray((self.high - np.clip(t, self.low, self.high)) / (self.high - self.low))

    def cdf(self, t: ArrayLike) -> Values:
        return np.asarray((np.clip(t, self.low, self.high) - self.low) / (self.high - self.low))

    def quantile(self, u: ArrayLike) -> Values:
        return np.asarray(self.low + np.asarray(u, float) * (self.high - self.low))

    def upper_quantile(self, v: ArrayLike) -> Values:
        return np.asarray(self.high - np.asarray(v, float) * (self.high - self.low))

    def mean(self) -> float:
        return self.low + 0.5 * (self.high - self.low)

    def compiled(self) -> KernelLaw:
        return KernelLaw.of(law_numbers.UNIFORM, self.low, self.high - self.low)


@register("latency")
class Deterministic(Law):
    """A time that never varies.

    * ``value`` (float): Seconds, 0 or more.

    >>> Deterministic(value=2.0).time(3.0).mean()
    6.0
    """

    distribution: Literal["deterministic"] = "deterministic"
    value: NotNegative

    def rest(self) -> Time:
        return Certain(self.value)


Part = Annotated[
    Deterministic | Empirical | Exponential | Gamma | Lognormal | Pareto | Uniform | Weibull,
    Field(discriminator="distribution"),
]


@register("latency")
class Bimodal(Law):
    """With probability ``p_slow`` a time of law ``slow``, else one of law ``fast``.

    Each keeps its own shift, so that a load costs either law what it costs it alone.

    * ``p_slow`` (float): Probability that a time is a slow one, from 0 to 1, anew in every task.
    * ``fast`` (Law): The law of a fast time; any law of fastgc but a bimodal one.
    * ``slow`` (Law): The law of a slow time, chosen alike.

    >>> law = Bimodal(
    ...     p_slow=0.1,
    ...     fast=Deterministic(value=1.0),
    ...     slow=Exponential(mean=3.0, shift=2.0),
    ... )
    >>> round(law.time().mean(), 12)
    1.4
    """

    distribution: Literal["bimodal"] = "bimodal"
    p_slow: Annotated[float, Field(ge=0, le=1)]
    fast: Part
    slow: Part

    def rest(self) -> Time:
        return self._mixture(1.0, "server-dependent")

    def of_worker(self, j: int) -> Law:
        fast, slow = self.fast.of_worker(j), self.slow.of_worker(j)
        if fast is self.fast and slow is self.slow:
            return self
        return self.model_copy(update={"fast": fast, "slow": slow})

    def time(self, load: float = 1.0, scaling: Scaling = "server-dependent") -> Time:
        if load == 0:
            return Certain(0.0)
        if scaling == "additive":
            return super().time(load, scaling)
        return self._mixture(load, scaling)

    def _mixture(self, load: float, scaling: Scaling) -> Time:
        parts = self.fast.time(load, scaling), self.slow.time(load, scaling)
        return Mixture((1.0 - self.p_slow, self.p_slow), parts)

    def identity(self) -> dict[str, Any]:
        parts = {"fast": self.fast.identity(), "slow": self.slow.identity()}
        return super().identity() | parts

    def files(self) -> dict[str, Any]:
        return self.fast.files() | self.slow.files()

    def complaints(self, n: int) -> list[tuple[str, str]]:
        return [
            (name, f"{field}: {sentence}")
            for name, law in (("fast", self.fast), ("slow", self.slow))
            for field, sentence in law.complaints(n)
        ]
