"""Bounds, ages and schedules of selections by hand; a wrong rule gives another number."""

import math

import pytest

from fastgc.validation.finite import measure
from fastgc.validation.finite.brute_force import training as selection


def test_bounds_class_by_class():
    """Of c = 2 and D = 3 the classes end at 2, 1 and 2/3."""
    rule = (2.0, 3)
    for smoothness, share in ((9.0, 1.0), (1.2, 1 / 2), (0.9, 1 / 3), (0.1, 1 / 4)):
        bound = selection.selection_bound([smoothness], *rule, "infinity")
        assert bound == pytest.approx(share)
        printed = selection.selection_bound([smoothness], *rule, "zero")
        assert printed == (0.0 if smoothness == 9.0 else pytest.approx(share))
    several = selection.selection_bound([9.0, 0.1, 0.1], *rule, "infinity")
    assert several == pytest.approx(1.5)
    assert selection.selection_bound([9.0, 0.1, 0.1], 0.01, 3, "infinity") != several


def test_runs_violate_the_wrong_bound_and_not_the_right_one():
    runs = {"runs": 10, "seed": 5}
    assert selection.selection_bound_violations("infinity", "after", **runs) == 0
    assert selection.selection_bound_violations("zero", "after", **runs) == 10


def test_schedules_of_other_groups_take_otherwise_long():
    least, most = (
        measure({"finite": name, "selections": 7, "groups": 3, "d": 2, "mean": 1.0})
        for name in ("least_schedule_time", "most_schedule_time")
    )
    # 3 + 3 + 1 at a time, or one by one
    assert least == pytest.approx((11 / 6 + 11 / 6 + 1) / 2) and most == pytest.approx(3.5)
    assert selection.least_schedule_time(7, 4, 2, 1.0) < least
    assert selection.most_schedule_time(7, 3, 3, 1.0) < most
    assert selection.time_not_allowed(7, 3, 2, 1.0, 3.0) == 0.0
    assert selection.time_not_allowed(7, 3, 2, 1.0, 3.6) == pytest.approx(0.1)
    assert selection.time_not_allowed(7, 3, 2, 1.0, 2.0) == pytest.approx(least - 2.0)


def test_waits_for_a_random_number():
    found = selection.binomial_wait(2, 0.5, 1)
    assert found == pytest.approx(0.5 * 1.0 + 0.25 * 1.5)
    assert abs(selection.binomial_wait(2, 0.5, 2) - found) > 0.1
    assert selection.binomial_wait(2, 1.0, 1) == 1.5 != found
    assert math.isclose(selection.binomial_wait(9, 0.0, 1), 0.0)
