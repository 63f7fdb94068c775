"""Rules that share out tasks among layers, against enumeration of all ways to do so."""

import itertools

import numpy as np
import pytest

from fastgc.errors import FastgcError
from fastgc.latency import Deterministic, Exponential, Lognormal, Pareto, Uniform
from fastgc.latency.empirical import SampleTime
from fastgc.systems.layers import choose, rounded
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.parts import Layers
from suite.checks import every

SHIFTED = Exponential(mean=1.0, shift=1.0).time()


def mean(n, k, time, fresh=False):
    return distribution(Layers(n, k, fresh), [time]).mean()


def test_known_choices():
    equal = choose("equal-exponent", 10, 4, 20, SHIFTED)
    assert equal == (9, 6, 4, 1)
    assert mean(10, equal, SHIFTED) == pytest.approx(4.7133, abs=5e-5)
    optimal = choose("optimal", 10, 4, 20, SHIFTED)
    assert optimal == (9, 7, 4, 0)
    assert mean(10, optimal, SHIFTED) == pytest.approx(4.6517, abs=5e-5)
    assert choose("single-rate", 10, 4, 22, None) == (6, 6, 5, 5)


@pytest.mark.parametrize("rule", ["equal-exponent", "quantile", "optimal", "single-rate"])
@pytest.mark.parametrize(
    ("n", "layers", "tasks"), [(1, 1, 1), (5, 3, 15), (5, 3, 1), (7, 4, 13), (3, 6, 10)]
)
def test_choices_add_up_and_fall(rule, n, layers, tasks):
    for time in (SHIFTED, Uniform(low=1.0, high=2.0).time(), Deterministic(value=2.0).time()):
        k = choose(rule, n, layers, tasks, time)
        assert len(k) == layers and sum(k) == tasks
        assert every(0 <= need <= n for need in k)
        assert list(k) == sorted(k, reverse=True)


@pytest.mark.parametrize(
    "time",
    [
        SHIFTED,
        Exponential(mean=1.0).time(),
        Lognormal(mu=0.0, sigma=2.0).time(),
        Uniform(low=0.0, high=1.0).time(),
        Pareto(shape=1.2, scale=1.0).time(),
        SampleTime(np.array([1.0, 1.5, 1.7, 4.0, 9.0])),
    ],
    ids=lambda time: type(time).__name__,
)
@pytest.mark.parametrize("fresh", [False, True])
def test_optimum_is_the_least_mean_of_all_ways(time, fresh):
    if fresh and time not in (SHIFTED, Exponential(mean=1.0).time()):
        return
    n, layers, tasks = 5, 3, 8
    ways = [k for k in itertools.product(range(n + 1), repeat=layers) if sum(k) == tasks]
    least = min(mean(n, k, time, fresh) for k in ways)
    k = choose("optimal", n, layers, tasks, time, "task" if fresh else "speed")
    assert mean(n, k, time, fresh) == pytest.approx(least, rel=1e-9)


@pytest.mark.night
@pytest.mark.parametrize(
    ("n", "layers", "tasks", "shift"),
    [(24, 3, 30, 1.0), (30, 3, 50, 0.1), (40, 2, 50, 3.0), (32, 3, 60, 3.0), (40, 3, 70, 1.0)],
)
def test_local_search_ends_at_single_tasks(n, layers, tasks, shift, monkeypatch):
    """The optimum is no whole number of the first, coarse steps away from any start."""
    time = Exponential(mean=1.0, shift=shift).time()
    everything = choose("optimal", n, layers, tasks, time)
    assert max(everything) // 8 > 1, "steps begin at one task: nothing is coarse"
    monkeypatch.setattr("fastgc.systems.layers.MOST_TRIED", 0)
    assert choose("optimal", n, layers, tasks, time) == everything


def test_equal_exponent_is_the_formula_where_nothing_is_cut_off():
    n, r, tasks = 20, 5, 50
    u = 2 * (r * (n + 1) - tasks) / (r * (r + 1))
    shares = n + 1 - u * np.arange(1, r + 1)
    assert min(shares) > 0
    assert np.abs(np.array(choose("equal-exponent", n, r, tasks, None)) - shares).max() < 1


def test_rounding_gives_what_is_missing_to_the_largest_remainders():
    assert rounded(np.array([2.5, 2.5, 1.0]), 5, 6) == (3, 2, 1)
    assert rounded(np.array([5.0, 2.9, 0.1]), 5, 8) == (5, 3, 0)
    assert rounded(np.array([1 / 3] * 3), 5, 1) == (1, 0, 0)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("quantile", 5, 3, 8, None), "one law of latency"),
        (("optimal", 5, 3, 8, None), "one law of latency"),
        (("optimal", 5, 3, 15, Pareto(shape=0.9, scale=1.0).time()), "infinite"),
        (("quantile", 5, 3, 8, Lognormal(mu=0.0, sigma=1.0).time(), "task"), "no exact law"),
    ],
)
def test_bad_choices_say_why(arguments, match):
    with pytest.raises(FastgcError, match=match):
        choose(*arguments)
