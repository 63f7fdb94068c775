"""Statements of one's own: from a file, from Python, from an installed package."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastgc
from fastgc.errors import FastgcError, StudyError
from fastgc.results import store
from fastgc.validation.validate import select
from suite.studies import descent

TWO_CLASS = {"model": "two-class", "p_slow": 0.3, "p_straggle_slow": 0.8, "p_straggle_active": 0.01}
FRC = {"family": "frc", "n": 8, "d": 2}
IID = {"model": "iid", "p": 0.1}
MATRIX = """
[[claim]]
id = "mine.lemma"
statement = "Two workers a partition: each is lost with probability p^2"
theory = "{theory}"
quantity = "error"
[claim.experiment]
code = {{ family = "matrix", file = "B.csv" }}
stragglers = {{ model = "iid", p = 0.2 }}
sweep = {{ "stragglers.p" = [0.1, 0.2, 0.3] }}
"""


def data(**keys: Any) -> dict[str, Any]:
    table = {
        "id": "mine.lemma3",
        "statement": "A statement",
        "theory": "n * p**d",
        "quantity": "error",
        "experiment": {"code": FRC, "stragglers": IID},
    }
    return {"claim": [table | keys]}


def verdict(given: Any, **keys: Any) -> Any:
    [found] = fastgc.validate(given, **keys)
    return found


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    """A folder with a matrix of one's own: two workers to each of four partitions."""
    np.savetxt(tmp_path / "B.csv", np.kron(np.eye(4), [1.0, 1.0]), delimiter=",")
    return tmp_path


def test_what_never_happens_is_undecided() -> None:
    law = {"distribution": "exponential", "mean": 1.0}
    training = descent(8, 16, 2, 2) | {"latency": law, "target_loss": 1e-9}
    keys = {"quantity": "time_to_loss", "statistic": "quantile(0.5)", "experiment": training}
    assert verdict(data(theory=3, **keys), trials=1000).verdict == "undecided"


def test_a_function_is_a_theory() -> None:
    @fastgc.claim(
        id="mine.lemma3",
        quantity="error",
        experiment={"code": FRC, "stragglers": TWO_CLASS},
        sweep={"code.d": [1, 2, 4]},
        where={"q": "p_slow * p_straggle_slow + (1 - p_slow) * p_straggle_active"},
    )
    def lemma3(n: int, d: int, q: float) -> float:
        """FRC loses n q^d partitions on average."""
        return n * q**d

    found = verdict(lemma3)
    assert (found.claim, found.verdict) == ("mine.lemma3", "confirmed")
    assert found.statement == "FRC loses n q^d partitions on average"
    assert [finding.case.point["d"] for finding in found.findings] == [1, 2, 4]


def test_an_expression_is_a_theory() -> None:
    keys: dict[str, Any] = data()["claim"][0]
    made = fastgc.claim(**keys)
    other = fastgc.claim(**keys | {"id": "mine.other", "theory": "n * p**d * 1.01"})
    assert [each.verdict for each in fastgc.validate([made, other])] == ["confirmed", "refuted"]
    assert select([made, "agc.lemma1.printed"])[1].id == "agc.lemma1.printed"
    with pytest.raises(FastgcError, match=r"there are two claims mine\.lemma3; name one"):
        select([made, data()])
    for wrong, said in (
        ({"theory": "n * q"}, r"theory: there is no q"),
        ({"relation": "=<"}, r"relation: must be .*did you mean '<='"),
    ):
        with pytest.raises(StudyError, match=rf"^claim\.mine\.lemma3\.{said}"):
            fastgc.claim(**keys | wrong)


@pytest.mark.parametrize(("given", "said"), [
    ([data(), 3], "claims: must be ids, study files, data with"),
    ("nowhere.toml", "nowhere.toml: no such file"), ({"claims": []}, "study: claim: missing"),
    ("mine.lemma3", "unknown claim 'mine.lemma3'"),
])  # fmt: skip
def test_what_is_no_claim(given: Any, said: str) -> None:
    with pytest.raises(FastgcError, match=said):
        fastgc.validate(given)


def test_what_is_kept_belongs_to_the_claim(matrix: Path) -> None:
    study, out = matrix / "my.toml", matrix / "out.h5"
    study.write_text(MATRIX.format(theory="k * p**2"))
    before = verdict(study, out=out)
    assert [row["verdict"] for row in store.load(out).rows] == ["confirmed"] * 3
    assert verdict(study, out=out).value == before.value
    study.write_text(MATRIX.format(theory="1.01 * k * p**2"))
    with pytest.raises(FastgcError, match="holds another study"):
        fastgc.validate(study, out=out)
    study.write_text(MATRIX.format(theory="k * p**2"))
    np.savetxt(matrix / "B.csv", np.eye(8)[:4], delimiter=",")
    with pytest.raises(FastgcError, match="holds another study"):
        fastgc.validate(study, out=out)
