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
    if of <= otherwise:
        return Estimate(float(of), 0.0, rounding=RELATIVE * float(of))
    fails, lost = (float(otherwise), float(otherwise)), RELATIVE * float(otherwise)
    return Estimate(1.0 - fails[0], 0.0, failure=fails, rounding=lost)


def known(value: float) -> Estimate:
    """Return a number that has no error but rounding."""
    return Estimate(float(value), 0.0)


def distribution(
    values: Values,
    pooled: Values,
    quantiles: Sequence[float],
    thresholds: Sequence[float],
    margin: float,
) -> Iterator[Row]:
    """Extremes, quantiles and exceedance probabilities of values, each with a probability.

    ``pooled`` has the probabilities; ``margin`` is added to thresholds.
    """
    possible = values[pooled > 0]
    yield "minimum", None, known(possible.min())
    yield "maximum", None, known(possible.max())
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(pooled[order])
    for level in quantiles:
        # a sum of probabilities reaches a level up to rounding
        place = int(np.searchsorted(reached, level * (1 - 1e-12)))
        value = values[order[min(place, values.size - 1)]]
        yield f"quantile({level!r})", None, known(value)
    for threshold in thresholds:
        above = values > threshold + margin
        own = probability(pooled[above].sum(), pooled[~above].sum())
        yield f"P(>{threshold!r})", None, own
