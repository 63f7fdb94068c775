"""Values at growing sizes: where they go, and which shapes forecast the last from those before."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from fastgc.registry.cached import cached_property

#: What is left falls like a power of n, or of log n.
Model = Literal["power", "logarithm"]

_STEPS = 50  # of Newton's method, which takes some five
CLEAR = 2.0  # a limit is not 0 if it is beyond so many times what extrapolations differ
SHARE = 0.05  # a limit below this share of the last value is none
#: Like which powers of log n values may grow or vanish; slower ones are taken to stay.
POWERS = (0.05, 0.075, 0.11, 0.17, 0.25, 0.37, 0.55, 0.83, 1.25, 1.8, 2.7)


class Limit(NamedTuple):
    """To where values go; infinite where they go on without a limit; with its standard error.

    ``doubt``: how far it is from what smaller sizes give: what is wrong with the model.
    """

    value: float
    error: float
    doubt: float


class Shape(NamedTuple):
    """What values may be like, as a function of log n.

    ``end``: 0 of a constant, 1 of what grows without limit, -1 of what vanishes.
    """

    end: int
    name: str
    at: Callable[[float], float]


def _power(exponent: float) -> Shape:
    end = 1 if exponent > 0 else -1
    return Shape(end, f"(log n)^{exponent}", lambda x: x**exponent)


SHAPES = (
    Shape(0, "a constant", lambda x: 1.0),
    *(_power(sign * power) for power in POWERS for sign in (1, -1)),
    Shape(1, "log log n", math.log),
    Shape(-1, "1/log log n", lambda x: 1 / math.log(x)),
)


class Fit(NamedTuple):
    """How well a shape forecasts the last value: by how much it misses, with its standard error.

    ``is_doubtful``: whether it fits by chance, for it misses one over the value by more.
    """

    end: int
    name: str
    misfit: float
    error: float
    is_doubtful: bool = False


class Point(NamedTuple):
    """A value at a size, with its standard error."""

    size: float
    value: float
    error: float
    logarithm: float


@dataclass(frozen=True)
class Series:
    """Values at growing sizes, with their standard errors; those of exact values are of rounding.

    Of many sizes four are looked at, that part the range of log n into thirds.
    """

    sizes: Sequence[float]
    values: Sequence[float]
    errors: Sequence[float]
    is_exact: bool = True

    @property
    def pairs(self) -> list[tuple[float, float]]:
        """Values with their errors."""
        return list(zip(self.values, self.errors, strict=True))

    def is_within(self, reach: float, z: float) -> bool:
        """Whether every value is so close to 0, and 0 lies within its error."""
        return all(abs(v) <= z * e and abs(v) + z * e <= reach for v, e in self.pairs)

    def inverse(self) -> "Series":
        """One over the values, none of which is 0."""
        errors = [error / value**2 for value, error in self.pairs]
        return replace(self, values=[1 / value for value in self.values], errors=errors)

    @cached_property
    def chosen(self) -> tuple[Point, Point, Point, Point]:
        """The four points that are looked at."""
        logs = [math.log(size) for size in self.sizes]
        last = len(logs) - 1
        third, two_thirds = (logs[0] + part * (logs[-1] - logs[0]) / 3 for part in (1, 2))
        b = min(range(1, last - 1), key=lambda i: abs(logs[i] - third))
        c = min(range(b + 1, last), key=lambda i: abs(logs[i] - two_thirds))
        # sizes below 3 have no log log to speak of
        shift = max(0.0, math.log(3) - logs[0])
        found = [
            Point(self.sizes[i], self.values[i], self.errors[i], logs[i] + shift)
            for i in (0, b, c, last)
        ]
        return found[0], found[1], found[2], found[3]

    @property
    def exponent(self) -> tuple[float, float]:
        """Like which power of n positive values grow at the end, and the standard error of that."""
        *_, a, b = self.chosen
        step = math.log(b.size / a.size)
        error = math.hypot(a.error / a.value, b.error / b.value) / step
        return math.log(b.value / a.value) / step, error

    def _coordinates(self, model: Model) -> list[float]:
        logs = [point.logarithm for point in self.chosen]
        return logs if model == "power" else [math.log(x) for x in logs]

    def limit(self, model: Model, z: float) -> Limit:
        """Return to where values go if what is left falls like a power of n, or of log n."""
        x, values = self._coordinates(model), [point.value for point in self.chosen]
        errors = [point.error for point in self.chosen]
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
        return Limit(found, _moved_error(lambda v: aitken(x[1:], v), values[1:], errors[1:]), doubt)

    def fits(self, z: float) -> list[Fit]:
        """Return how well each shape forecasts the last value, from those before."""
        found = [fit for shape in SHAPES for fit in self._like(shape)]
        found += [*self._settling("power", z), *self._settling("logarithm", z)]
        return found

    def _like(self, shape: Shape) -> Iterator[Fit]:
        """Yield how well a shape does alone, and with 1/log n of it beside it."""
        x = self._coordinates("power")
        scales = [shape.at(x[3]) / shape.at(each) for each in x]
        v = [point.value * scale for point, scale in zip(self.chosen, scales, strict=True)]
        e = [point.error * scale for point, scale in zip(self.chosen, scales, strict=True)]
        alone = max((abs(v[i] - v[3]), math.hypot(e[i], e[3])) for i in (1, 2))
        yield Fit(shape.end, shape.name, *alone)
        if (v[3] * x[3] - v[2] * x[2]) / (x[3] - x[2]) * v[3] > SHARE * v[3] ** 2:
            parts = [(i, (1 / x[3] - 1 / x[2]) / (1 / x[i] - 1 / x[2])) for i in (0, 1)]
            both = max(
                (
                    abs(v[2] + part * (v[i] - v[2]) - v[3]),
                    math.hypot(part * e[i], (1 - part) * e[2], e[3]),
                )
                for i, part in parts
            )
            yield Fit(shape.end, shape.name, *both)

    def _settling(self, model: Model, z: float) -> Iterator[Fit]:
        """Yield how well values that level off do, or one over them, and where they then go."""
        x, last = self._coordinates(model), self.chosen[3].value
        values, errors = [p.value for p in self.chosen], [p.error for p in self.chosen]
        name = "a power of n" if model == "power" else "a power of log n"

        def upright(v: Sequence[float]) -> float | None:
            found = forecast(x, v)
            return None if found is None else found - v[3]

        def turned(v: Sequence[float]) -> float | None:
            found = forecast(x, [1 / each for each in v])
            return 1 / found - v[3] if found else None

        sides = [(-1, upright, self)]
        if all(value * last > 0 for value in values):
            sides.append((1, turned, self.inverse()))
        fits, stays, is_near = [], False, False
        for end, miss, series in sides:
            missed, limit = miss(values), series.limit(model, z)
            if missed is None or math.isinf(limit.value):
                continue
            fits.append((abs(missed), _moved_error(miss, values, errors)))
            if abs(limit.value) <= CLEAR * limit.doubt + z * limit.error < math.inf:
                yield Fit(end, name, *fits[-1])
            share = limit.value / series.chosen[3].value
            stays |= share > SHARE
            is_near |= abs(share - 1) <= SHARE
        if stays:
            yield Fit(0, "a constant", *max(fits), is_doubtful=not is_near and len(fits) < 2)
            yield Fit(0, "a constant", *min(fits), is_doubtful=not is_near)


def _steepness(x: Sequence[float], values: Sequence[float]) -> float | None:
    """Return b of c + a exp(-b x) through three points, 0 for 0 or less; None if they swing."""
    before, after = values[0] - values[1], values[1] - values[2]
    if before * after <= 0:
        return None
    first, second = x[1] - x[0], x[2] - x[1]
    ratio = math.log(abs(before)) - math.log(abs(after))
    excess = ratio + math.log(second / first)
    if excess <= 1e-12:
        return 0.0
    # ratio = b first + log((1 - exp(-b first)) / (1 - exp(-b second))), by Newton's method from the
    # side on which it does not overshoot
    b = 2 * excess / (first + second)
    for _ in range(_STEPS):
        one, two = -math.expm1(-b * first), -math.expm1(-b * second)
        missing = ratio - b * first - math.log(one / two)
        step = missing / (first / one - second * (1 - two) / two)
        b += step
        if abs(step) <= 1e-15 * b:
            break
    return b


def aitken(x: Sequence[float], values: Sequence[float]) -> float | None:
    """Return c of c + a exp(-b x) through three points; infinite where b is 0 or less.

    Of equal steps of x this is Aitken's extrapolation. None where the values swing.
    """
    b, after = _steepness(x, values), values[1] - values[2]
    if b is None:
        return None
    share = -math.expm1(-b * (x[2] - x[1]))
    return values[2] - (after * (1 - share) / share if b else math.copysign(math.inf, after))


def forecast(x: Sequence[float], values: Sequence[float]) -> float | None:
    """Return the fourth of values like c + a exp(-b x); None if the first three are not."""
    b, limit = _steepness(x, values), aitken(x, values)
    if not b or limit is None:
        return None
    return limit + (values[2] - limit) * math.exp(-b * (x[3] - x[2]))


def _moved_error(
    function: Callable[[Sequence[float]], float | None],
    values: Sequence[float],
    errors: Sequence[float],
) -> float:
    """Return the standard error of a function of values, by moving each by its own."""
    total = 0.0
    for place, error in enumerate(errors):
        moved = (
            [v + sign * error * (i == place) for i, v in enumerate(values)] for sign in (1, -1)
        )
        up, down = map(function, moved)
        if up is None or down is None or not math.isfinite(up - down):
            return math.inf
        total += ((up - down) / 2) ** 2
    return math.sqrt(total)
