"""The table of a paper: one number of several codes, as LaTeX, CSV and Markdown."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

import fastgc
from fastgc import report
from report.reading import set_by_latex
from suite.checks import close

STUDY = {
    "defaults": {
        "code": {"n": 12, "d": 3},
        "stragglers": 0.1,
        "sweep": {"stragglers.p": {"from": 0.01, "to": 0.5, "count": 3, "scale": "log"}},
    },
    "experiment": [
        {"name": "frc_1/3 & co", "code": {"family": "frc"}},
        {"name": "circulant", "code": {"family": "circulant"}, "method": "monte-carlo"},
    ],
}


@pytest.fixture(scope="module")
def rows() -> Any:
    return fastgc.run(STUDY, trials=2000).rows()


def printed(rows: Any, form: str) -> str:
    return report.pivot(rows, "error.mean", "experiment", form=form, digits=3)


def test_codes_are_columns(rows: Any) -> None:
    head, *lines = csv.reader(io.StringIO(printed(rows, "csv")))
    assert head == ["stragglers.p", "frc_1/3 & co", "circulant"]
    for line, p in zip(lines, (0.01, 0.0707107, 0.5), strict=True):
        assert float(line[0]) == p
        assert float(line[1]) == close(12 * p**3, rel=5e-3)
    assert "(" in lines[2][2], "a sampled number has its standard error"
    text = report.pivot(rows, "error.mean", "experiment", digits=3).splitlines()
    assert text[0].split() == ["error.mean", "frc_1/3", "&", "co", "circulant"]
    assert printed(rows, "markdown").splitlines()[1] == "|--:|--:|--:|"


@pytest.mark.night
def test_real_latex_takes_it(rows: Any, tmp_path: Path) -> None:
    table = printed(rows, "latex")
    assert "\\num{0.0707}" in table and table.splitlines()[3].startswith("p & ")
    assert "frc\\_1/3 \\& co" in table
    set_by_latex(table, tmp_path)
