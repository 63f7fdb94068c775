"""Values of which nearly all are alike: the interval of their mean, and of their variance."""

import math
from fractions import Fraction

import numpy as np
import pytest

from fastgc.statistics import estimates, modes
from suite.sampled import coverage, histogram_of

REPLICATIONS = 1000
#: 95 % less three standard errors of so many replications
LEAST = 0.95 - 3 * math.sqrt(0.95 * 0.05 / REPLICATIONS)


def mean_of(values, most=math.inf, noise=0.0):
    """The estimate from values (T,) or, over iterations, (L, T)."""
    values = np.atleast_2d(values)
    own, counts = np.unique(values.mean(axis=0), return_counts=True)
    sums = [
        sum(int(c) * Fraction(x) ** power for x, c in zip(own, counts, strict=True))
        for power in (1, 2)
    ]
    plain = estimates.within(estimates.mean(values.shape[1], *sums), most=most, noise=noise)
    seen = histogram_of(values.reshape(-1))
    return modes.beside_mode(plain, seen, float(values.var()))


@pytest.mark.night
@pytest.mark.parametrize(("outcomes", "probabilities", "most"), [
    ([3.0, 1.0], [0.997, 0.003], 3.0),  # the mode is the most that there can be
    ([3.0, 1.0], [0.9997, 0.0003], 3.0),  # which often is all that is seen
    ([4.0, 1.0, 9.0], [0.99, 0.006, 0.004], 12.0),  # some below and some above
    ([4.0, 1.0, 9.0], [0.998, 0.001, 0.001], 12.0),
    ([4.0, 3.0, 2.0, 0.0], [0.98, 0.01, 0.005, 0.005], 4.0),
])  # fmt: skip
def test_means_of_values_nearly_all_alike_hold_the_truth(outcomes, probabilities, most):
    def estimate(random):
        return mean_of(random.choice(outcomes, 1000, p=probabilities), most)

    assert coverage(float(np.dot(outcomes, probabilities)), estimate, 5, REPLICATIONS) >= LEAST


def test_what_is_said():
    all_alike = mean_of(np.full(1000, 3.0), most=3.0)
    assert all_alike.note == "alike in all 1000 trials"
    low, high = all_alike.interval()
    assert (low, high) == (pytest.approx(3 - 3 * (1 - 0.025 ** (1 / 1000))), 3.0)
    assert mean_of(np.full(1000, 3.0)).interval()[1] is None  # nothing is known above it
    three = np.where(np.arange(1000) < 3, 1.0, 3.0)
    found = mean_of(three, most=3.0)
    assert found.note == "alike in all but about 3 of 1000 trials"
    assert estimates.rests_on_few(found)
    assert estimates.events(found) == pytest.approx(3.0, rel=0.01)
    moved = estimates.shifted(found, 2.0)
    assert moved.interval() == tuple(end + 2.0 for end in found.interval())


def test_many_outcomes_and_spread_values_stay_as_they_are():
    random = np.random.default_rng(8)
    for values in (
        random.choice([3.0, 1.0], 1000, p=[0.8, 0.2]),  # many have another value
        random.normal(1000.0, 1.0, 1000),  # in one bin, but not alike
        np.append(random.normal(1000.0, 1.0, 997), [1010.0] * 3),  # what differs is spread itself
        random.exponential(size=1000),
    ):
        found = mean_of(values, most=2000.0)
        assert found.others is None
        assert found.note is None


def test_rounding_parts_no_mode():
    values = np.where(np.arange(1000) % 2, 1.0, np.nextafter(1.0, 0.0))
    values[:3] = 4.0
    found = mean_of(values, most=8.0, noise=1e-9)
    assert found.note == "alike in all but about 3 of 1000 trials"
    alike = mean_of(values[3:], most=8.0, noise=1e-9)
    assert alike.note == "alike in all 997 trials"


@pytest.mark.parametrize(("value", "reach"), [(0.0, 8.0), (8.0, 8.0), (3.0, 5.0)])
def test_a_variance_without_events_has_an_upper_end(value, reach):
    trials = 3_000_000
    total = Fraction(value) * trials
    mean = estimates.within(estimates.mean(trials, total, total * Fraction(value)), most=8.0)
    powers = [Fraction(value) ** power * trials for power in range(1, 5)]
    plain = estimates.variance(trials, tuple(powers))
    assert plain.interval() == (0.0, 0.0)
    found = modes.variance_beside_mode(plain, mean)
    low, high = found.interval()
    assert low == 0.0
    expected = reach**2 * -math.expm1(math.log(0.025) / trials)
    assert high == pytest.approx(expected, rel=1e-9, abs=0)
    assert found.note == f"alike in all {trials} trials"
    unbounded = modes.variance_beside_mode(plain, estimates.within(mean))
    assert unbounded.interval() == (0.0, None)
