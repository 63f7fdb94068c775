"""Where data may be placed on trees, set by set, against sets that are written down."""

import itertools
from fractions import Fraction

import pytest

from fastgc.systems.schemes import reduction
from fastgc.systems.schemes.allocation import Allocation
from fastgc.validation.finite import measure
from fastgc.validation.finite.brute_force import trees
from fastgc.validation.finite.product import systems

#: The tree of three children with three each: the master's are 1, 2, 3, those of 1 are 4, 5, 6.
CHILDREN = trees.children_of(3, 2)
EXAMPLE = {"n": 3, "layers": 2, "s": 1}


def reaches(workers, lost):
    """Whether one of the workers is no straggler, nor below one."""
    return any(w not in lost and (w < 4 or 1 + (w - 4) // 3 not in lost) for w in workers)


def test_surviving_sets_are_those_of_all_patterns():
    patterns = list(itertools.product((1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12)))
    some = [{1, 2}, {1}, {1, 7}, {1, 7, 8}, {4, 5, 7, 8}, {4, 7, 8, 10, 11}, {1, 2, 12}]
    found = set(trees.surviving_sets(CHILDREN, 1).tolist())
    smallest = set(trees.surviving_sets(CHILDREN, 1, needless=False).tolist())
    survive = [all(reaches(each, set(lost)) for lost in patterns) for each in some]
    assert survive == [True, False, False, True, True, True, True]
    bits = [sum(1 << worker - 1 for worker in each) for each in some]
    assert [each in found for each in bits] == survive
    # workers 4 and 12 can be left out of the last two
    assert [each in smallest for each in bits] == [*survive[:-2], False, False]


def test_shares_and_subtrees_of_the_example():
    shares = [trees.share_of_subtree(3, 2, 1, layer) for layer in (1, 2)]
    assert shares == [Fraction(2, 3), Fraction(4, 15)]
    assert trees.fewest_subtrees(3, 2, 1) == 2
    assert trees.fewest_below(3, 2, 1, needless=False) == 2
    assert trees.fewest_below(3, 2, 1, needless=True) == 1  # {1, 2, 12}
    assert trees.largest_subtree(3, 2, 1, 4 / 15, 1) == pytest.approx(2 / 3, rel=1e-9)
    # any load above allows more, up to all of the data
    assert trees.largest_subtree(3, 2, 1, 1.0, 1) == pytest.approx(1.0, rel=1e-9)


def test_what_fastgc_allocates_does_not_ask_for_more():
    for shape in (EXAMPLE, {"n": 4, "layers": 3, "s": 1}):
        for layer in range(1, shape["layers"] + 1):
            own = systems.share_of_subtree(layer, **shape)
            assert own == pytest.approx(float(trees.share_of_subtree(**shape, layer=layer)))
        assert systems.fewest_subtrees(**shape) == systems.fewest_below(**shape) == 2


def test_an_allocation_without_its_copies_is_seen(monkeypatch):
    allocate = reduction.CodedReduceTree.allocate

    def broken(tree, samples):
        *others, last = allocate(tree, samples).shares
        return Allocation((*others, last.part(0, 0)))

    monkeypatch.setattr(reduction.CodedReduceTree, "allocate", broken)
    assert systems.fewest_below(**EXAMPLE) == 1


@pytest.mark.parametrize(("n", "i"), [(5, 1), (5, 3), (5, 5)])
def test_moments_of_gaps(n, i):
    """A gap is the least of n - i + 1 unit exponential times."""
    moments = [measure({"finite": "gap_moment", "n": n, "i": i, "power": k}) for k in (1, 2, 3)]
    left = n - i + 1
    assert moments == pytest.approx([1 / left, 2 / left**2, 6 / left**3], rel=1e-11)


def test_squares_of_gaps_add_up():
    found = measure({"finite": "gap_squares", "n": 6, "s": 3})
    assert found == pytest.approx(2 * (1 / 36 + 1 / 25 + 1 / 16), rel=1e-11)
