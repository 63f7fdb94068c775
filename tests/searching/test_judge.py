"""Errors as fractions, the tree of patterns, and lower bounds, against brute force of their own."""

from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest

from fastgc import codes
from fastgc.searching import certificate as bounds
from fastgc.searching.judge import exact_spectrum, spectrum
from twins.decoders import every_pattern
from twins.least_squares import lstsq_errors


def brute_force(B: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    alive = every_pattern(len(B.T))
    errors, lost = lstsq_errors(B, alive), (~alive).sum(axis=1)
    own = [errors[lost == s] for s in range(len(B.T) + 1)]
    sums, worst = (np.array([f(each) for each in own]) for f in (np.sum, np.max))
    return sums, worst, np.array([np.count_nonzero(each < 1e-9) for each in own])


def matrices() -> list[np.ndarray]:
    # of ranks of all kinds, also with equal, empty and many columns
    generator = np.random.default_rng(3)
    found = [generator.integers(-1, 3, (k, n)).astype(float) for k, n in ((4, 6), (6, 6), (7, 4))]
    twice: np.ndarray = np.hstack([found[0], found[0][:, :1], np.zeros((4, 1))])
    return [*found, twice, codes.circulant(n=7, d=3).B, codes.frc(n=6, d=3).B, np.ones((3, 1))]


@pytest.mark.night
@pytest.mark.parametrize("B", matrices(), ids=lambda B: f"{len(B)}x{len(B.T)}")
def test_both_agree_with_brute_force(B: np.ndarray) -> None:
    sums, worst, counts = brute_force(B)
    exact, quick = exact_spectrum(B), spectrum(B)
    for found in (exact, quick):
        assert [float(each) for each in found.sums] == pytest.approx(sums, rel=1e-9, abs=1e-9)
        assert [float(each) for each in found.worst] == pytest.approx(worst, rel=1e-9, abs=1e-9)
        assert list(found.counts) == counts.tolist()


# ---- lower bounds hold for all codes


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
        alive = every_pattern(n)
        lost = (~alive).sum(axis=1)
        mean = (0.3**lost * 0.7 ** (n - lost) * lstsq_errors(B, alive)).sum()
        assert mean >= float(bounds.mean_error(n, d, 0.3)) * (1 - 1e-9)
    assert bounds.mean_error(4, 3, Fraction(1, 2), k=5) == 3 * Fraction(1, 4) + 2 * Fraction(1, 8)
    worst = [bounds.worst_error(*each) for each in ((9, 3, 2), (9, 3, 3), (9, 3, 5), (5, 2, 4))]
    assert worst == [0, 1, 2, 3]
