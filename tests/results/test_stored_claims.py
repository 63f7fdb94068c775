"""What a validation measured and said, kept in a file: every claim, and the same numbers again."""

import json
from dataclasses import replace

import pytest

import fastgc
from fastgc import report, theory
from fastgc.results.checkpointer import Checkpointer
from fastgc.results.rows import with_all_keys
from fastgc.results.verdicts import CONFIRMED, Finding, conclude
from fastgc.statistics.estimates import Estimate
from fastgc.validation import validate


def as_found(place, case):
    """A case as it could have been found, made without measuring."""
    method, sampled = "monte-carlo", (0.001, 5000 + place)
    if case.is_finite:
        method, estimate = "enumeration", Estimate(case.theory, 0.0)
    elif case.statistic == "variance":
        estimate = Estimate(abs(case.theory) + 0.01, *sampled, spread=True)
    elif case.statistic.startswith("P(") or case.quantity in ("exact", "survivors"):
        estimate = Estimate(0.25, *sampled, proportion=True)
    else:
        estimate = Estimate(case.theory + 0.01, *sampled, note="one and\nanother")
    return Finding(case, estimate, method, CONFIRMED, 0.01)


@pytest.mark.night
@pytest.mark.parametrize("paper", theory.paper_names())
def test_every_claim_can_be_kept_shown_and_opened(paper, tmp_path, command):
    def show(*form):
        code, out, err = command("show", path, *form)
        assert (code, err) == (0, "")
        return out

    path = tmp_path / "a.h5"
    claims = validate.select(None, paper)
    cases = [case for claim in claims for case in claim.cases]
    place = {id(case): i for i, case in enumerate(cases)}
    found = [
        conclude(each, [as_found(place[id(case)], case) for case in each.cases]) for each in claims
    ]
    rows = validate._rows(found)
    Checkpointer(path, "", "identity").keep([], rows, found, complete=True)
    plain = [row.as_dict() for row in rows]
    assert len(plain) == len(cases)
    opened = fastgc.open(path)
    assert opened.rows() == [with_all_keys(row) for row in json.loads(json.dumps(plain))]
    verdicts = json.loads(json.dumps(report.verdict_rows(found)))
    assert report.verdict_rows(opened.verdicts) == verdicts == json.loads(show("--json"))
    assert len(show("--csv").splitlines()) >= len(cases) + 1
    assert show().rstrip("\n") == report.verdicts(found)


KEPT = ["agc.remark2.corrected", "agc.lemma1.printed", "agc.proposition1.with-shuffling"]


def test_what_a_validation_returned_is_what_its_file_gives(tmp_path):
    """Intervals of probabilities and variances too, at any confidence; relations and verdicts."""
    path = tmp_path / "a.h5"
    found = fastgc.validate(KEPT, trials=3000, out=path, threads=1, method="monte-carlo")
    opened = fastgc.open(path)
    findings = [(verdict, finding) for verdict in found for finding in verdict.findings]
    assert len(opened.entries) == len(findings)
    assert {finding.method for _, finding in findings} == {"monte-carlo", "enumeration"}
    for row, (verdict, finding) in zip(opened.entries, findings, strict=True):
        assert row.estimate == finding.estimate
        assert row.estimate.interval(0.99) == finding.estimate.interval(0.99)
        assert (row.claim, row.relation) == (verdict.claim, verdict.relation)
        assert (row.verdict, row.theory) == (finding.verdict, finding.case.theory)
    kept = json.loads(json.dumps(report.verdict_rows(found)))
    assert report.verdict_rows(opened.verdicts) == kept
    name = KEPT[1]
    [quantity] = {row.quantity for row in opened.entries if row.experiment == name}
    row = next(row for row in opened.entries if row.experiment == name)
    shown = opened[name, row.point][quantity].statistic(row.statistic)
    assert shown == replace(row.estimate, method=row.method)


def test_another_number_of_trials_gives_the_file_its_verdicts(tmp_path):
    """Trials that are kept are weighed anew: the file says what the last call returned."""
    path = tmp_path / "a.h5"
    name = "agc.theorem1.printed"
    for trials in (2**10, 2**17):
        found = fastgc.validate(name, trials=trials, out=path, threads=1)
    said = [finding.verdict for verdict in found for finding in verdict.findings]
    assert [row.verdict for row in fastgc.open(path).entries] == said
