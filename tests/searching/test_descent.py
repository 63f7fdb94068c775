"""Exchange and weights: changes keep what they must, slopes are those of the error."""

import itertools
import json

import numpy as np
import pytest

from fastgc.draws.all_patterns import subset_sizes
from fastgc.draws.streams import uniforms
from fastgc.searching import descent
from fastgc.searching.judge import Judge
from fastgc.searching.problem import Problem
from fastgc.searching.weights import GRID, Weights

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


def mean_power(B: np.ndarray, p: float, power: int) -> float:
    """Return Σ P(pattern) error^power by least squares of every pattern."""
    k, n = B.shape
    total = 0.0
    for alive in itertools.product((False, True), repeat=n):
        A = B[:, np.array(alive)]
        x = np.linalg.lstsq(A, np.ones(k), rcond=None)[0]
        lost = n - sum(alive)
        total += p**lost * (1 - p) ** (n - lost) * float((np.abs(A @ x - 1) ** 2).sum()) ** power
    return total


@pytest.mark.night
@pytest.mark.parametrize("power", [1, 3])
def test_slopes_are_those_of_finite_differences(power: int) -> None:
    B = np.random.default_rng(1).uniform(0.5, 1.5, (5, 4))
    problem = Problem(n=4, k=5, d=5, p=0.2, entries="real")
    own = Weights(B, Judge(problem), 9, "any")
    own._power = power
    slope = own._slope(B)
    for i, j in np.ndindex(5, 4):
        step = np.zeros_like(B)
        step[i, j] = 1e-5
        more, less = (mean_power(B + sign * step, 0.2, power) for sign in (1, -1))
        assert slope[i, j] == pytest.approx((more - less) / 2e-5, rel=1e-5, abs=1e-7)


def test_weights_end_on_the_grid_and_are_better() -> None:
    judge = Judge(Problem(n=6, d=3, p=0.1, entries="real"))
    B = descent.expand(descent.random_base(judge.problem, 1, "start"), 1)
    own = Weights(B, judge, 2000, "start")
    own.shaken()
    begun = json.loads(json.dumps(own.state))
    assert own.refined(True, np.inf)
    assert np.array_equal(own.best * GRID, np.round(own.best * GRID))
    assert own.cost.first < judge.quick(B).first
    assert own.used <= 2000 + 2 and np.count_nonzero(own.best, axis=0).max() <= 3
    state, slices = begun, 0
    while True:  # as from a checkpoint, again and again
        again = Weights(B, judge, 2000, "start")
        again.state = state
        done, slices = again.refined(True, 0.0), slices + 1
        state = json.loads(json.dumps(again.state))
        if done:
            break
    assert slices > 5 and state == json.loads(json.dumps(own.state))


def test_a_descent_in_slices_is_the_same_descent() -> None:
    judge = Judge(Problem(n=8, d=3, p=0.1))
    base = descent.random_base(judge.problem, 1, "start")
    walk = descent.Walk("start", 1, base, base, judge.quick(base.astype(float)))
    first = descent.descend(walk.towards(100, 1.0), judge)
    whole = part = first.towards(300, 0.3)
    whole = descent.descend(whole, judge)
    while part.steps < part.end:
        part = part.at(descent.descend(part, judge, 0.0).as_data())
    assert part.as_data() == whole.as_data() and whole.steps == 400


def test_the_heaviest_patterns_carry_their_weight() -> None:
    judge = Judge(Problem(n=10, d=3, p=0.1))
    whole, weights = judge.heaviest(1 << 10)
    assert len(whole) == 1 << 10 and weights.sum() == pytest.approx(1.0, rel=1e-12)
    few, weights = judge.heaviest(100)
    lost = 10 - subset_sizes(10)[few[:, 0].astype(int)]
    assert len(few) <= 100 and lost.max() == 3
    assert weights[lost == 1].tolist() == pytest.approx([0.1 * 0.9**9] * 10, rel=1e-12, abs=0)
    want = 120 * 0.1**3 * 0.9**7  # of all with three stragglers
    assert weights[lost == 3].sum() == pytest.approx(want, rel=0.05)
