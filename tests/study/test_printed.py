"""Printed numbers of a study: what is wrong with them, what they say, and what they leave alone."""

import pytest

import fastgc
from fastgc.study.study import Study
from suite.checks import refusal

EXPERIMENT = {
    "name": "frc",
    "code": {"family": "frc", "n": 8, "d": 2},
    "stragglers": {"model": "iid", "p": 0.1},
    "measure": ["error", "exact"],
    "quantiles": [0.5],
}
OTHER = EXPERIMENT | {"name": "crc", "code": {"family": "circulant", "n": 8, "d": 2}}
NUMBER = {"place": "Table 1", "what": "mean error", "value": 0.08, "digits": 2}
SPEEDUPS = "codedreduce.figures.speedups.printed"


def study(*printed, **more):
    return {"experiment": [EXPERIMENT], "printed": list(printed)} | more


def complaint(printed, **more):
    return refusal(Study.parse, study(printed, **more)).removeprefix("study: printed[0].")


def test_a_number_of_its_own():
    [table] = Study.parse(study(NUMBER | {"experiment": "frc"})).printed
    assert table.number == (0.08, 0.005, "Table 1", "mean error", "")


def test_a_number_that_a_claim_has():
    case = {"figure": "9a", "over": "RAR"}
    printed = {"claim": SPEEDUPS, "case": case, "experiment": "frc", "place": "Figure 9 (a)"}
    [table] = Study.parse(study(printed)).printed
    assert table.number[:4] == (7.0, 0.05, "Figure 9 (a)", "speed-up (figure = 9a, over = RAR)")
    assert "EC2" in table.number.missing


@pytest.mark.parametrize(("changes", "sentence"), [
    ({"experiment": "fcr"}, "experiment: unknown experiment or ratio 'fcr'; did you mean 'frc'"),
    ({"quantity": "eror"}, "quantity: unknown measure 'eror'; did you mean 'error'"),
    ({"statistic": "quantile(0.9)"}, "statistic: is not asked for; add 0.9 to quantiles"),
    ({"statistic": "median"}, 'statistic: must be "mean", "variance"'),
    ({"point": {"code.d": 2}}, "point: must be one point (is 0 of 1 points of frc"),
    ({"claim": SPEEDUPS, "digits": None}, "value: is what the claim has; leave one"),
    ({"value": None}, "value: must be given, or a claim that has it"),
    ({"digits": None}, "digits: missing; say how many decimals"),
    ({"place": ""}, "place: missing; say where it is printed"),
    ({"experiment": None}, "experiment: missing; say which measures the number"),
    ({"factor": 0.0}, "factor: must be more than 0"),
])  # fmt: skip
def test_mistakes(changes, sentence):
    whole = NUMBER | {"experiment": "frc"} | changes
    printed = {key: value for key, value in whole.items() if value is not None}
    assert complaint(printed).startswith(sentence)


def test_mistakes_of_claims():
    given = {"experiment": "frc", "claim": SPEEDUPS}
    assert "with one number (fits 39 of 39)" in complaint(given)
    near = complaint(given | {"claim": "codedreduce.figures.speedup.printed"})
    assert near.startswith("claim: unknown claim") and SPEEDUPS in near
    assert complaint({"claim": "no.such", "experiment": "frc"}).startswith("claim: unknown claim")


def test_an_experiment_is_needed_for_what_is_of_one():
    printed = NUMBER | {"missing": "the machine is not to be had", "quantity": "error"}
    assert complaint(printed) == "quantity: is of an experiment; say which, or leave it out"
    del printed["quantity"]
    Study.parse(study(printed))


def test_one_point_is_to_be_said():
    swept = EXPERIMENT | {"sweep": {"stragglers.p": [0.1, 0.2]}}
    printed = NUMBER | {"experiment": "frc"}
    said = complaint(printed, experiment=[swept])
    assert said == "point: must be one point (is 2 of 2 points of frc, which sweeps stragglers.p)"
    Study.parse(study(printed | {"point": {"stragglers.p": 0.2}}, experiment=[swept]))


def test_rows_know_their_printed_numbers():
    ratio = NUMBER | {"value": 1.3, "digits": 1, "experiment": "crc/frc"}
    printed = [
        NUMBER | {"experiment": "frc"},
        NUMBER | {"experiment": "frc", "value": 16.0, "factor": 200.0},
        ratio,
        NUMBER | {"experiment": "crc", "quantity": ["error", "exact"]},  # of no row alone
    ]
    both = {"experiment": [EXPERIMENT, OTHER], "ratio": [["crc", "frc"]]}
    result = fastgc.run(study(*printed, **both, common_random_numbers=True), trials=1000)
    known = {
        (row.experiment, row.quantity, row.statistic): row.printed
        for row in result.entries
        if row.printed
    }
    assert known == {("frc", "error", "mean"): (0.08, 0.08), ("crc/frc", "error", "ratio"): (1.3,)}


def test_nothing_of_it_changes_what_is_measured(tmp_path):
    plain = {"experiment": [EXPERIMENT | {"method": "monte-carlo"}]}
    marked = plain | {"printed": [NUMBER | {"experiment": "frc"}]}
    one, other = (Study.parse(each) for each in (plain, marked))
    assert one.identity() == other.identity()
    for a, b in zip(one.points(), other.points(), strict=True):
        assert one.canonical(a) == other.canonical(b)
    found = fastgc.run(marked, out=tmp_path / "marked.h5", trials=1000)
    assert found.rows() == fastgc.run(plain, trials=1000).rows()
    assert fastgc.open(tmp_path / "marked.h5").entries[0].printed == (0.08,)
