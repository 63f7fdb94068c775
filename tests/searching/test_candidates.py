"""Where searches begin: families that fit, codes of groups, uneven repetition."""

import itertools

import numpy as np
import pytest

from fastgc.searching import candidates
from fastgc.searching.judge import spectrum
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
    n, d = 9, 3
    problem = Problem(n=n, d=d, p=0.1)
    found = [c.B for c in candidates.others(problem) if c.name.startswith("Z9 ")]
    every = set()
    for rest in itertools.combinations(range(1, n), d - 1):
        B = np.zeros((n, n))
        for o in (0, *rest):
            B[(np.arange(n) + o) % n, np.arange(n)] = 1.0
        every.add(tuple(spectrum(B).sums.round(9)))
    assert {tuple(spectrum(B).sums.round(9)) for B in found} == every
    assert len(found) < 28  # of C(8, 2)
    own = [c for c in candidates.others(problem) if c.name.startswith("Z9 ")]
    for each in own:  # they are a family
        offsets = np.flatnonzero(each.B[:, 0])
        assert each.is_family and each.table["offsets"] == offsets.tolist()


@pytest.mark.parametrize(
    "keys",
    [{"n": 8, "d": 3}, {"n": 8, "k": 6, "d": 2}, {"n": 7, "total": 15}, {"n": 13, "d": 4}],
    ids=str,
)
def test_candidates_fit(keys: dict[str, int]) -> None:
    problem = Problem(**keys, p=0.1)
    every = [*candidates.families(problem), *candidates.others(problem)]
    assert every
    for each in every:
        assert each.B.shape == (problem.partitions, problem.n)
        held = np.count_nonzero(each.B, axis=0)
        assert held.max() <= problem.most_load and held.sum() <= problem.most_entries
    if problem.n == 13:
        names = [each.name for each in every if each.is_family]
        assert "bibd name=pg(2,3)" in names or "shifts n=13 offsets=[0,1,3,9]" in names


def test_uneven_groups_take_all_workers_and_partitions() -> None:
    for each in candidates.uneven_groups(Problem(n=7, d=3, p=0.1)):
        assert (each.B.sum(axis=0) > 0).all() and (each.B.sum(axis=1) > 0).all()
