"""Means by strata and controls: against formulas on all values, and what leaves them plain."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from fastgc.statistics import controls, estimates
from fastgc.statistics.controls import ControlPilot, Stratum
from suite.checks import close
from twins import reductions as twin

WEIGHTS = (0.25, 0.5, 0.25)


def exactly(values):
    return sum(map(Fraction, values), Fraction(0))


def worth(slope=0.0, **changes):
    """What a pilot says that finds much to gain, and no residual that is rare."""
    said = {"others": 1.0, "variance": 1e6, "left": 0.0, "size": 0.0, "is_typical": True}
    return ControlPilot(**(said | {"slope": slope} | changes))


def stratified(values, control, strata, weights, mean, by, largest=0.0):
    """The estimate, from exact sums as a tally has them."""
    y, c = np.asarray(values), np.asarray(control)
    plain = estimates.mean(len(y), exactly(y), exactly(y * y))
    groups = [strata == g for g in range(len(weights))]
    own = [
        Stratum(Fraction(int(g.sum())), exactly(y[g]), exactly(c[g]), w)
        for g, w in zip(groups, weights, strict=True)
    ]
    products = exactly(y * y), exactly(y * c), exactly(c * c)
    found = controls.stratified(plain, own, products, mean, largest, "how", lambda _: by)
    return plain, found


def drawn(trials, seed=1):
    """Values, a control with mean 0.5, and strata of ¼, ½, ¼, on a grid: exact sums."""
    random = np.random.default_rng(seed)
    strata = random.choice(3, trials, p=[0.25, 0.5, 0.25])
    control = np.round(random.random(trials) * 1024) / 1024
    values = strata + control + np.round(random.random(trials) * 256) / 1024
    return values, control, strata


@pytest.mark.parametrize(
    ("slope", "without"), [(1.0, ""), (0.7, ""), (0.0, "control"), (1.0, "strata")]
)
@pytest.mark.parametrize("trials", [1000, 5000])
def test_the_formula(trials, slope, without):
    values, control, strata = drawn(trials)
    weights, mean = WEIGHTS, 0.5
    if without == "control":
        control, mean = np.zeros(trials), 0.0
    if without == "strata":
        strata, weights = np.zeros(trials, int), (1.0,)
    plain, found = stratified(values, control, strata, weights, mean, worth(slope))
    value, variance = twin.stratified(values, control, strata, weights, mean, slope)
    assert found.value == pytest.approx(value, rel=1e-12)
    assert found.standard_error**2 == pytest.approx(variance, rel=1e-9, abs=0)
    assert found.variance_reduction == pytest.approx(plain.standard_error**2 / variance, rel=1e-9)
    if not without:
        assert found.variance_reduction > (50 if slope == 1.0 else 20)
        assert found.note == f"how: {found.variance_reduction:.0f} × less variance"
    assert found.trials == plain.trials


def test_strata_of_few_trials_are_joined():
    values, control, strata = drawn(1000)
    fine = np.where(strata == 2, 2 + np.arange(1000) % 9 // 8, strata)  # a last one of 25 or so
    _, found = stratified(values, control, fine, (0.25, 0.5, 0.22, 0.03), 0.5, worth(1.0))
    _, expected = stratified(values, control, strata, WEIGHTS, 0.5, worth(1.0))
    assert found == replace(expected, value=found.value)
    assert found.value == pytest.approx(expected.value, rel=1e-12)


NOTHING_TO_GAIN = worth(1.0, variance=1.0, left=0.95)


@pytest.mark.parametrize(("trials", "first", "weights", "by"), [
    (1000, 1, (0.1, 0.2, 0.5, 0.2), worth(1.0)),  # a stratum without trials
    *((few, 0, WEIGHTS, worth(1.0)) for few in (2, 10, 99)),
    (1000, 0, WEIGHTS, NOTHING_TO_GAIN),
])  # fmt: skip
def test_what_leaves_the_plain_mean(trials, first, weights, by):
    values, control, strata = drawn(trials)
    plain, found = stratified(values, control, strata + first, weights, 0.5, by)
    assert found is plain


@pytest.mark.parametrize("hits", [0, 50, 500])
@pytest.mark.parametrize("others", [0.05, 0.5])
def test_the_pilot_decides_and_never_the_sample(hits, others):
    """Few events are expected, or many: what the sample has of them makes no difference."""
    plain = estimates.within(estimates.mean(1000, Fraction(hits), Fraction(hits)))
    zero = Fraction(0)
    own = [Stratum(Fraction(1000 - hits), zero, zero, 0.5)]
    own += [Stratum(Fraction(hits), Fraction(hits), zero, 0.5)]
    products = Fraction(hits), zero, zero
    by = worth(others=others, size=0.1)
    found = controls.stratified(plain, own, products, 0.0, 1.0, "how", lambda _: by)
    if others == 0.05 or hits == 0:  # or a stratum is empty, which says nothing of events
        assert found is plain
    else:
        assert found.value == 0.5
        assert found.note.startswith("how")


def test_what_strata_explain_wholly_keeps_the_error_of_two_more_values():
    strata = np.arange(1000) % 2
    nothing, halves = np.zeros(1000), (0.5, 0.5)
    for by, size in ((worth(size=0.25), 0.25), (worth(size=2.0, is_typical=False), 3.0)):
        plain, found = stratified(strata * 3.0, nothing, strata, halves, 0.0, by, largest=3.0)
        assert found.value == 1.5
        assert found.standard_error == close(2**0.5 * size / 1000)
        assert found.standard_error < plain.standard_error


def test_a_pilot():
    random = np.random.default_rng(4)
    strata = random.choice(3, 4096, p=[0.25, 0.5, 0.25])
    control = random.random(4096)
    noise = random.normal(size=4096)
    found = controls.pilot(strata + 2 * control + 0.1 * noise, control, strata)
    assert found.slope == pytest.approx(2.0, rel=0.02)
    assert found.left == pytest.approx(0.01, rel=0.1)
    assert found.variance == pytest.approx(0.5 + 4 / 12 + 0.01, rel=0.1)
    assert found.size == pytest.approx(0.1 * 3**0.5, rel=0.1)  # of normal ones Σr⁴/Σr² is 3σ²
    assert found.others == pytest.approx(1.0, abs=0.01)
    assert found.is_typical
    assert found.is_worth(1000, 3) and not found.is_worth(99, 3)


def test_a_pilot_of_rare_values():
    values = np.zeros(4096)
    values[:40] = 2.0  # of which the control says all but four
    values[40:44] = 3.0
    control = (values > 0).astype(float)
    found = controls.pilot(values, control, slope=2.0)
    assert found.others == pytest.approx(44 / 4096)
    assert not found.is_worth(5000) and found.is_worth(20_000)
    assert (found.is_typical, found.size) == (False, 3.0)  # four are few: the range of all
    assert found.unseen(1000, 8.0) == pytest.approx(2 * (8.0 / 1000) ** 2, rel=1e-9, abs=0)
    constant = controls.pilot(np.full(64, 0.1), np.zeros(64))
    assert (constant.others, constant.size, constant.is_worth(10**6)) == (0.0, 0.0, False)


def test_regressed():
    random = np.random.default_rng(2)
    control = random.random(500)
    values = 3 * control + 0.1 * random.random(500)
    plain = estimates.mean(500, exactly(values), exactly(values**2))
    left = values - 3 * control
    rest = estimates.mean(500, exactly(left), exactly(left**2))
    found = controls.regressed(plain, rest, 1.5, 3.0, "how", worth())
    assert found.value == pytest.approx(rest.value + 1.5)
    assert found.standard_error == rest.standard_error
    ratio = plain.standard_error / rest.standard_error
    assert found.variance_reduction == pytest.approx(ratio**2)
    wide = controls.regressed(plain, rest, 1.5, 3.0, "how", worth(size=0.5))
    error = rest.standard_error**2 + 2 * (0.5 / 500) ** 2
    assert wide.standard_error**2 == pytest.approx(error, rel=1e-9, abs=0)
    little = worth(variance=1.0, left=0.99)
    assert controls.regressed(plain, plain, 0.0, 3.0, "how", little) is plain
    few = estimates.mean(50, exactly(values[:50]), exactly(values[:50] ** 2))
    assert controls.regressed(few, rest, 1.5, 3.0, "how", worth()) is few


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


def test_a_mean_outside_of_its_range_is_not_clipped():
    values, control, _ = drawn(1000)
    own = [Stratum(Fraction(1000), exactly(values), exactly(control), 1.0)]
    products = exactly(values**2), exactly(values * control), exactly(control**2)
    plain = estimates.mean(1000, exactly(values), exactly(values**2))
    narrow = estimates.within(plain, most=4.0)
    found = controls.stratified(narrow, own, products, -9.0, 0.0, "how", lambda _: worth(1.0))
    assert found.value < 0
