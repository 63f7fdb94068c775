"""Statements as n grows: does what separates measured from theory vanish, and as fast as stated?

No finite list of sizes proves a limit. What values over two decades and more can show is to where
they go. The last of them are extrapolated, as if what is left fell like a power of n and like a
power of log n; and each shape that values may have forecasts the last of them, among them small
powers of log n and log log n. Confirmed is what the closest shape says where all that contradict it
miss by far more; refuted, what goes elsewhere by all; in between, larger sizes would decide. Errors
of sampling enter every comparison, and give the probability with which Holm's rule is fed.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal, NamedTuple

from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc.theory.papers.claim import Claim, unfit_sizes

FALL = 4.0  # what vanishes falls to this share of the largest deviation
NEAR = 10.0  # and its limit is known to within this share of it
EXPONENT = 0.05  # of two quantities of one order, what may be left of the exponent
LEVEL = 5.0  # times the doubt by which the usual extrapolation must miss a limit: it favours one
WORSE = 10.0  # a model that is wrong by so many times what another is does not count
BETTER = 8.0  # confirmed is what is so many times closer than all that contradicts it
ROUNDING = 1e-9
TOLERANCE = 0.002  # of a ratio: what is nowhere farther from 1 has no deviation to extrapolate


#: What is left falls like a power of n, or of log n.
Model = Literal["power", "logarithm"]

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
    return Shape(1 if exponent > 0 else -1, f"(log n)^{exponent}", lambda x: x**exponent)


SHAPES = (
    Shape(0, "a constant", lambda x: 1.0),
    *(_power(sign * power) for power in POWERS for sign in (1, -1)),
    Shape(1, "log log n", math.log),
    Shape(-1, "1/log log n", lambda x: 1 / math.log(x)),
)


class Forecast(NamedTuple):
    """How well a shape forecasts the last value: by how much it misses, with its standard error.

    ``is_doubtful``: whether it fits by chance, for it misses one over the value by more.
    """

    end: int
    name: str
    misfit: float
    error: float
    is_doubtful: bool = False


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

    @property
    def ends(self) -> str:
        """The first and the last value, in words."""
        first, last = ((self.values[i], self.sizes[i]) for i in (0, -1))
        return f"{first[0]:.3g} at {first[1]:g}, {last[0]:.3g} at {last[1]:g}"

    def over(self, units: Sequence[float]) -> "Series":
        """The values in these units."""
        pairs = list(zip(self.pairs, units, strict=True))
        values = [value / unit for (value, _), unit in pairs]
        return replace(self, values=values, errors=[e / abs(unit) for (_, e), unit in pairs])

    def inverse(self) -> "Series":
        """One over the values, none of which is 0."""
        errors = [error / value**2 for value, error in self.pairs]
        return replace(self, values=[1 / value for value in self.values], errors=errors)

    @cached_property
    def chosen(self) -> tuple[list[int], list[float], list[float], list[float]]:
        """The four points that are looked at: their places, log n, values and errors."""
        logs = [math.log(size) for size in self.sizes]
        last = len(logs) - 1
        third, two_thirds = (logs[0] + part * (logs[-1] - logs[0]) / 3 for part in (1, 2))
        b = min(range(1, last - 1), key=lambda i: abs(logs[i] - third))
        c = min(range(b + 1, last), key=lambda i: abs(logs[i] - two_thirds))
        places = [0, b, c, last]
        # sizes below 3 have no log log to speak of
        shift = max(0.0, math.log(3) - logs[0])
        values, errors = ([each[i] for i in places] for each in (self.values, self.errors))
        return places, [logs[i] + shift for i in places], values, errors

    @property
    def exponent(self) -> tuple[float, float]:
        """Like which power of n positive values grow at the end, and the standard error of that."""
        places, _, (*_, a, b), (*_, error_a, error_b) = self.chosen
        step = math.log(self.sizes[places[3]] / self.sizes[places[2]])
        return math.log(b / a) / step, math.hypot(error_a / a, error_b / b) / step

    def _coordinates(self, model: Model) -> list[float]:
        return self.chosen[1] if model == "power" else [math.log(x) for x in self.chosen[1]]

    def limit(self, model: Model, z: float) -> Limit:
        """Return to where values go if what is left falls like a power of n, or of log n."""
        x, (_, _, values, errors) = self._coordinates(model), self.chosen
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

    def fits(self, z: float) -> list[Forecast]:
        """Return how well each shape forecasts the last value, from those before."""
        found = [fit for shape in SHAPES for fit in self._like(shape)]
        found += [*self._settling("power", z), *self._settling("logarithm", z)]
        return found

    def _like(self, shape: Shape) -> Iterator[Forecast]:
        # alone, and with 1/log n of it beside it
        _, x, values, errors = self.chosen
        scales = [shape.at(x[3]) / shape.at(each) for each in x]
        v = [value * scale for value, scale in zip(values, scales, strict=True)]
        e = [error * scale for error, scale in zip(errors, scales, strict=True)]
        alone = max((abs(v[i] - v[3]), math.hypot(e[i], e[3])) for i in (1, 2))
        yield Forecast(shape.end, shape.name, *alone)
        if (v[3] * x[3] - v[2] * x[2]) / (x[3] - x[2]) * v[3] > SHARE * v[3] ** 2:
            parts = [(i, (1 / x[3] - 1 / x[2]) / (1 / x[i] - 1 / x[2])) for i in (0, 1)]
            residuals = [abs(v[2] + part * (v[i] - v[2]) - v[3]) for i, part in parts]
            noise = [math.hypot(part * e[i], (1 - part) * e[2], e[3]) for i, part in parts]
            both = max(zip(residuals, noise, strict=True))
            yield Forecast(shape.end, shape.name, *both)

    def _settling(self, model: Model, z: float) -> Iterator[Forecast]:
        # how well values that level off do, or one over them, and where they then go
        x, (_, _, values, errors) = self._coordinates(model), self.chosen
        name = "a power of n" if model == "power" else "a power of log n"

        def upright(v: Sequence[float]) -> float | None:
            found = forecast(x, v)
            return None if found is None else found - v[3]

        def turned(v: Sequence[float]) -> float | None:
            found = forecast(x, [1 / each for each in v])
            return 1 / found - v[3] if found else None

        sides = [(-1, upright, self)]
        if all(value * values[3] > 0 for value in values):
            sides.append((1, turned, self.inverse()))
        fits, stays, is_near = [], False, False
        for end, miss, series in sides:
            missed, limit = miss(values), series.limit(model, z)
            if missed is None or math.isinf(limit.value):
                continue
            fits.append((abs(missed), _moved_error(miss, values, errors)))
            if abs(limit.value) <= CLEAR * limit.doubt + z * limit.error < math.inf:
                yield Forecast(end, name, *fits[-1])
            share = limit.value / series.chosen[2][3]
            stays |= share > SHARE
            is_near |= abs(share - 1) <= SHARE
        if stays:
            yield Forecast(0, "a constant", *max(fits), is_doubtful=not is_near and len(fits) < 2)
            yield Forecast(0, "a constant", *min(fits), is_doubtful=not is_near)


def _steepness(x: Sequence[float], values: Sequence[float]) -> float | None:
    # b of c + a exp(-b x) through three points, 0 for 0 or less; None if they swing
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
    for _ in range(50):  # it takes some five
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
    if b and limit is not None:
        return limit + (values[2] - limit) * math.exp(-b * (x[3] - x[2]))
    return None


def _moved_error(
    function: Callable[[Sequence[float]], float | None],
    values: Sequence[float],
    errors: Sequence[float],
) -> float:
    # by moving each by its own
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


@dataclass(frozen=True)
class Growth:
    """What values at growing sizes say of a statement.

    ``p_value``: probability of values that speak so clearly against the statement if it is true;
    ``is_confirmed``: whether the values go where it says, clear of their errors; ``reason``: what
    they do; ``doubt``: why it is undecided, where it is; ``within``: how far the limit of
    deviations may be from 0, where that is confirmed; ``is_loose``: of an order that bounds what is
    measured, that a smaller one would do.
    """

    p_value: float
    is_confirmed: bool
    reason: str
    doubt: str = ""
    within: float | None = None
    is_loose: bool = False


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
    sizes = [case.size for case in claim.cases if case.size is not None]
    missing = len(sizes) < len(claim.cases)
    if wrong := "are missing at some points" if missing else unfit_sizes(sizes):
        raise FastgcError(f"{claim.id}: sizes {wrong}")
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return Growth(1.0, False, "", "nothing was measured at some sizes")
    theories = [case.theory for case in claim.cases]
    noise = [
        max(error, ROUNDING * max(abs(value), abs(theory)) / z)
        for value, theory, error in zip(known, theories, errors, strict=True)
    ]
    measured = Series(sizes, known, noise, not any(errors))
    if claim.limit == "order":
        return _assess_orders(measured.over(theories), claim.relation, z)
    sign = -1.0 if claim.relation in (">=", ">") else 1.0
    off = [sign * (value - theory) for value, theory in zip(known, theories, strict=True)]
    units = [abs(theory) if claim.limit == "ratio" else 1.0 for theory in theories]
    series = replace(measured, values=off).over(units)
    rates = [case.rate for case in claim.cases]
    if all(rates):
        return _at_rate(series, [rate for rate in rates if rate], z, claim.relation)
    if claim.relation != "=":
        return _not_beyond(series, z)
    within = max(abs(d) + z * e for d, e in series.pairs)
    is_near = all(abs(d) <= z * e for d, e in series.pairs) and within <= TOLERANCE
    if claim.limit == "ratio" and is_near:
        reason = f"no deviation from a ratio of 1 beyond {within:.2g}"
        return Growth(1.0, True, reason, within=within)
    found = _vanishing(series, z)
    if claim.limit == "ratio" and min(v / t for v, t in zip(known, theories, strict=True)) > 0:
        # what goes to 1 is of one order
        order = _assess_one_order(replace(series, values=[1 + d for d in series.values]), z, {0})
        p = min(1.0, 2 * min(found.p_value, order.p_value))
        found = replace(found, p_value=p)
    return found


def _below(statistic: float, error: float) -> float:
    # probability of a statistic so far above 0 if it is 0 or less in truth
    if error == 0:
        return 0.0 if statistic > 0 else 1.0
    return NormalDist().cdf(-statistic / error) if math.isfinite(error) else 1.0


def _vanishing(series: Series, z: float) -> Growth:
    deviations, errors = series.values, series.errors
    largest = max(map(abs, deviations))
    said = f"deviation {series.ends}"
    if largest <= 2 * ROUNDING and all(abs(d) <= 2 * z * e for d, e in series.pairs):
        return Growth(1.0, True, "no deviation at any size")
    usual, slow = series.limit("power", z), series.limit("logarithm", z)
    # extrapolations that keep so clear of 0, on the side of the last deviation: only the usual one
    # counts where the slow one is far worse at telling larger sizes from smaller
    fits_worse = slow.doubt > WORSE * (usual.doubt + usual.error)
    counted = [usual] if fits_worse and math.isfinite(slow.error) else [usual, slow]
    stays = 1.0
    if all(each.value * deviations[-1] > 0 for each in counted):
        finite = [each for each in counted if math.isfinite(each.value)]
        clear = (_below(abs(each.value) - CLEAR * each.doubt, each.error) for each in finite)
        stays = max(clear, default=0.0)
    p = max(stays, _chance(series.fits(z), {-1}, WORSE))
    if p < 0.5 and abs(usual.value) > usual.doubt and math.isfinite(usual.value):
        said += f"; extrapolated to {usual.value:.2g}"
    left = abs(deviations[-1] - usual.value)
    reach = abs(usual.value) + min(usual.doubt, left) + z * usual.error
    is_clear = abs(usual.value) <= usual.doubt + z * usual.error
    # values that fall like a power of log n, to something else
    is_slow = slow.doubt < usual.doubt and (abs(slow.value) > CLEAR * slow.doubt + z * slow.error)
    last = abs(deviations[-1]) + z * errors[-1]
    if is_clear and not is_slow and reach * NEAR <= largest and last * FALL <= largest:
        return Growth(p, True, f"{said}; its limit is 0 to within {reach:.1g}", within=reach)
    return Growth(p, False, said, _why_open(series, z, usual.value))


def _chance(fits: Sequence[Forecast], ends: set[int], factor: float) -> float:
    # probability of values that are told so badly by whatever goes to ``ends``: a misfit counts as
    # far as it is beyond ``factor`` times that of what goes elsewhere
    others = [fit.misfit + fit.error for fit in fits if fit.end not in ends]
    if not others:
        return 1.0
    usual = factor * min(others)
    return max((_below(f.misfit - usual, f.error) for f in fits if f.end in ends), default=0.0)


def _why_open(series: Series, z: float, limit: float) -> str:
    if abs(series.values[-1]) <= z * series.errors[-1]:
        error = "rounding" if series.is_exact else "the error of sampling"
        return f"lost in {error}, ±{z * series.errors[-1]:.2g}"
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
    said = f"deviation {series.ends}"
    if relation != "=" and all(d + z * e <= 0 for d, e in series.pairs[-2:]):
        return Growth(1.0, True, f"{said}: the bound holds")
    vanishing = _vanishing(series, z) if relation == "=" else _not_beyond(series, z)
    scaled = replace(series, values=counted).over(rates)
    is_lost = any(d <= z * e for d, e in zip(counted, series.errors, strict=True))
    if is_lost and not _has_fallen(scaled, z):
        return Growth(vanishing.p_value, False, vanishing.reason, _why_open(series, z, math.inf))
    found = _bounded(scaled, z)
    if found.is_confirmed:
        return Growth(found.p_value, True, f"{said}: falls at the stated rate")
    said += f": over the stated rate like n^{scaled.exponent[0]:.2f} at the end"
    p = min(1.0, 2 * min(found.p_value, vanishing.p_value))
    return Growth(p, False, said, found.doubt)


def _assess_orders(ratios: Series, relation: str, z: float) -> Growth:
    # a ratio is bounded and away from 0 (=), either (<=, >=), or gone to 0 or infinity
    if relation in (">", ">=") and min(map(abs, ratios.values)) == 0:
        return Growth(1.0, False, "", "an order is that of positive numbers")
    turned = ratios.inverse() if relation in (">", ">=") else ratios
    if relation in ("<", ">"):
        return _vanishing(turned, z)
    found = _bounded(turned, z) if relation != "=" else _assess_one_order(turned, z, {0})
    if min(ratios.values) <= 0:
        return found
    return replace(found, reason=f"ratio {ratios.ends}, there like n^{ratios.exponent[0]:.3f}")


def _has_fallen(series: Series, z: float) -> bool:
    return series.values[-1] + z * series.errors[-1] <= SHARE * max(series.values)


def _bounded(series: Series, z: float) -> Growth:
    if _has_fallen(series, z) or series.values[-1] == 0 <= min(series.values):
        return Growth(1.0, True, "", is_loose=True)
    return _assess_one_order(series, z, {-1, 0})


def _assess_one_order(series: Series, z: float, ends: set[int]) -> Growth:
    # values go to one of ``ends``: to a number (0), or to 0 (-1)
    if min(series.values) <= 0:
        return Growth(1.0, False, "", "an order is that of positive numbers")
    fits, (exponent, error) = series.fits(z), series.exponent
    sure = [fit for fit in fits if not fit.is_doubtful]
    drift = (exponent if -1 in ends else abs(exponent)) + z * error
    against = {-1, 0, 1} - ends
    if drift <= EXPONENT and _chance(sure, against, BETTER) <= NormalDist().cdf(-z):
        return Growth(1.0, True, "")
    rival = min((fit for fit in fits if fit.end in against), key=lambda f: f.misfit, default=None)
    doubt = f"{rival.name if rival else 'no shape'} fits the ratio, too; larger sizes would do"
    if -1 in ends and exponent < 0:
        return Growth(1.0, False, "", doubt)
    falling = series if exponent < 0 else series.inverse()
    least = SHARE * falling.values[-1]
    usual, slow = falling.limit("power", z), falling.limit("logarithm", z)
    probabilities = [
        _below(abs(exponent) - EXPONENT, error),
        # what goes on falling without limit falls below 0, of which no ratio is
        0.0
        if math.isinf(usual.value)
        else _below(least - (usual.value - LEVEL * usual.doubt), usual.error),
        0.0 if math.isinf(slow.value) else _below(least - slow.value, slow.error),
    ]
    return Growth(max(probabilities), False, "", doubt)
