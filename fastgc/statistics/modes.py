"""Means and variances of values of which nearly all are alike: what the few others leave open.

The most frequent value is the mode. A mean is the mode − b + a, where b is by how much values lie
below it on average, and a by how much above it: means of values ≥ 0 that have few events. Each has
an interval of its own; of their difference it is put together (MOVER: Zou and Donner, Stat. Med.
27, 2008).
"""

import math
from dataclasses import replace

from fastgc.statistics.estimates import Estimate, events, least_many, rests_on_few
from fastgc.statistics.tallies import Histogram, bin_edges


def beside_mode(mean: Estimate, seen: Histogram | None = None, variance: float = 0.0) -> Estimate:
    """Return a mean with what lies beside the mode, and a note, where that is few trials.

    ``mean``: with the range of its values; ``seen``: of all values; without it the mode can only be
    an end of their range; ``variance``: of all values, if there is a histogram.

    >>> from fractions import Fraction
    >>> from fastgc.statistics import estimates
    >>> plain = estimates.mean(1000, Fraction(2994), Fraction(8976))  # 997 threes, 3 ones
    >>> found = beside_mode(estimates.within(plain, most=3.0))
    >>> found, found.note
    (2.9940(35), 'alike in all but about 3 of 1000 trials')
    """
    if mean.value is None or mean.standard_error is None or not mean.trials:
        return mean
    if mean.others is not None or mean.trials < 2 or rests_on_few(mean):
        return mean
    if _is_constant(mean):
        nothing = Estimate(0.0, 0.0, mean.trials)
        return _with(mean, nothing, nothing, mean.value)
    if seen is not None:
        return _by_histogram(mean, seen, variance)
    if math.isfinite(mean.most):
        below = replace(mean, value=mean.most - mean.value)
        if events(below) < least_many(mean.trials):
            return _with(mean, below, Estimate(0.0, 0.0, mean.trials), mean.most)
    return mean


def variance_beside_mode(variance: Estimate, mean: Estimate) -> Estimate:
    """Return a variance with an upper end, where all trials were alike.

    Of a share p of trials that are not, none of which is further from the mode than r, the variance
    is at most p r².
    """
    if variance.value is None or mean.value is None or not _is_constant(mean):
        return variance
    if variance.value > mean.noise**2:  # iterations differ, in every trial in the same way
        return variance
    reach = max(mean.most - mean.value, mean.value - mean.least)
    spread = replace(variance, least=0.0, most=reach**2, standard_error=0.0)
    nothing = Estimate(0.0, 0.0, mean.trials)
    return _with(spread, nothing, nothing, variance.value)


def constant_product(product: Estimate, most: float) -> Estimate:
    """Return an autocovariance with ends, where all trials were alike; none is beyond ``most``."""
    if product.value is None or product.standard_error != 0 or not product.trials:
        return product
    nothing = Estimate(0.0, 0.0, product.trials)
    ranged = replace(product, least=product.value - most, most=product.value + most)
    return _with(ranged, nothing, nothing, product.value)


def _is_constant(mean: Estimate) -> bool:
    if mean.standard_error is None or not mean.trials:
        return False
    return mean.standard_error * math.sqrt(mean.trials) <= mean.noise


def _by_histogram(mean: Estimate, seen: Histogram, variance: float) -> Estimate:
    # The mode is in the fullest bin; bins that rounding may have parted count as it. What differs
    # within these must not make most of the variance: then they hold no mode, and a normal interval
    # sees it.
    assert mean.value is not None and mean.standard_error is not None and mean.trials
    trials, number = mean.trials, sum(seen.counts.values())
    mode = max(seen.counts, key=lambda place: (seen.counts[place], -place))
    if 2 * seen.counts[mode] < number and mean.noise == 0:
        return mean
    low, high = (
        edge + way * mean.noise for edge, way in zip(bin_edges(mode), (-1, 1), strict=True)
    )
    apart = []
    for place, count in seen.counts.items():
        left, right = bin_edges(place)
        if place != mode and (right <= low or left >= high):
            apart.append((min(max(left, seen.low), seen.high), count))
    others = sum(count for _, count in apart)
    if others * trials >= least_many(trials) * number:
        return mean
    value = (mean.value * number - math.fsum(x * count for x, count in apart)) / (number - others)
    sides = [
        [(abs(x - value), c) for x, c in apart if (x > value) is is_above]
        for is_above in (False, True)
    ]
    first, second = (
        [math.fsum(d**power * c for d, c in side) / number for side in sides] for power in (1, 2)
    )
    away = (mean.value - value) ** 2
    if sum(second) < 0.5 * (variance + away):
        return mean
    # iterations of a trial depend on each other: squares are those of trials' means
    square = (mean.standard_error**2 * (trials - 1) + away) / sum(second)
    below, above = (
        replace(mean, value=a, standard_error=math.sqrt(max(0.0, square * b - a * a) / trials))
        for a, b in zip(first, second, strict=True)
    )
    if events(below) + events(above) >= least_many(trials):
        return mean
    return _with(mean, below, above, value)


def _with(estimate: Estimate, below: Estimate, above: Estimate, mode: float) -> Estimate:
    # how far it can reach: where values have no end, and nothing was seen there, as far as on the
    # other side
    reach = max(0.0, mode - estimate.least), max(0.0, estimate.most - mode)
    counts = events(below), events(above)
    # what trials have on each side, if they had all the same
    seen = [
        (side.value or 0.0) * (side.trials or 0) / count if count else 0.0
        for side, count in zip((below, above), counts, strict=True)
    ]
    below, above = (
        replace(side, least=0.0, most=other if math.isinf(own) and other > 0 else own)
        for side, own, other in zip((below, above), reach, seen[::-1], strict=True)
    )
    count = round(sum(counts))
    but = f"but about {count} of " if count else ""
    said = f"alike in all {but}{estimate.trials} trials"
    return replace(estimate, others=(below, above)).noting(said)
