"""The block bootstrap, held against slow twins and against chains whose truth is known."""

import math

import numpy as np
import pytest

from fastgc.statistics.resampling import (
    Resampling,
    block_length,
    error_of_mean,
    quantile_interval,
    rows_for,
    worth,
)
from twins import resampling as slow


def chain(rng, rows, rho):
    """A stationary chain whose neighbours correlate by rho; mean 0, variance 1."""
    found = np.empty(rows)
    found[0] = rng.normal()
    for i in range(1, rows):
        found[i] = rho * found[i - 1] + math.sqrt(1 - rho**2) * rng.normal()
    return found


@pytest.mark.parametrize("length", [1, 3, 7])
def test_intervals_of_means_are_those_of_the_twin(length):
    rng = np.random.default_rng(1)
    series = rng.gamma(0.7, size=(30, 3))
    uniforms = rng.random(Resampling.blocks_of(30, length) * 200)
    means = Resampling(30, length, uniforms).means(series)
    for j in range(3):
        expected = slow.mean_interval(series[:, j].tolist(), length, uniforms.tolist(), 0.9)
        assert means.interval(j, 0.9) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("length", [1, 4])
@pytest.mark.parametrize("level", [0.5, 0.9])
def test_quantiles_of_resamples_are_those_of_the_twin(length, level):
    rng = np.random.default_rng(2)
    series = rng.normal(size=(22, 2)).round(1)
    blocks = Resampling.blocks_of(22, length)
    uniforms = rng.random(blocks * 40)
    found = Resampling(22, length, uniforms).quantiles(series, level)
    for i, starts in enumerate(slow.starts_of(uniforms, blocks, 22)):
        rows = slow.rows_of(starts, length, 22)
        for j in range(2):
            assert found[i, j] == slow.quantile(series[rows, j], level)


def test_intervals_stay_within_what_rows_show_or_are_open():
    """Of one slow round in 40 the mean has no upper end; none begins below the least row."""
    rng = np.random.default_rng(9)
    series = np.where(np.arange(40) == 7, 300.0, 26 + rng.random(40))[:, np.newaxis]
    low, high = Resampling(40, 1, rng.random(40 * 2000)).means(series).interval(0, 0.95)
    assert 26 <= low < series.mean() and high == math.inf
    many = np.concatenate([series] * 10)
    low, high = Resampling(400, 1, rng.random(400 * 2000)).means(many).interval(0, 0.95)
    assert 26 <= low < series.mean() < high < 60
    # 8 blocks of 5 do not bound their mean at 99.9 %
    steps = np.repeat([1.0, 9.0, 1.0, 9.0, 9.0, 1.0, 1.0, 9.0], 5)[:, np.newaxis]
    means = Resampling(40, 5, rng.random(8 * 2000)).means(steps)
    assert means.interval(0, 0.999) == (-math.inf, math.inf)
    assert 1 < means.interval(0, 0.9)[0] < 5 < means.interval(0, 0.9)[1] < 9


def test_bounds_are_those_of_the_twin_and_values_where_nothing_differs():
    rng = np.random.default_rng(3)
    series, uniforms = rng.normal(size=(50, 1)), rng.random(25 * 999)
    means = Resampling(50, 2, uniforms).means(series)
    expected = slow.lower_bound(series[:, 0].tolist(), 2, uniforms.tolist(), 0.95)
    assert means.lower_bounds(0.95)[0] == pytest.approx(expected)
    constant = np.full((400, 3), 0.65) - 0.3 * np.array([1.0, 1.1, 1.2])
    means = Resampling(400, 2, np.random.default_rng(9).random(200 * 500)).means(constant)
    assert means.lower_bounds(0.95) == pytest.approx(constant[0])
    assert means.interval(1, 0.95) == pytest.approx((constant[0, 1], constant[0, 1]))


def test_blocks_are_as_long_in_every_unit():
    series = np.cumsum(np.random.default_rng(2).normal(size=200))
    assert block_length(1e-9 * series) == block_length(1e9 * series) == block_length(series) > 10


def test_block_lengths_are_those_of_the_twin():
    """Either part decides: later lags of a moving sum, and neighbours of a chain of few rows."""
    rng = np.random.default_rng(12)
    found = {}
    for rows in (5, 40, 150, 400):
        noise = rng.normal(size=rows + 12)
        moving = np.convolve(noise, np.ones(9), "valid")[:rows]
        later = noise[:rows] + noise[12 : rows + 12] - 0.4 * noise[1 : rows + 1]
        for name, series in {
            "moving": moving,
            "later": later,
            "waves": np.sin(np.arange(rows) / 3) + 0.3 * noise[:rows],
            "alternating": (-1.0) ** np.arange(rows) + 0.1 * noise[:rows],
            **{f"chain {rho}": chain(rng, rows, rho) for rho in (-0.5, 0.0, 0.3, 0.6, 0.9)},
        }.items():
            found[name, rows] = block_length(series)
            assert found[name, rows] == slow.block_length(series.tolist()), (name, rows)
    assert len(set(found.values())) > 12


@pytest.mark.parametrize("rho, least", [(0.0, 0.92), (0.6, 0.88)])
def test_quantiles_of_chains_are_covered(rho, least):
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(300):
        series = chain(rng, 200, rho)
        low, high = quantile_interval(series, 0.8413447, 0.95, block_length(series))
        held += low <= 1 <= high
    assert held / 300 >= least


def test_quantile_intervals_of_independent_rows_are_binomial():
    from scipy.stats import binom

    for level in (0.1, 0.5, 0.9):
        low, high = quantile_interval(np.arange(1.0, 101.0), level, 0.95, 1)
        # P(X_(low) ≤ quantile < X_(high)): the number below is from low to high − 1
        inside = binom.cdf(high - 1, 100, level) - binom.cdf(low - 1, 100, level)
        assert 0.95 <= inside < 0.98


def test_open_ends_are_open():
    assert quantile_interval(np.arange(50.0), 0.99, 0.95, 1)[1] == math.inf
    assert quantile_interval(np.arange(50.0), 0.01, 0.95, 1)[0] == -math.inf
    assert rows_for(0.99, 0.95) == 368 and 0.99**368 < 0.025 < 0.99**367


def test_dependent_rows_are_worth_less():
    rng = np.random.default_rng(8)
    alone, tied = rng.normal(size=400), chain(rng, 400, 0.9)
    assert worth(alone, 1) == 400 and worth(tied, block_length(tied)) < 100
    assert worth(np.ones(10), 3) == 10
    assert error_of_mean(tied) > 2 * tied.std() / 20
    assert error_of_mean(np.array([1.0])) == math.inf
