"""Tables in a terminal: a line a point, a column a quantity; where lines go on; one number."""

import csv
import io
from typing import Any

import pytest

import fastgc
from fastgc import report
from fastgc.report import tables
from fastgc.report.tables import point_tables, row_tables, sweep
from fastgc.report.text import as_lines
from fastgc.report.text import table as as_text
from report.rows import row
from suite.checks import close, every, refusal
from suite.studies import groups, ring


def sampled(value: float, error: float, **more: Any) -> dict[str, Any]:
    return row(value, error, **{"method": "monte-carlo", "trials": 1000} | more)


def lines(*rows: dict[str, Any], width: int | None = None) -> list[str]:
    return report.results(rows, width=width).splitlines()


OTHER = {"point": {"p": 0.2}}


def test_one_line_a_point_and_one_column_a_quantity():
    time = {"quantity": "time", "unit": "seconds"}
    found = lines(
        row(0.25), sampled(0.3, 0.01), sampled(1.5, 0.02, **time),
        row(0.5, **OTHER), row(2.0, **time, **OTHER), row(9.0, statistic="variance", **OTHER),
    )  # fmt: skip
    assert found[:4] == [
        "a",
        "p    error  time (s)   trials",
        "0.1  0.25   1.500(20)  1 000",
        "0.2  0.5    2",
    ]
    assert found[-1].startswith("no brackets: exact, or a closed form; (…): standard error;")
    assert found[-1].endswith("--rows prints all 6 rows.")


@pytest.mark.parametrize(("given", "cell"), [
    (sampled(0.0, 0.0, low=0.0, high=0.004), "0 [0, 0.004]"), (sampled(7.0, 0.0), "7(0)"),
    (sampled(4.0, 0.0, low=4.0, high=4.5, statistic="quantile(0.9)"), "4 [4, 4.5]"),
    (sampled(4.0, 0.0, low=4.0, high=None, statistic="quantile(0.9)"), "4 [4, …]"),
    (sampled(4.0, 0.0, low=None, high=4.5, statistic="quantile(0.9)"), "4 […, 4.5]"),
    (sampled(3.0, None, low=None, high=None, trials=1), "3 […, …]"),
    (row(8.0, method="lower-bound"), "≥ 8"), (row(None, note="infinite"), "infinite"),
    (row(None, note="not known exactly: too many patterns"), "–"),
    (row(0.99996, quantity="exact"), "1 − 4e-05"), (row(1.5, method="closed-form"), "1.5"),
])  # fmt: skip
def test_the_short_form_of_a_value(given, cell):
    made = sweep([given, given | OTHER])
    assert [str(own[1]) for own in made.rows] == [cell, cell]


def test_of_a_long_vector_the_last_value_has_the_column():
    same = [row(float(i), index=i, point={"p": p}) for p in (1, 2) for i in range(9)]
    other = [row(float(i), index=i, point={"n": n}) for n in (5, 6) for i in range(n + 1)]
    few = [row(float(i), index=i, point={"p": p}) for p in (1, 2) for i in range(3)]
    assert sweep(same).columns == ["p", "error[8]"]
    assert sweep(other).columns == ["n", "error[last]"]
    assert [str(own[1]) for own in sweep(other).rows] == ["5", "6"]
    assert sweep(few).columns == ["p", "error[0]", "error[1]", "error[2]"]
    worst = [row(2.0, statistic="maximum"), row(3.0, statistic="maximum", **OTHER)]
    assert sweep(worst).columns == ["p", "error maximum"], "spreads alone have a column"


def test_remarks_end_a_line_and_say_nothing_of_methods():
    routine = "exact method not taken: 2^30 patterns; conditioned on more: 2.5 × less variance"
    some = [sampled(1.0, 0.1, note=routine), sampled(1.0, 0.1, note="rests on 3 events", **OTHER)]
    assert [own[-1] for own in sweep(some).rows] == ["", "rests on 3 events"]
    assert sweep(some[:1] * 2).columns == ["p", "error", "trials"]


def test_experiments_of_one_point_share_a_table():
    alone = [row(1.0, experiment=name, point={}) for name in "ab"]
    time = [row(1.0, experiment="c", point={}, quantity="time")]
    swept = [row(1.0, experiment="d"), row(2.0, experiment="d", **OTHER)]
    found = tables.groups([*alone, *time, *swept])
    assert [[each["experiment"] for each in group] for group in found] == [
        ["a", "b"], ["c"], ["d", "d"]
    ]  # fmt: skip
    assert sweep(found[0]).columns == ["experiment", "error"]
    assert lines(alone[0])[0] == "a", "a single point keeps its rows"
    assert len(row_tables(alone)) == 2


@pytest.mark.parametrize("width", [32, 60, None])
def test_columns_without_room_go_on_below(width):
    made = sweep(
        [row(1 / 3, quantity=f"measure{i}", point={"p": p}) for p in (1, 2) for i in range(6)]
    )
    text = as_text(made, width)
    assert every(width is None or len(line) <= width for line in text)
    assert text.count("more columns of the same points:") == {32: 2, 60: 1, None: 0}[width]
    assert " ".join(text).count("0.333333333") == 12


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
    for each in rows:
        number = report.number(each["value"], each["standard_error"])
        if each["statistic"] != "minimum":
            assert number in text or f"1 − {1 - each['value']:.3g}"[:8] in text
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
        assert point_tables([row | {"value": value} for row in few])[1] == left


@pytest.mark.parametrize(("value", "error", "shown", "interval"), [
    (0.999996, 1e-6, "1 − 4.0(10)e-06", "[1 − 6e-06, 1 − 2e-06]"), (1.0, 0.0, "1", "[1, 1]"),
    (0.9995, 1e-4, "1 − 0.00050(10)", "[1 − 0.0007, 1 − 0.0003]"),
    (0.95, 0.01, "0.950(10)", "[0.93, 0.97]"),
])  # fmt: skip
def test_a_probability_near_1_is_shown_by_its_failures(value, error, shown, interval):
    given = row(value, error, quantity="exact", method="monte-carlo", trials=10, point={})
    [*_, line] = report.results([given]).splitlines()
    assert f"  {shown} " in line and line.endswith(f"  {interval}")
    assert "1 −" not in report.results([given | {"quantity": "error"}]), "it is no probability"


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
    narrow = as_lines([made], 66).splitlines()
    assert max(map(len, narrow)) <= 66 and "p_straggle_after_straggle=0.6)" in "".join(narrow)


@pytest.mark.parametrize(("what", "said"), [
    ("eror", "quantity: 'eror' was not measured; did you mean 'error'?"),
    ("", "quantity: '' was not measured; there is error, exact, survivors"),
    ("mean", "quantity: 'mean' was not measured; write error.mean"),
    ("error.men", "quantity: error has no men; did you mean 'mean'?"),
    ("survivors", "survivors has several; say which, like survivors[6]"),
    ("survivors[9]", "survivors has the indices 0 to 6"),
    ("error[1]", "quantity: error has no index; say which"),
])  # fmt: skip
def test_what_cannot_be_a_table_is_said(rows, what, said):
    assert said in refusal(report.pivot, rows, what)
