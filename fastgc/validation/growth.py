"""Statements as n grows: does what separates measured from theory vanish, and as fast as stated?

No finite list of sizes proves a limit. What values over two decades and more can show is to where
they go: the last of them are extrapolated, once as if what is left fell like a power of n, which is
the usual, and once like a power of log n, the slowest that is reckoned with. Confirmed is what goes
to the stated limit by the first; refuted, what goes elsewhere by both, or does not fall at all; in
between, larger sizes would decide. Errors of sampling enter every comparison, and give the
probability with which Holm's rule is fed.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal

from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc.theory.papers.claim import Claim, unfit_sizes

#: What is left falls like a power of n, or of log n.
Model = Literal["power", "logarithm"]

_BISECTIONS = 200
_STEEPEST = 700.0  # exponents beyond overflow
FALL = 4.0  # what vanishes falls to this share of the largest deviation
NEAR = 10.0  # and its limit is known to within this share of it
EXPONENT = 0.05  # of two quantities of one order, what may be left of the exponent
FLAT = 0.01  # an exponent so small is none
SHARE = 0.05  # a limit below this share of the last value is none
CLEAR = 2.0  # a limit is not 0 if it is beyond so many times what extrapolations differ
LEVEL = 5.0  # the same of a ratio that levels off: the usual extrapolation favours it
WORSE = 10.0  # a model that is wrong by so many times what another is does not count
SLOWEST = 0.25  # power of log n: what falls more slowly is taken to stay
ROUNDING = 1e-9
TOLERANCE = 0.002  # of a ratio: what is nowhere farther from 1 has no deviation to extrapolate


@dataclass(frozen=True)
class Number:
    """A number with its standard error."""

    value: float
    error: float


@dataclass(frozen=True)
class Limit:
    """To where values go.

    ``value``: infinite where they go on without one; ``error``: its standard error; ``doubt``: how
    far it is from what smaller sizes give: what is wrong with the model.
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
        """Whether every value is so close to 0, and 0 lies within its error."""
        return all(abs(v) <= z * e and abs(v) + z * e <= reach for v, e in self.pairs)

    def inverse(self) -> "Series":
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
        return Limit(found, _moved_error(lambda v: aitken(x[1:], v), values[1:], errors[1:]), doubt)


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


def _moved_error(
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


@dataclass(frozen=True)
class Growth:
    """What values at growing sizes say of a statement.

    ``p_value``: probability of values that speak so clearly against the statement if it is true;
    ``is_confirmed``: whether the values go where it says, clear of their errors; ``reason``: what
    they do; ``doubt``: why it is undecided, where it is; ``within``: how far the limit of
    deviations may be from 0, where that is confirmed.
    """

    p_value: float
    is_confirmed: bool
    reason: str
    doubt: str = ""
    within: float | None = None


def assess(
    claim: Claim, values: Sequence[float | None], errors: Sequence[float], z: float
) -> Growth:
    """Say how far values speak for a statement as n grows, or against it.

    ``claim``: whose cases each have a ``size``; ``values``, ``errors``: what was measured at each
    case, and its standard error: 0 where it is exact; ``z``: half-width of a family-wise interval,
    in standard errors.

    Raises FastgcError if there are fewer than four sizes, one is less than 1.5 times the one
    before, or they grow over less than two decades.
    """
    sizes = _sizes(claim)
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return Growth(1.0, False, "", "nothing was measured at some sizes")
    theories = [case.theory for case in claim.cases]
    noise = [
        max(error, ROUNDING * max(abs(value), abs(theory)) / z)
        for value, theory, error in zip(known, theories, errors, strict=True)
    ]
    upwards = claim.relation in (">=", ">")
    if claim.limit == "order":
        ratios = [value / theory for value, theory in zip(known, theories, strict=True)]
        scaled = [error / abs(theory) for error, theory in zip(noise, theories, strict=True)]
        return _of_orders(Series(sizes, ratios, scaled), claim.relation, z)
    units = [abs(theory) if claim.limit == "ratio" else 1.0 for theory in theories]
    sign = -1.0 if upwards else 1.0
    deviations = [
        sign * (value - theory) / unit
        for value, theory, unit in zip(known, theories, units, strict=True)
    ]
    widths = [error / unit for error, unit in zip(noise, units, strict=True)]
    series = Series(sizes, deviations, widths)
    rates = [case.rate for case in claim.cases]
    if all(rates):
        return _at_rate(series, [rate for rate in rates if rate], z, claim.relation)
    if claim.relation != "=":
        return _not_beyond(series, z)
    if claim.limit == "ratio" and series.is_within(TOLERANCE, z):
        within = max(abs(d) + z * e for d, e in zip(deviations, widths, strict=True))
        reason = f"no deviation from a ratio of 1 beyond {within:.2g}"
        return Growth(1.0, True, reason, within=within)
    return _vanishing(series, z)


def _sizes(claim: Claim) -> list[float]:
    sizes = [case.size for case in claim.cases]
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        raise FastgcError(f"{claim.id}: every point must have a size")
    wrong = unfit_sizes(known)
    if wrong:
        raise FastgcError(f"{claim.id}: sizes {wrong}")
    return known


def _below(statistic: float, error: float) -> float:
    """Probability of a statistic so far above 0 if it is 0 or less in truth."""
    if error == 0:
        return 0.0 if statistic > 0 else 1.0
    return NormalDist().cdf(-statistic / error) if math.isfinite(error) else 1.0


def _vanishing(series: Series, z: float) -> Growth:
    deviations, errors = series.values, series.errors
    largest = max(map(abs, deviations))
    said = (
        f"deviation {deviations[0]:.3g} at {series.sizes[0]:g}, "
        f"{deviations[-1]:.3g} at {series.sizes[-1]:g}"
    )
    if all(abs(d) <= 2 * z * e for d, e in zip(deviations, errors, strict=True)) and (
        largest <= 2 * ROUNDING
    ):
        return Growth(1.0, True, "no deviation at any size")
    usual, slow = series.limit("power", z), series.limit("logarithm", z)
    p = min(1.0, 2 * min(_plateau(usual, slow), _stays(series)))
    if p < 0.5 and abs(usual.value) > usual.doubt and math.isfinite(usual.value):
        said += f"; extrapolated to {usual.value:.2g}"
    left = abs(deviations[-1] - usual.value)
    reach = abs(usual.value) + min(usual.doubt, left) + z * usual.error
    is_clear = abs(usual.value) <= usual.doubt + z * usual.error
    # values that fall like a power of log n, to something else
    is_slow = slow.doubt < usual.doubt and (abs(slow.value) > CLEAR * slow.doubt + z * slow.error)
    last = abs(deviations[-1]) + z * errors[-1]
    if is_clear and not is_slow and reach * NEAR <= largest and last * FALL <= largest:
        reason = f"{said}; its limit is 0 to within {reach:.1g}"
        return Growth(p, True, reason, within=reach)
    return Growth(p, False, said, _why_open(series, z, usual.value))


def _plateau(usual: Limit, slow: Limit) -> float:
    """Probability of extrapolations that keep so clear of 0, and on one side of it.

    Only the usual one counts where the slow one is far worse at telling larger sizes from smaller.
    """
    fits_worse = slow.doubt > WORSE * (usual.doubt + usual.error)
    counted = [usual] if fits_worse and math.isfinite(slow.error) else [usual, slow]
    if any(math.isinf(each.value) or each.value * usual.value <= 0 for each in counted):
        return 1.0
    return max(_below(abs(each.value) - CLEAR * each.doubt, each.error) for each in counted)


def _stays(series: Series) -> float:
    """Probability of deviations that fall so little if they vanish, were it like (log n)^-1/4."""
    *before, last = series.chosen
    if any(point.value * last.value <= 0 for point in before):
        return 1.0
    probabilities = []
    for point in before[1:]:
        share = (point.logarithm / last.logarithm) ** SLOWEST
        statistic = abs(last.value) - share * abs(point.value)
        probabilities.append(_below(statistic, math.hypot(last.error, share * point.error)))
    return max(probabilities)


def _why_open(series: Series, z: float, limit: float) -> str:
    if abs(series.values[-1]) <= z * series.errors[-1] and series.errors[-1] > ROUNDING:
        return f"lost in the error of sampling, ±{z * series.errors[-1]:.2g}"
    where = f"; extrapolated to {limit:.2g}" if math.isfinite(limit) else ""
    return f"what is left may stay or vanish{where}; larger sizes would do"


def _not_beyond(series: Series, z: float) -> Growth:
    usual, slow = series.limit("power", z), series.limit("logarithm", z)
    rises = usual.value - usual.doubt - z * usual.error > 0
    holds = [d + z * e <= 2 * z * e * (e <= ROUNDING) for d, e in series.pairs]
    if all(holds[-2:]) and not rises:
        start = len(holds) - 1 - [*reversed(holds), False].index(False) + 1
        said = (
            f"the bound holds from {series.sizes[start]:g} on, at {series.sizes[-1]:g} by "
            f"{max(0.0, -series.values[-1]):.3g}"
        )
        return Growth(1.0, True, said)
    found = _vanishing(series, z)
    is_above = usual.value > 0 and slow.value > 0
    p = found.p_value if is_above or series.values[-1] > 0 else 1.0
    return Growth(p, found.is_confirmed and not rises, found.reason, found.doubt)


def _at_rate(series: Series, rates: Sequence[float], z: float, relation: str) -> Growth:
    counted = [d if relation != "=" else abs(d) for d in series.values]
    first, last = series.values[0], series.values[-1]
    said = f"deviation {first:.3g} at {series.sizes[0]:g}, {last:.3g} at {series.sizes[-1]:g}"
    if counted[-1] + z * series.errors[-1] <= 2 * ROUNDING:
        return Growth(1.0, True, f"{said}: none is left")
    if relation != "=" and all(d + z * e <= 0 for d, e in series.pairs[-2:]):
        return Growth(1.0, True, f"{said}: the bound holds")
    vanishing = _vanishing(series, z) if relation == "=" else _not_beyond(series, z)
    if any(d <= z * e for d, e in zip(counted, series.errors, strict=True)):
        return Growth(vanishing.p_value, False, vanishing.reason, _why_open(series, z, math.inf))
    scaled = Series(
        series.sizes,
        [d / rate for d, rate in zip(counted, rates, strict=True)],
        [e / rate for e, rate in zip(series.errors, rates, strict=True)],
    )
    found = _bounded(scaled, z)
    if found.is_confirmed:
        return Growth(found.p_value, True, f"{said}: falls at the stated rate")
    said += f": slower than stated by a power {scaled.exponents[-1].value:.2f}"
    p = min(1.0, 2 * min(found.p_value, vanishing.p_value))
    return Growth(p, False, said, found.doubt)


def _of_orders(ratios: Series, relation: str, z: float) -> Growth:
    """Judge a ratio: bounded and away from 0 (=), either (<=, >=), or gone to 0 or infinity."""
    if relation in (">", ">=") and min(map(abs, ratios.values)) == 0:
        return Growth(1.0, False, "", "an order is that of positive numbers")
    turned = ratios.inverse() if relation in (">", ">=") else ratios
    if relation in ("<", ">"):
        return _vanishing(turned, z)
    found = _bounded(turned, z) if relation != "=" else _of_one_order(turned, z)
    if min(ratios.values) <= 0:
        return found
    said = (
        f"ratio {ratios.values[0]:.3g} at {ratios.sizes[0]:g}, {ratios.values[-1]:.3g} at "
        f"{ratios.sizes[-1]:g}, there like a power {ratios.exponents[-1].value:.3f}"
    )
    return replace(found, reason=said)


def _bounded(series: Series, z: float) -> Growth:
    if series.values[-1] == 0 <= min(series.values):
        return Growth(1.0, True, "0 at the largest size")
    *_, before, last = series.chosen
    most = last.value + z * last.error
    has_fallen = most <= SHARE * max(series.values)
    stays = most <= (before.value - z * before.error) * (last.size / before.size) ** FLAT
    if has_fallen or stays:
        return Growth(1.0, True, "")
    found = _of_one_order(series, z)
    if min(series.values) > 0 and series.exponents[-1].value < 0:
        return replace(found, p_value=1.0)
    return found


def _of_one_order(series: Series, z: float) -> Growth:
    if min(series.values) <= 0:
        return Growth(1.0, False, "", "an order is that of positive numbers")
    last = series.exponents[-1]
    size = abs(last.value) + z * last.error
    falling = series if last.value < 0 else series.inverse()
    rising = falling.inverse()
    bend = rising.bend
    levels = -bend.value > z * bend.error or rising.values[-1] <= max(rising.values[:-1])
    if size <= FLAT or (size <= EXPONENT and levels):
        return Growth(1.0, True, "")
    least = SHARE * falling.values[-1]
    usual, slow = falling.limit("power", z), falling.limit("logarithm", z)
    probabilities = [
        _below(abs(last.value) - EXPONENT, last.error),
        _below(bend.value, bend.error),
        # what goes on falling without limit falls below 0, of which no ratio is
        0.0
        if math.isinf(usual.value)
        else _below(least - (usual.value - LEVEL * usual.doubt), usual.error),
        0.0 if math.isinf(slow.value) else _below(least - slow.value, slow.error),
    ]
    doubt = "the ratio still drifts; larger sizes would do"
    return Growth(max(probabilities), False, "", doubt)
