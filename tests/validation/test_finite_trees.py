"""Statements about trees, rings and layers, by brute force and on what fastgc builds."""

import dataclasses
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from fastgc.systems import schemes
from fastgc.systems.schemes import Share
from fastgc.validation.finite import measure, product
from fastgc.validation.finite.brute_force import brute_trees, counting

EXAMPLE = {"n": 3, "layers": 2, "s": 1}


def measured(name, **arguments):
    return measure({"finite": name, **arguments})


def test_sizes_and_loads(monkeypatch):
    assert brute_trees.tree_size(12, 2) == 156 and brute_trees.tree_size(4, 3) == 84
    assert brute_trees.children_of(2, 2) == [[1, 2], [3, 4], [5, 6], [], [], [], []]
    assert (
        brute_trees.allocated_load(3, 2, 1) == brute_trees.balanced_load(3, 2, 1) == Fraction(4, 15)
    )
    assert brute_trees.allocated_load(12, 2, 5) == Fraction(1, 6)
    assert brute_trees.gradients_computed(12, 2, 5, 6) == 156
    assert brute_trees.star_to_tree_load(3, 1, 0) == 1
    for n, s in ((3, 0), (3, 1), (5, 2)):
        assert brute_trees.least_load(n, 1, s) == Fraction(s + 1, n)
    s = round(10 * measured("largest_resilience", n=10, layers=2, load=0.2))
    assert brute_trees.allocated_load(10, 2, s) <= 0.2 < brute_trees.allocated_load(10, 2, s + 1)
    assert measured("largest_resilience", n=4, layers=2, load=0.01) == 0
    assert measured("largest_resilience", n=4, layers=2, load=1.0) == 0.75
    for wrong in (Fraction(1, 6), Fraction(1, 3)):
        monkeypatch.setattr(brute_trees, "balanced_load", lambda n, layers, s, wrong=wrong: wrong)
        assert brute_trees.allocated_load(3, 2, 1) > Fraction(4, 15), "a load that does not balance"


def test_spread_stragglers_and_a_layer_of_them(monkeypatch):
    assert brute_trees.spread_patterns_survived(3, 2, 1) == 3**4
    assert brute_trees.spread_patterns_survived(2, 2, 1) == 2**3
    assert brute_trees.survives_first_layer(3, 2, 1, 1)
    assert not brute_trees.survives_first_layer(3, 2, 1, 2)
    answers = brute_trees.answers
    wrong = lambda children, lost, s, node=0: answers(children, lost, s - 1, node)  # noqa: E731
    monkeypatch.setattr(brute_trees, "answers", wrong)
    assert brute_trees.spread_patterns_survived(3, 2, 1) == 0, "a parent that waits for more"


@pytest.mark.parametrize(("name", "right", "wrong"), [
    ("undecoded_patterns", 0, lambda first, *rest: (
        Share((first.samples + 1) % 15, first.coefficients), *rest)),
    ("undecoded_patterns", 0, lambda first, *rest: (
        dataclasses.replace(first, coefficients=2 * first.coefficients), *rest)),
    ("undecoded_patterns", 0, lambda first, *rest: (first.part(0, len(first) - 1), *rest)),
    ("largest_share", 4 / 15, lambda *all_: (*all_, Share(np.arange(15), np.ones(15)))),
    ("workers", 12, lambda *all_: (*all_, all_[-1])),
    ("fewest_below", 2, lambda *all_: (*all_[:-1], all_[-1].part(0, 0))),
], ids=["samples", "coefficients", "less", "full", "more", "no copies"])  # fmt: skip
def test_a_wrong_allocation_is_seen(monkeypatch, name, right, wrong):
    on_product, allocate = getattr(product, name), schemes.CodedReduceTree.allocate
    given = {"n": 3, "layers": 2} if name == "workers" else EXAMPLE
    assert on_product(**given) == right

    def broken(tree, samples):
        return list(wrong(*allocate(tree, samples)))

    monkeypatch.setattr(schemes.CodedReduceTree, "allocate", broken)
    assert on_product(**given) != right


# ---- where data may be placed on trees, set by set, against sets that are written down


#: The tree of three children with three each: the master's are 1, 2, 3, those of 1 are 4, 5, 6.
CHILDREN = brute_trees.children_of(3, 2)


def reaches(workers, lost):
    """Whether one of the workers is no straggler, nor below one."""
    return any(w not in lost and (w < 4 or 1 + (w - 4) // 3 not in lost) for w in workers)


def test_surviving_sets_are_those_of_all_patterns():
    patterns = list(itertools.product((1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12)))
    some = [{1, 2}, {1}, {1, 7}, {1, 7, 8}, {4, 5, 7, 8}, {4, 7, 8, 10, 11}, {1, 2, 12}]
    found = set(brute_trees.surviving_sets(CHILDREN, 1).tolist())
    smallest = set(brute_trees.surviving_sets(CHILDREN, 1, needless=False).tolist())
    survive = [all(reaches(each, set(lost)) for lost in patterns) for each in some]
    assert survive == [True, False, False, True, True, True, True]
    bits = [sum(1 << worker - 1 for worker in each) for each in some]
    assert [each in found for each in bits] == survive
    # workers 4 and 12 can be left out of the last two
    assert [each in smallest for each in bits] == [*survive[:-2], False, False]


def test_shares_and_subtrees_of_the_example():
    shares = [brute_trees.share_of_subtree(3, 2, 1, layer) for layer in (1, 2)]
    assert shares == [Fraction(2, 3), Fraction(4, 15)]
    assert brute_trees.fewest_subtrees(3, 2, 1) == 2
    assert brute_trees.fewest_below(3, 2, 1, needless=False) == 2
    assert brute_trees.fewest_below(3, 2, 1, needless=True) == 1  # {1, 2, 12}
    assert brute_trees.largest_subtree(3, 2, 1, 4 / 15, 1) == pytest.approx(2 / 3, rel=1e-9)
    # any load above allows more, up to all of the data
    assert brute_trees.largest_subtree(3, 2, 1, 1.0, 1) == pytest.approx(1.0, rel=1e-9)


def test_any_k_answers_decode_and_fewer_do_not(monkeypatch):
    for n, k in ((3, 2), (6, 4), (7, 1)):
        for need, failures in ((k, 0), (k - 1, math.comb(n, k - 1))):
            assert counting.undecodable_answers(n, k, need) == failures
            assert product.undecodable_answers(n, [k], 1, need) == failures
    # a code that is not MDS is seen
    repeated = lambda n, k, seed=0: np.vstack([np.eye(k), np.tile(np.eye(k)[0], (n - k, 1))])  # noqa: E731
    monkeypatch.setattr(schemes, "generator", repeated)
    monkeypatch.setattr(schemes, "recover", lambda G, who, x: np.linalg.pinv(G[list(who)]) @ x)
    assert product.undecodable_answers(6, [3, 2], 1, 3) > 0
