"""The search: what it finds and certifies, where it begins, and how it descends."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastgc
from fastgc.errors import StoppedError
from fastgc.planning.code_search import search
from fastgc.registry.activity import Step
from fastgc.searching import candidates, descent
from fastgc.searching.judge import Judge
from fastgc.searching.problem import SearchTable
from suite.checks import refusal
from twins.decoders import every_pattern
from twins.least_squares import lstsq_errors

QUICK = {"n": 6, "d": 2, "p": 0.1, "steps": 300}
#: No family has so many partitions, so what is found is better than all.
UNEVEN = {"n": 5, "k": 3, "d": 2, "p": 0.1, "steps": 200}


@pytest.mark.parametrize(("keys", "bound", "optimal"), [
    ({"n": 6, "d": 2, "p": 0.1}, "3/50", True),
    ({"n": 9, "k": 6, "d": 3, "p": 0.2}, "18/3125", True),  # five workers, and four
    ({"n": 7, "d": 3, "p": 0.1}, "7/1000", False),
    ({"n": 6, "d": 2, "s": 1, "goal": "worst"}, "0", True),
    ({"n": 6, "d": 2, "p": 0.1, "goal": "exact"}, None, False),
])  # fmt: skip
def test_optimal_is_said_where_a_bound_is_reached(
    keys: dict[str, Any], bound: str | None, optimal: bool
) -> None:
    made = search(keys, steps=50).certificate
    assert (made["bound"], made["optimal"]) == (bound, optimal)
    assert ("lower bound" in made["statement"]) == optimal


def test_better_than_every_family() -> None:
    found = search(UNEVEN)
    B, made = found.matrix, found.certificate
    assert made["verdict"] == "better than every 0/1 family"
    assert set(np.unique(B)) <= {0.0, 1.0} and B.sum(axis=0).max() <= 2
    rivals = [row for row in made["compared"] if row["family"]]
    assert min(row["value"] for row in rivals) > found.value
    alive = every_pattern(5)
    lost, errors = (~alive).sum(axis=1), lstsq_errors(B, alive)
    sums = [float(Fraction(each)) for each in made["spectrum"]["sums"]]
    assert sums == pytest.approx(np.bincount(lost, errors), rel=1e-9, abs=1e-9)
    mean = (0.1**lost * 0.9 ** (5 - lost) * errors).sum()
    assert found.value == pytest.approx(mean, rel=1e-9, abs=0) == found.inspect().mean_error
    assert float(Fraction(made["exact"])) == found.value <= 0.00921 + 1e-12


def test_a_family_with_other_parameters_is_no_find() -> None:
    made = search(n=8, d=3, p=0.1, steps=200).certificate
    assert made["verdict"] == "no better than a family" and made["exact"] == "13/500"
    assert made["family"] == {"construction": "even-groups", "n": 8, "groups": 3}
    made = search(n=1, d=1, p=0.1, steps=0).certificate
    assert "no family fits" not in made["statement"]
    made = search(n=3, k=5, d=1, p=0.1, steps=50).certificate
    assert made["verdict"] == "no family fits" and "no family fits" in made["statement"]


@pytest.mark.parametrize("keys", [
    {"goal": "exact", "p": 0.2}, {"goal": "worst", "s": 3}, {"goal": "mean", "s": 3},
], ids=lambda keys: " ".join(map(str, keys.values())))  # fmt: skip
def test_every_goal_is_judged_as_fastgc_judges(keys: dict[str, Any]) -> None:
    found = search({"n": 6, "d": 2, "steps": 100} | keys)
    own = found.problem
    if own.goal == "worst":
        masks = np.array(list(np.ndindex(*[2] * 6)), bool)
        masks = masks[(~masks).sum(axis=1) <= own.s]
        want = fastgc.decode(found.matrix, masks).errors.max()
    else:
        uniform = {"model": "uniform", "stragglers": own.s}
        study = {"code": found.matrix, "stragglers": own.p if own.s is None else uniform}
        study |= {"measure": [{"mean": "error"}.get(own.goal, own.goal)], "method": "exact"}
        rows = fastgc.run(study).rows()
        want = {row["statistic"]: row["value"] for row in rows}["mean"]
    assert found.value == pytest.approx(want, rel=1e-9, abs=1e-12)


@pytest.mark.night
def test_threads_change_no_byte(tmp_path: Path) -> None:
    keys = {"n": 6, "d": 3, "s": 3, "goal": "worst", "steps": 3000}
    for threads in (3, 1):
        search(keys, out=tmp_path / f"{threads}.csv", threads=threads)
    for suffix in ("csv", "json"):
        assert len({(tmp_path / f"{each}.{suffix}").read_bytes() for each in (3, 1)}) == 1


@pytest.mark.night
def test_seconds_end_it_early_and_it_says_so() -> None:
    made = search(n=8, d=3, p=0.1, steps=10**9, seconds=0.5).certificate
    assert made["ended"] == "seconds" and made["steps"] < 10**9


def test_a_search_that_is_stopped_keeps_the_best_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fastgc.searching.search._SLICE", 0.001)
    out, steps = tmp_path / "best.csv", list[Step]()

    def interrupted() -> str | None:
        return "SIGINT" if steps and steps[-1].done > 2000 else None

    keys = UNEVEN | {"steps": 10**9}
    found = search(keys, out=out, threads=2, progress=steps.append, interrupted=interrupted)
    made = found.certificate
    assert made["ended"] == "SIGINT" and 0 < made["steps"] < 10**9
    assert made["verdict"] == "better than every 0/1 family"
    assert np.array_equal(fastgc.codes.matrix(file=str(out)).B, found.matrix)
    with pytest.raises(StoppedError, match="stopped early by SIGTERM: nothing was found yet"):
        search(keys, interrupted=lambda: "SIGTERM")


@pytest.mark.parametrize("suffix", [".csv", ".npy"])
def test_files_read_back(tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"best{suffix}"
    found = search(UNEVEN, out=out)
    assert json.loads(out.with_suffix(".json").read_text()) == found.certificate
    study = out.with_suffix(".search.toml")
    study.write_text(study.read_text(), "utf-8-sig")  # it may begin with a byte order mark
    assert search(study).certificate == found.certificate
    assert np.array_equal(fastgc.codes.matrix(file=str(out)).B, found.matrix)


@pytest.mark.parametrize(("keys", "said"), [
    ({}, "d: missing"), ({"d": 2}, "give either p or s"),
    ({"d": 2, "p": 0.1, "s": 1}, "give either p or s"), ({"d": 9, "p": 0.1}, "d must be at most k"),
    ({"d": 2, "p": 0.1, "goal": "worst"}, "needs s"),
    ({"n": 21, "d": 2, "p": 0.1}, "n: must be at most 20"),
    ({"d": 2, "p": 0.1, "steep": 1}, "steps"),
    ({"d": 2, "s": 9}, "s must be at most n (got s=9, n=8)"),
])  # fmt: skip
def test_mistakes_are_sentences(keys: dict[str, Any], said: str) -> None:
    assert said in refusal(search, {"n": 8} | keys)


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[search]\nn =\n")
    for given, more, said in (
        (QUICK, {"out": tmp_path / "best.txt"}, "must end in"),
        (QUICK, {"threads": 0}, "must be at least 1"),
        (tmp_path / "none.toml", {}, "no such file"),
        (tmp_path / "bad.toml", {}, "bad.toml: line 2, column 4: Invalid value"),
    ):
        assert said in refusal(search, given, **more)


# ---- where searches begin, and how they descend: changes keep what they must, pauses nothing


@pytest.mark.parametrize("n", [4, 6, 8, 9, 12, 16])
def test_tables_of_groups_are_groups(n: int) -> None:
    tables = dict(candidates.groups(n))
    assert f"Z{n}" in tables
    for table in tables.values():
        for row in (*table, *table.T):
            assert sorted(row.tolist()) == list(range(n))
        assert np.array_equal(table[0], np.arange(n))
        assert np.array_equal(table[table], table[:, table])  # (a b) c = a (b c)


@pytest.mark.parametrize("keys", [
    {"n": 8, "d": 3}, {"n": 8, "k": 6, "d": 2}, {"n": 13, "d": 4},
], ids=str)  # fmt: skip
def test_candidates_fit(keys: dict[str, int]) -> None:
    problem = SearchTable(**keys, p=0.1)
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
def test_a_descent_in_slices_is_the_same_descent() -> None:
    judge = Judge(SearchTable(n=8, d=3, p=0.1))
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
