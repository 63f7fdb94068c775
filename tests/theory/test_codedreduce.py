"""Closed forms of paper codedreduce against fractions, slow events and numpy; its claims."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from fastgc.errors import FastgcError
from fastgc.theory import codedreduce
from fastgc.theory.codedreduce.cluster_experiments import MEANS, RECEIVE
from fastgc.theory.codedreduce.load import tree_load_fraction
from fastgc.theory.common.order_statistics import staircase_probability

SMALL = ((2, 1, 0), (2, 1, 1), (2, 2, 0), (2, 2, 1), (3, 2, 1), (3, 2, 2), (2, 3, 1))


@pytest.mark.parametrize("layers", [1, 2, 3, 5])
def test_limits(layers):
    alpha = 0.4
    large = codedreduce.tree_load(10**7, layers, 4 * 10**6)
    assert codedreduce.tree_load_limit(alpha, layers) == pytest.approx(large, rel=1e-5)
    closed = alpha**layers * (1 - alpha) / (1 - alpha**layers)
    assert codedreduce.tree_load_limit(alpha, layers) == pytest.approx(closed, rel=1e-13)
    assert codedreduce.resiliency(closed, layers) == pytest.approx(alpha, rel=1e-12)
    printed = codedreduce.tree_load_limit_printed(alpha, layers)
    assert (printed == pytest.approx(closed)) == (layers == 1)


@pytest.mark.night
def test_means_of_the_simulation():
    for name, held, s in (("UMW", 320, 0), ("GC", 21120, 65), ("SGD", 320, 65)):
        seconds = held * 5e-5
        found = codedreduce.tree_mean_with_port(156, 1, s, RECEIVE, seconds, seconds)
        assert found == pytest.approx(MEANS[name], rel=1e-10)
    ring = 0.016 * (1 + sum(1 / i for i in range(1, 157))) + 2 * 155 / 156 * RECEIVE
    assert ring == pytest.approx(MEANS["RAR"], rel=1e-11)
    for opens, name in (("start", "CR"), ("after-own", "CR after-own")):
        found = codedreduce.tree_mean_with_port(12, 2, 5, RECEIVE, 0.416, 0.416, opens)
        assert found == pytest.approx(MEANS[name], rel=1e-10)


def test_staircases_by_order_statistics():
    uniforms = np.sort(np.random.default_rng(3).random((20_000, 5)), axis=1)
    needs, probabilities = np.array([1, 1, 3, 4]), [0.2, 0.4, 0.7, 0.9]
    hits = np.all(uniforms[:, needs - 1] <= probabilities, axis=1)
    found = float(staircase_probability(5, needs.tolist(), probabilities))
    assert abs(hits.mean() - found) < 4.9 * math.sqrt(found * (1 - found) / len(hits))
    # of one step it is a binomial tail
    late = np.array([0.0, 1e-9, 0.3, 0.999, 1.0])
    for n in (1, 7, 156, 1000):
        need = n - n // 3
        found = staircase_probability(n, [need], (1.0 - late)[None])
        assert found == pytest.approx(stats.binom.sf(need - 1, n, 1.0 - late), abs=1e-12)


@pytest.mark.parametrize(("n", "layers", "s"), SMALL, ids=str)
def test_subtrees_are_given_what_they_pass_on(n, layers, s):
    """From the master down, (s+1)/n of what is left goes to each subtree; leaves keep the load."""
    load, share = tree_load_fraction(n, layers, s), Fraction(s + 1, n)
    for layer in range(1, layers + 1):
        assert codedreduce.subtree_share(n, layers, s, layer) == pytest.approx(float(share))
        bound = codedreduce.subtree_bound(n, layers, s, float(load), layer)
        assert bound == pytest.approx(float(share))  # the least load allows no more
        share = (share - load) * Fraction(s + 1, n)
    with pytest.raises(FastgcError, match="layer"):
        codedreduce.subtree_share(n, layers, s, layers + 1)
