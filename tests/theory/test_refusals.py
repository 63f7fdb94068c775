"""What closed forms refuse, each with one sentence that names the argument and the rule."""

import math

import pytest

from fastgc.errors import FastgcError
from fastgc.theory import agc, binary, codedreduce, gcada, hierarchical, literature


@pytest.mark.parametrize(("call", "said"), [
    (lambda: agc.frc_mean_error(8, 3, survivors=5), "does not divide"),
    (lambda: agc.frc_mean_error(8, 2), "exactly one"),
    (lambda: agc.frc_mean_error(8, 2, survivors=9), "0 … 8"),
    (lambda: agc.frc_mean_error(8, 2, survivors=2.5), "whole number"),
    (lambda: agc.frc_mean_error(8, 2, p=1.5), "probability"),
    (lambda: agc.frc_mean_error([8, 6], 2, survivors=[1, 2, 3]), "broadcast"),
    (lambda: agc.frc_mean_error_variance(8, 2, 3, 0.3, 0.8, 0.01, "sorted"), "'sorted'"),
    (lambda: agc.circulant_mean_error(24, 3, p=0.1), "n ≤ 20"),
    (lambda: agc.theorem2(8, 3, [0.0] * 9), "n + d must be even"),
    (lambda: agc.cyclic_mean_error([1, -2, 2], 0.1), "add up to 0"),
    (lambda: binary.loads(3, 3), "s: got 3"),
    (lambda: binary.heterogeneous_loads([2], [1, 2], 1, 4), "one of each"),
    (lambda: codedreduce.tree_load(3, 0, 1), "layers: got 0"),
    (lambda: codedreduce.tree_load_limit(1.0, 2), "alpha: got 1.0"),
    (lambda: codedreduce.decodable_probability(50, 2, 1, 3), "n, layers: got a tree of 2550"),
    (lambda: codedreduce.tree_mean(3, 2, 1, mean=0.0), "mean: got 0.0"),
    (lambda: codedreduce.tree_mean_with_port(3, 1, 1, 0.1, opens="late"), "opens: got 'late'"),
    (lambda: codedreduce.tree_mean_with_port(60, 30, 30, 0.1), "n, layers, s: got 60, 30"),
    (lambda: codedreduce.group_tail_bound(3, 1, math.inf), "epsilon: got inf"),
    (lambda: gcada.quiet_iterations(1.0, 2.0, 0), "window: got 0"),
    (lambda: gcada.selected_bound([], 2.0, 3), "smoothness: empty"),
    (lambda: gcada.algorithm1_selections([1.0], [1.0], [1.0], 0.0, 1, 0), "iterations: got 0"),
    (lambda: hierarchical.finishing_mean(3, [4]), "k_1: got 4"),
    (lambda: hierarchical.finishing_mean(3, [0, 0]), "k: got [0, 0]"),
    (lambda: hierarchical.finishing_mean(3, [1], 1.0, -1.0), "shift: got -1.0"),
    (lambda: literature.bibd_errors("fanno"), "'fanno'"),
    (lambda: literature.graph_errors(literature.edges_of("complete", 7), 7), 'at most 16'),
    (lambda: literature.markov_stationary(0.0, 0.0), "never changes"),
    (lambda: literature.harmonic(3, 4), "above: got 4"),
    (lambda: codedreduce.descent_iterations(0.1, 1.0), "contraction: got 1.0"),
])  # fmt: skip
def test_mistakes_are_named_in_one_sentence(call, said):
    with pytest.raises(FastgcError) as caught:
        call()
    assert said in str(caught.value) and "\n" not in str(caught.value)
