"""The time of two things one after the other: work, and sending what came of it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from fastgc.arrays import Values
from fastgc.draws.streams import Batch
from fastgc.errors import FastgcError
from fastgc.latency.draws import Draws
from fastgc.latency.elementary import exp, expm1
from fastgc.latency.laws import ExponentialTime
from fastgc.latency.time import Affine, Certain, Time, bisect

_NODES, _WEIGHTS = (part.tolist() for part in np.polynomial.legendre.leggauss(20))


@dataclass(frozen=True)
class TwoExponentials(Time):
    """The sum of two independent exponential times with these rates, ``slow`` ≤ ``fast``.

    With y = (fast − slow) t, P(T > t) = e^(−slow·t) (1 + slow·t (1 − e^(−y))/y): no difference of
    close numbers is taken, and equal rates are no exception.
    """

    slow: float
    fast: float

    def survival(self, t: ArrayLike) -> Values:
        x = np.clip(np.asarray(t, float), 0.0, 1e300)
        return np.asarray(exp(-self.slow * x) * (1.0 + self.slow * x * self._mean(x)))

    def cdf(self, t: ArrayLike) -> Values:
        x = np.maximum(np.asarray(t, float), 0.0)
        small = np.minimum(x, 1.0 / self.fast)
        inside = np.zeros(x.shape)
        for node, weight in zip(_NODES, _WEIGHTS, strict=True):
            u = 0.5 * (node + 1.0) * small
            inside = inside + 0.5 * weight * exp(-self.slow * u) * u * self._mean(u)
        inside = self.slow * self.fast * small * inside
        return np.asarray(np.where(x <= small, inside, 1.0 - self.survival(x)))

    def _mean(self, x: Values) -> Values:
        """Return (1 − e^(−y))/y, the mean of e^(−y·uniform)."""
        y = (self.fast - self.slow) * x
        small = y < 1e-300
        return np.where(small, 1.0, -expm1(-y) / np.where(small, 1.0, y))

    def quantile(self, u: ArrayLike) -> Values:
        level = np.asarray(u, float)
        return bisect(lambda t: self.cdf(t) >= level, [np.zeros(level.shape), self._far(1 - level)])

    def upper_quantile(self, v: ArrayLike) -> Values:
        level = np.asarray(v, float)
        ends = [np.zeros(level.shape), self._far(level)]
        return bisect(lambda t: self.survival(t) <= level, ends)

    def _far(self, v: Values) -> Values:
        return np.asarray(2.0 * ExponentialTime(1.0 / self.slow).upper_quantile(0.5 * v))

    def mean(self) -> float:
        return 1.0 / self.slow + 1.0 / self.fast


def added(first: Time, second: Time) -> Time:
    """Return the law of the sum of two independent times, if it is known."""
    (one, before), (other, after) = _taken_apart(first), _taken_apart(second)
    if one == 0:
        return Affine(second, 1.0, before) if before else second
    if other == 0:
        return Affine(first, 1.0, after) if after else first
    if math.isnan(one + other):
        raise FastgcError("the sum of a worker's time and that to send has no exact law here")
    own = TwoExponentials(1.0 / max(one, other), 1.0 / min(one, other))
    return Affine(own, 1.0, before + after) if before + after else own


def _taken_apart(time: Time) -> tuple[float, float]:
    """Return scale and offset of an exponential time; scale 0 of a certain one, NaN of others."""
    factor, offset = 1.0, 0.0
    while isinstance(time, Affine):
        offset, factor, time = offset + factor * time.offset, factor * time.factor, time.part
    if isinstance(time, Certain):
        return 0.0, offset + factor * time.value
    return factor * time.scale if isinstance(time, ExponentialTime) else math.nan, offset


@dataclass(frozen=True)
class WithSending:
    """Draws workers' times with those to send their answers, which are independent of them."""

    work: Draws
    send: Draws

    #: Sums have no inverse that kernels know.
    common = None

    def times(self, batch: Batch) -> Values:
        """Draw a batch: float64 (iterations, n, trials)."""
        sent = self.send.times(replace(batch, stream=f"{batch.stream} send"))
        return np.asarray(self.work.times(batch) + sent)


def each_added(first: Sequence[Time], second: Sequence[Time]) -> list[Time]:
    """Return the sums of one law or one a worker, and of the same."""
    if len(first) == len(second) == 1:
        return [added(first[0], second[0])]
    n = max(len(first), len(second))
    return [added(first[j % len(first)], second[j % len(second)]) for j in range(n)]
