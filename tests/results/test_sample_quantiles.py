"""Quantiles of raw samples, against sorted lists and what their intervals promise."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fastgc
from fastgc.errors import FastgcError
from fastgc.results.sample_quantiles import quantile


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=60), st.floats(0.01, 0.99))
def test_a_quantile_is_the_smallest_value_that_reaches_the_level(values, level):
    found = quantile(values, level)
    ordered = sorted(values)
    assert found.value == next(
        v for i, v in enumerate(ordered) if (i + 1) / len(ordered) >= level * (1 - 1e-12)
    )
    assert found.low is None or found.low <= found.value
    assert found.high is None or found.value <= found.high


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99, 0.999])
@pytest.mark.parametrize("trials", [100, 500, 1000, 4096, 100_000])
def test_exact_coverage_of_independent_values(trials, level):
    """The quantile lies between the ends if a binomial number lies between their ranks."""
    found = quantile(np.arange(1.0, trials + 1), level)
    first = 0 if found.low is None else found.low
    last = trials if found.high is None else found.high - 1
    below = stats.binom(trials, level)
    covered = below.cdf(last) - below.cdf(first - 1)
    assert covered >= 0.935
    if trials * (1 - level) >= 100:
        assert covered <= 0.965


@pytest.mark.parametrize(("stays", "seed"), [(0.0, 1), (1.0, 2), (20.0, 3)])
def test_coverage_over_dependent_iterations(stays, seed):
    """Of 1000 intervals 930 … 970 hold the quantile: by chance not so once in 270 seeds.

    Binned intervals take the most that iterations can depend on each other; these what they do.
    """
    random = np.random.default_rng(seed)
    truth = math.sqrt(1 + stays**2) * stats.norm.ppf(0.8)
    hits = 0
    for _ in range(1000):
        values = stays * random.normal(size=(300, 1)) + random.normal(size=(300, 4))
        found = quantile(values, 0.8)
        hits += found.low <= truth <= found.high
    assert 930 <= hits <= 970


def test_kept_samples_of_a_run_give_the_quantile_without_its_bin(tmp_path):
    import h5py

    study = {
        "kind": "completion",
        "system": {"family": "uncoded", "n": 1},
        "latency": {"distribution": "exponential", "mean": 1.0},
        "quantiles": [0.5],
        "method": "monte-carlo",
    }
    file = tmp_path / "r.h5"
    result = fastgc.run(study, out=file, trials=400_000, keep="samples")
    with h5py.File(file) as opened:
        times = opened["samples/experiment1/point0/time"][:]
    binned = result["experiment1"]["time"].quantile(0.5)
    found = fastgc.quantile(times, 0.5)
    low, high = binned.interval()
    assert low <= found.low < found.value < found.high <= high
    assert found.value == np.sort(times, axis=None)[199_999]
    assert binned.value <= found.value < binned.value * (1 + 2**-7)
    # the bin is 2⁻⁷ wide, the interval of 400 000 values 2 · 1.96 · √(1/T)
    assert found.high - found.low < 0.7 * (high - low)


def test_infinite_values_are_the_largest():
    values = np.append(np.arange(1.0, 951.0), np.full(50, np.inf))
    assert quantile(values, 0.99).value == math.inf
    assert quantile(values, 0.5).high < 600


@pytest.mark.parametrize(
    ("samples", "level", "said"),
    [
        ([], 0.5, "not empty"),
        (np.zeros((2, 2, 2)), 0.5, r"must be \(T,\) or \(T, L\)"),
        ([1.0, math.nan], 0.5, "not a number"),
        ([1.0], 1.0, "level"),
    ],
)
def test_mistakes_get_a_sentence(samples, level, said):
    with pytest.raises(FastgcError, match=said):
        quantile(samples, level)
