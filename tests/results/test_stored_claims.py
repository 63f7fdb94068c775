"""What a validation measured and said, kept in a file: every claim, and the same numbers again."""

import json
import sys

import h5py
import numpy as np
import pytest

import fastgc
from fastgc import report, theory
from fastgc.cli import main
from fastgc.results.keeper import Keeper
from fastgc.results.rows import Row
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram
from fastgc.validation import validate
from fastgc.validation.evidence import Evidence
from fastgc.validation.measuring import Measured
from fastgc.validation.weighing import weigh


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


def as_measured(place, case):
    """An estimate that could have been measured, made without sampling."""
    if case.is_finite:
        return Estimate(case.theory, 0.0)
    if case.statistic == "variance":
        return Estimate(abs(case.theory) + 0.01, 0.001, 5000 + place, spread=True)
    if case.statistic.startswith("P(") or case.quantity in ("exact", "survivors"):
        return Estimate(0.25, 0.01, 5000 + place, proportion=True)
    return Estimate(case.theory + 0.01, 0.001, 5000 + place, note="one and\nanother")


@pytest.mark.parametrize("paper", theory.paper_names())
def test_every_claim_can_be_kept_shown_and_opened(paper, tmp_path, show):
    path = tmp_path / "a.h5"
    claims = validate.select(None, paper)
    cases = [case for claim in claims for case in claim.cases]
    measured = Measured(
        1e-5, {id(case): Evidence(as_measured(i, case)) for i, case in enumerate(cases)}
    )
    found = weigh(claims, measured, 0.01)
    rows = validate._rows(found)
    Keeper(path, "", "identity").keep([], rows, complete=True)
    plain = [row.as_dict() for row in rows]
    assert len(plain) == len(cases)
    assert fastgc.open(path).rows() == json.loads(json.dumps(plain))
    assert json.loads(show(path, "--json")) == json.loads(json.dumps(plain))
    assert len(show(path, "--csv").splitlines()) >= len(cases) + 1
    assert show(path).splitlines()[-1].startswith(f"{len(claims)} claims: ")
    with h5py.File(path) as file:
        for row in plain:
            group = file["results"][row["experiment"]]
            variable = group[f"{row['quantity']} {row['statistic']} {row['method']}"]
            values = variable[()].reshape(len(variable), -1)
            column = 0
            if variable.ndim == 2:
                labels = variable.dims[1][0]
                is_text = isinstance(row["index"], str)
                column = list((labels.asstr() if is_text else labels)[()]).index(row["index"])
            assert row["value"] in values[:, column]


def test_a_text_index_is_a_named_dimension(tmp_path):
    path = tmp_path / "a.h5"
    names = ["binary.stability.noise.derived", "binary.stability"]
    found = fastgc.validate(names, trials=200, out=path, threads=1)
    indices = {f.case.index for v in found for f in v.findings}
    assert "float32" in indices and "0.001" in indices
    with h5py.File(path) as file:
        for verdict in found:
            for finding in verdict.findings:
                if isinstance(finding.case.index, str):
                    variable = file[f"results/{verdict.claim}/stability mean monte-carlo"]
                    labels = variable.dims[1][0].asstr()[()].tolist()
                    column = variable[()][:, labels.index(finding.case.index)]
                    assert finding.estimate.value in column
                    assert np.isfinite(column).all() or len(labels) > 1


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
    assert json.loads(show(path, "--json")) == opened.rows()
    name = KEPT[1]
    [quantity] = {row.quantity for row in opened.entries if row.experiment == name}
    row = next(row for row in opened.entries if row.experiment == name)
    assert opened[name, row.point][quantity].statistic(row.statistic) == row.estimate


def test_the_verdicts_of_a_file_are_shown(tmp_path, show):
    path = tmp_path / "a.h5"
    found = fastgc.validate(KEPT[1:], trials=3000, out=path, threads=1)
    lines = [line.split() for line in show(path).splitlines()]
    assert lines[0] == ["claim", "point", "relation", "theory", "measured", "verdict"]
    for verdict in found:
        block = [line for line in lines if line and line[0] == verdict.claim]
        assert len(block) == 1, "its name stands once"
    rows = [
        line for line in lines[1:] if line and line[-1] in ("confirmed", "refuted", "undecided")
    ]
    assert len(rows) == sum(len(verdict.findings) for verdict in found)
    first = found[0].findings[0]
    assert rows[0][-4:] == [
        found[0].relation,
        f"{first.case.theory:.6g}",
        report.number(first.estimate.value, first.estimate.standard_error),
        first.verdict,
    ]


def test_another_level_gives_the_file_its_verdicts(tmp_path):
    """The same trials, weighed anew: the file says what the last call returned."""
    path = tmp_path / "a.h5"
    name = "agc.theorem1.printed"
    fastgc.validate(name, trials=2**17, out=path, threads=1, alpha=0.01)
    found = fastgc.validate(name, trials=2**17, out=path, threads=1, alpha=0.9999)
    said = [finding.verdict for verdict in found for finding in verdict.findings]
    assert [row.verdict for row in fastgc.open(path).entries] == said


@pytest.mark.parametrize(
    "estimate",
    [
        Estimate(0.5, None, 100, histogram=Histogram({3: 99, 8: 1}, 0.1, 0.9), level=0.99),
        Estimate(1.5, 0.1, 100, spread=True),
        Estimate(0.01, 0.0, 3, proportion=True),
        Estimate(None, None, 0, note="never happened"),
        Estimate(7.25, 0.5, 12, shift=3.0),
    ],
)
def test_an_estimate_is_made_again_from_what_is_kept(estimate):
    row = Row("a", {"p": 0.1}, "time", "mean", "0.1", "monte-carlo", estimate, 1.0, None, "seconds")
    kept = json.loads(json.dumps([row.as_dict(), row.kept()]))
    assert Row.of(*kept) == row
