"""The search itself: what it finds, what it certifies, and that it says the same again."""

import json
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastgc
from fastgc.errors import FastgcError, StoppedError
from fastgc.planning.code_search import search
from fastgc.searching import certificate
from fastgc.searching.judge import Cost, Judge
from fastgc.searching.problem import Problem

QUICK = {"n": 6, "d": 2, "p": 0.1, "steps": 300}


def error_by_fastgc(B: np.ndarray, p: float) -> float:
    return fastgc.error(B, p=p).value


def test_repetition_is_found_where_it_is_best() -> None:
    found = search(QUICK)
    assert found.certificate["exact"] == "3/50"  # 6 · .1²
    assert found.certificate["verdict"] == "no better than a family"
    assert found.certificate["by"] == "frc n=6 d=2"


@pytest.mark.parametrize(
    ("keys", "bound", "optimal"),
    [
        ({"n": 6, "d": 2, "p": 0.1}, "3/50", True),
        ({"n": 9, "k": 6, "d": 3, "p": 0.2}, "18/3125", True),  # five workers, and four
        ({"n": 7, "d": 3, "p": 0.1}, "7/1000", False),
        ({"n": 7, "d": 2, "s": 1, "goal": "worst", "entries": "real"}, "0", True),
        ({"n": 6, "d": 2, "p": 0.1, "goal": "exact"}, None, False),
        ({"n": 22, "d": 2, "p": 0.1}, "11/50", False),  # a sample proves nothing
    ],
)
def test_optimal_is_said_where_a_bound_is_reached(
    keys: dict[str, Any], bound: str | None, optimal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificate, "_DRAWS", 1 << 10)
    made = search(keys, steps=50).certificate
    assert (made["bound"], made["optimal"]) == (bound, optimal)
    assert ("lower bound" in made["statement"]) == optimal


def test_better_than_every_family_where_none_fits() -> None:
    found = search(n=5, k=3, d=2, p=0.1, steps=200)
    assert found.certificate["verdict"] == "better than every family"
    assert found.value == pytest.approx(error_by_fastgc(found.matrix, 0.1), rel=1e-9, abs=0)
    assert found.value <= 0.00921 + 1e-12
    rivals = [row for row in found.certificate["compared"] if row["family"]]
    assert min(row["value"] for row in rivals) > found.value
    assert set(np.unique(found.matrix)) <= {0.0, 1.0}
    assert found.matrix.sum(axis=0).max() <= 2


def test_a_family_with_other_parameters_is_no_find() -> None:
    made = search(n=8, d=3, p=0.1, steps=200).certificate
    assert made["verdict"] == "no better than a family" and made["exact"] == "13/500"
    assert made["family"] == {"family": "stochastic-block", "n": 8, "blocks": 3, "P": [1, 0]}
    made = search(n=1, d=1, p=0.1, steps=0).certificate
    assert "no family fits" not in made["statement"]
    made = search(n=3, k=5, d=1, p=0.1, steps=50).certificate
    assert made["verdict"] == "no family fits" and "no family fits" in made["statement"]


def test_a_family_with_other_entries_that_is_better_is_named() -> None:
    made = search(n=7, d=3, p=0.15, steps=200).certificate
    assert made["verdict"] == "better than every family with such entries"
    assert "the best family with such entries" in made["statement"]
    assert made["statement"].endswith("with other entries cyclic-mds n=7 d=3 (0.050936) is better")


def test_weights_of_families_keep_their_digits() -> None:
    """Inner products square the condition: they would call most of these cyclic codes inexact."""
    for n, d in ((11, 8), (12, 5)):
        judge = Judge(Problem(n=n, d=d, s=d - 1, goal="worst"))
        for seed in (1, 2, 3):
            assert judge.certain(fastgc.codes.cyclic(n=n, d=d, seed=seed).B).first < 1e-20
    exact = search(n=7, d=3, s=2, goal="exact", entries="real", steps=0)
    assert exact.value == 1.0 and "cyclic" in exact.certificate["by"]


def test_what_is_not_survived_has_no_amplification() -> None:
    made = search(n=4, d=2, s=3, goal="amplification", steps=20).certificate
    assert made["value"] is None and "survives every 3 stragglers" in made["statement"]
    json.dumps(made, allow_nan=False)
    B = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0]])  # the third worker holds nothing
    judge = Judge(Problem(n=3, k=2, d=2, s=1, goal="amplification"))
    assert judge.full(B).first == pytest.approx((0.5 + 1 + 1) / 3, rel=1e-12)


def test_one_step_has_no_weight_where_entries_cancel() -> None:
    judge = Judge(Problem(n=2, d=1, p=0.1, decoder="one-step", entries="±1"))
    assert judge.full(np.diag([1.0, -1.0])).first == np.inf


@pytest.mark.night
def test_weights_are_better_still_and_stay_within_loads() -> None:
    found = search(n=8, d=3, p=0.1, steps=4000, entries="real")
    assert found.value < 0.01 and found.certificate["verdict"] == "better than every family"
    assert np.count_nonzero(found.matrix, axis=0).max() <= 3
    assert found.value == pytest.approx(error_by_fastgc(found.matrix, 0.1), rel=1e-8, abs=0)


@pytest.mark.parametrize(
    "keys",
    [
        {"goal": "exact", "p": 0.2},
        {"goal": "worst", "s": 3},
        {"goal": "amplification", "s": 1},
        {"goal": "mean", "s": 3},
        {"p": 0.1, "decoder": "one-step"},
        {"p": 0.1, "decoder": "fixed", "rho": 0.5},
        {"goal": "worst", "s": 2, "decoder": "one-step"},
        {"p": 0.1, "entries": "±1"},
        {"p": 0.1, "d": None, "total": 11},
    ],
    ids=lambda keys: " ".join(map(str, keys.values())),
)
def test_every_goal_is_judged_as_fastgc_judges(keys: dict[str, Any]) -> None:
    given = {"n": 6, "d": 2, "steps": 200} | keys
    found = search({key: value for key, value in given.items() if value is not None})
    own = found.problem
    decoder = {"decoder": own.decoder} | ({} if own.rho is None else {"rho": own.rho})
    straggle: Any = {"model": "iid", "p": own.p}
    if own.s is not None:
        straggle = {"model": "uniform", "stragglers": own.s}
    measure = {"mean": "error", "worst": "error"}.get(own.goal, own.goal)
    result = fastgc.run(
        {"kind": "decoding", "code": found.matrix, "stragglers": straggle, "method": "exact"}
        | {"measure": [measure]}
        | decoder
    )
    rows = {row["statistic"]: row["value"] for row in result.rows()}
    if own.goal == "worst":
        masks = np.array(list(np.ndindex(*[2] * 6)), bool)
        masks = masks[(~masks).sum(axis=1) <= own.s]
        want = fastgc.decode(found.matrix, masks, **decoder).errors.max()
    else:
        want = rows["mean"]
    assert found.value == pytest.approx(want, rel=1e-9, abs=1e-12)
    assert int(np.count_nonzero(found.matrix)) <= own.most_entries


@pytest.mark.night
def test_time_is_that_of_simulated_arrivals() -> None:
    found = search(n=6, d=2, goal="time", steps=300)
    draws = np.random.default_rng(1).exponential(size=(4000, 6))
    times = np.sort(draws, axis=1)
    order = np.argsort(draws, axis=1)
    taken = []
    for row, arrivals in zip(times, order, strict=True):
        masks = np.zeros((6, 6), bool)
        for r in range(6):
            masks[r:, arrivals[r]] = True
        exact = fastgc.decode(found.matrix, masks).errors < 1e-9
        taken.append(row[int(exact.argmax())])
    assert found.value == pytest.approx(np.mean(taken), rel=0.05)
    rivals = found.certificate["compared"]
    assert min(each["value"] for each in rivals if each["value"]) >= found.value - 1e-12
    assert Fraction(found.certificate["exact"]) == pytest.approx(found.value, rel=1e-12)


def test_a_load_that_never_decodes_has_no_time() -> None:
    made = search(n=2, k=4, d=1, goal="time", steps=20).certificate
    assert made["value"] is None and "even with all workers" in made["statement"]
    json.dumps(made, allow_nan=False)


@pytest.mark.night
def test_same_seed_same_matrix_and_another_seed_another_course() -> None:
    once, again = (search(n=9, d=4, p=0.1, steps=600) for _ in range(2))
    assert np.array_equal(once.matrix, again.matrix)
    assert once.certificate == again.certificate


@pytest.mark.night
def test_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    out = tmp_path / "best.csv"
    part = tmp_path / "best.csv.part"
    keys = {"n": 8, "d": 3, "p": 0.1, "steps": 2000, "entries": "real"}

    def interrupted() -> str | None:
        return "SIGINT" if part.read_bytes().count(b"\n") > 5 else None

    with pytest.raises(StoppedError, match="the same command goes on"):
        search(keys, out=out, interrupted=interrupted)
    with part.open("ab") as file:
        file.write(b'["0 symmetry 1, start 3",{"now":[[1,0')  # a line that was cut short
    assert len(part.read_bytes().splitlines()) > 2
    went_on = search(keys, out=out)
    assert went_on.certificate == search(keys).certificate
    assert not part.exists()


@pytest.mark.night
def test_threads_change_no_byte(tmp_path: Path) -> None:
    keys = {"n": 6, "d": 3, "s": 3, "goal": "worst", "entries": "real", "steps": 3000}
    files = []
    for number, threads in enumerate((3, 1)):
        out = tmp_path / f"{number}.csv"
        search(keys, out=out, threads=threads)
        files.append([out.read_bytes(), out.with_suffix(".json").read_bytes()])
    assert files[0] == files[1]


@pytest.mark.night
def test_seconds_end_it_early_and_it_says_so() -> None:
    found = search(n=8, d=3, p=0.1, steps=10**9, seconds=0.5)
    assert found.certificate["ended"] == "seconds"
    assert found.certificate["steps"] < 10**9


def least_squares(B: np.ndarray) -> np.ndarray:
    """Return the errors of all patterns, and how many straggle in each, by NumPy alone."""
    k, n = B.shape
    found = []
    for alive in np.ndindex(*[2] * n):
        A = B[:, np.array(alive, bool)]
        x = np.linalg.lstsq(A, np.ones(k), rcond=None)[0]
        found.append((n - sum(alive), (np.abs(A @ x - 1) ** 2).sum()))
    return np.array(found)


@pytest.mark.night
def test_weights_are_judged_as_fractions_and_by_brute_force() -> None:
    found = search(n=5, k=3, d=2, p=0.1, entries="real", steps=1500)
    B, made = found.matrix, found.certificate
    assert np.count_nonzero(B, axis=0).max() <= 2
    assert made["method"] == "all patterns, as fractions"
    lost, errors = least_squares(B).T
    sums = [float(Fraction(each)) for each in made["spectrum"]["sums"]]
    assert sums == pytest.approx(np.bincount(lost.astype(int), errors), rel=1e-9, abs=1e-9)
    assert float(Fraction(made["exact"])) == found.value
    mean = (0.1**lost * 0.9 ** (5 - lost) * errors).sum()
    assert found.value == pytest.approx(mean, rel=1e-9, abs=0) == found.inspect().mean_error


@pytest.mark.night
def test_the_amplification_of_complex_weights_is_that_of_brute_force() -> None:
    judge = Judge(Problem(n=4, k=3, d=3, s=1, goal="amplification", entries="real"))
    parts = np.random.default_rng(5).normal(size=(2, 3, 4))
    B = parts[0] + 1j * parts[1]
    scaled = B / np.abs(B).max(axis=0)
    squares = [
        (np.abs(np.linalg.lstsq(np.delete(scaled, j, 1), np.ones(3), rcond=None)[0]) ** 2).sum()
        for j in range(4)
    ]
    assert judge.full(B).first == pytest.approx(np.mean(squares), rel=1e-9, abs=0)


def test_complex_families_are_rivals() -> None:
    found = search(n=6, d=3, s=2, goal="worst", entries="real", steps=0)
    rows = {row["name"]: row for row in found.certificate["compared"]}
    row = rows["cyclic-mds n=6 d=3 field=complex"]
    assert not row["allowed"] and row["value"] < 1e-12


@pytest.mark.night
@pytest.mark.parametrize("suffix", [".csv", ".npy", ".mtx"])
def test_files_read_back(tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"best{suffix}"
    found = search({"n": 5, "k": 3, "d": 2, "p": 0.1}, out=out, entries="real", steps=1500)
    assert np.array_equal(fastgc.codes.matrix(file=str(out)).B, found.matrix)
    assert json.loads(out.with_suffix(".json").read_text()) == found.certificate
    again = search(out.with_suffix(".search.toml"))
    assert again.certificate == found.certificate


def test_a_toml_matrix_is_a_study(tmp_path: Path) -> None:
    out = tmp_path / "best.toml"
    found = search({"n": 5, "k": 3, "d": 2, "p": 0.1, "steps": 1500}, out=out, entries="real")
    assert tomllib.loads(out.read_text())["experiment"][0]["code"]["family"] == "matrix"
    error = fastgc.run(str(out)).rows()[0]["value"]
    assert error == pytest.approx(found.value, rel=1e-9, abs=0)


@pytest.mark.night
def test_beyond_enumeration_fresh_draws_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificate, "_DRAWS", 1 << 14)
    found = search(n=22, d=3, p=0.1, steps=60)
    made = found.certificate
    assert "low" in made and "too few" not in made["statement"]
    assert made["low"] <= made["value"] <= made["high"]
    assert {row["standing"] for row in made["compared"]} <= {"worse", "better", "undecided"}
    judge = Judge(found.problem)
    other, _ = judge.sampled(found.matrix, "another", 1 << 17)
    assert made["low"] * 0.8 < other.first < made["high"] * 1.2


@pytest.mark.night
def test_what_no_draw_showed_is_not_called_impossible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificate, "_DRAWS", 1 << 12)
    made = search(n=22, d=11, s=3, steps=0).certificate
    assert made["value"] == 0 and made["events"] == 0 and "low" not in made
    assert "only 0 draws had an error, too few for an interval" in made["statement"]
    assert {row["standing"] for row in made["compared"] if not row["value"]} == {"undecided"}


def test_rounding_decides_nothing() -> None:
    assert not Cost(1.0).beats(Cost(1.0 + 1e-12))
    assert Cost(1.0).beats(Cost(1.0 + 1e-6))
    assert Cost(1.0 + 1e-12, 1.0).beats(Cost(1.0, 2.0))
    judge = Judge(Problem(n=3, d=1, p=0.25))
    assert judge.exact_value(np.eye(3)) == Fraction(3, 4)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"n": 8}, "give either d or total"),
        ({"n": 8, "d": 2}, "give either p or s"),
        ({"n": 8, "d": 2, "p": 0.1, "s": 1}, "give either p or s"),
        ({"n": 8, "d": 9, "p": 0.1}, "d must be at most k"),
        ({"n": 8, "d": 2, "p": 0.1, "goal": "worst"}, "needs s"),
        ({"n": 8, "d": 2, "p": 0.1, "decoder": "fixed"}, "go together"),
        ({"n": 40, "d": 2, "s": 1, "goal": "worst"}, "up to n=20"),
        ({"n": 40, "d": 2, "s": 1, "goal": "amplification"}, "up to n=20"),
        ({"n": 8, "d": 2, "s": 1, "goal": "time"}, "neither p nor s"),
        ({"n": 8, "d": 2, "p": 0.1, "steep": 1}, "steps"),
        ({"n": 4, "d": 2, "p": 0.1, "entries": "complex"}, "must be '0/1', '±1' or 'real'"),
    ],
)
def test_mistakes_are_sentences(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(FastgcError, match=said):
        search(keys)


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FastgcError, match="must end in"):
        search(QUICK, out=tmp_path / "best.txt")
    with pytest.raises(FastgcError, match="no such file"):
        search(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("[search]\nn =\n")
    with pytest.raises(FastgcError, match=r"bad\.toml: line 2, column 4: Invalid value"):
        search(tmp_path / "bad.toml")


def test_a_study_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "own.search.toml"
    file.write_text("[search]\nn = 4\nd = 2\np = 0.1\nsteps = 0\n", "utf-8-sig")
    assert search(file).certificate["exact"] == "1/25"


def test_notebooks_show_it() -> None:
    found = search(QUICK)
    assert "<table" in found._repr_html_() and "frc n=6 d=2" in found._repr_html_()
    assert repr(found).startswith("<Found mean error 0.06 by frc n=6 d=2")
    assert found.inspect().mean_error == pytest.approx(0.06, rel=1e-9)
