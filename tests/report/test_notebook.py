"""What notebooks and prompts show of objects: tables that are well formed, escaped and short."""

from html import escape

import numpy as np
import pytest

import fastgc
from fastgc import report
from fastgc.report import document
from fastgc.results.verdict_data import Verdicts
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram
from report.reading import Html
from suite.studies import groups

NASTY = "<script>alert('x')</script> & co"
SWEPT = {"measure": ["error", "survivors"], "sweep": {"stragglers.p": [0.1, 0.3]}}


@pytest.fixture(scope="module")
def result():
    experiment = groups(4, name=NASTY.replace("/", "|"), method="both", **SWEPT)
    return fastgc.run({"title": NASTY, "experiment": [experiment]}, trials=500)


def test_a_result_has_a_line_for_each_point(result):
    text = result._repr_html_()
    found = Html(text)
    assert found.rows[0] == ["stragglers.p", "error", "survivors[4]"]
    assert [line[0] for line in found.rows[1:]] == ["0.1", "0.3"]
    assert f"{escape(NASTY)} (stopped by trials" in text and "script" not in found.tags
    assert f"rows() has all {len(result.entries)} rows" in text


def test_a_point_and_a_measure_show_their_own_rows_and_say_where_they_are_cut(result, monkeypatch):
    name = result.entries[0].experiment
    point = result[name, {"stragglers.p": 0.3}]
    assert "stragglers.p=0.3" in Html(point._repr_html_()).caption
    assert repr(point).startswith(f"<result: {name}: error mean 0.36, survivors[0] mean 0")
    four = point["survivors"][4]
    assert {line[0] for line in Html(four._repr_html_()).rows[1:]} == {"survivors[4] mean"}
    assert repr(four).startswith(f"<result: {name} survivors[4]: [4] mean 0.")
    assert [row["index"] for row in four.rows()] == [4, 4, 4]
    monkeypatch.setattr(document, "MOST_LINES", 3)
    found = Html(result[result.entries[0].experiment, {"stragglers.p": 0.1}]._repr_html_())
    assert len(found.rows) == 1 + 3
    assert "the first 3 of " in found.caption


def test_verdicts_alone_and_together(tmp_path):
    found = fastgc.validate(
        ["agc.theorem1.printed", "agc.frc-1.976"], method="exact", out=tmp_path / "v.h5"
    )
    assert repr(Verdicts([*found] * 30)).endswith(f",\n … {30 * len(found) - 20} more]")
    heads, *lines = Html(found._repr_html_()).rows
    assert heads == ["statement", "point", "said", "measured", "verdict"]
    assert len(lines) == sum(len(each.findings) for each in found)
    assert [line[4] for line in lines if "(agc.frc-1.976.printed)" in line[0]] == ["refuted"]
    assert Html(found[-1]._repr_html_()).rows[1:] == lines[-len(found[-1].findings) :]
    opened = fastgc.open(tmp_path / "v.h5")
    assert Html(opened._repr_html_()).rows == [heads, *lines]
    assert Html(Verdicts()._repr_html_()).rows == [heads]
    lines = repr(found).splitlines()
    assert lines[0].startswith("[<Verdict agc.theorem1.printed: confirmed; stated = 0.2107142")
    assert lines[1].startswith(" <Verdict agc.frc-1.976.printed: refuted, wrong number; stated")
    assert len(lines) == len(found)


def test_a_ranking_has_its_systems_in_order():
    found = fastgc.design(
        {"workers": 4, "latency": {"distribution": "exponential", "mean": 1.0, "shift": 1.0}}
    )
    lines = Html(found._repr_html_()).rows[1:]
    places = [[str(place), choice.name] for place, choice in enumerate(found, 1)]
    assert [line[:2] for line in lines[: len(found)]] == places
    assert repr(found).startswith(f"<Ranking of {len(found)} systems by mean. Under this law")


@pytest.mark.parametrize(("estimate", "shown"), [
    (Estimate(0.5, 0.0), "0.5"), (Estimate(0.488067, 0.000303, 10**7), "0.48807(30)"),
    (Estimate(0.0, 0.0, 100, proportion=True), "0 [0, 0.037]"),
    (Estimate(3.0, None, 1), "3 (no interval)"), (Estimate(None, None), "Estimate(None)"),
    (Estimate(3.0, None, 9, histogram=Histogram({}, 9)), "≥ 3"),
    (Estimate(3.0, 0.0, method="lower-bound"), "≥ 3"),
    (Estimate(2e-31, 0.0, rounding=1e-25), "0 to rounding (2e-31)"),
    (Estimate(None, None, 0, note="no trials"), "Estimate(None: no trials)"),
    (Estimate(2.0, 1.0, 9, note="rests on 3 events"), "2.0(10)"),
])  # fmt: skip
def test_an_estimate_prints_its_interval(estimate, shown):
    assert repr(estimate) == shown


def test_a_datasheet_is_a_table():
    sheet = fastgc.inspect(np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]]), stragglers=[0, 2])
    assert repr(sheet) == "<Datasheet matrix: n=3, k=3, tolerance 0, broken by worker 0>"
    assert str(sheet) == report.datasheet(sheet.as_dict())
    found = Html(sheet._repr_html_())
    assert [row[0] for row in found.rows] == ["stragglers", "0", "2"]
    assert found.rows[1][1:5] == ["0", "0", "0", "1"]
    assert found.caption == "matrix"
