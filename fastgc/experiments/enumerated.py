"""Rows of values that were enumerated, each with its probability."""

from collections.abc import Iterator, Sequence

import numpy as np

from fastgc.arrays import Values
from fastgc.experiments.accumulators import Row
from fastgc.statistics.estimates import Estimate

#: What rounding takes of sums of positive products, as a share: 2²⁴ terms of 24 factors each.
RELATIVE = 1e-12


def probability(of: float, otherwise: float) -> Estimate:
    """A probability between 0 and 1, to all digits of the smaller of it and its complement."""
    of, otherwise = float(of), float(otherwise)
    if of <= otherwise:
        return known(of, RELATIVE * of)
    rounding = RELATIVE * otherwise
    return Estimate(1.0 - otherwise, 0.0, failure=(otherwise, otherwise), rounding=rounding)


def known(value: float, rounding: float | None = None) -> Estimate:
    """Return a number that has no error but rounding, which changes it by so much at most."""
    return Estimate(float(value), 0.0, rounding=None if rounding is None else float(rounding))


def distribution(
    values: Values,
    pooled: Values,
    quantiles: Sequence[float],
    thresholds: Sequence[float],
    margin: float,
    rounding: Values | None = None,
) -> Iterator[Row]:
    """Extremes, quantiles and exceedance probabilities of values, each with a probability.

    ``pooled`` has the probabilities; ``margin`` is added to thresholds; ``rounding`` is how wrong
    each value may be, where that is known.
    """

    def nth(place: int) -> Estimate:
        return known(values[place], None if rounding is None else rounding[place])

    possible = np.flatnonzero(pooled > 0)
    yield "minimum", None, nth(possible[values[possible].argmin()])
    yield "maximum", None, nth(possible[values[possible].argmax()])
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(pooled[order])
    for level in quantiles:
        # a sum of probabilities reaches a level up to rounding
        place = int(np.searchsorted(reached, level * (1 - 1e-12)))
        yield f"quantile({level!r})", None, nth(order[min(place, values.size - 1)])
    for threshold in thresholds:
        above = values > threshold + margin
        own = probability(pooled[above].sum(), pooled[~above].sum())
        yield f"P(>{threshold!r})", None, own
