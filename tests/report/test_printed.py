"""Printed numbers beside measured ones: the kind of agreement, the table, the count, the stars."""

import dataclasses

import pytest

import fastgc
from fastgc.report import document, pages, pictures, printed
from fastgc.report.pages import ReportedResult
from fastgc.report.text import as_text
from fastgc.results.rows import Row
from fastgc.statistics.estimates import Estimate
from fastgc.study.study import Study
from suite.studies import groups

EXPERIMENT = groups(8, 0.1, name="frc", method="auto", measure=["error", "exact"])


def table(value, digits, **more):
    number = {"place": "Table 1", "what": "x", "value": value, "digits": digits}
    study = {"experiment": [EXPERIMENT], "printed": [number | {"experiment": "frc"} | more]}
    return Study.parse(study).printed[0]


def row(value, error=None, quantity="error"):
    trials = None if error is None else 10_000
    estimate = Estimate(value, error, trials)
    return Row("frc", {}, quantity, "mean", None, "exact", estimate, unit="partitions")


def shown(found):
    section = document.Section("printed", "Printed", printed.blocks(found))
    return as_text(document.Document("t", [], [section]), 400)


@pytest.mark.parametrize(("value", "digits", "measured", "error", "said"), [
    (4.0, 1, 4.023, None, "to its digits"), (4.0, 1, 4.05, None, "to its digits"),  # at the end
    (4.0, 1, 4.0501, None, "off by +1.3 %"), (4.0, 1, 3.9499, None, "off by -1.3 %"),
    (4.0, 1, 4.023, 0.01, "to its digits"), (4.0, 1, 4.2, 0.02, "off by +5 %"),
    # the interval leaves the rounding
    (4.0, 1, 4.04, 0.02, "within the interval"), (4.0, 1, 4.06, 0.02, "within the interval"),
    (4.0, 1, 9.0, None, "off by 2.2 times"), (12_000.0, -3, 12_400.0, None, "to its digits"),
    (0.0, 2, 0.3, None, "off by 0.3"), (1.976, 3, 0.488072, None, "off by -75 %"),
])  # fmt: skip
def test_agreement(value, digits, measured, error, said):
    [found] = printed.beside([table(value, digits)], [row(measured, error)])
    assert found.said == said


def test_a_sum_and_its_interval():
    both = table(10.0, 0, quantity=["error", "exact"], factor=2.0)
    [found] = printed.beside([both], [row(3.0, 0.1), row(2.0, 0.2, "exact")])
    assert found.value == 10.0
    # as wide as both together: they may depend on each other
    assert found.high - found.value == pytest.approx(2 * 1.96 * 0.3, rel=1e-3)
    assert found.standard_error == pytest.approx(0.6)
    assert printed.beside([both], [row(3.0, 0.1)])[0].agreement == printed.NONE


def test_what_rests_on_something_missing_is_counted_apart():
    tables = [
        *(table(1.0, 1), table(2.0, 1)),
        table(1.0, 1, what="y", missing="the step is not printed"),
        table(7.0, 1, experiment=None, missing="the machine is not to be had"),
    ]
    found = printed.beside(tables, [row(1.0)])
    assert printed.counts(found) == (
        "2 printed numbers: 1 to its digits, 1 off. 1 in a setting of fastgc's own, for "
        "what they rest on is not to be had: 1 to its digits. 1 not measured."
    )
    said = ["to its digits", "off by -50 %", "to its digits *", "not measured"]
    assert [each.said for each in found] == said
    text = shown(found)
    assert "The step is not printed." in text and "The machine is not to be had." in text


def test_a_number_of_several_studies_counts_where_it_agrees_least():
    near = printed.beside([table(1.0, 1)], [row(1.0)])
    far = printed.beside([table(1.0, 1)], [row(3.0)])
    for found in ([*near, *far], [*far, *near]):
        assert printed.counts(found) == "1 printed number: 1 off."
    # what is far off in another setting says nothing of the paper's own
    other = printed.beside([table(1.0, 1, missing="other data stand in")], [row(3.0)])
    for found in ([*near, *other], [*other, *near]):
        assert printed.counts(found) == "1 printed number: 1 to its digits."


def test_a_number_that_two_experiments_measure_says_by_which():
    found = printed.beside([table(1.0, 1), table(1.0, 1, quantity="exact")], [row(1.0)])
    assert "x, by frc" in shown(found)
    assert ", by" not in shown(found[:1])


def test_decimals():
    assert "15000" in shown(printed.beside([table(1.5e4, -3)], [row(1.0)]))


@pytest.fixture(scope="module")
def result():
    swept = EXPERIMENT | {"measure": ["error"], "sweep": {"stragglers.p": [0.1, 0.2]}}
    number = {"place": "Table 1", "what": "x", "value": 0.6, "digits": 1, "experiment": "frc"}
    study = {"experiment": [swept], "printed": [number | {"point": {"stragglers.p": 0.2}}]}
    return study, fastgc.run(study)


def test_stars(result):
    picture = pictures.of(result[1])[0]
    assert "Stars are what the paper prints." in picture.caption
    [axes] = pictures.figure(picture).axes
    stars = [line.get_xydata().tolist() for line in axes.lines if line.get_marker() == "*"]
    assert [[0.2, 0.6]] in stars
    assert "printed" in [text.get_text() for text in axes.get_legend().texts]
    assert axes.get_ylim()[1] > 0.6  # the axis has room for it
    rows = [dataclasses.replace(each, printed=None) for each in result[1].entries]
    assert "tars" not in pictures.of(dataclasses.replace(result[1], entries=rows))[0].caption


def test_a_page_begins_with_the_count(result):
    study, found = result
    known = {"fastgc": "1", "written": "2026-01-01"}
    page = pages.of_run(ReportedResult(found, 1, known, Study.parse(study)))
    names = [section.name for section in page.sections]
    assert names[:2] == ["answer", "printed"]
    assert page.sections[0].blocks[0].texts[0].startswith("1 printed number: 1 off")
