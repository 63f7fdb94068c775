"""Bounds of a probability."""

import pytest

from fastgc.statistics import strata
from fastgc.statistics.estimates import Estimate
from suite.checks import close


def test_bounds_hold_at_any_confidence():
    found = strata.bounds(1e-9, 3e-9, "why")
    assert found.interval(0.5) == found.interval(0.9999) == (1e-9, 3e-9)
    assert found.value == close(2e-9) and found.note == "why"
    assert repr(found) == "2e-09 [1e-09, 3e-09]"
    assert strata.is_narrow(found, 0.5) and not strata.is_narrow(found, 0.49)
    assert strata.bounds(0.9, 1.2).interval() == (0.9, 1.0)


def test_other_confidences_are_in_proportion():
    found = Estimate(0.5, 0.01, 100, ends=(0.4, 0.7))
    low, high = found.interval(0.99)
    assert low == pytest.approx(0.5 - 0.1 * 2.575829 / 1.959964)
    assert high == pytest.approx(0.5 + 0.2 * 2.575829 / 1.959964)
