"""Rows of values that were enumerated, each with its probability."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from fastgc.arrays import Values
from fastgc.experiments.accumulators import Row
from fastgc.statistics.estimates import Estimate

#: What rounding takes of sums of positive products, as a share: 2²⁴ terms of 24 factors each.
RELATIVE = 1e-12
#: Share of a threshold's margin by which rounding moves values.
ROUNDED = 1e-3


def probability(of: float, otherwise: float) -> Estimate:
    """A probability between 0 and 1, to all digits of the smaller of it and its complement."""
    if of <= otherwise:
        return Estimate(float(of), 0.0, rounding=RELATIVE * float(of))
    fails, lost = (float(otherwise), float(otherwise)), RELATIVE * float(otherwise)
    return Estimate(1.0 - fails[0], 0.0, failure=fails, rounding=lost)


def known(value: float) -> Estimate:
    """Return a number that has no error but rounding."""
    return Estimate(float(value), 0.0)


def reaching(probabilities: Values, level: float) -> int:
    """Return the first place up to which probabilities sum to a level, but for rounding.

    Above one half what is left is compared with what the level leaves, which may be small.

    >>> reaching(np.array([1 - 2e-12, 2e-12]), 1 - 1e-12)
    1
    """
    if level < 0.5:
        return int(np.searchsorted(np.cumsum(probabilities), level * (1 - RELATIVE)))
    left = np.cumsum(probabilities[:0:-1])[::-1]
    most = (1.0 - level) * (1 + RELATIVE) + np.finfo(float).epsneg
    return int(np.count_nonzero(left > most))


def distribution(
    values: Values,
    pooled: Values,
    quantiles: Sequence[float],
    thresholds: Sequence[float],
    margin: float,
) -> Iterator[Row]:
    """Extremes, quantiles and exceedance probabilities of values, each with a probability.

    ``pooled`` has the probabilities; ``margin`` is added to thresholds. A value within it, and
    above the threshold by more than rounding, may be above or not: that is rounding, too.
    """
    possible = values[pooled > 0]
    yield "minimum", None, known(possible.min())
    yield "maximum", None, known(possible.max())
    order = np.argsort(values, kind="stable")
    for level in quantiles:
        value = values[order[reaching(pooled[order], level)]]
        yield f"quantile({level!r})", None, known(value)
    for threshold in thresholds:
        above = values > threshold + margin
        own = probability(pooled[above].sum(), pooled[~above].sum())
        near = ~above & (values > max(margin, threshold + ROUNDED * margin))
        lost = float(pooled[near].sum()) + (own.rounding or 0.0)
        yield f"P(>{threshold!r})", None, replace(own, rounding=lost)
