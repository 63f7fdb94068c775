"""Exchange: changes keep what they must, and where a descent pauses changes nothing."""

import numpy as np
import pytest

from fastgc.draws.streams import uniforms
from fastgc.searching import descent
from fastgc.searching.judge import Judge
from fastgc.searching.problem import Problem

pytestmark = pytest.mark.night


@pytest.mark.parametrize("symmetry", [1, 2, 3, 6])
def test_structures_keep_their_symmetry_loads_and_limits(symmetry: int) -> None:
    problem = Problem(n=6, d=3, p=0.1)
    base = descent.random_base(problem, symmetry, "start")
    assert base.sum(axis=0).tolist() == [3] * (6 // symmetry)
    numbers = uniforms(1, "test", 3000).reshape(500, 6).tolist()
    seen = set()
    for row in numbers:
        changed = descent._changed(base, row, problem, symmetry)
        if changed is None:
            continue
        B = descent.expand(changed, symmetry)
        assert set(np.unique(B)) <= {0.0, 1.0} and B.sum(axis=0).max() <= 3
        turn = np.arange(6) // symmetry * symmetry + (np.arange(6) + 1) % symmetry
        assert np.array_equal(B[np.ix_(turn, turn)], B)
        seen.add(changed.tobytes())
        base = changed
    assert len(seen) > 5


def test_total_is_kept_where_workers_hand_over() -> None:
    problem = Problem(n=5, total=9, p=0.1)
    base = descent.random_base(problem, 1, "start")
    for row in uniforms(1, "test", 1200).reshape(200, 6).tolist():
        changed = descent._changed(base, row, problem, 1)
        base = base if changed is None else changed
        assert np.count_nonzero(base) <= 9


def test_a_descent_in_slices_is_the_same_descent() -> None:
    judge = Judge(Problem(n=8, d=3, p=0.1))
    base = descent.random_base(judge.problem, 1, "start")
    walk = descent.Walk("start", 1, base, base, judge.quick(base.astype(float)))
    first = descent.descend(walk.towards(100, 1.0), judge)
    whole = part = first.towards(300, 0.3)
    whole = descent.descend(whole, judge)
    while part.steps < part.end:
        part = descent.descend(part, judge, 0.0)
    for own, other in ((part.now, whole.now), (part.best, whole.best)):
        assert np.array_equal(own, other)
    assert (part.cost, part.steps) == (whole.cost, 400)
    assert descent.descend(part.towards(300, 0.3), judge, is_over=lambda: True).steps == 400
