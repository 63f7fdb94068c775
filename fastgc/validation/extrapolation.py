"""To where values at growing sizes go, with the error that their own errors give to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from fastgc.registry.cached import cached_property

#: What is left falls like a power of n, or of log n.
Model = Literal["power", "logarithm"]

_BISECTIONS = 200
_STEEPEST = 700.0  # exponents beyond overflow


@dataclass(frozen=True)
class Number:
    """A number with its standard error."""

    value: float
    error: float


@dataclass(frozen=True)
class Limit:
    """To where values go.

    Attributes
    ----------
    value : float
        Infinite where they go on without one.
    error : float
        Its standard error.
    doubt : float
        How far it is from what smaller sizes give: what is wrong with the model.
    """

    value: float
    error: float
    doubt: float


@dataclass(frozen=True)
class Point:
    """A value at a size, with its standard error."""

    size: float
    value: float
    error: float
    logarithm: float


@dataclass(frozen=True)
class Series:
    """Values at growing sizes, with their standard errors.

    Of many sizes four are looked at, that part the range of log n into thirds.
    """

    sizes: Sequence[float]
    values: Sequence[float]
    errors: Sequence[float]

    @property
    def pairs(self) -> list[tuple[float, float]]:
        """Values with their errors."""
        return list(zip(self.values, self.errors, strict=True))

    def is_within(self, reach: float, z: float) -> bool:
        """Whether every value is so close to 0, with its error, and not told from it."""
        return all(abs(v) <= z * e and abs(v) + z * e <= reach for v, e in self.pairs)

    def inverse(self) -> Series:
        """One over the values, none of which is 0."""
        errors = [error / value**2 for value, error in self.pairs]
        return Series(self.sizes, [1 / value for value in self.values], errors)

    @cached_property
    def chosen(self) -> tuple[Point, Point, Point, Point]:
        """The four points that are looked at."""
        logs = [math.log(size) for size in self.sizes]
        last = len(logs) - 1
        third, two_thirds = (logs[0] + part * (logs[-1] - logs[0]) / 3 for part in (1, 2))
        b = min(range(1, last - 1), key=lambda i: abs(logs[i] - third))
        c = min(range(b + 1, last), key=lambda i: abs(logs[i] - two_thirds))
        # sizes below 2 have no logarithm to speak of
        shift = max(0.0, math.log(2) - logs[0])
        found = [
            Point(self.sizes[i], self.values[i], self.errors[i], logs[i] + shift)
            for i in (0, b, c, last)
        ]
        return found[0], found[1], found[2], found[3]

    @cached_property
    def exponents(self) -> list[Number]:
        """Like which powers of n positive values grow from point to point."""
        found = []
        for a, b in zip(self.chosen, self.chosen[1:], strict=False):
            step = math.log(b.size / a.size)
            error = math.hypot(a.error / a.value, b.error / b.value) / step
            found.append(Number(math.log(b.value / a.value) / step, error))
        return found

    @cached_property
    def bend(self) -> Number:
        """By how much values grow faster with log log n at the end than before.

        Below 0 they can level off; what does not level off, like log n, is above.
        """
        _, a, b, c = self.chosen
        x = [math.log(point.logarithm) for point in (a, b, c)]
        first, second = 1 / (x[1] - x[0]), 1 / (x[2] - x[1])
        value = second * (c.value - b.value) - first * (b.value - a.value)
        error = math.hypot(first * a.error, (first + second) * b.error, second * c.error)
        return Number(value, error)

    def limit(self, model: Model, z: float) -> Limit:
        """Return to where values go if what is left falls like a power of n, or of log n."""
        points = self.chosen
        x = [p.logarithm if model == "power" else math.log(p.logarithm) for p in points]
        values = [point.value for point in points]
        errors = [point.error for point in points]
        step = abs(values[3] - values[2])
        noise = z * math.hypot(errors[3], errors[2])
        found = aitken(x[1:], values[1:])
        if found is None or step <= noise:  # nothing is left to extrapolate, or values swing
            return Limit(values[3], errors[3], step + noise)
        if math.isinf(found):
            return Limit(found, math.inf, math.inf)
        before = aitken(x[:3], values[:3])
        unknown = before is None or math.isinf(before)
        doubt = abs(values[3] - found) if unknown else abs(found - (before or 0.0))
        return Limit(found, _error(lambda v: aitken(x[1:], v), values[1:], errors[1:]), doubt)


def aitken(x: Sequence[float], values: Sequence[float]) -> float | None:
    """Return c of c + a exp(-b x) through three points; infinite where b is 0 or less.

    Of equal steps of x this is Aitken's extrapolation. None where the values swing.

    >>> round(aitken([0.0, 1.0, 2.0], [1.5, 1.25, 1.125]), 12)
    1.0
    >>> aitken([0.0, 1.0, 2.0], [1.0, 2.0, 4.0])
    inf
    """
    before, after = values[0] - values[1], values[1] - values[2]
    if before * after <= 0:
        return None
    first, second = x[1] - x[0], x[2] - x[1]
    ratio = before / after

    def steepness(b: float) -> float:
        return math.expm1(b * first) / -math.expm1(-b * second)

    if ratio <= first / second * (1 + 1e-12):
        return -math.copysign(math.inf, after)
    low, high = 0.0, 1.0 / first
    while high * first < _STEEPEST and steepness(high) < ratio:
        low, high = high, 2 * high
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if steepness(middle) < ratio else (low, middle)
    return values[2] - after / math.expm1(high * second)


def _error(
    function: Callable[[list[float]], float | None],
    values: Sequence[float],
    errors: Sequence[float],
) -> float:
    """Return the standard error of a function of values, by moving each by its own."""
    total = 0.0
    for place, error in enumerate(errors):
        ends = []
        for sign in (1, -1):
            moved = list(values)
            moved[place] += sign * error
            ends.append(function(moved))
        up, down = ends
        if up is None or down is None or math.isinf(up) or math.isinf(down):
            return math.inf
        total += ((up - down) / 2) ** 2
    return math.sqrt(total)
