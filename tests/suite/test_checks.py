"""What tests compare with is itself tested."""

import math

import numpy as np
import pytest

from suite.checks import close, every


@pytest.mark.parametrize("expected", [1e-20, 4.0e-13, 0.5, 1e300])
def test_numbers_are_close_by_their_digits_alone(expected: float) -> None:
    assert expected * (1 + 9e-10) == close(expected, rel=1e-9)
    assert expected * (1 + 2e-9) != close(expected, rel=1e-9)
    assert close(expected) != 0
    assert np.array([1.0, expected]) == close([1.0, expected], rel=1e-15)
    assert [1.0, expected * 1.01] != close([1.0, expected])


def test_nothing_is_no_condition() -> None:
    assert every(x > 0 for x in (1, 2))
    assert not every([1, 0])
    for nothing in ([], (), (x for x in ())):
        with pytest.raises(pytest.fail.Exception, match="nothing was looked at"):
            every(nothing)


@pytest.mark.parametrize("expected", [1e-20, -9e-4, [1.0, 1e-5], {"p": 1e-13}, np.array([1e-9])])
def test_a_bare_approx_of_a_small_number_is_refused(expected: object) -> None:
    with pytest.raises(pytest.fail.Exception, match="accepts all within 1e-12 of it"):
        assert expected == pytest.approx(expected, rel=1e-9)
    assert expected == pytest.approx(expected, rel=1e-9, abs=0)
    for other in (0.0, 1e-3, True, "text", [1.0, None], 1e300, math.inf):  # the others are not
        assert other == pytest.approx(other)
