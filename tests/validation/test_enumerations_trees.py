"""Finite statements about trees, examples and times, measured by brute force."""

import math
from fractions import Fraction

import numpy as np
import pytest

from fastgc.errors import FastgcError
from fastgc.validation import enumerations
from fastgc.validation.enumerations import coded_trees, times, trees


def measured(name, **arguments):
    return enumerations.measure({"finite": name, **arguments})


def test_sizes():
    assert trees.tree_size(12, 2) == 156 and trees.tree_size(4, 3) == 84
    assert trees.leaf_parents(4, 3) == 16 and trees.leaf_parents(5, 1) == 1


def test_allocations():
    assert trees.allocated_load(3, 2, 1) == Fraction(4, 15)
    assert trees.allocated_load(12, 2, 5) == Fraction(1, 6)
    assert trees.points_per_worker(12, 2, 2, 6552) == Fraction(1638, 5)
    assert trees.points_left_over(12, 2, 2, 6552) == Fraction(2, 5)
    assert trees.points_left_over(12, 2, 1, 6552) == 0
    assert trees.gradients_computed(12, 2, 5, 6) == 156
    assert measured("load_gap", n=3, layers=1, s=1, limit=0.5) == pytest.approx(1 / 6)
    assert trees.star_to_tree_load(3, 1, 0) == 1


def test_partitions_of_the_experiments():
    """At 3/12 the cyclic code's 12 partitions are no whole points, though a worker's load is."""
    shape = {"n": 12, "layers": 2, "s": 3, "samples": 6552}
    assert trees.points_left_over(**shape) == 0
    assert trees.broken_partitions(**shape, partitions=12) == 1
    assert trees.broken_partitions(**shape, partitions=3) == 0


@pytest.mark.parametrize(("n", "s"), [(3, 0), (3, 1), (5, 2)])
def test_the_least_load_of_a_star(n, s):
    assert trees.least_load(n, 1, s) == Fraction(s + 1, n)


def test_resilience_fits_the_load():
    share = measured("largest_resilience", n=10, layers=2, load=0.2)
    s = round(10 * share)
    assert trees.allocated_load(10, 2, s) <= 0.2 < trees.allocated_load(10, 2, s + 1)
    assert measured("largest_resilience", n=4, layers=2, load=0.01) == 0


def test_stragglers_that_break():
    assert trees.breaking_stragglers(3, 2, 1) == 2
    assert trees.decodable_sets(3, 2, 1, 1) == 12
    # two of the master's children, in three ways
    assert trees.decodable_sets(3, 2, 1, 2) == math.comb(12, 2) - 3
    with pytest.raises(FastgcError, match="n, layers: got a tree of 20 workers"):
        trees.breaking_stragglers(4, 2, 1)


@pytest.mark.parametrize(("n", "layers", "s"), [(3, 1, 1), (2, 2, 1), (3, 2, 1), (2, 3, 0)])
def test_shares_of_sets_one_by_one(n, layers, s):
    workers = trees.tree_size(n, layers)
    counts = [trees.decodable_sets(n, layers, s, lost) for lost in range(min(workers, 5) + 1)]
    for lost, count in enumerate(counts):
        share = trees.decodable_share(n, layers, s, stragglers=lost)
        assert share == count / math.comb(workers, lost)
    assert trees.decodable_share(n, layers, s, p=0.0) == 1
    if workers <= 6:
        counts = [trees.decodable_sets(n, layers, s, lost) for lost in range(workers + 1)]
        mixed = sum(c * 0.25**i * 0.75 ** (workers - i) for i, c in enumerate(counts))
        assert trees.decodable_share(n, layers, s, p=0.25) == pytest.approx(mixed, rel=1e-14)


def test_the_examples():
    assert coded_trees.example_patterns() == 256
    assert coded_trees.example_failures() == 0
    assert coded_trees.example_load() == Fraction(4, 15)
    assert [coded_trees.example_row(pair) for pair in ([1, 2], [1, 3], [2, 3])] == [3, 2, 1]
    assert coded_trees.example_row([1]) == 0
    assert [coded_trees.example_error(j) for j in (1, 2, 3)] == [0, 0, 0]


def test_paths():
    shape = {"n": 4, "layers": 2, "s": 1, "receive": 0.2, "shift": 1.0, "paths": 300, "seed": 3}
    assert times.lower_bound_violations(**shape) == 0
    assert times.upper_bound_violations(**shape) == 0
    # a shift that the workers do not have makes a bound that most paths beat
    draws = list(times._paths(1.0, 1, 3))
    assert times._tree_time(1, 1, 0, 0.5, draws[0]) > 1.5


def test_harmonic_numbers():
    assert times.harmonic_sum(4) == pytest.approx(25 / 12)
    assert times.harmonic_difference(4, 2) == pytest.approx(7 / 12)


def test_late_groups():
    n, groups, s = 3, 2, 1
    draw = np.random.default_rng(1)
    slowest = np.sort(draw.exponential(size=(20_000, groups, n)), axis=2)[:, :, n - s - 1].max(1)
    c = 1 / 3 + 1 / 2 + 0.1
    late = slowest[slowest > c]
    mean = times.late_group_mean(n, groups, s, 0.1)
    assert abs(late.mean() - mean) < 4.9 * late.std() / math.sqrt(len(late))
    share = times.late_group_share(n, groups, s, 0.1)
    assert share == pytest.approx(late.sum() / len(slowest), rel=0.05)


def test_failure_slopes():
    # one of one worker: e^(−t/j)
    assert times.failure_slope(1, 1, 4, 2.0) == pytest.approx(1 / 4)


def test_finishing_means():
    assert times.finishing_mean(1, [1], 2.0, 0.5) == pytest.approx(2.5, rel=1e-10)
    assert times.least_finishing_mean(4, 2, 5, 1.0, 0.0) == pytest.approx(41 / 30, rel=1e-9)
