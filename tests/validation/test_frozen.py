"""The register, frozen, and what has changed since."""

import json
from dataclasses import replace

import pytest

from fastgc.errors import FastgcError
from fastgc.study.claims import papers
from fastgc.theory.papers.claim import Case
from fastgc.validation import frozen

CLAIMS = [*papers.field()["tandon"].claims, *papers.register()[:3]]


def changed(claim, **keys):
    made = replace(claim, **keys)
    made.__dict__["cases"] = claim.cases
    return made


def test_a_frozen_register_says_what_it_holds(tmp_path):
    path = frozen.write(tmp_path, frozen.freeze(CLAIMS))
    assert path.name == "claims-2026.12.json"
    found = frozen.read(path)
    first = found["claims"][0]
    assert (first["id"], first["group"]) == (CLAIMS[0].id, "field")
    assert [case["theory"] for case in first["cases"]] == pytest.approx(
        [case.theory for case in CLAIMS[0].cases], rel=1e-11, abs=0
    )
    assert frozen.compare(found, frozen.freeze(CLAIMS)) == ([], {}, {}, [])
    assert frozen.write(tmp_path, frozen.freeze(CLAIMS)) == path  # the same again


def test_rounding_in_the_last_digits_changes_nothing():
    [claim] = CLAIMS[:1]
    near = [replace(case, theory=case.theory * (1 + 1e-15)) for case in claim.cases]
    assert frozen.freeze([replace(claim, make=lambda: near)]) == frozen.freeze([claim])
    far = [replace(case, theory=case.theory * (1 + 1e-9)) for case in claim.cases]
    assert (
        frozen.freeze([replace(claim, make=lambda: far)])["hash"] != frozen.freeze([claim])["hash"]
    )


def test_what_was_added_corrected_and_withdrawn_is_said_with_why():
    before = frozen.freeze(CLAIMS)
    one, two, three, *rest = CLAIMS
    case = replace(two.cases[0], theory=0.5)
    again = replace(two, make=lambda: [case, *two.cases[1:]])
    now = frozen.freeze([changed(one, expected="refuted"), again, *rest, changed(three, id="x.y")])
    found = frozen.compare(before, now, {one.id: "it was wrong"})
    assert found.added == ["x.y"]
    assert found.corrected == {
        one.id: "expected: it was wrong",
        two.id: "theory: no reason is given",
    }
    assert found.withdrawn == {three.id: "no reason is given"}
    assert found.unexplained == [two.id, three.id]


def test_other_experiments_are_a_correction():
    [claim] = CLAIMS[:1]
    case = claim.cases[0]
    other = Case(**{**vars(case), "experiment": dict(case.experiment) | {"iterations": 2}})
    again = replace(claim, make=lambda: [other, *claim.cases[1:]])
    found = frozen.compare(frozen.freeze([claim]), frozen.freeze([again]), {})
    assert found.corrected == {claim.id: "experiments: no reason is given"}


def test_what_is_frozen_is_not_overwritten_and_not_changed(tmp_path):
    path = frozen.write(tmp_path, frozen.freeze(CLAIMS))
    with pytest.raises(FastgcError, match="what is frozen stays"):
        frozen.write(tmp_path, frozen.freeze(CLAIMS[1:]))
    data = json.loads(path.read_text())
    data["claims"] = data["claims"][1:]
    path.write_text(json.dumps(data))
    with pytest.raises(FastgcError, match="has been changed"):
        frozen.read(path)
    path.write_text("{}")
    with pytest.raises(FastgcError, match="is no register"):
        frozen.read(path)
    with pytest.raises(FastgcError, match="cannot be read"):
        frozen.read(tmp_path / "none.json")


def test_the_command_freezes_compares_and_counts(command, tmp_path, monkeypatch):
    monkeypatch.setattr(papers, "register", lambda: tuple(CLAIMS))
    code, out, _ = command("claims", "--freeze", "-o", tmp_path)
    path = tmp_path / "claims-2026.12.json"
    assert code == 0 and out == f"wrote {path}\n"
    code, out, _ = command("claims", "--since", path)
    assert (code, out) == (0, "0 added, 0 corrected, 0 withdrawn\n")
    monkeypatch.setattr(papers, "register", lambda: tuple(CLAIMS[1:]))
    code, out, _ = command("claims", "--since", path)
    assert code == 1 and f"withdrawn {CLAIMS[0].id}: no reason is given" in out
    code, out, _ = command("claims")
    assert code == 0 and out.splitlines()[-1].split()[:3] == ["all", "2", str(len(CLAIMS) - 1)]
