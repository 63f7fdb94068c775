"""What a sweep prints: a line a point, a column a quantity, the sharpest value of each."""

from typing import Any

import pytest

from fastgc import report
from fastgc.report.tables import groups, of_rows, sweep
from fastgc.report.text import table as as_text
from report.rows import row
from suite.checks import every


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


@pytest.mark.parametrize(
    ("given", "cell"),
    [
        (sampled(0.0, 0.0, low=0.0, high=0.004), "0 [0, 0.004]"),
        (sampled(7.0, 0.0), "7(0)"),
        (sampled(4.0, 0.0, low=4.0, high=4.5, statistic="quantile(0.9)"), "4 [4, 4.5]"),
        (sampled(4.0, 0.0, low=4.0, high=None, statistic="quantile(0.9)"), "4 [4, …]"),
        (sampled(4.0, 0.0, low=None, high=4.5, statistic="quantile(0.9)"), "4 […, 4.5]"),
        (sampled(3.0, None, low=None, high=None, trials=1), "3 […, …]"),
        (row(8.0, method="lower-bound"), "≥ 8"),
        (row(None, note="infinite"), "infinite"),
        (row(None, note="not known exactly: too many patterns"), "–"),
        (row(0.99996, quantity="exact"), "1 − 4e-05"),
        (row(1.5, method="closed-form"), "1.5"),
    ],
)
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


def test_trials_have_a_column():
    made = sweep([sampled(1.0, 0.1), sampled(1.0, 0.1, trials=2000, **OTHER)])
    assert made.caption == "a" and [own[-1] for own in made.rows] == ["1 000", "2 000"]
    single = report.results([sampled(3.0, None, low=None, high=None, trials=1)], every=True)
    assert single.splitlines()[0] == "a, 1 trial: p=0.1"


def test_experiments_of_one_point_share_a_table():
    alone = [row(1.0, experiment=name, point={}) for name in "ab"]
    time = [row(1.0, experiment="c", point={}, quantity="time")]
    swept = [row(1.0, experiment="d"), row(2.0, experiment="d", **OTHER)]
    found = groups([*alone, *time, *swept])
    assert [[each["experiment"] for each in group] for group in found] == [
        ["a", "b"], ["c"], ["d", "d"]
    ]  # fmt: skip
    assert sweep(found[0]).columns == ["experiment", "error"]
    assert lines(alone[0])[0] == "a", "a single point keeps its rows"
    assert len(of_rows(alone)) == 2


@pytest.mark.parametrize("width", [32, 60, None])
def test_columns_without_room_go_on_below(width):
    made = sweep(
        [row(1 / 3, quantity=f"measure{i}", point={"p": p}) for p in (1, 2) for i in range(6)]
    )
    text = as_text(made, width)
    assert every(width is None or len(line) <= width for line in text)
    assert text.count("more columns of the same points:") == {32: 2, 60: 1, None: 0}[width]
    assert " ".join(text).count("0.333333333") == 12
