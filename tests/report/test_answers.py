"""Answers in words say no more than their intervals do."""

import pytest

from fastgc.report.answers import answers
from report.rows import row

KINDS = {"a": "decoding", "b": "decoding"}


def course(*values, error=0.0, **more):
    return [row(value, error, point={"p": 0.1 * (i + 1)}, **more) for i, value in enumerate(values)]


def test_one_number():
    assert answers([row(0.25)], KINDS) == ["a: mean error is 0.25 (exact) at p = 0.1."]
    [said] = answers([row(0.25, 0.01, point={})], KINDS)
    assert said == "a: mean error is 0.250(10) (95 % interval [0.2300, 0.2700])."
    [said] = answers([row(8.0, method="lower-bound", statistic="maximum", unit="seconds")], KINDS)
    assert "maximum of error is at least 8 s" in said


def test_what_was_not_seen_is_not_said():
    nothing = row(0.0, note="never happens") | {"value": None, "low": None, "high": None}
    assert answers([nothing], KINDS) == ["a: mean error is not known (never happens) at p = 0.1."]
    some = [nothing, row(0.5, point={"p": 0.2})]
    left = "; it is not known at 1 of"
    assert answers(some, KINDS) == [f"a: mean error is 0.5 (exact) at p = 0.2{left} 2 points."]
    for value, verb in ((0.5, "is 0.5 (exact) at 2 points"), (0.7, "rises from 0.5 (exact)")):
        [said] = answers([*some, row(value, point={"p": 0.3})], KINDS)
        assert verb in said and said.endswith(f"{left} 3 points.")


@pytest.mark.parametrize(("values", "error", "verb"), [
    ((1.0, 2.0, 3.0), 0.1, "rises from"), ((3.0, 2.0, 1.0), 0.1, "falls from"),
    ((1.0, 2.0, 3.0), 0.3, "lies between"),  # neighbours overlap
    ((1.0, 3.0, 2.0), 0.1, "lies between"), ((1.0, 1.0 + 1e-12), 0.0, "at both points"),
])  # fmt: skip
def test_a_course_is_named_only_where_it_is_certain(values, error, verb):
    [said] = answers(course(*values, error=error), KINDS)
    assert verb in said
    words = [row(value, point={"rule": name}) for name, value in zip("ab", values, strict=False)]
    assert "rises" not in answers(words, KINDS)[0], "words do not rise"


def test_a_course_says_how_many_partitions_codes_have():
    rows = course(1.0, 2.0, 3.0)
    growing = [each | {"partitions": k} for each, k in zip(rows, (4, 8, 12), strict=True)]
    assert answers(growing, KINDS)[0].endswith("; of 4 and 12 partitions.")
    assert "partitions" not in answers(course(1.0, 2.0, 3.0, partitions=4), KINDS)[0]


def test_a_ratio_that_may_be_one_shows_no_difference():
    ratio = row(1.01, 0.01, "a/b", statistic="ratio")
    [said] = answers([ratio], KINDS)
    assert said.endswith("no difference is seen.") and "a/b: ratio of error is 1.010(10)" in said
    assert "no difference" not in " ".join(answers([ratio | {"low": 1.001}], KINDS))
    ratios = course(8.0, 3.0, 2.0, experiment="a/b", statistic="ratio")
    said = "a/b: ratio of error falls from 8 (exact) at p = 0.1 to 2 (exact) at p = 0.3"
    assert answers(ratios, KINDS)[0].startswith(said)


def test_a_measure_with_many_numbers_answers_with_the_last():
    rows = [row(float(i), index=i, quantity="loss") for i in range(4)]
    assert answers(rows, {"a": "training"}) == [
        "a: mean loss after 3 iterations is 3 (exact) at p = 0.1."
    ]
