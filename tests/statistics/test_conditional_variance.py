"""Variance of values that not every trial has: its standard error by definition and coverage."""

import math
from fractions import Fraction

import numpy as np
import pytest

from fastgc.statistics import estimates

#: Values are multiples of 1/64, so that sums of whole numbers are exact.
UNIT = 64


def sums(a, b, c):
    """Σa, Σa², Σb, Σb², Σc, Σc², Σab, Σac and Σbc, exactly."""
    parts = [(a, UNIT), (b, UNIT**2), (c, 1)]
    whole = [(np.rint(values * unit).astype(np.int64), unit) for values, unit in parts]

    def product(one, other):
        return Fraction(int(one[0] @ other[0]), one[1] * other[1])

    own = [
        total
        for part in whole
        for total in (Fraction(int(part[0].sum()), part[1]), product(part, part))
    ]
    a, b, c = whole
    return (*own, product(a, b), product(a, c), product(b, c))


def of(values, there):
    own = np.where(there, values, 0.0)
    return estimates.conditional_variance(
        len(values), sums(own.sum(axis=1), (own**2).sum(axis=1), there.sum(axis=1))
    )


def drawn(seed, trials, iterations, skew=True):
    random = np.random.default_rng(seed)
    shape = (trials, iterations)
    level = random.normal(size=(trials, 1))
    values = 3.0 + level + (random.exponential(size=shape) if skew else random.normal(size=shape))
    # who is late is also less often there, so that sums and numbers go together
    return np.rint(values * UNIT) / UNIT, random.random(shape) < np.where(level > 0, 0.3, 0.9)


@pytest.mark.parametrize("iterations", [1, 4])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_by_definition(iterations, seed):
    trials = 60
    values, there = drawn(seed, trials, iterations)
    found = of(values, there)
    held = values[there]
    mean, variance = held.mean(), held.var()
    # what a trial adds to the sum of squares beyond its share
    influence = (((values - mean) ** 2 - variance) * there).sum(axis=1)
    count = there.sum(axis=1)
    worth = count.sum() ** 2 / (count**2).sum()
    error = math.sqrt((influence**2).sum() * worth / (worth - 1)) / count.sum()
    assert found.value == pytest.approx(variance, rel=1e-12)
    assert found.standard_error == pytest.approx(error, rel=1e-9)
    assert found.trials == math.floor(worth)


@pytest.mark.night
@pytest.mark.parametrize("iterations", [1, 3])
def test_coverage(iterations):
    """95 % intervals of 1000 samples: 0.93 to 0.97 is 2.9 standard deviations to each side."""
    values, there = drawn(0, 2_000_000, iterations, skew=False)
    truth = values[there].var()
    hits = 0
    for seed in range(1, 1001):
        found = of(*drawn(seed, 300, iterations, skew=False))
        low, high = found.interval(0.95)
        hits += low <= truth <= high
    assert 0.93 <= hits / 1000 <= 0.97


def test_what_hardly_happened_has_no_spread():
    values, there = np.ones((5, 2)), np.zeros((5, 2), bool)
    assert of(values, there).note == "never happened"
    there[2, 0] = True
    assert of(values, there).note == "needs two trials"
