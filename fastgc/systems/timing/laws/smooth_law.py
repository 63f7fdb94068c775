"""The law of a completion time that can be anything in a range."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.errors import FastgcError
from fastgc.latency.elementary import exp, expm1, log1p
from fastgc.latency.time import Values, bisect
from fastgc.registry.cached import cached_property
from fastgc.systems.timing.laws.completion_law import CompletionLaw
from fastgc.systems.timing.laws.quadrature import integrate

#: Beyond t = centre + width · exp(this) the tail is taken as a power law.
_FAR = 300.0
#: What may be cut off an integral at the end of a light tail.
_NEGLIGIBLE = 1e-20
#: The largest mean whose square is a number.
_LARGEST = 1e154


@dataclass(frozen=True, eq=False)
class SmoothLaw(CompletionLaw):
    """A law that is continuous, at least in part: moments are integrals between the breaks.

    Around a centre c, E C = c + ∫_c^∞ P(C > t) dt − ∫_0^c P(C ≤ t) dt, and in the same way
    E (C − c)²; every term keeps its digits.
    """

    def quantile(self, u: ArrayLike) -> Values:
        """Return the smallest t with P(C ≤ t) ≥ u, for 0 ≤ u ≤ 1."""
        level = np.asarray(u, float)
        # the smaller tail is compared: 1 − u is exact where it is used
        found = self._smallest(
            lambda cdf, survival: np.where(level < 0.5, cdf >= level, survival <= 1.0 - level),
            level.shape,
        )
        found = np.where(level <= 0.0, self.minimum, found)
        return np.asarray(np.where(level >= 1.0, self.maximum, found))

    def upper_quantile(self, v: ArrayLike) -> Values:
        """Return the smallest t with P(C > t) ≤ v, for 0 ≤ v ≤ 1."""
        level = np.asarray(v, float)
        found = self._smallest(lambda cdf, survival: survival <= level, level.shape)
        found = np.where(level >= 1.0, self.minimum, found)
        return np.asarray(np.where(level <= 0.0, self.maximum, found))

    def mean(self) -> float:
        """Return E[C]; ``math.inf`` where it is infinite."""
        return math.inf if self.tail_index <= 1 else self._centre + self._moments[0]

    def variance(self) -> float:
        """Return Var[C]; ``math.inf`` where it is infinite."""
        if self.tail_index <= 2:
            return math.inf
        first, second = self._moments
        return max(0.0, second - first**2)

    @cached_property
    def _moments(self) -> tuple[float, ...]:
        """E (C − centre), and E (C − centre)² where that is finite."""
        orders = 2 if self.tail_index > 2 else 1
        with np.errstate(over="ignore", invalid="ignore"):
            above, below = self._above(orders), self._below(orders)
            found = above + np.array([-1.0, 1.0])[:orders] * below
        if not np.isfinite(found).all() or abs(found[0]) > _LARGEST:
            said = "times are so large that their squares are no numbers; take a larger unit"
            raise FastgcError(said)
        return tuple(float(part) for part in found)

    def _smallest(
        self, reached: Callable[[Values, Values], NDArray[np.bool_]], shape: tuple[int, ...]
    ) -> Values:
        low, high = np.full(shape, self.minimum), np.full(shape, self.maximum)
        if math.isinf(self.maximum):
            high = np.full(shape, 2.0 * self.minimum if self.minimum > 0 else 1.0)
            while True:
                short = ~reached(*self._tails(high)) & (high < 1e300)
                if not short.any():
                    break
                low, high = np.where(short, high, low), np.where(short, 4.0 * high, high)
        return bisect(lambda t: np.asarray(reached(*self._tails(t))), [low, high])

    @cached_property
    def _centre(self) -> float:
        return self._near(0.5)

    def _near(self, level: float) -> float:
        """Return a quantile; its distance from the minimum has six digits."""

        def beyond(distance: float) -> bool:
            t = self.minimum + distance
            return float(self.survival(t)) <= 1.0 - level or t >= self.maximum

        far = self.maximum - self.minimum
        far = max(self.minimum, 1.0) if math.isinf(far) else far
        while not beyond(far) and far < 1e300:
            far *= 4.0
        while far > 1e-300 and beyond(0.25 * far):
            far *= 0.25
        near = 0.25 * far
        for _ in range(20):
            middle = 0.5 * (near + far)
            near, far = (near, middle) if beyond(middle) else (middle, far)
        return self.minimum + far

    def _above(self, orders: int) -> Values:
        """Return ∫ o (t − c)^(o−1) P(C > t) dt over t > c, for each order o."""
        if self._centre >= self.maximum:
            return np.zeros(orders)
        width = self._width((0.75, 0.9, 0.99, 0.999999))

        def at(x: Values) -> Values:
            return np.asarray(self._centre + width * expm1(x))

        def functions(x: Values) -> Values:
            slope = width * exp(x) * self.survival(at(x))
            return np.stack([slope, 2.0 * width * expm1(x) * slope][:orders])

        rest = np.zeros(orders)
        if math.isfinite(self.maximum):
            end = math.log1p((self.maximum - self._centre) / width)
        else:
            end = 1.0
            while end < _FAR:
                left = float(self.survival(at(np.array(end))))
                if left * math.exp(orders * end) < _NEGLIGIBLE:
                    break
                end += 1.0
            else:
                rest = self._power_law(float(at(np.array(end))), orders)
        inside = self.breaks[(self.breaks > self._centre)]
        return integrate(functions, _edges(log1p((inside - self._centre) / width), end)) + rest

    def _power_law(self, far: float, orders: int) -> Values:
        """Return the rest of the integrals beyond ``far``, with P(C > t) ∝ t^(−tail_index)."""
        index = self.tail_index
        if math.isinf(index):
            return np.zeros(orders)
        left = float(self.survival(far))
        first = left * far / (index - 1.0)
        if orders == 1:
            return np.array([first])
        return np.array(
            [first, 2.0 * left * far * far / (index - 2.0) - 2.0 * self._centre * first]
        )

    def _below(self, orders: int) -> Values:
        """Return ∫ o |t − c|^(o−1) P(C ≤ t) dt over t < c, for each order o."""
        if self._centre <= self.minimum:
            return np.zeros(orders)
        width = self._width((0.25, 0.1, 0.01, 0.000001))

        def functions(x: Values) -> Values:
            slope = width * exp(x) * self.cdf(self._centre - width * expm1(x))
            return np.stack([slope, 2.0 * width * expm1(x) * slope][:orders])

        end = math.log1p((self._centre - self.minimum) / width)
        inside = self.breaks[self.breaks < self._centre]
        return integrate(functions, _edges(log1p((self._centre - inside) / width), end))

    def _width(self, levels: Sequence[float]) -> float:
        """Return the distance from the centre to the first quantile that differs from it."""
        for level in levels:
            distance = abs(self._near(level) - self._centre)
            if distance > 1e-5 * (self._centre - self.minimum):
                return distance
        return max(self._centre, 1e-300)


def _edges(inside: Values, end: float) -> Values:
    """Return the edges of panels of length 1 from 0 to ``end``, and the points inside."""
    whole = np.append(np.arange(math.ceil(end)), end)
    return np.union1d(whole, inside[(inside > 0) & (inside < end)])
