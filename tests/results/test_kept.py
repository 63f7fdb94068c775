"""Verdicts as a file keeps them: nothing is lost."""

import json
import math

import h5py
import pytest

import fastgc
from fastgc.results.checkpointer import Checkpointer
from fastgc.results.rows import Row
from fastgc.results.verdicts import CONFIRMED, UNDECIDED, Finding, Verdict, data_of, verdict_of
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram
from fastgc.theory.papers.claim import Case

ESTIMATES = [
    Estimate(0.5, None, 100, histogram=Histogram({3: 99, 8: 1}, 0.1, 0.9), level=0.99),
    Estimate(1.5, 0.1, 100, spread=True),
    Estimate(0.01, 0.0, 3, proportion=True),
    Estimate(None, None, 0, note="never happened"),
    Estimate(7.25, 0.5, 12, shift=3.0, least=0.0),
    Estimate(math.inf, 0.0),
]


def verdict(*findings, **more):
    given = {
        "claim": "mine.lemma.printed", "statement": "says so", "citation": "there", "theory": 1.0,
        "relation": "=", "value": None, "standard_error": None, "verdict": CONFIRMED,
        "expected": CONFIRMED, "method": "exact", "findings": findings,
        "point": {"n": 8, "k": [3, 2], "against": {"p": 0.1}},
    }  # fmt: skip
    return Verdict(**given | more)


def keep(path, found):
    """Write the file of a validation of one claim."""
    rows = [
        Row(found.claim, dict(each.case.point), "error", "mean", None, "exact", each.estimate)
        for each in found.findings
    ]
    Checkpointer(path, "", "identity").keep([], rows, [found], complete=True)


def finding(estimate, **more):
    case = Case({"n": 8}, 1.0, {"code": {"family": "frc"}}, "error", against={"seed": "trial"})
    given = {"method": "exact", "verdict": CONFIRMED, "half_width": math.inf} | more
    return Finding(case, estimate, **given)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_a_verdict_is_made_again_from_what_is_kept(estimate):
    found = verdict(
        finding(estimate),
        finding(estimate, half_width=0.1, sampled=estimate, verdict=UNDECIDED, reason="few"),
        kind="false",
        corrects="mine.a",
        reads="mine.b",
        proof="by sight",
        holds="somewhere",
        theory=math.inf,
        within=1e-12,
    )
    data = json.loads(json.dumps(data_of(found), allow_nan=False))
    assert verdict_of(data) == found


def test_other_programs_read_what_a_claim_says(tmp_path):
    path = tmp_path / "a.h5"
    cases = finding(Estimate(0.5, 0.0)), finding(Estimate(0.25, 0.0))  # at one point
    found = verdict(*cases, kind="misprint", corrects="mine.a", proof="so")
    keep(path, found)
    with h5py.File(path) as file:
        group = file["results/mine.lemma.printed"]
        said = dict(group.attrs)
        both = [group[name][0] for name in ("error_mean_exact", "error_mean_exact_2")]
    assert both == [0.5, 0.25]
    assert said == {
        "experiment": "mine.lemma.printed", "statement": "says so", "citation": "there",
        "relation": "=", "expected": "confirmed", "verdict": "confirmed", "kind": "misprint",
        "corrects": "mine.a", "proof": "so",
    }  # fmt: skip
    opened = fastgc.open(path)
    assert opened.verdicts == [found]
    assert opened.entries[0].estimate == Estimate(0.5, 0.0)


def test_a_file_is_written_again_where_only_the_words_have_changed(tmp_path):
    path = tmp_path / "a.h5"
    inodes = []
    for statement in ("one", "one", "other"):
        found = verdict(finding(Estimate(0.5, 0.0)), statement=statement)
        keep(path, found)
        inodes.append((path.stat().st_ino, path.stat().st_mtime_ns))
    assert inodes[0] == inodes[1] != inodes[2]
