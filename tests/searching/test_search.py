"""The search itself: what it finds, what it certifies, and that it says the same again."""

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
from fastgc.searching.judge import Cost, Judge
from fastgc.searching.problem import Problem
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
    assert made["verdict"] == "better than every family"
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


def test_a_family_with_other_entries_that_is_better_is_named() -> None:
    made = search(n=7, d=3, p=0.15, steps=200).certificate
    assert made["verdict"] == "better than every family with such entries"
    assert "the best family with such entries" in made["statement"]
    assert made["statement"].endswith("with other entries cyclic-mds n=7 d=3 (0.050936) is better")


def test_complex_families_are_rivals() -> None:
    made = search(n=6, d=3, s=2, goal="worst", steps=0).certificate
    rows = {row["name"]: row for row in made["compared"]}
    row = rows["cyclic-mds n=6 d=3 field=complex"]
    assert not row["allowed"] and row["value"] < 1e-12


def test_weights_of_families_keep_their_digits() -> None:
    """Inner products square the condition: they would call most of these cyclic codes inexact."""
    for n, d in ((11, 8), (12, 5)):
        judge = Judge(Problem(n=n, d=d, s=d - 1, goal="worst"))
        for seed in (1, 2, 3):
            assert judge.full(fastgc.codes.cyclic(n=n, d=d, seed=seed).B).first < 1e-20


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
    assert made["verdict"] == "better than every family"
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


def test_rounding_decides_nothing() -> None:
    assert not Cost(1.0).beats(Cost(1.0 + 1e-12))
    assert Cost(1.0).beats(Cost(1.0 + 1e-6))
    assert Cost(1.0 + 1e-12, 1.0).beats(Cost(1.0, 2.0))
    judge = Judge(Problem(n=3, d=1, p=0.25))
    assert judge.exact_value(np.eye(3)) == Fraction(3, 4)


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
