"""What people and programs are shown."""

import csv
import io
import json
import math

import pytest

import fastgc
from fastgc import report
from suite.studies import descent, groups


@pytest.mark.parametrize(("value", "error", "text"), [
    (0.488072, 0.000303, "0.48807(30)"), (0.488072, None, "0.488072"),
    (0.488072, 0.0, "0.488072"), (1234.5, 12.0, "1234(12)"), (1234.5, 1.2, "1234.5(12)"),
    (-0.5, 0.25, "-0.50(25)"), (0.5, 0.0996, "0.50(10)"), (0.5, 0.00994, "0.5000(99)"),
    (0.5, 9.96e-7, "0.5000000(10)"), (0.0, 0.001, "0.0000(10)"),
    (1 / 3, 0.0, "0.333333333"), (None, None, "–"), (2.0, math.inf, "2"),
    (8.0e-7, 4.1e-7, "8.0(41)e-07"), (-8.0e-7, 4.1e-8, "-8.00(41)e-07"),
    (1e-6, 2e-5, "0.1(20)e-05"), (0.0, 1e-6, "0.0(10)e-06"), (9.99e-5, 1e-3, "0.0001(10)"),
    (1.2e-4, 1e-6, "0.0001200(10)"), (1.82e15, 1.4e15, "1.8(14)e15"),
    (9.99999e-5, 1e-9, "9.99999(10)e-05"),
])  # fmt: skip
def test_numbers(value, error, text):
    assert report.number(value, error) == text


SWEEP = {"stragglers.p": [0.1, [0.1, 0.2, 0.3, 0.4]]}
STUDY = {
    "title": "two codes",
    "experiment": [
        groups(4, method="both", measure=["error", "survivors"], sweep=SWEEP),
        {"name": "many", "code": {"family": "uncoded", "n": 40}, "stragglers": 0.5}
        | {"measure": ["not_accessed"]},
    ],
}


@pytest.fixture(scope="module")
def rows():
    return fastgc.run(STUDY, trials=1000).rows()


def test_a_long_vector_is_cut(rows):
    lines = report.results(rows, "two codes", every=True).splitlines()
    assert lines[0] == "two codes" and "… 29 more entries" in "".join(lines)
    assert "groups, 1 000 trials: stragglers.p=[0.1, 0.2, 0.3, 0.4]" in lines
    assert max(map(len, lines)) < 160


def test_json_and_csv_come_back(rows):
    assert json.loads(report.as_json(rows)) == rows
    with pytest.raises(ValueError, match="JSON"):
        report.as_json([math.nan])
    found = list(csv.DictReader(io.StringIO(report.as_csv(rows))))
    assert len(found) == len(rows)
    for cells, row in zip(found, rows, strict=True):
        point = row["point"].get("stragglers.p")
        assert cells["stragglers.p"] == (
            json.dumps(point) if isinstance(point, list) else "" if point is None else str(point)
        )
        for key, value in row.items():
            if key != "point":
                assert cells[key] == ("" if value is None else str(value))
    assert list(csv.DictReader(io.StringIO(report.as_csv([])))) == []


def test_a_training_run_a_line_an_iteration():
    table = descent(4, 12, 2, 30) | {"measure": ["loss", "uploads"]}
    table["optimizer"] |= {"step": 1e200}
    found = fastgc.runs.replay(table, trial=1)
    lines = report.trial(found).splitlines()
    assert lines[1].split() == ["iterations", "loss", "uploads", "next", "stragglers"]
    assert len(lines) == 2 + 31
    assert "–" in lines[-1], "a diverged run has no loss"
    text = report.results(fastgc.run(table, trials=100).rows())
    assert "loss[30] variance" in text and "loss[0] variance" not in text
