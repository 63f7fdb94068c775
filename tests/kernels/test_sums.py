"""Kernels that sum over a block, against sums written out, in the promised order of additions."""

import functools
import math
import operator

import numpy as np
import pytest

from fastgc.statistics.tallies import bin_edges
from fastgc_kernels.tally import sums as kernel
from suite.checks import close
from twins import sums as twin

SIZES = [1, 2, 31, 32, 33, 63, 64, 65, 1000]


def floats(*shape, seed=1):
    """Values of many sizes, so that the order of additions shows in the last bits."""
    random = np.random.default_rng(seed)
    return random.random(shape) * 2.0 ** random.integers(-20, 20, shape)


@pytest.mark.parametrize("trials", SIZES)
@pytest.mark.parametrize("degree", [1, 2, 4])
def test_powers_bit_for_bit(trials, degree):
    values = floats(trials)
    out = np.full(degree, np.nan)
    kernel.powers(values, out)
    assert out.tolist() == twin.powers(values.tolist(), degree)
    exact = [math.fsum(value**p for value in values) for p in range(1, degree + 1)]
    np.testing.assert_allclose(out, exact, rtol=1e-13)


def test_the_order_of_additions_shows():
    """Else the test above would promise nothing."""
    in_order = functools.reduce(operator.add, floats(1000).tolist())
    assert in_order != twin.powers(floats(1000).tolist(), 1)[0]


@pytest.mark.parametrize("trials", SIZES)
def test_product_bit_for_bit(trials):
    a, b = floats(trials, seed=2), floats(trials, seed=3)
    found = kernel.product(a, b)
    assert found == twin.in_lanes((a * b).tolist())
    assert found == close(math.fsum(a * b), rel=1e-13)


@pytest.mark.parametrize("iterations", [1, 2, 3, 7])
@pytest.mark.parametrize("trials", [1, 33, 200])
def test_averages_bit_for_bit(iterations, trials):
    values = floats(iterations, trials)
    first, second = np.empty(trials), np.empty(trials)
    kernel.averages(values, first, second)
    assert (first.tolist(), second.tolist()) == tuple(twin.averages(values.tolist()))


@pytest.mark.parametrize("iterations", [1, 4])
def test_exceedances(iterations):
    values = np.random.default_rng(0).integers(0, 4, (iterations, 100)) / 2
    out = np.empty(100)
    for threshold in (-1.0, 0.0, 0.5, 1.5, 9.0):  # values that are attained do not exceed
        kernel.exceedances(values, threshold, out)
        assert out.tolist() == (values > threshold).mean(axis=0).tolist()


def test_histogram():
    edges = [0.0, -0.0, 5e-324, 2.0**-1022, 1.0, np.nextafter(1.0, 0), np.nextafter(1.0, 2)]
    values = np.concatenate([floats(500), edges, [1.7976931348623157e308, 1 / 3, 1 / 3]])
    bins = np.zeros(kernel.HISTOGRAM_BINS, np.int64)
    bins[7] = 3  # what is there already stays
    extremes = np.array([np.inf, -np.inf])
    kernel.histogram(values, bins, extremes)
    expected = np.zeros_like(bins)
    expected[7] = 3
    for value in values.tolist():
        expected[twin.bin_of(value)] += 1
    assert (bins == expected).all()
    assert extremes.tolist() == [values.min(), values.max()]
    extremes[:] = 1.0, 2.0  # they widen
    for more, expected in (([1.5], [1.0, 2.0]), ([0.5, 3.0], [0.5, 3.0])):
        kernel.histogram(np.array(more), bins, extremes)
        assert extremes.tolist() == expected


def test_a_bin_holds_the_values_between_its_edges():
    for value in [*floats(300).tolist(), 1.0, np.nextafter(1.0, 0), 2.0**-1022, 1e300]:
        low, high = bin_edges(twin.bin_of(value))
        assert low <= value < high
        assert high - low <= low / 128, "at most 0.8 % wide"
    assert bin_edges(twin.bin_of(0.0)) == (0.0, 0.0)


@pytest.mark.parametrize("iterations", [1, 5])
@pytest.mark.parametrize("trials", [1, 70])
def test_by_survivors(iterations, trials):
    random = np.random.default_rng(4)
    workers = 6
    survivors = random.integers(0, workers, (iterations, trials))  # no trial ever has all
    values = random.integers(0, 9, (iterations, trials)) / 4  # dyadic: sums are exact
    out = np.zeros((workers + 1, 5))
    kernel.by_survivors(values, survivors, workers, out)
    expected = twin.by_survivors(values.tolist(), survivors.tolist(), workers)
    assert out.tolist() == [[float(x) for x in row] for row in expected]
    assert (out[workers] == 0).all()
    counts = np.zeros((workers + 1, 2))
    kernel.survivor_counts(survivors, counts)
    assert np.array_equal(counts, out[:, 2:4])


@pytest.mark.parametrize("iterations", [1, 3])
@pytest.mark.parametrize("trials", [1, 63, 64, 65, 192])
def test_not_accessed(iterations, trials):
    random = np.random.default_rng(6)
    n, groups = 5, 3
    held = np.array([[1, 1, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 1, 1, 1], [0, 1, 0, 0, 0]])
    alive = random.random((n, iterations, groups, 64)) < 0.4
    planes = np.zeros((n, iterations * groups), np.uint64)
    for t in range(64):
        planes |= alive[..., t].reshape(n, -1).astype(np.uint64) << np.uint64(t)
    holders = np.nonzero(held)[1]
    offsets = np.concatenate([[0], np.cumsum(held.sum(axis=1))])
    out = np.zeros((4, 4))
    kernel.not_accessed(planes, holders, offsets, iterations, trials, out)
    for i in range(4):
        covered = alive[held[i] == 1].any(axis=0).reshape(iterations, -1)[:, :trials]
        times = (~covered).sum(axis=0)
        assert out[i].tolist() == [int((times**p).sum()) for p in range(1, 5)]
