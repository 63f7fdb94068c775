"""When a code's answers decode: from how many of them decode, and the law of one worker's time.

Workers are independent and alike, so who the first m are does not depend on when they answer: with
``broken[s]`` the share of the sets of s workers without which nothing decodes, and v = P(X > t),

    P(T > t) = Σ_s C(n, s) v^s (1 − v)^(n − s) broken[s],

which grows with v. The q-quantile of T is where v makes this 1 − q: which code has the least one is
the same for all laws. The mean is Σ_s broken[s] E[X₍ₙ₋ₛ₊₁₎ − X₍ₙ₋ₛ₎] (order statistics).
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fastgc.latency.laws import ExponentialTime
from fastgc.latency.time import Time
from fastgc.registry.cached import cached_property
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.structure import Flat

Values = NDArray[np.float64]


class Clock:
    """The mean of the time until answers of n workers decode, or its quantile ``level``.

    ``time`` is the law of one worker's time, exponential with mean 1 where it is None.

    Examples
    --------
    >>> clock = Clock(2, None, None)  # either answer decodes
    >>> clock.value([0.0, 0.0, 1.0]), Clock(2, None, 0.75).value([0.0, 0.0, 1.0])
    (0.5, 0.6931471805599453)
    """

    def __init__(self, n: int, time: Time | None, level: float | None) -> None:
        self.n, self.time, self.level = n, time, level
        self._sets = [float(math.comb(n, s)) for s in range(n + 1)]

    @cached_property
    def steps(self) -> Sequence[Fraction | float]:
        """How long s workers have not answered, on average, for s from 0 to n."""
        if self.time is None:  # of s that are left the first takes 1/s
            return [Fraction(0), *(Fraction(1, s) for s in range(1, self.n + 1))]
        means = self.means[: self.n + 1].tolist()
        # of times of which some are infinite, the later ones are
        later = [b - a if a < math.inf else math.inf for a, b in itertools.pairwise(means)]
        return [0.0, *later[::-1]]

    @cached_property
    def means(self) -> Values:
        """Mean time of the m-th answer, m from 0 to n, and infinity: float64 (n + 2,)."""
        if self.time is None:
            steps = [float(step) for step in self.steps]
            each = [math.fsum(steps[self.n + 1 - m :]) for m in range(self.n + 1)]
        else:
            laws = (distribution(Flat(self.n, m), [self.time]) for m in range(1, self.n + 1))
            each = [0.0, *(law.mean() for law in laws)]
        return np.array([*each, math.inf])

    def value(self, broken: Sequence[float], spare: float = 0.0) -> float:
        """Return the mean or the quantile, from the shares of sets that do not decode, (n + 1,).

        ``spare``: added to the probability with which a quantile may be exceeded.
        """
        if broken[0] > 0:
            return math.inf
        if self.level is None:
            steps = map(float, self.steps)
            return math.fsum(b * step for b, step in zip(broken, steps, strict=True) if b > 0)
        law = ExponentialTime(1.0) if self.time is None else self.time
        return float(law.upper_quantile(self.still_out(broken, spare)))

    def still_out(self, broken: Sequence[float], spare: float = 0.0) -> float:
        """Return v = P(X > t) at the quantile t of the time until answers decode."""
        assert self.level is not None
        allowed = min(max(1.0 - self.level + spare, 0.0), 1.0)
        low, high = 0.0, 1.0
        while low < (middle := 0.5 * (low + high)) < high:
            late = self.late(broken, middle) <= allowed
            low, high = (middle, high) if late else (low, middle)
        return high if self.late(broken, high) <= allowed else low

    def late(self, broken: Sequence[float], v: float) -> float:
        """Return P(T > t) where P(X > t) = v."""
        n = self.n
        terms = [
            sets * share * v**s * (1.0 - v) ** (n - s)
            for s, (sets, share) in enumerate(zip(self._sets, broken, strict=True))
            if share
        ]
        return math.fsum(terms)

    def late_with(self, v: float) -> Values:
        """Return P(the m-th answer > t) where P(X > t) = v, m from 0 to n, and 1: (n + 2,)."""
        each = [[float(s > self.n - m) for s in range(self.n + 1)] for m in range(self.n + 1)]
        return np.array([*(self.late(broken, v) for broken in each), 1.0])
