"""Intervals of probabilities: against their definitions, and their exact coverage."""

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

from fastgc.statistics import estimates, shares

Z = NormalDist().inv_cdf(0.975)


def wilson(hits, trials):
    """Wilson (1927): the p with |p̂ − p| ≤ z √(p(1 − p)/n)."""
    p = hits / trials
    centre = (p + Z**2 / (2 * trials)) / (1 + Z**2 / trials)
    half = Z / (1 + Z**2 / trials) * math.sqrt(p * (1 - p) / trials + Z**2 / (4 * trials**2))
    return centre - half, centre + half


def clopper_pearson(hits, trials):
    """Clopper and Pearson (1934), as quantiles of beta distributions."""
    low = stats.beta.ppf(0.025, hits, trials - hits + 1) if hits else 0.0
    high = stats.beta.ppf(0.975, hits + 1, trials - hits) if hits < trials else 1.0
    return low, high


def interval(hits, trials):
    hits = Fraction(hits)
    return estimates.mean(trials, hits, hits, proportion=True).interval()


ALL = [(each, each) for each in (1, 2, 10, 100, 10**6)]
FEW = [(5, 10), (1, 10), (9, 10), (29, 70), (1, 30), (3, 10**5), (29, 1000), (10**5 - 3, 10**5)]
MANY = [(50, 100), (30, 1000), (970, 1000), (10**5, 10**6)]


@pytest.mark.parametrize(("hits", "trials"), [*ALL, *((0, t) for _, t in ALL), *FEW, *MANY])
def test_the_farther_end_of_both_where_outcomes_are_few(hits, trials):
    lows, highs = zip(wilson(hits, trials), clopper_pearson(hits, trials), strict=True)
    if (hits, trials) in MANY:  # outcomes of both kinds: Wilson's alone
        lows, highs = lows[:1], highs[:1]
    expected = max(0.0, min(lows)), min(1.0, max(highs))
    assert interval(hits, trials) == pytest.approx(expected, rel=1e-9, abs=1e-15)


def least_coverage(trials, interval_of):
    """Least probability, over all probabilities, that the interval of a binomial number holds it.

    It is least just beyond an end of an interval; ends grow with the number.
    """
    hits = np.arange(min(trials, 400) + 1)
    low, high = np.array([interval_of(int(x), trials) for x in hits]).T
    ends = np.concatenate([low, high])
    ends = ends[(ends > 0) & (ends <= 0.5) & (ends < 250 / trials)]
    p = np.concatenate([ends * (1 - 1e-9), ends * (1 + 1e-9)])
    first, last = np.searchsorted(high, p, "left"), np.searchsorted(low, p, "right") - 1
    return (stats.binom.cdf(last, trials, p) - stats.binom.cdf(first - 1, trials, p)).min()


@pytest.mark.parametrize("trials", [1, 5, 20, 59, 60, 76, 94, 200, 500, 10**4, 10**8])
def test_every_probability_is_covered_with_more_than_93_percent_and_a_half(trials):
    """Exactly, not by sampling; Wilson's interval alone covers some with 84 %."""
    assert least_coverage(trials, interval) >= 0.935
    assert least_coverage(trials, wilson) < (0.85 if trials >= 10 else 0.9)


@pytest.mark.parametrize("outcomes", [0.4, 7.3, 29.2, 70.0])
def test_numbers_of_outcomes_need_not_be_whole(outcomes):
    """Shares of dependent iterations are worth as many independent trials as their error says."""

    def of(number):
        p = number / 100
        return shares.interval(p, math.sqrt(p * (1 - p) / 99), 1000, Z)

    (low, high), (below, _), (_, above) = of(outcomes), of(outcomes - 0.2), of(outcomes + 0.2)
    assert 0 <= below < low < outcomes / 100 < high < above <= 1
