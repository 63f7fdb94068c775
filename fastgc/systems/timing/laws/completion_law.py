"""The exact distribution of a completion time."""

import math
from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.arrays import Mask, Values
from fastgc.errors import FastgcError
from fastgc.latency.libm import exp, expm1, log1p
from fastgc.latency.time import Time, bisect
from fastgc.registry.cached import cached_property
from fastgc.statistics.tallies import dot

Evaluate = Callable[[Values], tuple[Values, Values]]

#: Times evaluated together.
_CHUNK = 4096


@dataclass(frozen=True, eq=False)
class CompletionLaw(Time):
    """The law of a completion time C, given that it is finite; a `Time` like any other.

    ``evaluate`` maps t (m,) to P(C ≤ t) and P(t < C < ∞), not conditional on completion, whose
    probability is ``decodable``; all methods are conditional on it. At the rising ``breaks`` the
    distribution function may jump or bend. P(C > t) falls like t to the power −``tail_index``: only
    moments below it are finite.
    """

    evaluate: Evaluate
    decodable: float
    minimum: float
    maximum: float
    breaks: Values
    tail_index: float

    @abstractmethod
    def variance(self) -> float:
        """Return Var[C]; ``math.inf`` where it is infinite."""

    def mean_of_inverse(self) -> float:
        """Return E[1/C], of times with a positive minimum."""
        if not self.minimum > 0:
            raise FastgcError(
                "times may be as near to 0 as can be, so the mean of 1/time is not known"
            )
        levels = self.quantile(np.array([1e-6, 0.01, 0.1, 0.5, 0.9, 0.99]))
        inside = np.concatenate([self.breaks, np.asarray(levels)])
        edges = np.unique(np.concatenate([[0.0, 1.0 / self.minimum], 1.0 / inside]))
        with np.errstate(divide="ignore"):
            found = integrate(lambda v: self.cdf(1.0 / v)[np.newaxis], edges)
        return float(found[0])

    def moved(self, factor: float = 1.0, delay: float = 0.0) -> "CompletionLaw":
        return replace(
            self,
            evaluate=lambda t: self.evaluate((t - delay) / factor),
            minimum=factor * self.minimum + delay,
            maximum=factor * self.maximum + delay,
            breaks=factor * self.breaks + delay,
        )

    def survival(self, t: ArrayLike) -> Values:
        """Return P(C > t), with full relative precision however small it is."""
        return self._tails(t)[1]

    def cdf(self, t: ArrayLike) -> Values:
        return self._tails(t)[0]

    def _tails(self, t: ArrayLike) -> tuple[Values, Values]:
        points = np.asarray(t, float)
        flat = points.ravel()
        cdf, late = np.empty(flat.size), np.empty(flat.size)
        for first in range(0, flat.size, _CHUNK):
            part = slice(first, first + _CHUNK)
            cdf[part], late[part] = self.evaluate(flat[part])
        for values in (cdf, late):
            values /= self.decodable
            np.clip(values, 0.0, 1.0, out=values)
        return cdf.reshape(points.shape), late.reshape(points.shape)


#: Probabilities at either end that are too small to change a sum.
_NEGLIGIBLE = 1e-20
#: Breaks that are closer than this factor are one.
_ROUNDED = 1.0 + 1e-13


@dataclass(frozen=True, eq=False)
class DiscreteLaw(CompletionLaw):
    """A law with all its probability on ``breaks``: moments are sums over them."""

    @cached_property
    def _middles(self) -> Values:
        """A time between each break and the next, safe from rounding to the wrong side."""
        after = np.append(self.breaks[1:], 2.0 * self.breaks[-1] + 1.0)
        return self.breaks + 0.5 * (after - self.breaks)

    @cached_property
    def _steps(self) -> tuple[Values, Values]:
        first, last = self._first(_NEGLIGIBLE, rising=True), self._first(_NEGLIGIBLE)
        cdf, survival = np.zeros(self.breaks.size), np.ones(self.breaks.size)
        cdf[first:last], survival[first:last] = CompletionLaw._tails(
            self, self._middles[first:last]
        )
        cdf[last:], survival[last:] = 1.0, 0.0
        return cdf, survival

    def _first(self, level: float, rising: bool = False) -> int:
        """Return the number of breaks before P(C > t) ≤ level; ``rising``: P(C ≤ t) > level."""

        def holds(number: int) -> bool:
            cdf, survival = CompletionLaw._tails(self, self._middles[number])
            return bool(cdf > level if rising else survival <= level)

        return bisect_left(range(self.breaks.size), True, key=holds)

    def _tails(self, t: ArrayLike) -> tuple[Values, Values]:
        # what is a break but for rounding is one
        points = np.asarray(t, float) * _ROUNDED
        place = np.searchsorted(self.breaks, points, "right")
        before = place == 0
        cdf, survival = CompletionLaw._tails(self, self._middles[np.maximum(place - 1, 0)])
        return np.where(before, 0.0, cdf), np.where(before, 1.0, survival)

    def quantile(self, u: ArrayLike) -> Values:
        """Return the smallest t with P(C ≤ t) ≥ u; the minimum for u = 0."""
        level = np.asarray(u, float)
        cdf, survival = self._steps
        low = np.searchsorted(cdf, level, "left")
        high = np.searchsorted(-survival, level - 1.0, "left")
        place = np.where(level < 0.5, low, high)
        return self._at(place)

    def upper_quantile(self, v: ArrayLike) -> Values:
        level = np.asarray(v, float)
        place = np.array(np.searchsorted(-self._steps[1], -level, "left"))
        for small in map(tuple, np.argwhere((level > 0.0) & (level < _NEGLIGIBLE))):
            place[small] = self._first(level[small])
        return self._at(place)

    def _at(self, place: NDArray[np.int64]) -> Values:
        found = self.breaks[np.clip(place, 0, self.breaks.size - 1)]
        return np.asarray(np.maximum(found, self.minimum))

    def mean(self) -> float:
        return self._moments[0]

    def variance(self) -> float:
        return self._moments[1]

    @cached_property
    def _moments(self) -> tuple[float, float]:
        cdf, survival = self._steps
        # a break itself: what is rounded to it would be on the wrong side
        place = min(int(np.searchsorted(cdf, 0.5)), self.breaks.size - 1)
        centre = float(self.breaks[place])
        above = np.arange(cdf.size - 1) >= place
        tails = np.where(above, survival[:-1], -cdf[:-1])
        off = math.fsum(tails * np.diff(self.breaks))
        squares = math.fsum(tails * np.diff((self.breaks - centre) ** 2))
        return centre + off, max(0.0, squares - off**2)


#: Beyond t = centre + width · exp(this) the tail is taken as a power law.
_FAR = 300.0
#: Of integrals, relatively; and the roundings of a time that are in one of its law, about.
_PRECISION, _ROUNDINGS = 1e-11, 16.0
#: The largest mean whose square is a number.
_LARGEST = 1e154


@dataclass(frozen=True, eq=False)
class SmoothLaw(CompletionLaw):
    """A law that is continuous, at least in part: moments are integrals between the breaks.

    Around a centre c, E C = c + ∫_c^∞ P(C > t) dt − ∫_0^c P(C ≤ t) dt, and in the same way
    E (C − c)²; every term keeps its digits.
    """

    def quantile(self, u: ArrayLike) -> Values:
        level = np.asarray(u, float)
        # the smaller tail is compared: 1 − u is exact where it is used
        found = self._smallest(
            lambda cdf, survival: np.where(level < 0.5, cdf >= level, survival <= 1.0 - level),
            level.shape,
        )
        found = np.where(level <= 0.0, self.minimum, found)
        return np.asarray(np.where(level >= 1.0, self.maximum, found))

    def upper_quantile(self, v: ArrayLike) -> Values:
        level = np.asarray(v, float)
        found = self._smallest(lambda cdf, survival: survival <= level, level.shape)
        found = np.where(level >= 1.0, self.minimum, found)
        return np.asarray(np.where(level <= 0.0, self.maximum, found))

    def mean(self) -> float:
        return math.inf if self.tail_index <= 1 else self._centre + self._moments[0]

    def variance(self) -> float:
        if self.tail_index <= 2:
            return math.inf
        first, second = self._moments
        return max(0.0, second - first**2)

    @cached_property
    def _moments(self) -> tuple[float, ...]:
        """E (C − centre), and E (C − centre)² where that is finite."""
        orders = 2 if self.tail_index > 2 else 1
        with np.errstate(over="ignore", invalid="ignore"):
            above, below = self._beside(1.0, orders), self._beside(-1.0, orders)
            found = above + np.array([-1.0, 1.0])[:orders] * below
        if not np.isfinite(found).all() or abs(found[0]) > _LARGEST:
            said = "times are so large that their squares are no numbers; take a larger unit"
            raise FastgcError(said)
        return tuple(float(part) for part in found)

    def _smallest(
        self, reached: Callable[[Values, Values], Mask], shape: tuple[int, ...]
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

    def _beside(self, side: float, orders: int) -> Values:
        """Return ∫ o |t − c|^(o−1) P dt, for each order o: the sum of all that is beyond t.

        On ``side`` 1 of the centre c, P is P(C > t) for t > c; on −1, P(C ≤ t) for t < c.
        """
        beyond, last = (self.survival, self.maximum) if side > 0 else (self.cdf, self.minimum)
        if side * (last - self._centre) <= 0:
            return np.zeros(orders)
        width = self._width((0.75, 0.9, 0.99, 0.999999) if side > 0 else (0.25, 0.1, 0.01, 1e-6))

        def at(x: Values) -> Values:
            return np.asarray(self._centre + side * width * expm1(x))

        def functions(x: Values) -> Values:
            slope = width * exp(x) * beyond(at(x))
            return np.stack([slope, 2.0 * width * expm1(x) * slope][:orders])

        rest = np.zeros(orders)
        if math.isfinite(last):
            end = math.log1p(side * (last - self._centre) / width)
        else:
            end = 1.0
            while end < _FAR:
                left = float(self.survival(at(np.array(end))))
                if left * math.exp(orders * end) < _NEGLIGIBLE:
                    break
                end += 1.0
            else:
                rest = self._power_law(float(at(np.array(end))), orders)
        inside = log1p(np.maximum(side * (self.breaks - self._centre), 0.0) / width)
        panels = np.append(np.arange(math.ceil(end)), end)
        edges = np.union1d(panels, inside[(inside > 0) & (inside < end)])
        # less precise where times themselves are rounded
        precision = _ROUNDINGS * np.finfo(float).eps * self._centre / width
        return integrate(functions, edges, max(_PRECISION, precision)) + rest

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

    def _width(self, levels: Sequence[float]) -> float:
        """Return the distance from the centre to the first quantile that differs from it."""
        for level in levels:
            distance = abs(self._near(level) - self._centre)
            if distance > 1e-5 * (self._centre - self.minimum):
                return distance
        return max(self._centre, 1e-300)


#: Nodes ≥ 0 of the 21-point rule and their weights (Piessens et al., QUADPACK, 1983).
_NODES = (
    0.9956571630258081, 0.9739065285171717, 0.9301574913557082, 0.8650633666889845,
    0.7808177265864169, 0.6794095682990244, 0.5627571346686047, 0.4333953941292472,
    0.2943928627014602, 0.14887433898163122, 0.0,
)  # fmt: skip
_KRONROD = (
    0.011694638867371874, 0.032558162307964725, 0.054755896574351995, 0.07503967481091996,
    0.0931254545836976, 0.10938715880229764, 0.12349197626206584, 0.13470921731147334,
    0.14277593857706009, 0.14773910490133849, 0.1494455540029169,
)  # fmt: skip
#: Weights of the embedded 10-point rule, at every second node.
_GAUSS = (
    0.06667134430868814, 0.1494513491505806, 0.21908636251598204, 0.26926671930999635,
    0.29552422471475287,
)  # fmt: skip
_X = np.array([*_NODES, *(-node for node in _NODES[-2::-1])])
_K = np.array([*_KRONROD, *_KRONROD[-2::-1]])
_G = np.zeros(21)
_G[1:10:2] = _GAUSS
_G[11:20:2] = _GAUSS[::-1]
_ROUNDS = 60
_MOST_PANELS = 200_000


def integrate(
    functions: Callable[[Values], Values], edges: ArrayLike, relative: float = _PRECISION
) -> Values:
    """Integrate functions over the panels between ``edges``, halving those that are not precise."""
    points = np.asarray(edges, float)
    low, high = points[:-1], points[1:]
    panels = _panels(functions, low[low < high], high[low < high])
    made = panels.shape[1]
    for _ in range(_ROUNDS):
        low, high = panels[:2]
        value, error = np.split(panels[2:], 2)
        allowed = relative * np.abs(value.sum(1, keepdims=True))
        if np.all(error.sum(1, keepdims=True) <= allowed) or made > _MOST_PANELS:
            break
        middle = 0.5 * (low + high)
        bad = np.any(error > 0.5 * allowed / low.size, axis=0) & (low < middle) & (middle < high)
        if not bad.any():
            break
        ends = (low[bad], middle[bad]), (middle[bad], high[bad])
        halves = _panels(functions, *map(np.concatenate, ends))
        made += halves.shape[1]
        panels = np.concatenate([panels[:, ~bad], halves], 1)
    return np.asarray(np.split(panels[2:], 2)[0].sum(1))


def _panels(functions: Callable[[Values], Values], low: Values, high: Values) -> Values:
    """Rows of panels: their ends, the integrals, and QUADPACK's estimates of their errors."""
    half = 0.5 * (high - low)
    points = 0.5 * (low + high)[:, None] + half[:, None] * _X
    values = functions(points.ravel()).reshape(-1, low.size, _X.size)
    kronrod = dot(values, _K)
    spread = dot(np.abs(values - 0.5 * kronrod[..., None]), _K)
    difference = np.abs(kronrod - dot(values, _G))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = 200.0 * difference / spread
        small = share * np.sqrt(share)
    error = np.where(spread > 0, spread * np.minimum(1.0, small), difference)
    return np.concatenate([[low, high], kronrod * half, error * half])
