"""The checks that a verdict passes or lacks."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import fastgc
from fastgc import report
from fastgc.theory.papers.claim import CONFIRMED, Case, Claim
from fastgc.validation import checks
from suite.checks import every

FRC = {"code": {"family": "frc", "n": 8, "d": 2}, "stragglers": {"model": "iid", "p": 0.1}}
TESTS = Path(__file__).parents[1]


def claim(*thetas, relation="=", experiment=FRC, **more):
    """A claim on the mean error of frc, at p = .1, .2, …; .08, .32, .72 are true."""
    cases = [
        Case({"p": p}, theta, experiment | {"stragglers": {"model": "iid", "p": p}}, "error")
        for p, theta in zip((0.1, 0.2, 0.3), thetas, strict=False)
    ]
    return Claim("x.y", "x", "s", "c", relation, CONFIRMED, lambda: cases, **more)


def checked(given, **how):
    [verdict] = fastgc.validate(given, trials=200_000, seed=3, **how)
    return {check.name: check for check in verdict.checks}


def test_a_claim_with_all_checks():
    found = checked(claim(0.08, 0.32, 0.72, second="n q^2, term by term"))
    assert list(found) == [
        *("methods agree", "could fail", "second derivation", "interval calibrated"),
        "points spread",
    ]
    assert every(check.is_passed for check in found.values())
    assert found["could fail"].said == "the theory 5 % too large is refuted at 3 of 3 points"


def test_what_a_claim_lacks_is_said():
    many = FRC | {"code": {"family": "frc", "n": 16, "d": 2}}
    found = checked(claim(0.16, experiment=many), method="exact")
    assert not any(found[name].is_passed for name in ("methods agree", "second derivation"))
    assert found["methods agree"].said == "one method alone: exact"
    assert found["points spread"].said == "1 point, 3 are wanted"


def test_points_that_are_alike_are_not_spread():
    def at(*points):
        cases = [Case({"p": p}, 8 * p * p, FRC, "error") for p in points]
        return Claim("x.y", "x", "s", "c", "<=", CONFIRMED, lambda: cases)

    assert not checked(at(0.1, 0.11, 0.12), method="exact")["points spread"].is_passed
    assert checked(at(0.1, 0.11, 0.2), method="exact")["points spread"].is_passed


@pytest.mark.parametrize(("theta", "passed"), [(0.0801, True), (0.2, False)])
def test_a_bound_that_is_loose_could_not_fail(theta, passed):
    found = checked(claim(theta, 4 * theta, 9 * theta, relation="<="), method="exact")
    assert found["could fail"].is_passed == passed
    assert ("loose" in found["could fail"].said) != passed


def test_a_sample_that_is_too_small_could_not_fail():
    found = checked(claim(0.08), method="monte-carlo")
    assert found["interval calibrated"].said == "mean: test_coverage_of_others"
    [verdict] = fastgc.validate(claim(0.08), trials=100, method="monte-carlo")
    assert not {check.name: check for check in verdict.checks}["could fail"].is_passed


def test_the_control_of_a_limit_is_refuted():
    found = checked("agc.remark1.access.printed", method="exact")
    assert found["could fail"].is_passed and "to the power 0.25" in found["could fail"].said


def test_nothing_to_be_counted_is_seen_where_there_is_some():
    found = checked("binary.algorithm2.corrected")["could fail"]
    assert (
        found.is_passed and found.said == "the same measure refutes binary.algorithm2.printed"
    ) or found.said.startswith("the same measure refutes binary.algorithm")
    none = Claim("x.y", "x", "s", "c", "=", CONFIRMED, lambda: [
        Case({}, 0, {"finite": "no_such"}, "no_such"),
    ])  # fmt: skip
    [verdict] = fastgc.validate("binary.algorithm2.corrected")
    findings = tuple(replace(each, case=none.cases[0]) for each in verdict.findings)
    lacking = checks.checks_of(none, replace(verdict, findings=findings), [True], disagree=True)
    assert not lacking[1].is_passed and "nothing shows that one is seen" in lacking[1].said
    assert not lacking[0].is_passed and "cannot both be right" in lacking[0].said


def test_what_is_refuted_could_fail():
    assert checked("agc.frc-1.976.printed")["could fail"].said == "it does: it is refuted"


def test_what_is_not_measured_has_no_checks():
    [verdict] = fastgc.validate("codedreduce.figures.speedups")[:1]
    assert verdict.checks == () and "nothing was measured" in report.checks(verdict)


def test_the_tests_of_intervals_are_there():
    written = "".join(path.read_text() for path in TESTS.rglob("test_*.py"))
    for name in checks.CALIBRATED.values():
        assert re.search(rf"^def {name}\(", written, re.MULTILINE), name


def test_checks_are_kept_and_shown(tmp_path, command):
    path = tmp_path / "a.h5"
    [verdict] = fastgc.validate("agc.lemma1.printed", out=path)
    assert fastgc.open(path).verdicts[0].checks == verdict.checks
    code, out, _ = command("validate", "--why", "agc.lemma1.printed")
    assert code == 0 and "    passed could fail: the theory 5 % too large is refuted" in out
    assert report.verdict_rows([verdict])[0]["checks"][0]["name"] == "methods agree"
