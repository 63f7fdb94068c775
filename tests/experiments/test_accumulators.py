"""Accumulators against the definitions: sums of two blocks, and what is estimated from them."""

from fractions import Fraction

import numpy as np
import pytest

from fastgc.experiments.accumulators import (
    Count,
    EveryValue,
    Exceedances,
    Pooled,
    Ratio,
    Share,
)
from fastgc.experiments.decoding.measures.base import Levels, Scale
from fastgc_kernels.tally.sums import HISTOGRAM_BINS

TRIALS = 200
BLOCKS = (slice(0, 120), slice(120, TRIALS))


def some(*shape):
    return np.random.default_rng(len(shape)).gamma(2.0, size=shape)


def summed(cells, fill):
    """Exact sums of the cells of both blocks, each filled on its own."""
    total = [Fraction(0)] * cells
    for block in BLOCKS:
        own = np.zeros(cells)
        fill(block, own)
        total = [a + Fraction(b) for a, b in zip(total, own.tolist(), strict=True)]
    return total


def found(accumulator, fill, *more):
    sums = summed(accumulator.cells, fill)
    return dict(accumulator.estimates(TRIALS, sums, *more))


@pytest.mark.parametrize("iterations", [1, 4])
def test_pooled(iterations):
    values = some(iterations, TRIALS)
    pooled = Pooled(most=50.0)
    estimates = found(pooled, lambda own, out: pooled.add(EveryValue(values[:, own].copy()), out))
    means, squares = values.mean(axis=0), (values**2).mean(axis=0)
    assert estimates["mean"].value == pytest.approx(values.mean())
    assert estimates["mean"].most == 50.0
    assert estimates["variance"].value == pytest.approx(values.var())
    slope = squares - 2 * means.mean() * means
    error = slope.std(ddof=1) / TRIALS**0.5
    assert estimates["variance"].standard_error == pytest.approx(error)


def test_shares_counts_and_exceedances():
    values = some(4, TRIALS)
    happens = values > 1.5
    share, otherwise = Share(4), Share(4, otherwise=True)
    count = happens.sum(axis=0).astype(float)
    error = count.std(ddof=1) / 4 / TRIALS**0.5
    for accumulator, expected in ((share, happens.mean()), (otherwise, 1 - happens.mean())):
        [(_, estimate)] = accumulator.estimates(
            TRIALS, summed(2, lambda own, out: share.add(count[own], out))
        )
        assert estimate.value == pytest.approx(expected) and estimate.proportion
        assert estimate.standard_error == pytest.approx(error)
    [(_, estimate)] = Count().estimates(TRIALS, [Fraction(int(happens[0].sum()))])
    assert estimate.value == pytest.approx(happens[0].mean())
    above = Exceedances([0.5, 1.0], shift=0.5)
    estimates = found(above, lambda own, out: above.add(EveryValue(values[:, own].copy()), out))
    assert list(estimates) == ["P(>0.5)", "P(>1.0)"]
    assert estimates["P(>0.5)"].value == pytest.approx((values > 1.0).mean())
    assert estimates["P(>1.0)"].value == pytest.approx(happens.mean())
    assert estimates["P(>1.0)"].standard_error == pytest.approx(error)


def test_ratios():
    a, c = some(2, TRIALS)
    c = np.floor(c + 1)
    ratio = Ratio()
    own = summed(ratio.cells, lambda block, out: ratio.add(a[block], c[block], out))
    beside = [sum(map(Fraction, (c**power).tolist())) for power in (1, 2)]
    [(_, estimate)] = ratio.estimates(TRIALS, [*beside, *own])
    assert estimate.value == pytest.approx(a.sum() / c.sum())
    deviation = a - a.sum() / c.sum() * c
    error = (deviation**2).sum() ** 0.5 / c.sum()
    assert estimate.standard_error == pytest.approx(error, rel=0.01)


def tallied(values):
    """All that a tally takes of a distribution."""
    powers, pooled, above = np.empty(4), np.empty(7), np.empty(2)
    bins, extremes = np.zeros(HISTOGRAM_BINS, np.int64), np.array([np.inf, -np.inf, 0.0, 0.0])
    values.powers(powers)
    values.pooled(pooled)
    values.above(1.5, above)
    values.histogram(bins, extremes)
    return powers, pooled, above, bins, extremes


def test_counted_levels_are_the_distribution_of_their_values():
    scale = Scale(np.array([0.0, 0.5, 1.5, 2.0, 8.0]))  # powers of 2 and sums of few: no rounding
    counts = np.array([3, 20, 7, 5, 0])
    values = np.random.default_rng(1).permutation(np.repeat(scale.values, counts))
    known, counted = EveryValue(values.reshape(1, -1)), Levels(scale, counts)
    for one, other in zip(tallied(known), tallied(counted), strict=True):
        np.testing.assert_array_equal(one, other)
