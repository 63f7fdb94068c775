"""Who is in the result of a tree: without all others it is there as early."""

import numpy as np
import pytest

from fastgc.systems import coded_reduce
from fastgc.systems.timing.evaluator import OPENS, Evaluator
from fastgc.systems.timing.rounds import Port

TREES = {
    "star": {"n": 5, "layers": 1, "s": 2},
    "regular": {"n": 3, "layers": 3, "s": 1},
    "any": {"parents": [0, 0, 1, 1, 1, 0, 3, 3], "s": 1},
}


@pytest.mark.parametrize("receive", [0.0, 0.4])
@pytest.mark.parametrize("opens", OPENS)
@pytest.mark.parametrize("name", TREES)
def test_nobody_else_is_waited_for(name, receive, opens):
    tree = coded_reduce(**TREES[name]).structure()
    times = np.random.default_rng(1).exponential(size=(tree.workers, 400))
    done = Evaluator(tree, receive, opens).done
    found = tree.answered(times, done(times), Port(receive=receive, opens=opens))
    assert np.array_equal(done(np.where(found, times, np.inf)), done(times))
    offsets, nodes = tree.children
    for v in np.flatnonzero(tree.need).tolist():
        there = np.ones(400, bool) if v == 0 else found[v - 1]
        taken = found[nodes[offsets[v] : offsets[v + 1]] - 1].sum(axis=0)
        assert np.array_equal(taken, np.where(there, tree.need[v], 0))


def test_of_a_tree_that_never_is_done_the_master_has_what_came():
    tree = coded_reduce(n=2, layers=2, s=0).structure()
    times = np.array([[1.0], [1.0], [1.0], [1.0], [1.0], [np.inf]])
    found = tree.answered(times, np.full(1, np.inf), Port())
    assert found.ravel().tolist() == [True, False, True, True, False, False]
