"""What a validation measured and said, kept in a file: every claim, and the same numbers again."""

import json
import re
import sys
from dataclasses import replace

import h5py
import pytest

import fastgc
from fastgc import report, theory
from fastgc.cli import main
from fastgc.results.checkpointer import Checkpointer
from fastgc.results.other_programs import identifier
from fastgc.results.rows import with_all_keys
from fastgc.results.sound import read_text
from fastgc.results.verdicts import CONFIRMED, Finding, conclude
from fastgc.statistics.estimates import Estimate
from fastgc.validation import validate


@pytest.fixture
def show(monkeypatch, capsys):
    """Run ``fastgc show`` inside this process: stdout."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["fastgc", "show", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main.main()
        out, err = capsys.readouterr()
        assert (caught.value.code, err) == (0, "")
        return out

    return run


def known_labels(coordinate):
    """Texts that a coordinate numbers."""
    name = coordinate.name.rsplit("/", 1)[-1]
    return read_text(coordinate.parent[f"{name}_labels"]).split("\n")


def column(variable, index):
    """What a variable has at this index, at every point."""
    if variable.ndim == 1:
        return variable[()]
    labels = variable.dims[1][0]
    known = labels[()].tolist()
    if isinstance(index, str):
        known = known_labels(labels)
    return variable[()][:, known.index(index)]


def as_found(place, case):
    """A case as it could have been found, made without measuring."""
    method = "enumeration" if case.is_finite else "monte-carlo"
    return Finding(case, as_measured(place, case), method, CONFIRMED, 0.01)


def as_measured(place, case):
    """An estimate that could have been measured."""
    if case.is_finite:
        return Estimate(case.theory, 0.0)
    if case.statistic == "variance":
        return Estimate(abs(case.theory) + 0.01, 0.001, 5000 + place, spread=True)
    if case.statistic.startswith("P(") or case.quantity in ("exact", "survivors"):
        return Estimate(0.25, 0.01, 5000 + place, proportion=True)
    return Estimate(case.theory + 0.01, 0.001, 5000 + place, note="one and\nanother")


@pytest.mark.night
@pytest.mark.parametrize("paper", theory.paper_names())
def test_every_claim_can_be_kept_shown_and_opened(paper, tmp_path, show):
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
    rows_of = report.verdict_rows
    assert rows_of(opened.verdicts) == json.loads(json.dumps(rows_of(found)))
    assert json.loads(show(path, "--json")) == rows_of(opened.verdicts)
    assert len(show(path, "--csv").splitlines()) >= len(cases) + 1
    assert show(path).rstrip("\n") == report.verdicts(found)
    assert show(path, "--brief").rstrip("\n") == report.brief(found)
    with h5py.File(path) as file:
        for row in plain:
            group = file["results"][row["experiment"]]
            name = identifier(f"{row['quantity']} {row['statistic']} {row['method']}")
            found = [group[key] for key in group if re.fullmatch(rf"{name}(_\d+)?", key)]
            assert any(row["value"] in column(variable, row["index"]) for variable in found)


KEPT = ["agc.remark2.corrected", "agc.lemma1.printed", "agc.proposition1.with-shuffling"]


def test_what_a_validation_returned_is_what_its_file_gives(tmp_path, show):
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
        assert (row.claim, row.relation, row.verdict, row.theory) == (
            verdict.claim,
            verdict.relation,
            finding.verdict,
            finding.case.theory,
        )
    assert report.verdict_rows(opened.verdicts) == json.loads(
        json.dumps(report.verdict_rows(found))
    )
    name = KEPT[1]
    [quantity] = {row.quantity for row in opened.entries if row.experiment == name}
    row = next(row for row in opened.entries if row.experiment == name)
    shown = opened[name, row.point][quantity].statistic(row.statistic)
    assert shown == replace(row.estimate, method=row.method)


def test_the_verdicts_of_a_file_are_shown_as_they_were_printed(tmp_path, command):
    path = tmp_path / "a.h5"
    arguments = "validate", *KEPT[1:], "--trials", "3000", "--threads", "1", "-o", path
    printed, brief, as_json = (command(*arguments, *form) for form in ([], ["--brief"], ["--json"]))
    assert command("show", path) == printed
    assert command("show", path, "--brief") == brief
    assert command("show", path, "--json") == as_json
    assert len({said for _, said, _ in (printed, brief, as_json)}) == 3


def test_another_level_gives_the_file_its_verdicts(tmp_path):
    """The same trials, weighed anew: the file says what the last call returned."""
    path = tmp_path / "a.h5"
    name = "agc.theorem1.printed"
    fastgc.validate(name, trials=2**17, out=path, threads=1, alpha=0.01)
    found = fastgc.validate(name, trials=2**17, out=path, threads=1, alpha=0.9999)
    said = [finding.verdict for verdict in found for finding in verdict.findings]
    assert [row.verdict for row in fastgc.open(path).entries] == said
