"""Tables in a terminal: what they do without, where lines go on; those printed block by block."""

import csv
import io

import pytest

import fastgc
from fastgc import report
from fastgc.decoding.inspection import inspect
from fastgc.report.tables import as_lines, of_points
from fastgc.report.text import columns
from report.rows import row as made
from suite.checks import close, refusal
from suite.studies import groups, ring

STRAGGLERS = [
    {"model": "iid", "p": 0.1},
    {"model": "markov", "p_straggle_after_ok": 0.05, "p_straggle_after_straggle": 0.6},
]
SWEPT = {"method": "both", "measure": ["error", "exact", "survivors"]} | {
    "sweep": {"code.d": [1, 2, 3], "stragglers": STRAGGLERS}
}
STUDY = {
    "title": "two codes",
    "experiment": [groups(6, 0.1, name="frc", **SWEPT), ring(6, 0.1, name="circulant", **SWEPT)],
}


@pytest.fixture(scope="module")
def rows():
    return fastgc.run(STUDY, trials=500).rows()


@pytest.mark.parametrize("width", [70, 80, 100, None])
def test_a_table_of_results_loses_no_number(rows, width):
    text = report.results(rows, "two codes", width, every=True)
    shown = text.splitlines()
    if width is not None:
        assert max(map(len, shown)) <= width
    for row in rows:
        number = report.number(row["value"], row["standard_error"])
        if row["statistic"] != "minimum":
            assert number in text or f"1 − {1 - row['value']:.3g}"[:8] in text
    said = [line for line in shown if "500 trials" in line and "in 500 trials" not in line]
    assert len(said) == 12, "once a point"
    if width is None:
        assert report.results(rows, "two codes", 1000, every=True) == text


def test_rows_that_tell_nothing_are_left_out_and_counted():
    found = fastgc.run(groups(4, 0.0, method="auto")).rows()
    lines = report.results(found).splitlines()
    assert [line.split()[:3] for line in lines[1:3]] == [
        ["number", "method", "value"], ["error", "mean", "exact"]
    ]  # fmt: skip
    assert lines[-1].startswith("4 rows left out")
    assert {row["statistic"] for row in found} == {"mean", "variance", "minimum", "maximum"}
    few = [row for row in found if row["statistic"] == "minimum"]
    for value, left in ((0, 1), (1.1e-30, 1), (1.1e-9, 0)):  # rounding tells nothing
        assert of_points([row | {"value": value} for row in few])[1] == left


@pytest.mark.parametrize(
    ("value", "error", "shown", "interval"),
    [
        (0.999996, 1e-6, "1 − 4.0(10)e-06", "[1 − 6e-06, 1 − 2e-06]"),
        (0.9995, 1e-4, "1 − 0.00050(10)", "[1 − 0.0007, 1 − 0.0003]"),
        (0.95, 0.01, "0.950(10)", "[0.93, 0.97]"),
        (1.0, 0.0, "1", "[1, 1]"),
    ],
)
def test_a_probability_near_1_is_shown_by_its_failures(value, error, shown, interval):
    given = made(value, error, quantity="exact", method="monte-carlo", trials=10, point={})
    [*_, line] = report.results([given]).splitlines()
    assert f"  {shown} " in line and line.endswith(f"  {interval}")
    assert "1 −" not in report.results([given | {"quantity": "error"}]), "it is no probability"


@pytest.mark.parametrize("width", [64, 70, 80, 100])
def test_a_datasheet_fits(width):
    sheet = inspect(fastgc.codes.cyclic(n=7, d=3, seed=1)).as_dict()
    text, whole = report.datasheet(sheet, width=width), report.datasheet(sheet)
    assert max(map(len, text.splitlines())) <= width
    assert {*["stragglers", "worst", "P(exact)", "amplification", "frc"]} <= {*text.split()}
    assert {*text.split()} - {*["more", "columns", "of", "the", "same", "points:"]} == {
        *whole.split()
    }


def test_cells_go_on():
    table = [["claim", "value"], ["survivors of theorem 1, as printed", "0.5"]]
    assert columns(table, width=24) == [
        "claim              value",
        "survivors of       0.5",
        "theorem 1, as",
        "printed",
    ]
    assert columns(table, width=5) == columns(table, width=19), "numbers and words stay whole"
    assert columns([]) == []


def test_one_number_of_all_points(rows):
    made = report.pivot(rows, "error.mean")
    assert made.columns == ["error.mean", "frc", "circulant"] and len(made.rows) == 6
    values = {
        (row["experiment"], row["point"]["stragglers"]["model"], row["point"]["code.d"]): row
        for row in rows
        if (row["quantity"], row["statistic"], row["method"]) == ("error", "mean", "exact")
    }
    for point, *cells in made.rows:
        d, model = int(point[7]), point.split("stragglers=")[1].split("(")[0]
        expected = [values[code, model, d]["value"] for code in ("frc", "circulant")]
        assert [cell.value for cell in cells] == expected
    one = report.pivot([row for row in rows if row["experiment"] == "frc"], "error")
    assert [head.partition("(")[0] for head in one.columns] == [
        "code.d", "stragglers=iid", "stragglers=markov"
    ]  # fmt: skip
    single = [row for row in rows if row["point"]["stragglers"]["model"] == "iid"]
    head, first, *_ = csv.reader(io.StringIO(report.pivot(single, "error.mean").csv()))
    assert head == ["code.d", "frc", "circulant"] and first[0] == "1"
    assert float(first[1]) == close(values["frc", "iid", 1]["value"], rel=1e-8)
    narrow = as_lines(made, 66).splitlines()
    assert max(map(len, narrow)) <= 66 and "p_straggle_after_straggle=0.6)" in "".join(narrow)


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("eror", "quantity: 'eror' was not measured; did you mean 'error'?"),
        ("", "quantity: '' was not measured; there is error, exact, survivors"),
        ("mean", "quantity: 'mean' was not measured; write error.mean"),
        ("error.men", "quantity: error has no men; did you mean 'mean'?"),
        ("survivors", "survivors has several; say which, like survivors[6]"),
        ("survivors[9]", "survivors has the indices 0 to 6"),
        ("error[1]", "quantity: error has no index; say which"),
    ],
)
def test_what_cannot_be_a_table_is_said(rows, what, said):
    assert said in refusal(report.pivot, rows, what)
