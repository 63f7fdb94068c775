"""Where searches begin, and how they descend: changes keep what they must, pauses nothing."""

import itertools

import numpy as np
import pytest

from fastgc.draws.streams import uniforms
from fastgc.searching import candidates, descent
from fastgc.searching.judge import Judge, spectrum
from fastgc.searching.problem import Problem


@pytest.mark.parametrize("n", [4, 6, 8, 9, 12, 16])
def test_tables_of_groups_are_groups(n: int) -> None:
    tables = dict(candidates.groups(n))
    assert f"Z{n}" in tables
    for table in tables.values():
        for row in (*table, *table.T):
            assert sorted(row.tolist()) == list(range(n))
        assert np.array_equal(table[0], np.arange(n))
        assert np.array_equal(table[table], table[:, table])  # (a b) c = a (b c)


@pytest.mark.night
def test_one_circulant_of_each_kind_is_enough() -> None:
    problem = Problem(n=9, d=3, p=0.1)
    own = [each for each in candidates.others(problem) if each.name.startswith("Z9 ")]
    every = set()
    for rest in itertools.combinations(range(1, 9), 2):
        B = np.zeros((9, 9))
        for o in (0, *rest):
            B[(np.arange(9) + o) % 9, np.arange(9)] = 1.0
        every.add(tuple(spectrum(B).sums.round(9)))
    assert {tuple(spectrum(each.B).sums.round(9)) for each in own} == every
    assert len(own) < 28  # of C(8, 2)
    for each in own:  # they are a family
        offsets = np.flatnonzero(each.B[:, 0])
        assert each.is_family and each.table["offsets"] == offsets.tolist()


@pytest.mark.parametrize("keys", [
    {"n": 8, "d": 3}, {"n": 8, "k": 6, "d": 2}, {"n": 13, "d": 4},
], ids=str)  # fmt: skip
def test_candidates_fit(keys: dict[str, int]) -> None:
    problem = Problem(**keys, p=0.1)
    every = [*candidates.families(problem), *candidates.others(problem)]
    assert every
    for each in every:
        assert each.B.shape == (problem.partitions, problem.n)
        held = np.count_nonzero(each.B, axis=0)
        assert held.max() <= problem.d
    if problem.n == 13:
        names = [each.name for each in every if each.is_family]
        assert "bibd name=pg(2,3)" in names or "shifts n=13 offsets=[0,1,3,9]" in names


# ---- descent


@pytest.mark.night
@pytest.mark.parametrize("symmetry", [1, 2, 3, 6])
def test_structures_keep_their_symmetry_loads_and_limits(symmetry: int) -> None:
    problem = Problem(n=6, p=0.1, d=3)
    base = descent.random_base(problem, symmetry, "start")
    assert base.sum(axis=0).tolist() == [3] * (6 // symmetry)
    seen = set()
    for row in uniforms(1, "test", 3000).reshape(500, 6).tolist():
        changed = descent._changed(base, row, problem, symmetry)
        if changed is None:
            continue
        B = descent.expand(changed, symmetry)
        assert set(np.unique(B)) <= {0.0, 1.0}
        assert B.sum(axis=0).max() <= 3
        turn = np.arange(6) // symmetry * symmetry + (np.arange(6) + 1) % symmetry
        assert np.array_equal(B[np.ix_(turn, turn)], B)
        seen.add(changed.tobytes())
        base = changed
    assert len(seen) > 5


@pytest.mark.night
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
