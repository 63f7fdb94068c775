"""``[[claim]]`` tables: the cases they make, and a sentence for every mistake."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastgc
from fastgc.study.claims.read import made, read
from fastgc.study.study import Study
from fastgc.theory.papers.claim import Case, Claim
from suite.checks import complaints, refusal

TWO_CLASS = {"model": "two-class", "p_slow": 0.3, "p_straggle_slow": 0.8, "p_straggle_active": 0.01}
Q = "p_slow * p_straggle_slow + (1 - p_slow) * p_straggle_active"
FRC = {"family": "frc", "n": 8, "d": 2}
PETERSEN = {"family": "graph", "name": "petersen"}
IID = {"model": "iid", "p": 0.1}
EXPERIMENT: dict[str, Any] = {"code": FRC, "stragglers": IID}
TIMED = {
    "kind": "completion",
    "system": {"family": "hierarchical", "n": 4, "k": [3, 2, 1]},
    "latency": {"distribution": "exponential", "mean": 0.5},
}


def table(**keys: Any) -> dict[str, Any]:
    return {
        "id": "mine.lemma3",
        "statement": "A statement",
        "theory": "n * p**d",
        "quantity": "error",
        "experiment": EXPERIMENT,
        **keys,
    }


#: A claim whose theory is a function.
WITHOUT = {key: value for key, value in table().items() if key != "theory"}


def one(**keys: Any) -> Claim:
    [claim] = read({"claim": [table(**keys)]})
    return claim


def complaint(**keys: Any) -> str:
    """The one complaint about a table with these keys, without the file's and the claim's name."""
    line = refusal(read, {"claim": [table(**keys)]})
    assert line.startswith("study: claim.mine.lemma3.")
    return line.removeprefix("study: claim.mine.lemma3.")


# ---- cases


def test_a_case_at_every_point() -> None:
    claim = one(
        theory="n * q**d",
        where={"q": Q},
        citation="Lemma 3",
        statement="  FRC loses\n n q^d partitions. ",
        experiment={"code": FRC, "stragglers": TWO_CLASS, "sweep": {"code.d": [1, 2, 4]}},
    )
    assert (claim.id, claim.paper, claim.relation) == ("mine.lemma3", "mine", "=")
    assert (claim.statement, claim.citation) == ("FRC loses n q^d partitions", "Lemma 3")
    assert (claim.expected, claim.holds) == ("confirmed", "everywhere")
    q = 0.3 * 0.8 + 0.7 * 0.01
    assert [case.theory for case in claim.cases] == pytest.approx([8 * q**d for d in (1, 2, 4)])
    assert [case.point["d"] for case in claim.cases] == [1, 2, 4]
    case = claim.cases[1]
    assert case.point == {"n": 8, "d": 2, "p_slow": 0.3} | {
        key: TWO_CLASS[key] for key in ("p_straggle_slow", "p_straggle_active")
    }
    assert case.experiment["code"] == FRC
    assert (case.quantity, case.statistic, case.index, case.scale) == ("error", "mean", None, 8)


@pytest.mark.parametrize(("given", "statistic", "asked", "scale"), [
    ("P(> 2)", "P(>2.0)", {"thresholds": [2.0]}, 1), ("variance", "variance", {}, 64),
    ("quantile(.9)", "quantile(0.9)", {"quantiles": [0.9]}, 8), ("maximum", "maximum", {}, 8),
])  # fmt: skip
def test_what_a_statistic_asks_of_the_experiment(
    given: str, statistic: str, asked: dict[str, Any], scale: float
) -> None:
    [case] = one(statistic=given).cases
    assert (case.statistic, case.scale) == (statistic, scale)
    assert asked.items() <= case.experiment.items()


def test_indices_are_cases() -> None:
    theory = "agc.frc_mean_error(n, d, survivors=index)"
    claim = one(quantity="error_by_survivors", index=[0, 5, 8], theory=theory)
    assert [case.index for case in claim.cases] == [0, 5, 8]
    assert [case.theory for case in claim.cases] == pytest.approx([8, 6 / 7, 0])
    assert claim.cases[1].point["index"] == 5


def test_against_another_experiment() -> None:
    keys = {"theory": "n * p**d - against.n * against.p**against.code.d"}
    [changed] = one(against={"code.d": 4}, **keys).cases
    assert changed.against is not None and changed.point["against"] == {"code.d": 4}
    assert changed.against["code"] == FRC | {"d": 4} and changed.against["stragglers"] == IID
    assert changed.theory == pytest.approx(8 * (0.1**2 - 0.1**4))
    assert one(against={"code": {"d": 4}}, **keys).cases == (changed,)
    uncoded = {"family": "uncoded", "n": 8}
    [replaced] = one(against={"code": uncoded}, theory=2, how="ratio").cases
    assert replaced.against is not None and replaced.against["code"] == uncoded
    assert replaced.point["against"] == {"code.family": "uncoded"}
    swept = EXPERIMENT | {"sweep": {"stragglers.p": [0.1, 0.2]}}
    both = one(against={"code.d": 4}, experiment=swept, **keys).cases
    assert [case.against["stragglers"]["p"] for case in both if case.against] == [0.1, 0.2]


def test_as_n_grows() -> None:
    swept = EXPERIMENT | {"sweep": {"code.n": [800, 8, 80, 2]}}
    claim = one(holds="as n grows", limit="order", size="n", rate="1 / sqrt(n)", experiment=swept)
    assert (claim.holds, claim.limit) == ("as n grows", "order")
    assert [case.size for case in claim.cases] == [2, 8, 80, 800]
    assert [case.rate for case in claim.cases] == [1 / math.sqrt(n) for n in (2, 8, 80, 800)]


def test_what_does_not_grow() -> None:
    grid = {"code.n": [4, 40, 400, 4000], "stragglers.p": [0.1, 0.2]}
    grows = {"holds": "as n grows", "size": "n"}
    said = complaint(experiment=EXPERIMENT | {"sweep": grid}, **grows)
    assert said == "size: must differ at every point (got 4 twice); make several claims"
    swept = EXPERIMENT | {"sweep": {"code.n": [4, 40, 400, 4000]}}
    said = complaint(theory="n - 4", experiment=swept, **grows)
    assert said.startswith("theory: is 0 somewhere, of which there is no ratio")
    assert one(theory="n - 4", experiment=swept, limit="difference", **grows).cases


def test_what_is_expected_and_what_is_only_shown() -> None:
    assert one().expected == "confirmed" and one(relation="<=").expected == "not refuted"
    assert one(relation="<=", expected="refuted").expected == "refuted"
    known = {"code": FRC, "workers": "32 machines"}
    claim = one(theory=1.8, digits=1, missing="the step\nis not printed", experiment=known)
    assert (claim.expected, claim.missing) == ("not reproducible", "the step is not printed")
    assert claim.cases == (Case(known, 1.8, {}, "error", digits=1),)


def test_names_at_a_point() -> None:
    # as Python reads them: the micro sign is the letter mu
    assert one(where={"\u00b5": 2}, theory="\u03bc * \u00b5").cases[0].theory == 4
    worst = {"code": FRC, "stragglers": {"model": "adversarial", "stragglers": 2}}
    assert one(statistic="maximum", theory="stragglers / d", experiment=worst).cases[0].theory == 1
    theory = "workers + n + k[0] + sum(k) + mean + latency.shift + work"
    [case] = one(quantity="time", theory=theory, experiment=TIMED).cases
    assert case.theory == 4 + 4 + 3 + 6 + 0.5 + 0 + 1
    assert case.scale == 1
    latency = {"distribution": "exponential", "mean": 0.25}
    deadline = {"model": "deadline", "deadline": 1.0, "latency": latency, "work": 8.0}
    theory = "n * exp(-deadline / (mean * work * d / n)) + 0 * iterations"
    [case] = one(theory=theory, experiment={"code": FRC, "stragglers": deadline}).cases
    assert case.theory == pytest.approx(8 * math.exp(-2))


def test_the_matrix_of_a_code() -> None:
    B = fastgc.codes.cyclic(n=6, d=3, seed=2).B
    sigma = np.sqrt(np.maximum(np.linalg.eigvalsh(B.T @ B)[::-1], 0.0))
    code = {"family": "cyclic", "n": 6, "d": 3, "seed": 2}
    found = one(
        theory="sigma(2) + against.sigma(1)",
        experiment={"code": code, "stragglers": IID},
        against={"code": {"family": "frc", "n": 8, "d": 2}},
    ).cases[0]
    assert found.theory == pytest.approx(sigma[1] + 2.0, rel=1e-12)


@pytest.mark.parametrize(("theory", "said"), [
    ("sigma()", "sigma takes one number, sigma(1) being the largest"),
    ("sigma", "there is no sigma here"), ("sigma(0)", "a whole number from 1 to 10"),
])  # fmt: skip
def test_what_a_matrix_has_not(theory: str, said: str) -> None:
    said_of_it = complaint(theory=theory, experiment={"code": PETERSEN, "stragglers": IID})
    assert said in said_of_it


def test_files_start_at_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "paper"
    folder.mkdir()
    np.savetxt(folder / "B.csv", np.eye(4)[:, :3], delimiter=",")
    (folder / "my.toml").write_text(
        '[[claim]]\nid = "a.b"\nstatement = "s"\ntheory = "k * n"\nquantity = "error"\n'
        "[claim.experiment]\n"
        'code = { family = "matrix", file = "B.csv" }\nstragglers = { model = "iid", p = 0.5 }\n'
    )
    monkeypatch.chdir(tmp_path)
    [claim] = read("paper/my.toml")
    [case] = claim.cases
    assert case.theory == 12 and case.scale == 4
    assert case.experiment["code"]["file"] == str(folder / "B.csv")
    assert case.point == {"file": "B.csv", "p": 0.5}
    monkeypatch.chdir("/")
    [point] = Study.parse(dict(case.experiment)).points()
    assert point.compiled is not None
    monkeypatch.chdir(tmp_path)
    (folder / "B.csv").unlink()
    line = refusal(read, "paper/my.toml")
    assert "claim.a.b.experiment.code.file: there is no file paper/B.csv" in line


@pytest.mark.parametrize(("function", "said"), [
    (lambda m: 1, "theory: there is no m here; names: n, d, p, iterations, k"),
    (lambda *n: 1, "theory: the parameters of <lambda> must be names at a point (got *n)"),
    (lambda n: 1 / 0, "theory: <lambda> failed (ZeroDivisionError: division by zero)"),
    (lambda n: math.nan, "theory: the value of <lambda> is no number (nan) (got nan)"),
    (lambda n: 10**400, "theory: the value of <lambda> is too large for a number"),
    (lambda n: None, "theory: the value of <lambda> is no number (got nothing)"),
])  # fmt: skip
def test_a_theory_that_is_a_function(function: Any, said: str) -> None:
    def lemma(n: int, d: int, p: float, factor: float = 1.0) -> Any:
        return np.float64(factor * n * p**d)

    assert made(WITHOUT, lemma).cases[0].theory == pytest.approx(0.08)
    assert refusal(made, WITHOUT, function) == f"claim.mine.lemma3.{said}"


# ---- mistakes


@pytest.mark.parametrize(("keys", "said"), [
    ({"teory": 1}, "teory: unknown key; did you mean 'theory'? allowed: against, category"),
    ({"theory": "n * q**d"}, "theory: there is no q here; names: n, d, p, iterations, k"),
    ({"theory": "1 / (d - 2)"}, "theory: 1 / (d - 2) divides by 0"),
    ({"theory": "n *"}, "theory: cannot be read as an expression"),
    ({"where": {"q": "r"}}, "where.q: there is no r here; names: n, d, p, iterations, k"),
    ({"where": {"n": 3}}, "where.n: is the name of something at the point already"),
    ({"where": {"code": 3, "a b": 3}}, "where: 'a b' is no name; take letters, digits and _"),
    ({"quantity": "erorr"}, "quantity: must be 'error', 'mean_error'"),
    ({"statistic": "quantile(1)"}, 'statistic: must be "mean", "variance"'),
    ({"quantity": "exact", "statistic": "variance"},
     "statistic: exact has no variance; it has mean"),
    ({"index": 3}, "index: error is one number; leave index out (got 3)"),
    ({"quantity": "survivors"}, "index: missing; the indices of survivors are 0 to 8"),
    ({"quantity": "survivors", "index": 9},
     "index: there is no 9; the indices of survivors are 0 to 8"),
    ({"quantity": "stability", "index": "float16"},
     "index: there is no 'float16'; the indices of stability are 'float32', '1e-06'"),
    ({"holds": "as n grows"}, 'size: missing; say what grows, like size = "n"'),
    ({"holds": "as n grows", "size": "n"},
     "size: must grow by a factor of 100 or more over 4 points or more (got 8 to 8 over 1)"),
    ({"size": "n"}, 'size: belongs to holds = "as n grows"'),
    ({"scale": "d - 2"}, "scale: must be more than 0 (got 0)"),
    ({"digits": 2}, "digits: belongs to a theory that is a number, no expression"),
    ({"how": "ratio"}, "how: a ratio is of two experiments; say against what"),
    ({"how": "ratio", "against": {"code.d": 4}, "statistic": "variance"},
     "how: a ratio is of two means; leave statistic and index out"),
    ({"against": {}}, "against: changes nothing; say what differs"),
    ({"against": {"code.d": 3}}, "against.code.d: must divide n (got n=8, d=3"),
    ({"against": {"kind": "training"}}, "against.kind: is the same in both experiments"),
    ({"against": {"code.d.x": 3}}, 'against."code.d.x": code.d is no table'),
    ({"against": {"cod.d": 3}}, "against.cod: unknown key; did you mean 'code'?"),
    ({"missing": "the step"}, "theory: must be the printed number, where something is missing"),
    ({"theory": 1, "missing": "the step", "kind": "false", "expected": "refuted"},
     "missing: nothing is measured then, nor refuted; leave kind and expected out"),
])  # fmt: skip
def test_a_sentence_for_every_mistake(keys: dict[str, Any], said: str) -> None:
    assert complaint(**keys).startswith(said)


@pytest.mark.parametrize(("keys", "said"), [
    ({"measure": ["error"]}, "experiment.measure: is said by the claim's quantity"),
    ({"method": "exact"}, "experiment.method: is chosen for all claims by `fastgc validate"),
    ({"sweep": {"measure": [["exact"]]}}, "experiment.sweep.measure: is said by the claim"),
    ({"sweep": {"code.d": [1, 3]}}, 'experiment.sweep."code.d"[1]: must divide n'),
    ({"sweep": {"stragglers.p": [i / 20_000 for i in range(10_001)]}},
     "experiment.sweep: must have at most 10000 points (got 10001)"),
])  # fmt: skip
def test_mistakes_in_the_experiment(keys: dict[str, Any], said: str) -> None:
    assert complaint(experiment=EXPERIMENT | keys).startswith(said)


def test_the_point_of_a_mistake_is_named() -> None:
    swept = EXPERIMENT | {"sweep": {"code.d": [1, 2, 4]}}
    said = complaint(theory="1 / (d - 2)", experiment=swept)
    assert said == "theory: 1 / (d - 2) divides by 0 (at code.d = 2)"
    swept = EXPERIMENT | {"sweep": {"code.n": [8, 4]}}
    said = complaint(quantity="survivors", index=8, experiment=swept)
    assert said == "index: there is no 8; the indices of survivors are 0 to 4 (at code.n = 4)"


def test_every_mistake_at_once() -> None:
    other = table(id="mine.other", quantity="speed", experiment={"code": FRC})
    wrong = table(theory="n *", relation="==")
    lines = complaints(read, {"claim": [wrong, other, table(id="agc.mine"), table(id="a b"), {}]})
    missing = [f"[4].{key}" for key in ("id", "statement", "theory", "quantity", "experiment")]
    assert [line.removeprefix("study: claim").split(": ")[0] for line in lines] == [
        *(".mine.lemma3.relation", ".mine.lemma3.theory", ".mine.other.quantity"),
        *(".mine.other.experiment.stragglers", "[2].id", "[3].id", *missing),
    ]


@pytest.mark.parametrize(("data", "said"), [
    ({"claim": 3}, "claim: must be a list of tables, each written [[claim]] (got 3)"),
    ({"claim": []}, "claim: missing; what is to be validated stands in [[claim]] tables"),
    ({"experiment": [EXPERIMENT]},
     "claim: missing; what is to be validated stands in [[claim]] tables, and experiments "
     "are for `fastgc run`"),
    ({"claim": [table()], "stop": {"trials": 5}},
     "stop: is for experiments, and there are none; leave it out"),
    ({"claim": [table(), table()]},
     "claim[1].id: 'mine.lemma3' is the id of claim[0]; choose another"),
])  # fmt: skip
def test_mistakes_around_claims(data: dict[str, Any], said: str) -> None:
    assert refusal(read, data).startswith(f"study: {said}")


def test_a_study_may_hold_experiments_and_claims() -> None:
    data = {"seed": 5, "experiment": [EXPERIMENT], "claim": [table()]}
    assert [claim.id for claim in read(data)] == ["mine.lemma3"]
    assert len(Study.parse(data).points()) == 1
    said = "study: claim: holds claims and no experiment; `fastgc validate` measures them"
    assert refusal(Study.parse, {"claim": [table()]}) == said
