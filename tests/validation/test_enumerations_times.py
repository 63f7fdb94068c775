"""Finite statements about times of layers, and sums, measured by brute force."""

import pytest

from fastgc.validation.finite.brute_force import counting, layers


def test_harmonic_numbers():
    assert counting.harmonic_sum(4) == pytest.approx(25 / 12)
    assert counting.harmonic_difference(4, 2) == pytest.approx(7 / 12)


def test_failure_slopes():
    # one of one worker: e^(−t/j)
    assert layers.failure_slope(1, 1, 4, 2.0) == pytest.approx(1 / 4)


def test_finishing_means():
    assert layers.finishing_mean(1, [1], 2.0, 0.5) == pytest.approx(2.5, rel=1e-10)
    assert layers.least_finishing_mean(4, 2, 5, 1.0, 0.0) == pytest.approx(41 / 30, rel=1e-9)
