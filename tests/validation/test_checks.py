"""The checks that a verdict passes or lacks; theories known a second time, by brute force."""

import math
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import fastgc
from fastgc import report
from fastgc.theory.papers.claim import CONFIRMED, REFUTED, Case, Claim
from fastgc.validation import checks
from suite.checks import every

FRC = {"code": {"family": "frc", "n": 8, "d": 2}, "stragglers": {"model": "iid", "p": 0.1}}
TESTS = Path(__file__).parents[1]


def claim(*thetas, relation="=", experiment=FRC, **more):
    """A claim on the mean error of frc, at p = .1, .2, …; .08, .32, .72 are true."""
    cases = [
        Case({"p": p}, theta, experiment | {"stragglers": {"model": "iid", "p": p}}, "error")
        for p, theta in zip((0.1, 0.2, 0.3, 0.4), thetas, strict=False)
    ]
    return Claim("x.y", "x", "s", "c", relation, CONFIRMED, lambda: cases, **more)


def checked(given, **how):
    [verdict] = fastgc.validate(given, **{"trials": 200_000, "seed": 3} | how)
    return {check.name: check for check in verdict.checks}


def test_a_claim_with_all_checks():
    found = checked(claim(0.08, 0.32, 0.72, second="n q^2, term by term"))
    assert list(found) == ["methods agree", "could fail", "second derivation"]
    assert every(check.is_passed for check in found.values())
    assert found["could fail"].said == "the theory 5 % too large is refuted at 3 of 3 points"


def test_what_a_claim_lacks_is_said():
    many = FRC | {"code": {"family": "frc", "n": 16, "d": 2}}
    found = checked(claim(0.16, experiment=many), method="exact")
    assert not any(found[name].is_passed for name in ("methods agree", "second derivation"))
    assert found["methods agree"].said == "one method alone: exact"
    # a sample that is too small could not fail
    assert not checked(claim(0.08), trials=100, method="monte-carlo")["could fail"].is_passed
    [verdict] = fastgc.validate("codedreduce.figures.speedups")[:1]
    assert verdict.checks == () and "nothing was measured" in report.checks(verdict)


def test_limits_and_what_is_refuted_could_fail():
    found = checked("agc.remark1.access.printed", method="exact")
    assert found["could fail"].is_passed and "to the power 0.25" in found["could fail"].said
    assert checked("agc.frc-1.976.printed")["could fail"].said == "it does: it is refuted"


@pytest.mark.parametrize(("theta", "passed"), [(0.0801, True), (0.2, False)])
def test_a_bound_that_is_loose_could_not_fail(theta, passed):
    found = checked(claim(theta, 4 * theta, 9 * theta, relation="<="), method="exact")
    assert found["could fail"].is_passed == passed
    assert ("loose" in found["could fail"].said) != passed


def test_nothing_to_be_counted_is_seen_where_there_is_some():
    found = checked("binary.algorithm2.corrected")["could fail"]
    assert found.is_passed and found.said.startswith("the same measure refutes binary.algorithm")
    case = Case({}, 0, {"finite": "no_such"}, "no_such")
    none = Claim("x.y", "x", "s", "c", "=", CONFIRMED, lambda: [case])
    [verdict] = fastgc.validate("binary.algorithm2.corrected")
    findings = tuple(replace(each, case=case) for each in verdict.findings)
    agree, could_fail, *_ = checks.verdict_checks(
        none, replace(verdict, findings=findings), [True], disagree=True
    )
    assert not could_fail.is_passed and "nothing shows that one is seen" in could_fail.said
    assert not agree.is_passed and "cannot both be right" in agree.said


def test_checks_are_kept_and_shown(tmp_path, command):
    path = tmp_path / "a.h5"
    [verdict] = fastgc.validate("agc.lemma1.printed", out=path)
    assert fastgc.open(path).verdicts[0].checks == verdict.checks
    code, out, _ = command("validate", "--why", "agc.lemma1.printed")
    assert code == 0 and "    passed could fail: the theory 5 % too large is refuted" in out
    assert report.verdict_rows([verdict])[0]["checks"][0]["name"] == "methods agree"


# ---- theories known a second time: brute force against numbers that are known, and what it refuses


EXPONENTIAL = {"distribution": "exponential", "mean": 1.0}
CODE = {"family": "frc", "n": 8, "d": 2}
iid, uniform = partial(dict, model="iid"), partial(dict, model="uniform")


def harmonic(n):
    return sum(1 / i for i in range(1, n + 1))


def of(experiment, quantity, statistic="mean", theory=1.0, **more):
    return checks.brute_force(Case({}, theory, experiment, quantity, statistic, **more))


def timed(family, latency=EXPONENTIAL, quantity="time", statistic="mean", more=(), **system):
    system = {"family": family, **system}
    experiment = {"kind": "completion", "system": system, "latency": latency, **dict(more)}
    return of(experiment, quantity, statistic)


def decoded(code, stragglers, quantity="error", statistic="mean", **more):
    return of({"code": code, "stragglers": stragglers, **more}, quantity, statistic)


@pytest.mark.parametrize(("found", "known"), [
    (lambda: timed("uncoded", n=10), harmonic(10) / 10),
    (lambda: timed("k-of-n", n=10, k=7, statistic="variance", load=1.0),
     sum(1 / i**2 for i in range(4, 11))),
    (lambda: timed("gradient-code", EXPONENTIAL | {"shift": 0.5}, n=6, s=2, more={"work": 3.0}),
     1.5 * (0.5 + harmonic(6) - harmonic(2))),
    (lambda: timed("replication", n=12, d=3), harmonic(4) / 12),
    (lambda: timed("replication", n=4, d=2, quantity="messages"), 7 / 3),
    (lambda: timed("batches", n=3, d=2, load=1.0), 5 / 6),  # any two cover all
    (lambda: timed("uncoded", n=10, load=1.0, statistic="quantile(0.5)"), -math.log(1 - 2**-0.1)),
    (lambda: timed("uncoded", n=2, load=1.0, statistic="P(>1.0)"), 1 - (1 - math.exp(-1)) ** 2),
    (lambda: decoded(CODE, iid(p=0.3)), 0.72),
    (lambda: decoded(CODE, iid(p=0.3), statistic="variance"), 4 * 4 * 0.09 * 0.91),
    (lambda: decoded(CODE, iid(p=0.3), "exact"), 0.91**4),
    (lambda: decoded(CODE, iid(p=0.3), statistic="P(>2.0)"), 1 - 0.91**4 - 4 * 0.09 * 0.91**3),
    (lambda: decoded(CODE, {"model": "adversarial", "stragglers": 5}, statistic="maximum"), 4.0),
    (lambda: decoded(CODE, uniform(stragglers=2), "lost"), 4 / 28 / 4),
    (lambda: decoded({"family": "frc", "n": 15, "d": 3}, iid(p=0.1), "lost"), 1e-3),
    (lambda: decoded(CODE, {"model": "two-class", "p_slow": 0.5, "p_straggle_slow": 0.5,
                           "p_straggle_active": 0.1}), 8 * 0.09),
    (lambda: decoded({"family": "bibd", "name": "fano"}, uniform(stragglers=4)), 7 - 9 * 3 / 5),
    (lambda: decoded(CODE, iid(p=0.2), decoder="fixed"), 8 * 0.2 / (2 * 0.8)),
    (lambda: timed("batches", n=4, d=2, load=1.0, placement="disjoint"), 0.75),
])  # fmt: skip
def test_brute_force_finds_what_is_known(found, known):
    assert found() == pytest.approx(known, rel=1e-9, abs=0)


def test_two_experiments_are_compared():
    more = {"stragglers": iid(p=0.3)}
    against = {"code": {"family": "frc", "n": 8, "d": 4}, **more}
    pair = Case({}, 1.0, {"code": CODE, **more}, "error", against=against)
    assert checks.brute_force(pair) == pytest.approx(0.72 - 8 * 0.3**4)
    assert checks.brute_force(replace(pair, how="ratio")) == pytest.approx(0.3**-2)


@pytest.mark.parametrize("found", [
    lambda: timed("uncoded", n=4, more={"port": {"receive": 0.1}}),
    lambda: timed("k-of-n", n=4, k=2, patience=1.0), lambda: timed("replication", n=16, d=2),
    lambda: timed("batches", n=4, d=2, placement="random"),
    lambda: timed("uncoded", {"distribution": "pareto", "shape": 2.0, "scale": 1.0}, n=2),
    lambda: timed("uncoded", [EXPONENTIAL] * 2, n=2),
    lambda: timed("uncoded", n=4, quantity="waiting"),
    lambda: timed("clones", n=4, r=2),
    lambda: decoded(CODE, iid(p=0.1), iterations=2),
    lambda: decoded(CODE, iid(p=0.1), shuffle="random"),
    lambda: decoded(CODE, iid(p=0.1), "norm"), lambda: decoded(CODE, iid(p=0.1), decoder="class"),
    lambda: decoded(CODE, iid(p=0.1), statistic="quantile(0.5)"),
    lambda: decoded({"family": "bernoulli", "n": 4, "density": 0.5, "seed": "trial"}, iid(p=0.1)),
    lambda: of({"finite": "largest_error"}, "error"),
])  # fmt: skip
def test_of_what_is_not_known_nothing_is_said(found):
    assert found() is None


def test_three_points_are_enough_and_what_is_refuted_is_so_by_brute_force_too():
    for thetas, verdict, points in (
        ((0.08, 0.32, 0.72, 1.28), CONFIRMED, "3 of 4"),
        ((0.1,), REFUTED, "1 of 1"),
    ):
        given = claim(*thetas)
        [found] = fastgc.validate(given, method="exact")
        assert found.verdict == verdict
        said = f"brute force at {points} points"
        assert checks.derivation(given, found.findings) == (True, said)


@pytest.mark.parametrize(("relation", "theta", "holds"), [
    ("=", 0.0801, False), ("<=", 0.0801, True), (">", 0.0801, False), (">=", 0.0799, True),
])  # fmt: skip
def test_a_theory_that_brute_force_contradicts_is_no_second_one(relation, theta, holds):
    given = claim(theta, relation=relation)
    [verdict] = fastgc.validate(given, method="exact")
    findings = [replace(each, verdict=CONFIRMED) for each in verdict.findings]
    passed, said = checks.derivation(given, findings)
    assert passed == holds
    if not holds:
        assert said == f"brute force gives 0.08, the theory {theta} at p=0.1"
