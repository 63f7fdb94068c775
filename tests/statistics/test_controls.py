"""Means by strata and controls: against formulas on all values, and what leaves them plain."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from fastgc.statistics import controls, estimates
from fastgc.statistics.controls import Stratum
from twins import reductions as twin


def exactly(values):
    return sum(map(Fraction, values), Fraction(0))


def stratified(values, control, strata, weights, mean, largest=0.0):
    """The estimate, from exact sums as a tally has them."""
    y, c = np.asarray(values), np.asarray(control)
    plain = estimates.mean(len(y), exactly(y), exactly(y * y))
    own = [
        Stratum(
            Fraction(int((strata == g).sum())), exactly(y[strata == g]), exactly(c[strata == g]), w
        )
        for g, w in enumerate(weights)
    ]
    products = exactly(y * y), exactly(y * c), exactly(c * c)
    return plain, controls.stratified(plain, own, products, mean, largest, "how")


def drawn(trials, seed=1):
    """Values, a control with mean 0.5, and strata with chances ¼, ½, ¼, on a grid: exact sums."""
    random = np.random.default_rng(seed)
    strata = random.choice(3, trials, p=[0.25, 0.5, 0.25])
    control = np.round(random.random(trials) * 1024) / 1024
    values = strata + control + np.round(random.random(trials) * 256) / 1024
    return values, control, strata


@pytest.mark.parametrize("trials", [1000, 5000])
def test_the_formula(trials):
    values, control, strata = drawn(trials)
    weights = (0.25, 0.5, 0.25)
    plain, found = stratified(values, control, strata, weights, 0.5)
    value, variance = twin.stratified(values, control, strata, weights, 0.5)
    assert found.value == pytest.approx(value, rel=1e-12)
    assert found.standard_error**2 == pytest.approx(variance, rel=1e-9)
    assert found.variance_reduction == pytest.approx(plain.standard_error**2 / variance, rel=1e-9)
    assert found.variance_reduction > 50
    assert found.note == f"how: {found.variance_reduction:.0f} × less variance"
    assert found.trials == plain.trials


def test_no_control_and_no_strata():
    values, control, strata = drawn(1000)
    nothing = np.zeros(1000)
    _, found = stratified(values, nothing, strata, (0.25, 0.5, 0.25), 0.0)
    value, variance = twin.stratified(values, nothing, strata, (0.25, 0.5, 0.25), 0.0)
    assert (found.value, found.standard_error) == pytest.approx((value, variance**0.5), rel=1e-9)
    one = np.zeros(1000, int)
    _, found = stratified(values, control, one, (1.0,), 0.5)
    value, variance = twin.stratified(values, control, one, (1.0,), 0.5)
    assert (found.value, found.standard_error) == pytest.approx((value, variance**0.5), rel=1e-9)


def test_strata_of_few_trials_are_joined():
    values, control, strata = drawn(1000)
    fine = np.where(strata == 2, 2 + np.arange(1000) % 9 // 8, strata)  # a last one of 25 or so
    _, found = stratified(values, control, fine, (0.25, 0.5, 0.22, 0.03), 0.5)
    _, expected = stratified(values, control, strata, (0.25, 0.5, 0.25), 0.5)
    assert found == replace(expected, value=found.value)
    assert found.value == pytest.approx(expected.value, rel=1e-12)


def test_a_stratum_without_trials_leaves_the_plain_mean():
    values, control, strata = drawn(1000)
    plain, found = stratified(values, control, strata + 1, (0.1, 0.2, 0.5, 0.2), 0.5)
    assert found is plain


@pytest.mark.parametrize("trials", [2, 10, 99])
def test_few_trials_leave_the_plain_mean(trials):
    values, control, strata = drawn(trials)
    plain, found = stratified(values, control, strata, (0.25, 0.5, 0.25), 0.5)
    assert found is plain


def test_trials_that_were_not_tallied_leave_the_plain_mean():
    values, control, strata = drawn(1000)
    plain, _ = stratified(values, control, strata, (0.25, 0.5, 0.25), 0.5)
    zero = Fraction(0)
    own = [Stratum(zero, zero, zero, weight) for weight in (0.25, 0.5, 0.25)]
    assert controls.stratified(plain, own, (zero, zero, zero), 0.5, 0.0, "how") is plain


def test_few_events_leave_the_plain_mean():
    values = np.zeros(1000)
    values[:50] = 1.0
    strata = (values > 0).astype(int)
    plain = estimates.within(estimates.mean(1000, Fraction(50), Fraction(50)))
    own = [Stratum(Fraction(950), Fraction(0), Fraction(0), 0.95)]
    own += [Stratum(Fraction(50), Fraction(50), Fraction(0), 0.05)]
    products = Fraction(50), Fraction(0), Fraction(0)
    assert strata.sum() == 50
    assert controls.stratified(plain, own, products, 0.0, 1.0, "how") is plain


def test_what_strata_explain_wholly_keeps_the_error_of_one_more_value():
    strata = np.arange(1000) % 2
    plain, found = stratified(strata * 3.0, np.zeros(1000), strata, (0.5, 0.5), 0.0, largest=3.0)
    assert found.value == 1.5
    assert found.standard_error == pytest.approx(3.0 / 1000)
    assert found.standard_error < plain.standard_error


def test_nothing_gained_leaves_the_plain_mean():
    values, _, _ = drawn(1000)
    random = np.random.default_rng(3)
    plain, found = stratified(values, np.zeros(1000), random.integers(0, 2, 1000), (0.5, 0.5), 0.0)
    assert found is plain


def test_a_mean_outside_of_its_range_is_not_taken():
    values, control, strata = drawn(1000)
    plain, found = stratified(values, control, strata, (0.25, 0.5, 0.25), 0.5)
    assert found is not plain
    own = [Stratum(Fraction(1000), exactly(values), exactly(control), 1.0)]
    products = exactly(values**2), exactly(values * control), exactly(control**2)
    narrow = estimates.within(plain, most=4.0)
    assert controls.stratified(narrow, own, products, -9.0, 0.0, "how") is narrow


def test_regressed():
    random = np.random.default_rng(2)
    control = random.random(500)
    values = 3 * control + 0.1 * random.random(500)
    plain = estimates.mean(500, exactly(values), exactly(values**2))
    left = values - 3 * control
    rest = estimates.mean(500, exactly(left), exactly(left**2))
    found = controls.regressed(plain, rest, 1.5, "how")
    assert found.value == pytest.approx(rest.value + 1.5)
    assert found.standard_error == rest.standard_error
    assert found.variance_reduction == pytest.approx(
        (plain.standard_error / rest.standard_error) ** 2
    )
    assert controls.regressed(plain, plain, 0.0, "how") is plain
    few = estimates.mean(50, exactly(values[:50]), exactly(values[:50] ** 2))
    assert controls.regressed(few, rest, 1.5, "how") is few


@pytest.mark.parametrize("m", [1, 2, 5])
def test_slopes_are_those_of_least_squares(m):
    random = np.random.default_rng(m)
    rows = random.random((m, 200)).cumsum(axis=0) + 10.0
    values = random.random(200) + rows.sum(axis=0)
    found = controls.slopes(values, rows)
    around = rows - rows.mean(axis=1, keepdims=True)
    expected = np.linalg.lstsq(around.T, values - values.mean(), rcond=None)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_slopes_of_controls_that_say_nothing_new_are_zero():
    random = np.random.default_rng(1)
    row = random.random(100)
    assert controls.slopes(2 * row, np.stack([row, np.ones(100), row])).tolist().count(0.0) == 2
    assert controls.slopes(row, np.ones((1, 100))).tolist() == [0.0]
