"""What a study says in short: shared keys, ranges, a number or a list in place of a table."""

from pathlib import Path
from typing import Any

import pytest

import fastgc
from fastgc import FastgcError, Study
from fastgc.errors import StudyError
from fastgc.registry.complaints import check
from fastgc.study.claims import read
from fastgc.study.claims.claim_points import claim_points
from fastgc.study.claims.claim_table import ClaimTable
from fastgc.study.points import experiment_kind

FRC = {"family": "frc", "n": 8, "d": 2}
LATENCY = {"distribution": "exponential", "mean": 1.0}


def swept(values: Any, key: str = "stragglers.p", code: Any = FRC) -> list[Any]:
    study = Study.parse({"code": code, "stragglers": 0.5, "sweep": {key: values}})
    return [point.sweep[key] for point in study.points()]


@pytest.mark.parametrize(("given", "values"), [
    ({"from": 0.01, "to": 1.0, "count": 3, "scale": "log"}, [0.01, 0.1, 1.0]),
    ({"from": 0, "to": 0.3, "count": 4}, [0, 0.1, 0.2, 0.3]),
    ({"from": 0.5, "to": 0.1, "count": 3}, [0.5, 0.3, 0.1]),
])  # fmt: skip
def test_a_range_is_a_list(given: Any, values: list[float]) -> None:
    assert swept(given) == swept(values) == values


def test_whole_ends_make_whole_numbers() -> None:
    # 4, 5.7, 8, 11.3, 16: each divides what it must in no other way than as a whole number
    uncoded = {"family": "uncoded", "n": 4}
    for given, sizes in (
        ({"from": 4, "to": 16, "count": 5, "scale": "log"}, [4, 6, 8, 11, 16]),
        ({"from": 1, "to": 3, "count": 9}, [1, 2, 3]),
    ):
        assert swept(given, "code.n", uncoded) == sizes


@pytest.mark.parametrize(("given", "said"), [
    ({"from": 0.1, "to": 0.2}, r"count: missing"), ({"to": 0.2, "count": 3}, r"from: missing"),
    ({"from": 0.1, "to": 0.2, "count": 1}, r"count: must be at least 2"),
    ({"from": 0.1, "to": 0.1, "count": 3}, r"to: must differ"),
    ({"from": 0.0, "to": 0.1, "count": 3, "scale": "log"}, r"scale: .*above 0"),
    ({"from": 0.1, "to": 0.2, "count": 3, "steps": 3}, r"steps: unknown key"),
])  # fmt: skip
def test_a_wrong_range_is_refused_where_it_stands(given: Any, said: str) -> None:
    with pytest.raises(StudyError, match=rf'sweep."stragglers.p".{said}'):
        swept(given)


def test_shared_keys_are_those_of_every_experiment(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text("""
[defaults]
iterations = 2
code = { n = 12 }
stragglers = 0.2
sweep = { "stragglers.p" = { from = 0.1, to = 0.3, count = 3 } }
[[experiment]]
name = "frc"
code = { family = "frc", d = 3 }
[[experiment]]
name = "deadline 1/3 s"
iterations = 1
code = { family = "circulant", d = 2 }
[[experiment]]
name = "exactly two"
code = { family = "uncoded" }
stragglers = 2
sweep = { "stragglers.stragglers" = [2, 3], "stragglers.p" = [] }
""")
    with pytest.raises(StudyError, match=r"exactly two"):
        Study.parse(file)
    file.write_text(file.read_text().replace(', "stragglers.p" = []', ""))
    with pytest.raises(StudyError, match=r"exactly two.*p"):
        Study.parse(file)  # it has the shared sweep too
    file.write_text(file.read_text().partition('[[experiment]]\nname = "exactly')[0])
    study = Study.parse(file)
    long = {"stragglers": {"model": "iid", "p": 0.2}, "sweep": {"stragglers.p": [0.1, 0.2, 0.3]}}
    same = Study.parse(
        {
            "experiment": [
                {"name": "frc", "iterations": 2, "code": {"family": "frc", "n": 12, "d": 3}} | long,
                {"name": "deadline 1/3 s", "code": {"family": "circulant", "n": 12, "d": 2}} | long,
            ]
        }
    )
    assert study.identity() == same.identity()
    changed = Study.parse(file, overrides=["experiment.frc.code.d=4", "defaults.code.n=16"])
    first, last = changed.points()[0].table, changed.points()[-1].table
    assert (first.code.d, first.code.n, last.code.n) == (4, 16, 16)  # type: ignore[attr-defined]
    assert Study.parse({"experiment": same.experiment}).identity() == same.identity()


@pytest.mark.parametrize(("keys", "kind"), [
    ({"system": {"family": "uncoded", "n": 4}, "latency": LATENCY}, "completion"),
    ({"latency": LATENCY, "sweep": {"system.n": [3, 4]}}, "completion"),
    ({"problem": {"model": "linear"}, "code": FRC, "latency": LATENCY}, "training"),
    ({"code": FRC, "stragglers": 0.1}, "decoding"),
    ({"kind": "decoding", "system": {"family": "uncoded", "n": 4}}, "decoding"),
])  # fmt: skip
def test_keys_settle_the_kind(keys: dict[str, Any], kind: str) -> None:
    assert experiment_kind(keys) == kind


def test_a_study_and_a_claim_need_no_kind() -> None:
    shared = {"system": {"family": "uncoded", "n": 4}, "latency": LATENCY}
    study = Study.parse({"defaults": shared, "experiment": [{"name": "a"}, {"work": 2.0}]})
    assert [each["kind"] for each in study.experiment] == ["completion", "completion"]
    assert Study.parse(shared).points()[0].table.kind == "completion"
    claim = {"id": "a.b", "statement": "so", "quantity": "time", "relation": "=", "theory": 1.0}
    table, _ = check(ClaimTable, claim | {"experiment": shared})
    assert table is not None
    points, wrong = claim_points(table, Path())
    assert not wrong and points[0].experiment["kind"] == "completion"
    with pytest.raises(StudyError, match="system: unknown key"):
        Study.parse(shared | {"kind": "decoding"})  # what is said counts


def test_the_kind_may_be_shared() -> None:
    last = {"name": "b", "kind": "decoding", "code": FRC, "stragglers": 0.1}
    study = Study.parse({"defaults": {"kind": "training"}, "experiment": [last]})
    assert [point.experiment for point in study.points()] == ["b"]
    with pytest.raises(StudyError, match=r"optimizer: missing"):
        Study.parse({"defaults": {"kind": "training"}, "experiment": [{"code": FRC}]})


def test_a_mistake_in_the_shared_keys_is_said_once_and_of_them() -> None:
    both = [{"name": "a"}, {"name": "b", "iterations": 2}]
    shared = {"code": FRC, "stragglers": 0.2, "iterations": 0, "measures": ["error"]}
    with pytest.raises(StudyError) as caught:
        Study.parse({"defaults": shared, "experiment": both})
    first, second = sorted(str(caught.value).splitlines())
    assert first.startswith("study: defaults.iterations: must be")
    assert second.startswith("study: defaults.measures: unknown key; did you mean 'measure'?")


@pytest.mark.parametrize("given", [[{"stragglers": 0.1}], 3])
def test_shared_keys_are_one_table(given: Any) -> None:
    table = {"code": FRC, "stragglers": 0.1}
    with pytest.raises(StudyError, match=r"defaults: must be one table") as caught:
        Study.parse({"defaults": given, "experiment": [table]})
    assert "stragglers: must" not in str(caught.value)


def test_another_family_takes_nothing_of_the_shared_one() -> None:
    uncoded = {"family": "uncoded", "n": 3}
    own = [{"code": {"d": 4}}, {"code": uncoded}]
    study = Study.parse({"defaults": {"code": FRC, "stragglers": 0.1}, "experiment": own})
    found = [point.table.code.settings() for point in study.points()]  # type: ignore[attr-defined]
    assert found == [FRC | {"d": 4}, uncoded]


def test_names_with_a_slash_are_no_other_ratios() -> None:
    tables = [{"name": n, "code": FRC, "stragglers": 0.1} for n in ("a/b", "c", "a", "b/c")]
    pairs = [["a/b", "c"], ["a", "b/c"]]
    study = {"experiment": tables, "common_random_numbers": True}
    assert Study.parse(study | {"ratio": pairs[:1]}).ratio == (("a/b", "c"),)
    with pytest.raises(FastgcError, match=r"ratio.*'a/b/c' is a name already"):
        Study.parse(study | {"ratio": pairs})


def test_claims_are_as_short() -> None:
    table = {
        "id": "mine.frc",
        "statement": "n p^d",
        "theory": "n * p**d",
        "quantity": "error",
        "experiment": {"code": {"d": 2}, "stragglers": 0.1},
    }
    shared = {"code": FRC, "method": "exact", "iterations": 2}
    [claim] = read.read({"defaults": shared, "claim": [table]})
    [case] = claim.cases
    assert case.theory == 8 * 0.1**2 and case.experiment["iterations"] == 2
    ranged = table["experiment"] | {  # type: ignore[operator]
        "code": FRC,
        "sweep": {"stragglers.p": {"from": 0.1, "to": 0.2, "count": 2}},
    }
    made = read.made(table | {"experiment": ranged, "against": {"stragglers": 2}})
    other = made.cases[0].against
    assert len(made.cases) == 2 and other is not None and other["stragglers"]["stragglers"] == 2


# ---- keys that are swept together


ONE = {"code": {"family": "frc", "n": 8, "d": 2}, "stragglers": {"model": "iid", "p": 0.1}}
SWEEP = {"code.n, code.d": [[8, 2], [12, 3]], "stragglers.p": [0.1, 0.2]}
POINTS = [
    {"code.n": 8, "code.d": 2, "stragglers.p": 0.1},
    {"code.n": 8, "code.d": 2, "stragglers.p": 0.2},
    {"code.n": 12, "code.d": 3, "stragglers.p": 0.1},
    {"code.n": 12, "code.d": 3, "stragglers.p": 0.2},
]


def points(sweep: Any) -> list[Any]:
    return [point.sweep for point in Study.parse(ONE | {"sweep": sweep}).points()]


def test_they_go_through_their_values_side_by_side_and_others_cross_them() -> None:
    assert points(SWEEP) == POINTS
    assert points({"code": {"n,d": [[8, 2], [12, 3]]}, "stragglers.p": [0.1, 0.2]}) == POINTS
    assert points({"code.n , code.d": [[8.0, 1e0]]}) == [{"code.n": 8, "code.d": 1}]
    codes = [{"family": "uncoded", "n": 4}, {"family": "frc", "n": 8, "d": 2}]
    slow = {"model": "two-class", "slow": 1, "p_straggle_slow": 0.5, "p_straggle_active": 0.0}
    together = {"code,stragglers,iterations": [[codes[0], slow, 2], [codes[1], slow, 1]]}
    assert [point["iterations"] for point in points(together)] == [2, 1]


TWO = "must be a list of 2 values, one for each of code.n, code.d"


@pytest.mark.parametrize(("keys", "values", "said"), [
    ("code.n, code.d", [[8, 2], [12]], f"[1]: {TWO} (got [12])"),
    ("code.n,", [[8]], ": names no key before or after a comma; name one, like 'code.d'"),
    ("code.n, code.d", [[8, 2], [9, 2]], "[1][1]: must divide n (got n=9, d=2; 1, 3 or 9 do)"),
    ("stragglers.p, code.d", [[0.1, 2], ["often", 2]],
     "[1][0]: must be a number or a list (got 'often')"),
    ("code.n, code.n", [[8, 8]], ": code.n is swept twice; name it once"),
    ("code, code.d", [[{}, 2]], ": is inside code, which is swept too"),
    ("code.d, kind", [[2, "decoding"]], ": kind cannot be swept"),
])  # fmt: skip
def test_what_is_wrong_is_reported_with_its_place(keys: str, values: Any, said: str) -> None:
    with pytest.raises(FastgcError) as caught:
        points({keys: values})
    assert f'study: sweep."{keys}"{said}' in str(caught.value).splitlines()
    if said.endswith("swept twice; name it once"):  # also by two entries
        with pytest.raises(FastgcError, match=r'"code\.n, code\.d": code\.d is swept twice'):
            points({"code.n, code.d": [[8, 2]], "code.d": [1]})


def test_a_claim_has_a_case_at_each_point() -> None:
    said = {"id": "mine.lemma", "quantity": "error", "statement": "n p^d are lost on average"}
    lemma = fastgc.claim(**said, experiment=ONE, theory="n * p**d", sweep=SWEEP)
    [verdict] = fastgc.validate(lemma, method="exact")
    assert verdict.verdict == "confirmed" and len(verdict.findings) == 4
    sweep = {"code.d, measure": [[2, ["error"]]]}
    with pytest.raises(FastgcError, match="is said by the claim's quantity"):
        fastgc.claim(**said, experiment=ONE, theory=1.0, sweep=sweep)
