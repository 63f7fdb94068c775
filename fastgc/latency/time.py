"""How long something takes: a distribution of times, seen from both of its tails."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fastgc.arrays import Mask, Values
from fastgc.errors import FastgcError
from fastgc.registry import plugins
from fastgc_kernels.draw import law_numbers


@dataclass(frozen=True, eq=False)
class KernelLaw:
    """A kind of law and its parameters, offset and factor first, as kernels number them."""

    kind: int
    params: Values

    @classmethod
    def of(cls, kind: int, offset: float, factor: float, *own: float) -> "KernelLaw":
        """Put together the law of ``offset`` + ``factor`` · Y from the parameters of Y."""
        return cls(kind, np.array([offset, factor, *own], np.float64))

    @property
    def invertible(self) -> bool:
        """Whether times are a function of −log(survival) that kernels know."""
        return self.kind in law_numbers.INVERTIBLE

    @property
    def content(self) -> tuple[int, bytes]:
        """What makes two of them the same law."""
        return self.kind, self.params.tobytes()

    def affine(self, factor: float, offset: float) -> "KernelLaw":
        """Return the law of ``offset`` + ``factor`` · T."""
        params = self.params.copy()
        if self.kind == law_numbers.MIXTURE:
            _, fast, size, slow = params[:4].astype(np.int64).tolist()
            parts = KernelLaw(fast, params[4 : 4 + size]), KernelLaw(slow, params[4 + size :])
            return mixture(params[0], *(each.affine(factor, offset) for each in parts))
        params[0] = offset + factor * params[0]
        params[1] *= factor
        return KernelLaw(self.kind, params)


def mixture(p_slow: float, fast: KernelLaw, slow: KernelLaw) -> KernelLaw:
    """Return the law of ``slow`` with probability ``p_slow``, else of ``fast``: no mixtures."""
    head = np.array([p_slow, fast.kind, fast.params.size, slow.kind], np.float64)
    return KernelLaw(law_numbers.MIXTURE, np.concatenate([head, fast.params, slow.params]))


def _tail(time: Any, found: Any, given: ArrayLike) -> str | None:
    fits = isinstance(found, np.ndarray | float) and np.shape(found) == np.shape(given)
    return None if fits and not np.isnan(found).any() else "numbers of its argument's shape, no NaN"


def _number(time: Any, found: Any) -> str | None:
    return None if isinstance(found, float) and found >= 0 else "a float ≥ 0, which may be infinite"


class Time(ABC):
    """A distribution of times T ≥ 0, in seconds.

    Every method takes numbers or arrays and returns arrays of their shape. Each tail has its own
    pair of functions, accurate where the other pair would lose all digits.
    """

    CHECKS: ClassVar[Mapping[str, plugins.Check]] = {
        "survival": _tail,
        "cdf": _tail,
        "quantile": _tail,
        "upper_quantile": _tail,
        "times": _tail,
        "mean": _number,
    }

    @abstractmethod
    def survival(self, t: ArrayLike) -> Values:
        """Return P(T > t)."""

    @abstractmethod
    def cdf(self, t: ArrayLike) -> Values:
        """Return P(T ≤ t)."""

    @abstractmethod
    def quantile(self, u: ArrayLike) -> Values:
        """Return the smallest t with P(T ≤ t) ≥ u, for 0 ≤ u ≤ 1."""

    @abstractmethod
    def upper_quantile(self, v: ArrayLike) -> Values:
        """Return the smallest t with P(T > t) ≤ v, for 0 ≤ v ≤ 1."""

    @abstractmethod
    def mean(self) -> float:
        """Return E[T]; ``math.inf`` where it is infinite."""

    def times(self, uniforms: ArrayLike) -> Values:
        """Return times drawn by inversion; a smaller uniform number is a longer time.

        Uniform numbers are finest near 0, which is where the long times are.
        """
        return self.upper_quantile(uniforms)

    def compiled(self) -> KernelLaw | None:
        """Return the distribution in the form that kernels know; None where they do not.

        Times are then drawn by `times`.
        """
        return None

    def ends(self) -> tuple[float, float]:
        """Return the largest t that no time falls below, and the smallest that none exceeds."""
        return float(self.quantile(0.0)), float(self.upper_quantile(0.0))

    def bends(self) -> Values:
        """Return, in order, the t at which the distribution function jumps or bends."""
        found = np.unique(self.ends())
        return np.asarray(found[np.isfinite(found)])

    def is_discrete(self) -> bool:
        """Return whether all probability lies on the bends."""
        return False

    def tail_exponent(self) -> float:
        """Return α where P(T > t) falls like t^(−α); infinite for lighter tails."""
        if type(self).__module__.startswith("fastgc."):
            return math.inf
        near, far = (float(self.upper_quantile(v)) for v in (1e-250, 1e-300))
        if not near < far < math.inf:
            return math.inf
        index = 50.0 * math.log(10.0) / math.log(far / near) if near > 0 else math.inf
        return index if index < 50 else math.inf

    def moved(self, factor: float = 1.0, delay: float = 0.0) -> "Time":
        """Return the law of ``factor`` times as long, and ``delay`` more."""
        return self if (factor, delay) == (1, 0) else Affine(self, factor, delay)

    def total(self, count: int) -> "Time":
        """Return the law of the sum of ``count`` independent times; refuse what is not known."""
        if count == 1:
            return self
        name = type(self).__name__.removesuffix("Time").lower()
        raise FastgcError(
            f"the sum of {count} independent {name} times, which a worker's tasks take together, "
            "has no exact law here; those of exponential, gamma and deterministic times have"
        )


@dataclass(frozen=True)
class Affine(Time):
    """``offset + factor`` · T, with factor > 0 and no T for which that is negative."""

    part: Time
    factor: float
    offset: float

    def survival(self, t: ArrayLike) -> Values:
        return self.part.survival((np.asarray(t, float) - self.offset) / self.factor)

    def cdf(self, t: ArrayLike) -> Values:
        return self.part.cdf((np.asarray(t, float) - self.offset) / self.factor)

    def quantile(self, u: ArrayLike) -> Values:
        return self.offset + self.factor * self.part.quantile(u)

    def upper_quantile(self, v: ArrayLike) -> Values:
        return self.offset + self.factor * self.part.upper_quantile(v)

    def mean(self) -> float:
        return self.offset + self.factor * self.part.mean()

    def compiled(self) -> KernelLaw | None:
        part = self.part.compiled()
        return None if part is None else part.affine(self.factor, self.offset)

    def bends(self) -> Values:
        return np.asarray(self.offset + self.factor * self.part.bends())

    def is_discrete(self) -> bool:
        return self.part.is_discrete()

    def tail_exponent(self) -> float:
        return self.part.tail_exponent()

    def moved(self, factor: float = 1.0, delay: float = 0.0) -> Time:
        return Affine(self.part, factor * self.factor, factor * self.offset + delay)

    def total(self, count: int) -> Time:
        return Affine(self.part.total(count), self.factor, count * self.offset)


@dataclass(frozen=True)
class Certain(Time):
    """Always the same time."""

    value: float

    def survival(self, t: ArrayLike) -> Values:
        return np.where(np.asarray(t, float) < self.value, 1.0, 0.0)

    def cdf(self, t: ArrayLike) -> Values:
        return np.where(np.asarray(t, float) < self.value, 0.0, 1.0)

    def quantile(self, u: ArrayLike) -> Values:
        return np.full(np.shape(u), self.value)

    def upper_quantile(self, v: ArrayLike) -> Values:
        return np.full(np.shape(v), self.value)

    def mean(self) -> float:
        return self.value

    def compiled(self) -> KernelLaw | None:
        return KernelLaw.of(law_numbers.DETERMINISTIC, self.value, 0.0)

    def is_discrete(self) -> bool:
        return True

    def moved(self, factor: float = 1.0, delay: float = 0.0) -> Time:
        return Certain(factor * self.value + delay)

    def total(self, count: int) -> Time:
        return Certain(count * self.value)


@dataclass(frozen=True)
class Mixture(Time):
    """One of several times with given probabilities; quantiles are found by bisection."""

    probabilities: tuple[float, ...]
    parts: tuple[Time, ...]

    def survival(self, t: ArrayLike) -> Values:
        return self._average([part.survival(t) for part in self.parts])

    def cdf(self, t: ArrayLike) -> Values:
        return self._average([part.cdf(t) for part in self.parts])

    def quantile(self, u: ArrayLike) -> Values:
        level = np.asarray(u, float)
        bounds = [part.quantile(level) for part in self._possible()]
        return bisect(lambda t: self.cdf(t) >= level, bounds)

    def upper_quantile(self, v: ArrayLike) -> Values:
        level = np.asarray(v, float)
        bounds = [part.upper_quantile(level) for part in self._possible()]
        return bisect(lambda t: self.survival(t) <= level, bounds)

    def mean(self) -> float:
        positive = [p for p in self.probabilities if p > 0]
        means = [part.mean() for part in self._possible()]
        return sum(p * mean for p, mean in zip(positive, means, strict=True))

    def compiled(self) -> KernelLaw | None:
        parts = [part.compiled() for part in self.parts if not isinstance(part, Mixture)]
        if len(self.parts) != 2 or len(parts) != 2 or parts[0] is None or parts[1] is None:
            return None
        return mixture(self.probabilities[1], parts[0], parts[1])

    def ends(self) -> tuple[float, float]:
        low, high = zip(*(part.ends() for part in self._possible()), strict=True)
        return min(low), max(high)

    def bends(self) -> Values:
        return np.unique(np.concatenate([part.bends() for part in self._possible()]))

    def is_discrete(self) -> bool:
        return all(part.is_discrete() for part in self._possible())

    def tail_exponent(self) -> float:
        return min(part.tail_exponent() for part in self._possible())

    def _average(self, values: Sequence[Values]) -> Values:
        total = np.zeros(np.shape(values[0]))
        for p, value in zip(self.probabilities, values, strict=True):
            total = total + p * value
        return total

    def _possible(self) -> list[Time]:
        return [part for p, part in zip(self.probabilities, self.parts, strict=True) if p > 0]


def law_key(time: Time) -> object:
    """Return a key that equal laws share: the law itself if it is hashable, else its id."""
    try:
        hash(time)
    except TypeError:
        return id(time)
    return time


def bisect(reached: Callable[[Values], Mask], bounds: Sequence[Values]) -> Values:
    """Return the smallest float at which ``reached`` holds; it lies between the bounds.

    Halved until no float lies between; where a bound is infinite the largest bound is returned.
    """
    low = np.minimum.reduce(bounds)
    high = np.maximum.reduce(bounds)
    open_ = np.isfinite(high)
    high = np.where(reached(low), low, high)
    while True:
        with np.errstate(invalid="ignore"):
            middle = low + 0.5 * (high - low)
        open_ = open_ & (low < middle) & (middle < high)
        if not open_.any():
            return np.asarray(high)
        below = reached(middle)
        high = np.where(open_ & below, middle, high)
        low = np.where(open_ & ~below, middle, low)
