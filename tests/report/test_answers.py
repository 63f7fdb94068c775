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
    others = [row(0.7, experiment="b"), row(0.7, experiment="b", point={"p": 0.2})]
    assert answers([*some, *others], KINDS)[-1].startswith(
        "Least mean error: a, where all are known"
    )


@pytest.mark.parametrize(
    ("values", "error", "verb"),
    [
        ((1.0, 2.0, 3.0), 0.1, "rises from"),
        ((3.0, 2.0, 1.0), 0.1, "falls from"),
        ((1.0, 2.0, 3.0), 0.3, "lies between"),  # neighbours overlap
        ((1.0, 3.0, 2.0), 0.1, "lies between"),
        ((1.0, 1.0 + 1e-12), 0.0, "at both points"),
    ],
)
def test_a_course_is_named_only_where_it_is_certain(values, error, verb):
    [said] = answers(course(*values, error=error), KINDS)
    assert verb in said
    words = [row(value, point={"rule": name}) for name, value in zip("ab", values, strict=False)]
    assert "rises" not in answers(words, KINDS)[0], "words do not rise"


def compared(*pairs, error):
    rows = []
    for place, (a, b) in enumerate(pairs):
        rows += [row(a, error, point={"p": place}), row(b, error, "b", point={"p": place})]
    return answers(rows, KINDS)[2]


def test_the_least_is_certain_where_no_interval_reaches_it():
    assert compared((1, 2), error=0.1) == "Least mean error: a; no other interval reaches so low."
    assert compared((1, 2), error=0.4) == "Least mean error: a; but intervals overlap."
    assert compared((1, 2), (1, 2), error=0.1).startswith("Least mean error: a at both points; no")
    assert compared((1, 2), (2, 1), error=0.1).startswith("Least mean error: a at 1, b at 1 of 2")
    both = "Least mean error: a at both points; at 1 of them no other interval reaches so low."
    assert compared((1, 2), (1, 1.1), error=0.1) == both
    assert "a and b" in compared((1, 1 + 1e-12), error=0.0), "rounding decides nothing"
    likely = [row(0.5, 0.01, quantity="exact"), row(0.9, 0.01, "b", quantity="exact")]
    said = "Largest P(exact): b; no other interval reaches so high."
    assert answers(likely, KINDS)[2] == said


NOT = "is not compared, for the codes have 7 and 12 partitions."


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, f"mean error {NOT}"),
        ({"quantity": "norm"}, f"mean norm {NOT}"),
        ({"statistic": "P(>0.5)"}, f"P(error > 0.5) {NOT}"),
        ({"quantity": "amplification"},
         "Least mean amplification: a; no other interval reaches so low."),
    ],
)  # fmt: skip
def test_errors_of_codes_with_other_partitions_are_not_compared(more, said):
    def of(one, other):
        rows = [row(0.704, 0.001, **more), row(0.886, 0.001, "b", **more)]
        return answers([rows[0] | {"partitions": one}, rows[1] | {"partitions": other}], KINDS)[2]

    assert of(7, 12) == said
    assert ": a; no other" in of(12, 12) and of(7, None) == of(12, 12)


def test_a_course_says_how_many_partitions_codes_have():
    rows = course(1.0, 2.0, 3.0)
    growing = [each | {"partitions": k} for each, k in zip(rows, (4, 8, 12), strict=True)]
    assert answers(growing, KINDS)[0].endswith("; of 4 and 12 partitions.")
    assert "partitions" not in answers(course(1.0, 2.0, 3.0, partitions=4), KINDS)[0]


def test_who_is_compared_is_named_where_it_is_not_everybody():
    rows = [row(1.0), row(2.0, experiment="b"), row(0.5, experiment="c", point={"p": 0.7})]
    said = answers(rows, KINDS | {"c": "decoding"})[3]
    assert said == "Of a and b: least mean error: a; no other interval reaches so low."
    assert len(answers(rows[1:], {"b": "decoding", "c": "decoding"})) == 2, "other points"


def test_only_what_has_the_same_job_is_compared():
    rows = [row(float(i), experiment=name) for i, name in enumerate("abcd", 1)]
    kinds = dict.fromkeys("abcd", "completion")
    same = answers(rows, kinds, dict.fromkeys("abcd", "one law"))[4:]
    assert same == ["Least mean error: a; no other interval reaches so low."]
    pairs = answers(rows, kinds, {"a": "x", "b": "y", "c": "x", "d": "y"})[4:]
    assert pairs == [
        "Of a and c: least mean error: a; no other interval reaches so low.",
        "Of b and d: least mean error: b; no other interval reaches so low.",
    ]
    assert not answers(rows, kinds, {name: name for name in "abcd"})[4:]


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
