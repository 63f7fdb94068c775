"""Estimates from sums: against their definitions, and intervals against what they promise.

Coverage is simulated with 2000 replications of fixed seeds. Where an interval of 95 % keeps its
promise, the observed share has a standard deviation of 0.49 %, so that 93 … 97 % is left by chance
once in 25 000 seeds; each test says what it draws.
"""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastgc.statistics import estimates
from fastgc.statistics.estimates import Estimate, holm_rejections
from fastgc.statistics.tallies import Histogram, bin_edges
from suite.checks import close
from suite.sampled import coverage, histogram_of


def sums(values, degree):
    """Power sums as rational numbers (of sums rounded once, which no interval notices)."""
    return tuple(Fraction(math.fsum(np.power(values, p))) for p in range(1, degree + 1))


def powers(values):
    return tuple(sum((Fraction(v) ** p for v in values), Fraction(0)) for p in range(1, 5))


def shares_of(trials, hits):
    return estimates.mean(trials, Fraction(hits), Fraction(hits), proportion=True)


def pair_sums(a, b):
    products = (a, a * a, b, b * b, a * b)
    return tuple(Fraction(float(product.sum())) for product in products)


# ---- definitions


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=30))
def test_mean_and_variance_by_definition(values):
    values = np.array(values)
    exact = powers(values.tolist())
    mean = estimates.mean(len(values), exact[0], exact[1])
    assert mean.value == pytest.approx(values.mean(), abs=1e-11)
    error = values.std(ddof=1) / math.sqrt(len(values))
    assert mean.standard_error == pytest.approx(error, abs=1e-6)
    variance = estimates.variance(len(values), exact)
    assert variance.value == pytest.approx(values.var(ddof=1), rel=1e-9, abs=1e-9)
    assert (mean.trials, variance.trials) == (len(values), len(values))


@given(st.lists(st.floats(-1e9, 1e9, allow_subnormal=False), min_size=2, max_size=20))
def test_variances_are_positive_and_so_are_their_intervals(values):
    exact = powers(values)
    found = estimates.variance(len(values), exact)
    mean = exact[0] / len(values)
    second, fourth = (sum((Fraction(v) - mean) ** p for v in values) / len(values) for p in (2, 4))
    assert found.value == close(float(second * len(values) / (len(values) - 1)), rel=1e-12)
    error = math.sqrt((fourth - second**2) / len(values))
    assert found.standard_error == close(error, rel=1e-12)
    assert error <= found.value
    low, high = found.interval(0.999)
    assert 0 <= low <= found.value <= high
    assert low > 0 or found.value < 1e-300


def test_rounding_of_sums_shows_in_no_variance():
    """Sums of blocks are rounded: what is left of equal values may be negative, or pure noise."""
    third = Fraction(1 / 3)
    rounded, noisy = (
        [64 * third**p * (1 + Fraction(e, 2**53)) for p, e in enumerate(off, start=1)]
        for off in ((1, 0, 0, 9), (0, 1, 0, 9))
    )
    found = estimates.variance(64, tuple(rounded))
    assert found.value == 0.0 and found.standard_error == 0.0
    assert found.interval() == (0.0, 0.0)
    found = estimates.variance(64, tuple(noisy))
    assert 0 < found.value < 1e-15 and found.standard_error <= found.value
    pooled = estimates.pooled_variance(64, (rounded[0], rounded[1], rounded[1], rounded[3], third))
    assert pooled.value == 0.0 and pooled.standard_error == 0.0


def test_an_autocovariance_may_be_negative():
    random = np.random.default_rng(2)
    x = random.normal(size=400)
    mean = np.zeros(400) + 0.01 * random.normal(size=400)
    found = estimates.autocovariance(400, pair_sums(mean, -x * x))
    low, high = found.interval()
    assert found.value < -0.5 and low < found.value < high < 0


def test_pooled_variance_by_definition():
    values = np.random.default_rng(2).normal(3, 2, (300, 4))  # trials × iterations
    a, b = values.mean(axis=1), (values**2).mean(axis=1)
    found = estimates.pooled_variance(300, pair_sums(a, b))
    assert found.value == pytest.approx(values.var(), rel=1e-9)
    influence = b - 2 * values.mean() * a
    assert found.standard_error == pytest.approx(influence.std(ddof=1) / math.sqrt(300), rel=1e-9)


def test_ratio_and_difference_by_definition():
    random = np.random.default_rng(3)
    c = random.uniform(1, 2, 500)
    a = 3 * c + random.normal(0, 0.1, 500)
    ratio = estimates.ratio(500, pair_sums(a, c))
    assert ratio.value == pytest.approx(a.mean() / c.mean(), rel=1e-12)
    influence = (a - ratio.value * c) / c.mean()
    # within what a sample variance with another divisor may differ
    assert ratio.standard_error == pytest.approx(math.sqrt((influence**2).sum()) / 500, rel=2 / 500)
    difference = estimates.difference(500, pair_sums(a, c))
    assert difference.value == pytest.approx((a - c).mean(), rel=1e-12)
    error = (a - c).std(ddof=1) / math.sqrt(500)
    assert difference.standard_error == pytest.approx(error, rel=1e-9)


def test_too_little_to_say():
    none, one = [Fraction(0)] * 5, [Fraction(each) for each in (3, 9, 2, 4, 6)]
    assert estimates.mean(0, *none[:2]).value is None
    single = estimates.mean(1, Fraction(3), Fraction(9))
    assert (single.value, single.standard_error) == (3, None)
    assert single.interval() == (None, None)
    for estimate in (
        estimates.variance(1, one[:4]),
        estimates.pooled_variance(1, one),
        estimates.difference(1, one),
        estimates.ratio(10, none),
        estimates.quantile(Histogram(), 0.5, 0),
    ):
        assert estimate.value is None and estimate.note
        assert estimate.interval() == (None, None)
    assert estimates.ratio(1, one).standard_error is None


def test_exact_values_extremes_and_confidences_out_of_range():
    assert Estimate(0.25, 0.0).interval(0.999) == (0.25, 0.25)
    assert Estimate(7.0, None, 100).interval() == (None, None)
    for confidence in (-0.5, 0.0, 1.0, 95, math.nan):
        with pytest.raises(ValueError, match="must be between 0 and 1"):
            Estimate(1.0, 0.1, 100).interval(confidence)


# ---- coverage of the others


def quantiles(draw, level, trials):
    return lambda random: estimates.quantile(histogram_of(draw(random, trials)), level, trials)


def exponentials(random, size):
    return random.exponential(size=size)


def of_three_values(random, trials):
    """An error that takes three values: the interval must hold the quantile itself."""
    return random.choice([0.0, 1 / 3, 2.0], trials, p=[0.6, 0.3, 0.1])


def few_events_of_few_trials(random):
    hits = Fraction(int(random.binomial(30, 0.1)))
    return estimates.within(estimates.mean(30, 7 * hits, 49 * hits))


@pytest.mark.parametrize(("estimate", "truth", "seed", "least", "most"), [
    # where no order statistic is extreme enough, that end is open
    *(pytest.param(quantiles(exponentials, level, trials), -math.log(1 - level), seed, 0.94, 1.0,
                   marks=pytest.mark.night)
      for level, trials, seed in ((0.99, 100, 21), (0.999, 1000, 22), (0.01, 100, 25))),
    (quantiles(of_three_values, 0.8, 200), 1 / 3, 15, 0.93, 1.0),
    (few_events_of_few_trials, 0.7, 35, 0.94, 1.0),
])  # fmt: skip
def test_coverage_of_others(estimate, truth, seed, least, most):
    assert least <= coverage(truth, estimate, seed) <= most


def test_an_open_end_is_not_the_samples_extreme():
    values = np.arange(1.0, 101.0)
    high = estimates.quantile(histogram_of(values), 0.99, 100)
    assert high.interval()[1] is None and high.interval()[0] > 90
    low = estimates.quantile(histogram_of(values), 0.01, 100)
    assert low.interval()[0] is None and low.interval()[1] < 10
    assert estimates.within(low).interval()[0] == 0.0
    assert estimates.within(high, most=250.0).interval()[1] == 250.0
    # one of 500 values lies beyond the quantile .99 in all but .66 % of samples
    many = estimates.quantile(histogram_of(np.arange(1.0, 501.0)), 0.99, 500)
    assert many.interval()[1] == 500.0
    assert many.interval(0.999)[1] is None


# ---- quantiles and bins


@given(
    st.lists(st.floats(0, 1e6), min_size=1, max_size=60),
    st.floats(0.01, 0.99),
    st.floats(0.5, 0.999),
)
def test_a_quantile_lies_in_its_own_interval_and_among_the_values(values, level, confidence):
    values = np.array(values) + 0.0
    found = estimates.quantile(histogram_of(values), level, len(values))
    low, high = found.interval(confidence)
    assert low is None or values.min() <= low <= found.value
    assert high is None or found.value <= high <= values.max()


def test_never_narrower_than_the_bin():
    # 10⁷ trials pin the rank down to far less than one bin
    number = int(np.array([0.7]).view(np.uint64)[0] >> np.uint64(45))
    low_edge, high_edge = bin_edges(number)
    histogram = Histogram({number - 40: 10**6, number: 8 * 10**6, number + 40: 10**6}, 0.1, 2.0)
    low, high = estimates.quantile(histogram, 0.5, 10**7).interval()
    assert low <= low_edge and high >= high_edge


@pytest.mark.parametrize("level", [0.1, 0.25, 0.5, 0.9])
def test_a_quantile_is_where_the_level_is_reached(level):
    values = np.sort(2.0 ** np.arange(20))  # one value a bin
    found = estimates.quantile(histogram_of(values), level, 20).value
    assert (values <= found).mean() >= level > (values < found).mean()


# ---- few events


def test_few_events_are_said_and_stay_in_range():
    four = estimates.within(estimates.mean(10**6, Fraction(4), Fraction(4)))
    low, high = four.interval()
    assert four.note == "rests on about 4 events in 1 000 000 trials"
    # Poisson's interval of 4 events (Garwood 1936)
    assert (low, high) == close((1.0899e-6, 10.2416e-6), rel=1e-4)
    plain = estimates.mean(10**6, Fraction(4), Fraction(4))
    assert (four.value, four.standard_error) == (plain.value, plain.standard_error)
    assert estimates.within(plain, most=5e-6).interval()[1] == 5e-6
    one = estimates.within(estimates.mean(1000, Fraction(3), Fraction(9)))
    assert one.note == "rests on about 1 event in 1 000 trials"
    moved = estimates.shifted(four, 2.0)
    assert moved.interval() == (2.0 + low, 2.0 + high)


def test_many_events_keep_the_normal_interval():
    for hits in (100, 400):
        plain = estimates.mean(10**6, Fraction(hits), Fraction(hits))
        found = estimates.within(plain)
        few = hits == 100  # a sample's variance tells of a little less than 100
        assert (found.note is None, found.interval() == plain.interval()) == (not few, not few)
    nearly_constant = estimates.mean(4, Fraction(401), Fraction(40203))
    assert estimates.within(nearly_constant) == replace(nearly_constant, least=0.0)


def test_no_event_leaves_the_mean_between_zero_and_what_could_be():
    none = estimates.mean(1000, Fraction(0), Fraction(0))
    assert estimates.within(none).interval() == (0.0, None)
    assert estimates.within(none).note == "no events in 1 000 trials"
    low, high = estimates.within(none, most=8.0).interval()
    assert (low, high) == (0.0, pytest.approx(8 * (1 - 0.025 ** (1 / 1000))))


# ---- events


EVENTS = [
    *(  # each hit counts 7
        (estimates.mean(trials, Fraction(7 * hits), Fraction(49 * hits)), hits)
        for hits, trials in ((0, 100), (1, 10), (50, 100), (3, 10**6))
    ),
    (shares_of(10_000, 9995), 5),  # those of a frequent outcome are its failures
    (shares_of(100, 100), 0),
    (Estimate(None, None, 0), 0),
    (Estimate(1.0, None, 1), 0),
]


@pytest.mark.parametrize(("estimate", "events"), EVENTS)
def test_events_of_rare_and_frequent_outcomes(estimate, events):
    slack = 1e-6 if estimate.trials > 1000 else 2 / max(estimate.trials, 1) + 1e-9
    assert estimates.events(estimate) == pytest.approx(events, rel=slack, abs=0)


def test_events_are_never_overstated():
    random = np.random.default_rng(0)
    for _ in range(200):
        values = random.exponential(size=60) * (random.random(60) < random.random())
        found = estimates.events(estimates.mean(60, *sums(values, 2)))
        assert found <= np.count_nonzero(values) * (1 + 1e-9)


# ---- bounds


def test_bounds_hold_at_any_confidence():
    found = estimates.bounds(1e-9, 3e-9, "why")
    assert found.interval(0.5) == found.interval(0.9999) == (1e-9, 3e-9)
    assert found.value == close(2e-9) and found.note == "why"
    assert repr(found) == "2e-09 [1e-09, 3e-09]"
    assert estimates.is_narrow(found, 0.5) and not estimates.is_narrow(found, 0.49)
    assert estimates.bounds(0.9, 1.2).interval() == (0.9, 1.0)


def test_other_confidences_are_in_proportion():
    found = Estimate(0.5, 0.01, 100, ends=(0.4, 0.7))
    low, high = found.interval(0.99)
    assert low == pytest.approx(0.5 - 0.1 * 2.575829 / 1.959964)
    assert high == pytest.approx(0.5 + 0.2 * 2.575829 / 1.959964)


# ---- variance of values that not every trial has


def conditional(values, there):
    own = np.where(there, values, 0.0)
    a, b, c = own.sum(axis=1), (own**2).sum(axis=1), there.sum(axis=1)
    products = (a, a * a, b, b * b, c, c * c, a * b, a * c, b * c)
    sums_of_three = tuple(Fraction(float(each.sum())) for each in products)
    return estimates.conditional_variance(len(values), sums_of_three)


@pytest.mark.parametrize("iterations", [1, 4])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_conditional_variance_by_definition(iterations, seed):
    random, shape = np.random.default_rng(seed), (60, iterations)
    level = random.normal(size=(60, 1))
    values = 3.0 + level + random.exponential(size=shape)
    # who is late is also less often there, so that sums and numbers go together
    there = random.random(shape) < np.where(level > 0, 0.3, 0.9)
    found = conditional(values, there)
    held = values[there]
    mean, variance = held.mean(), held.var()
    # what a trial adds to the sum of squares beyond its share
    influence = (((values - mean) ** 2 - variance) * there).sum(axis=1)
    count = there.sum(axis=1)
    worth = count.sum() ** 2 / (count**2).sum()
    error = math.sqrt((influence**2).sum() * worth / (worth - 1)) / count.sum()
    assert found.value == pytest.approx(variance, rel=1e-12)
    assert found.standard_error == pytest.approx(error, rel=1e-9)
    assert found.trials == math.floor(worth)


def test_what_hardly_happened_has_no_spread():
    values, there = np.ones((5, 2)), np.zeros((5, 2), bool)
    assert conditional(values, there).note == "never happened"
    there[2, 0] = True
    assert conditional(values, there).note == "needs two trials"


def test_holm_by_hand():
    # 0.05/4 = 0.0125, /3 = 0.0167, /2 = 0.025, /1 = 0.05
    assert holm_rejections([0.01, 0.04, 0.03, 0.005], 0.05) == [True, False, False, True]
    assert holm_rejections([0.01, 0.02, 0.015, 0.005], 0.05) == [True] * 4
    assert holm_rejections([0.02, 0.02, 0.02, 0.02], 0.05) == [False] * 4
    assert holm_rejections([0.013, 1e-9], 0.02) == [True, True]
    assert holm_rejections([], 0.05) == []
