"""Statements as n grows: does what separates measured from theory vanish, and as fast as stated?

No finite list of sizes proves a limit. What values over two decades and more can show is to where
they go. The last of them are extrapolated, as if what is left fell like a power of n and like a
power of log n; and each shape that values may have forecasts the last of them, among them small
powers of log n and log log n. Confirmed is what the closest shape says where all that contradict it
miss by far more; refuted, what goes elsewhere by all; in between, larger sizes would decide. Errors
of sampling enter every comparison, and give the probability with which Holm's rule is fed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

from fastgc.errors import FastgcError
from fastgc.theory.papers.claim import Claim, unfit_sizes
from fastgc.validation.series import CLEAR, SHARE, Fit, Limit, Series

FALL = 4.0  # what vanishes falls to this share of the largest deviation
NEAR = 10.0  # and its limit is known to within this share of it
EXPONENT = 0.05  # of two quantities of one order, what may be left of the exponent
LEVEL = 5.0  # times the doubt by which the usual extrapolation must miss a limit: it favours one
WORSE = 10.0  # a model that is wrong by so many times what another is does not count
BETTER = 8.0  # confirmed is what is so many times closer than all that contradicts it
ROUNDING = 1e-9
TOLERANCE = 0.002  # of a ratio: what is nowhere farther from 1 has no deviation to extrapolate


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
        return _of_orders(Series(sizes, ratios, scaled, not any(errors)), claim.relation, z)
    units = [abs(theory) if claim.limit == "ratio" else 1.0 for theory in theories]
    sign = -1.0 if upwards else 1.0
    deviations = [
        sign * (value - theory) / unit
        for value, theory, unit in zip(known, theories, units, strict=True)
    ]
    widths = [error / unit for error, unit in zip(noise, units, strict=True)]
    series = Series(sizes, deviations, widths, not any(errors))
    rates = [case.rate for case in claim.cases]
    if all(rates):
        return _at_rate(series, [rate for rate in rates if rate], z, claim.relation)
    if claim.relation != "=":
        return _not_beyond(series, z)
    if claim.limit == "ratio" and series.is_within(TOLERANCE, z):
        within = max(abs(d) + z * e for d, e in zip(deviations, widths, strict=True))
        reason = f"no deviation from a ratio of 1 beyond {within:.2g}"
        return Growth(1.0, True, reason, within=within)
    found = _vanishing(series, z)
    if claim.limit == "ratio" and min(v / t for v, t in zip(known, theories, strict=True)) > 0:
        # what goes to 1 is of one order
        order = _of_one_order(replace(series, values=[1 + d for d in deviations]), z, {0})
        p = min(1.0, 2 * min(found.p_value, order.p_value))
        found = replace(found, p_value=p)
    return found


def _sizes(claim: Claim) -> list[float]:
    sizes = [case.size for case in claim.cases]
    known = [size for size in sizes if size is not None]
    wrong = unfit_sizes(known) if len(known) == len(sizes) else "are missing at some points"
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
    p = max(_plateau(usual, slow, deviations[-1]), _chance(series.fits(z), {-1}, WORSE))
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


def _plateau(usual: Limit, slow: Limit, last: float) -> float:
    """Probability of extrapolations that keep so clear of 0, on the side of the last deviation.

    Only the usual one counts where the slow one is far worse at telling larger sizes from smaller.
    """
    fits_worse = slow.doubt > WORSE * (usual.doubt + usual.error)
    counted = [usual] if fits_worse and math.isfinite(slow.error) else [usual, slow]
    if any(each.value * last <= 0 for each in counted):
        return 1.0
    finite = [each for each in counted if math.isfinite(each.value)]
    return max((_below(abs(f.value) - CLEAR * f.doubt, f.error) for f in finite), default=0.0)


def _chance(fits: Sequence[Fit], ends: set[int], factor: float) -> float:
    """Probability of values that are told so badly by whatever goes to ``ends``.

    A misfit counts as far as it is beyond ``factor`` times that of what goes elsewhere.
    """
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
    first, last = series.values[0], series.values[-1]
    said = f"deviation {first:.3g} at {series.sizes[0]:g}, {last:.3g} at {series.sizes[-1]:g}"
    if relation != "=" and all(d + z * e <= 0 for d, e in series.pairs[-2:]):
        return Growth(1.0, True, f"{said}: the bound holds")
    vanishing = _vanishing(series, z) if relation == "=" else _not_beyond(series, z)
    scaled = Series(
        series.sizes,
        [d / rate for d, rate in zip(counted, rates, strict=True)],
        [e / rate for e, rate in zip(series.errors, rates, strict=True)],
        series.is_exact,
    )
    is_lost = any(d <= z * e for d, e in zip(counted, series.errors, strict=True))
    if is_lost and not _has_fallen(scaled, z):
        return Growth(vanishing.p_value, False, vanishing.reason, _why_open(series, z, math.inf))
    found = _bounded(scaled, z)
    if found.is_confirmed:
        return Growth(found.p_value, True, f"{said}: falls at the stated rate")
    said += f": over the stated rate like n^{scaled.exponent[0]:.2f} at the end"
    p = min(1.0, 2 * min(found.p_value, vanishing.p_value))
    return Growth(p, False, said, found.doubt)


def _of_orders(ratios: Series, relation: str, z: float) -> Growth:
    """Judge a ratio: bounded and away from 0 (=), either (<=, >=), or gone to 0 or infinity."""
    if relation in (">", ">=") and min(map(abs, ratios.values)) == 0:
        return Growth(1.0, False, "", "an order is that of positive numbers")
    turned = ratios.inverse() if relation in (">", ">=") else ratios
    if relation in ("<", ">"):
        return _vanishing(turned, z)
    found = _bounded(turned, z) if relation != "=" else _of_one_order(turned, z, {0})
    if min(ratios.values) <= 0:
        return found
    said = (
        f"ratio {ratios.values[0]:.3g} at {ratios.sizes[0]:g}, {ratios.values[-1]:.3g} at "
        f"{ratios.sizes[-1]:g}, there like n^{ratios.exponent[0]:.3f}"
    )
    return replace(found, reason=said)


def _has_fallen(series: Series, z: float) -> bool:
    return series.values[-1] + z * series.errors[-1] <= SHARE * max(series.values)


def _bounded(series: Series, z: float) -> Growth:
    if _has_fallen(series, z) or series.values[-1] == 0 <= min(series.values):
        return Growth(1.0, True, "")
    return _of_one_order(series, z, {-1, 0})


def _of_one_order(series: Series, z: float, ends: set[int]) -> Growth:
    """Judge whether values go to one of ``ends``: to a number (0), or to 0 (-1)."""
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
