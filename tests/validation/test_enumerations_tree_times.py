"""Mean times of coded trees by Beta laws, against drawn ones; wrong ones are told apart."""

import math

import numpy as np
import pytest

from fastgc.theory.codedreduce.time import tree_mean_fraction
from fastgc.validation.finite.brute_force import tree_times

N, S = 6, 2
GROUPS = N + 1
EPSILON = N**-0.25
LIMIT = sum(1 / j for j in range(S + 1, N + 1)) + EPSILON
TRIALS = 60_000


@pytest.fixture(scope="module")
def drawn():
    """Times of a tree of two layers, and of its slowest group."""
    draw = np.random.default_rng(1)
    own = draw.exponential(size=(TRIALS, N))
    below = np.sort(draw.exponential(size=(TRIALS, N, N)), axis=2)[:, :, N - S - 1]
    time = np.sort(np.maximum(own, below), axis=1)[:, N - S - 1]
    upper = np.sort(own, axis=1)[:, N - S - 1]
    return time, np.maximum(below.max(axis=1), upper)


def agrees(values, theory):
    # false alarm once in 10^6
    return abs(values.mean() - theory) < 4.9 * values.std() / math.sqrt(len(values))


@pytest.mark.parametrize("shape", [(2, 2, 1), (3, 2, 1), (12, 2, 5), (4, 3, 1), (5, 1, 2)], ids=str)
def test_means_are_the_fractions(shape):
    assert tree_times.tree_time_mean(*shape) == pytest.approx(
        float(tree_mean_fraction(*shape)), 1e-12
    )


def test_means_of_trees_that_are_drawn(drawn):
    time, slowest = drawn
    assert agrees(time, tree_times.tree_time_mean(N, 2, S))
    assert agrees(slowest, tree_times.slowest_group_mean(N, GROUPS, S))
    assert not agrees(time, tree_times.tree_time_mean(N, 2, S + 1))
    assert not agrees(slowest, tree_times.slowest_group_mean(N, GROUPS - 1, S))


def test_means_given_how_late_the_slowest_group_is(drawn):
    time, slowest = drawn
    early = slowest <= LIMIT
    assert agrees(time[early], tree_times.concentrated_mean(N, S))
    assert agrees(time[~early], tree_times.scattered_mean(N, S))
    between = ~early & (slowest <= 2.0)
    assert agrees(time[between], tree_times.scattered_mean(N, S, 2.0))
    # given the other event
    assert not agrees(time[~early], tree_times.concentrated_mean(N, S))


def test_chances_of_late_groups(drawn):
    _, slowest = drawn
    late = slowest > LIMIT
    assert agrees(late, tree_times.late_group_chance(N, S, EPSILON, GROUPS))
    assert not agrees(late, tree_times.late_group_chance(N, S, EPSILON))
    assert agrees(slowest[late] > 2.0, tree_times.very_late_share(N, GROUPS, S, 2.0))
    assert agrees(slowest * (slowest > 2.0), tree_times.slowest_group_share(N, GROUPS, S, 2.0))
    exponent = tree_times.late_group_exponent(N, S, GROUPS)
    assert math.exp(-exponent) == pytest.approx(tree_times.late_group_chance(N, S, EPSILON, GROUPS))
