"""The table of a paper: one number of several codes, as LaTeX and CSV."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

import fastgc
from fastgc import report
from fastgc.report import latex
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


def test_codes_are_columns(rows: Any) -> None:
    made = report.pivot(rows, "error.mean")
    head, *lines = csv.reader(io.StringIO(made.csv()))
    assert head == ["stragglers.p", "frc_1/3 & co", "circulant"]
    for line, p in zip(lines, (0.01, 0.0707107, 0.5), strict=True):
        assert float(line[0]) == close(p, rel=1e-6)
        assert float(line[1]) == close(12 * p**3, rel=1e-5)
    assert "(" in lines[2][2], "a sampled number has its standard error"
    assert made.caption == "error.mean: exact, monte-carlo"


@pytest.mark.night
def test_real_latex_takes_it(rows: Any, tmp_path: Path) -> None:
    table = latex.tables([report.pivot(rows, "error.mean")])
    assert "frc\\_1/3 \\& co" in table
    set_by_latex(table, tmp_path)
