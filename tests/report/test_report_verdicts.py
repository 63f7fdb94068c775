"""What people and programs are shown of verdicts, made here without measuring."""

import json
import math
from dataclasses import replace

import pytest

from fastgc import report
from fastgc.report import wording
from fastgc.results.verdict_data import (
    CONFIRMED,
    EQUAL_SIDES,
    LOOSE,
    REFUTED,
    UNDECIDED,
    Counterexample,
    Finding,
    conclude,
)
from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import NOT_REPRODUCIBLE, Case, Claim
from suite.checks import every


def finding(name=CONFIRMED, value=0.987654321, theory=1.0, *, point=None, case=None, **more):
    """A case with this verdict, exact unless it has trials."""
    given = {"half_width": 0.01, "method": "monte-carlo"} | more
    estimate = given.pop("estimate", Estimate(value, 0.001, 1000))
    made = Case({"n": 8} if point is None else point, theory, {}, "error", **(case or {}))
    return Finding(made, estimate, verdict=name, **given)


def verdict(name, *findings, relation="=", expected=CONFIRMED, cited="there", **claim):
    made = Claim(name, "test", "says so", cited, relation, expected, lambda: (), **claim)
    return conclude(made, list(findings))


SHARP = verdict("a.lemma.derived", finding(within=0.000196), finding(within=1e-4))
KNOWN = verdict("a.printed", finding(REFUTED), expected=REFUTED, kind="misprint")
EXACT = finding(estimate=Estimate(0.25, 0.0), sampled=Estimate(0.2512, 0.001, 10))
NEARLY = Estimate(3.3e-32, 0.0)
TINY = finding(estimate=NEARLY, theory=0.0, case={"scale": 8.0})
BESIDE = finding(
    estimate=Estimate(3.3e-32, 0.0, rounding=1e-25), theory=1e-12, case={"scale": 8.0},
    sampled=Estimate(7.578e-32, 2.1e-33, 1000),
)  # fmt: skip
EQUAL = finding(
    REFUTED, theory=0.72, estimate=Estimate(0.7199999999999998, 0.0), reason=EQUAL_SIDES
)
BROKEN = finding(
    REFUTED, theory=0.0, estimate=Estimate(None, 0.0), method="counterexample",
    counterexample=Counterexample((0, 2), 1.25, "fastgc.decode(B, [1, 3]).error"),
)  # fmt: skip
MISSING = finding(
    NOT_REPRODUCIBLE, theory=22.5, estimate=Estimate(None, None), method="none",
    case={"digits": 1}, reason="alpha is not printed",
)  # fmt: skip
NOT = {"expected": NOT_REPRODUCIBLE}


@pytest.mark.parametrize(("found", "said"), [
    (SHARP, "a.lemma.derived: confirmed to 0.02 %; mean error = 1 in theory, measured "
            "0.9877(10) at n=8 (2 of 2 points)\n    there: says so"),
    (KNOWN, "refuted: misprint; mean error = 1 as stated"),
    (verdict("mine.a", finding(), cited=""), "at n=8\n    says so"),
    (verdict("a", finding(REFUTED)), "but expected was: confirmed"),
    (verdict("a", EXACT), "measured 0.25 (sampled 0.2512(10))"),
    (verdict("a", TINY), "measured 0 to rounding at"),
    (verdict("a", finding(case={"statistic": "maximum"}, estimate=Estimate(3.5, None, 9))),
     "measured at least 3.5 at"),
    (verdict("a", BROKEN), "mean error = 0 in theory, not computed: one counterexample is enough"),
    (verdict("a", finding(estimate=NEARLY, theory=1e-30, case={"scale": 8.0})),
     "measured 3.3e-32 at"),
    (verdict("a", BESIDE), "measured 3.3e-32 (0 to rounding) (sampled 7.578e-32) at"),
    # equal sides of a strict relation are not shown apart
    (verdict("a", EQUAL, relation="<"),
     "< 0.72 in theory, measured 0.72, equal to the bound, to rounding at"),
    (verdict("a.printed", MISSING, **NOT), "a.printed: not reproducible (alpha is not printed);"
     " error = 22.5 as printed, nothing measured at n=8"),
])  # fmt: skip
def test_a_verdict_says_what_belongs_to_it(found, said):
    text = report.verdict(found, 200)
    assert said in text and text.count(found.claim + ":") == 1
    assert ("expected" in text) != found.as_expected


@pytest.mark.parametrize(("found", "said"), [
    (BROKEN, "refuted; stated = 0, with 0 2 straggling the error is 1.25>"),
    (replace(BROKEN, estimate=Estimate(0.3, 0.0), method="exact"),
     "refuted; stated = 0, measured 0.3; with 0 2 straggling the error is 1.25>"),
    (finding(REFUTED, 4.2e-3, 3.75e-3), "refuted; stated <= 0.00375, measured 0.0042>"),
    (TINY, "stated = 0, measured 0 to rounding>"), (MISSING, "measured nothing>"),
])  # fmt: skip
def test_what_python_prints_states_nothing_false(found, said):
    own = verdict("a", found, relation="<=" if "<=" in said else "=")
    assert repr(own).endswith(said)
    table = report.case_table([own]).rows[0]
    if found.counterexample is not None:
        assert table[4] == "refuted: with 0 2 straggling the error is 1.25"
        assert str(table[3]) == ("–" if found is BROKEN else "0.3")
        assert report.verdict_rows([own])[0]["value"] == found.estimate.value


def test_the_paper_stands_once_not_at_every_claim():
    cited = "Johri, Yardi, Bodas, Approximate Gradient Coding for Heterogeneous Nodes, Lemma 1"
    found = verdict("agc.lemma1.printed", finding(), cited=cited)
    assert report.verdict(found, 200).splitlines()[1] == "    Lemma 1: says so"
    assert report.summary([found], 200).splitlines()[0] == f"agc: {cited.removesuffix(', Lemma 1')}"


@pytest.mark.parametrize("width", [10, 80, 100])
def test_lines_keep_to_the_terminal_but_not_below_eighty(width):
    point = {f"parameter{i}": i for i in range(30)}
    text = report.verdict(verdict("a.long.printed", finding(point=point)), width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= max(width, 80)
    assert every(line.startswith("    ") for line in lines[1:]) and text.count("parameter") == 30


ONE = {"digits": 1}
ZERO = finding(within=3.01e-5, theory=0.0, is_absolute=True)


AT_MOST, SOMEWHERE, GROWING = {"relation": "<="}, {"holds": "somewhere"}, {"holds": "as n grows"}
NOT_ROUNDED = "the bound is taken as printed: it is not rounded"


@pytest.mark.parametrize(("findings", "said", "claim"), [
    ([finding(within=0.00123)], "confirmed to 0.13 %", {}),
    ([finding(within=3e-13)], "confirmed to 12 digits", {}),
    ([finding(within=3e-13), finding(within=2e-4)], "confirmed to 0.02 %", {}),
    ([finding(within=0.0, theory=0.3)], "confirmed to 12 digits", {}),
    ([finding(within=0.0, theory=8.0)], "confirmed exactly", {}),
    ([finding(within=0.0, theory=8.0), finding(within=2e-4)], "confirmed to 0.02 %", {}),
    ([ZERO], "confirmed to 3.1e-05", {}),
    ([finding(within=0.0, theory=0.0, is_absolute=True)], "confirmed exactly", {}),
    ([ZERO, finding(within=2e-4)], "confirmed to 0.02 %", {}),
    ([finding(within=0.04, is_absolute=True, case=ONE)], "confirmed to all printed digits", {}),
    ([finding()], "confirmed", {}),
    ([finding(within=2e-4), finding()], "confirmed", {}),
    ([finding(LOOSE)], "confirmed, loose", {}),
    ([finding(REFUTED)], "refuted", {}),
    ([finding(UNDECIDED, reason="few", within=0.1)], "undecided (few)", {}),
    ([finding()], "confirmed", AT_MOST),
    ([finding(within=0.0004)], "confirmed to within 0.04 %", AT_MOST),
    ([finding(case=ONE)], f"confirmed ({NOT_ROUNDED})", AT_MOST),
    ([finding()], "confirmed somewhere", SOMEWHERE),
    ([finding(reason="0.1 at 10")], "confirmed as n grows (0.1 at 10)", GROWING),
])  # fmt: skip
def test_outcomes(findings, said, claim):
    assert wording.outcome(verdict("a", *findings, **claim)) == said


def test_what_holds_somewhere_names_the_points():
    cases = [finding(CONFIRMED if n == 2 else REFUTED, point={"n": n, "d": 2}) for n in (1, 2, 3)]
    found = verdict("a", *cases, holds="somewhere")
    assert "(holds at 1 of 3 points: (n=2))" in report.verdict(found, 200)
    row = report.verdict_rows([found])[0]
    assert row["holds_at"] == [{"n": 2, "d": 2}]
    nowhere = verdict("a", cases[0], cases[2], holds="somewhere")
    assert "(holds at 0 of 2 points)" in report.verdict(nowhere, 200)
    mixed = verdict("a", *map(finding, (REFUTED, UNDECIDED, LOOSE, REFUTED)))
    assert wording.share_of_points(mixed) == "2 of 4 points; 1 undecided; 1 loose"


def test_of_several_open_points_the_most_open_one_is_named():
    cases = [finding(UNDECIDED, trials_needed=n, reason=f"{n} would do") for n in (10, 99, 30)]
    assert report.summary([verdict("a", *cases)]).endswith("at 3 of 3 points: 99 would do.")


@pytest.mark.parametrize(("quantity", "more", "said"), [
    ("error", {}, "mean error"),
    ("error", {"statistic": "variance"}, "variance of error"),
    ("mean_error", {}, "mean error"),
    ("time", {"statistic": "P(>4.0)"}, "P(time > 4)"),
    ("time", {"statistic": "quantile(0.99)"}, "99 % quantile of time"),
    ("exact", {}, "P(exact)"),
    ("survivors", {"index": 3}, "P(3 survivors)"),
    ("not_accessed", {"index": 0}, "mean not accessed[0]"),
    ("time", {"against": {}, "how": "ratio"}, "ratio of mean time"),
    ("time", {"kind": "training", "index": 60}, "mean time after 60 iterations"),
    ("cycle_classes", {"finite": "a"}, "cycle classes"),
])  # fmt: skip
def test_quantities(quantity, more, said):
    experiment = {key: more[key] for key in ("kind", "finite") if key in more}
    own = {key: value for key, value in more.items() if key not in experiment}
    assert wording.quantity(Case({}, 0.0, experiment, quantity, **own)) == said


def test_points():
    assert wording.point({"n": 8, "p": 0.1, "k": [3, 2]}) == "n=8, p=0.1, k=[3, 2]"
    assert wording.point({"n": 8, "against": {"n": 8, "d": 2}}) == "n=8, against (d=2)"
    assert wording.point({"codes": [{"family": "frc", "n": 8}]}) == "codes=[frc(n=8)]"
    assert len(wording.point({"edges": list(range(100))})) < 100


FOUND = [
    verdict("a.right", finding()),
    verdict("a.open", finding(UNDECIDED, trials_needed=5_000_000, reason="too few"), finding()),
    verdict("a.wrong", finding(REFUTED)),
    verdict("a.known", finding(REFUTED), expected=REFUTED, kind="false"),
    verdict("a.slip", finding(REFUTED), expected=REFUTED, kind="misprint"),
]


def test_what_is_undecided_comes_last_in_words():
    said = "5 claims: 1 confirmed, 3 refuted (1 false, 1 misprint), 1 undecided; "
    for form in (report.verdicts, report.summary):
        *_, counts, last = form(FOUND, 200).splitlines()
        assert counts == f"{said}1 differs from what was expected."
        assert last == "a.open is undecided at 1 of 2 points: too few."
    text = report.verdicts(FOUND[:1])
    assert text.endswith("\n\n1 claim: 1 confirmed; every verdict is the expected one.")
    assert "but not all are decided" in report.summary(FOUND[:2], 200)


def test_rows_have_the_names_of_the_contract():
    own = finding(half_width=math.inf, within=0.1, sampled=Estimate(1.0, 0.1, 9))
    more = {"kind": "false", "corrects": "a.b", "reads": "a.c", "proof": "so"}
    found = verdict("a.right.corrected", own, **more)
    [row] = report.verdict_rows([found])
    names = "claim citation relation theory value standard_error verdict expected method point"
    more = "kind holds corrects reads proof within reason"
    for name in f"{names} {more}".split():
        assert row[name] == getattr(found, name), name
    [case] = row["cases"]
    assert case["half_width"] is None
    assert case["sampled"] == {"value": 1.0, "standard_error": 0.1, "trials": 9}
    assert json.loads(report.as_json([row])) == [row]
    # what is infinite, or none, is no number in JSON
    found = verdict("a", finding(theory=math.inf, estimate=Estimate(None, None, 3)))
    [row] = json.loads(report.as_json(report.verdict_rows([found])))
    assert row["theory"] is None and row["cases"][0]["value"] is None
