"""Lower bounds on errors hold for all codes."""

from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest

from fastgc.searching import bounds
from twins.decoders import every_pattern
from twins.least_squares import lstsq_errors


def mean_error(B, p):
    """The mean error with independent stragglers, by least squares of every pattern."""
    alive = every_pattern(len(B.T))
    lost = (~alive).sum(axis=1)
    return (p**lost * (1 - p) ** (len(B.T) - lost) * lstsq_errors(B, alive)).sum()


def least_lost(n, d, s):
    """The least number of partitions that the worst s of n workers hold alone, by brute force."""
    holdings = [set(own) for own in combinations(range(n), d)]
    return min(
        max(n - len(set().union(*left)) for left in combinations(code, n - s))
        for code in combinations_with_replacement(holdings, n)
    )


@pytest.mark.parametrize("n, d", [(3, 1), (3, 2), (4, 2), (4, 3), (5, 2)])
def test_bounds_of_the_worst_error_hold_for_all_holdings(n, d):
    for s in range(n):
        assert bounds.worst_error(n, d, s) <= least_lost(n, d, s)


def test_bounds_of_the_mean_error_hold_for_random_codes():
    rng = np.random.default_rng(1)
    for _ in range(20):
        n, d = int(rng.integers(2, 6)), int(rng.integers(1, 4))
        d = min(d, n)
        B = np.zeros((n, n))
        for j in range(n):
            B[rng.choice(n, d, replace=False), j] = rng.normal(size=d)
        assert mean_error(B, 0.3) >= float(bounds.mean_error(n, d, 0.3)) * (1 - 1e-9)
    assert bounds.mean_error(4, 3, Fraction(1, 2), k=5) == 3 * Fraction(1, 4) + 2 * Fraction(1, 8)
    worst = [bounds.worst_error(*each) for each in ((9, 3, 2), (9, 3, 3), (9, 3, 5), (5, 2, 4))]
    assert worst == [0, 1, 2, 3]
