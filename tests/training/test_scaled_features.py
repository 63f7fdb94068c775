"""Features whose squares are no float64 are standardized as others are."""

from __future__ import annotations

import numpy as np
import pytest

from fastgc.training.data.preparing import scale

X = np.array([[1.0, 5.0], [2.0, 5.0], [4.0, -3.0], [-8.0, 0.5]])


def test_features_have_mean_0_and_variance_1() -> None:
    made = scale(X, True)
    assert np.abs(made.mean(axis=0)).max() < 1e-15
    assert np.abs(made.var(axis=0) - 1).max() < 1e-14


@pytest.mark.parametrize("exponent", [-1000, -700, -300, 300, 700, 1015])
def test_a_power_of_two_changes_no_bit(exponent: int) -> None:
    made = scale(np.ldexp(X, [exponent, 0]), True)
    assert made.tobytes() == scale(X, True).tobytes()


def test_a_constant_feature_is_0() -> None:
    assert not scale(np.full((3, 2), 1e308), True).any()
