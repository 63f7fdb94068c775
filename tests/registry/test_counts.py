"""Whole numbers as people write them: 1e9, and what is none."""

import pytest

import fastgc
from fastgc.registry.complaints import show
from fastgc.study.study import Study
from suite.checks import complaints

STUDY = {
    "code": {"family": "frc", "n": 8, "d": 2},
    "stragglers": {"model": "two-class", "slow": 2, "p_straggle_slow": 0.5, "p_straggle_active": 0},
}


def test_a_study_takes_them_for_integers_alone():
    given = Study.parse(
        STUDY
        | {"stop": {"trials": 1e9, "events": 1e2}, "seed": 2.0, "iterations": 1e1}
        | {"code": {"family": "frc", "n": 8.0, "d": 2.0}}
        | {"sweep": {"stragglers.slow": [1e0, [0.0, 3.0]], "stragglers.p_straggle_slow": [1, 0.5]}}
    )
    own = Study.parse(
        STUDY
        | {"stop": {"trials": 10**9, "events": 100}, "seed": 2, "iterations": 10}
        | {"sweep": {"stragglers.slow": [1, [0, 3]], "stragglers.p_straggle_slow": [1, 0.5]}}
    )
    assert given.identity() == own.identity()
    assert given.stop == own.stop
    sweeps = [point.sweep for point in given.points()]
    assert [type(sweep["stragglers.slow"]) for sweep in sweeps] == [int, int, list, list]
    assert sweeps == [point.sweep for point in own.points()]


@pytest.mark.parametrize("wrong", [1.5, "8", "1e9", True, float("inf")])
def test_what_is_no_count_is_refused_with_its_place(wrong):
    lines = complaints(Study.parse, STUDY | {"stop": {"trials": wrong}, "iterations": wrong})
    keys = [line.removesuffix(f": must be an integer (got {show(wrong)})") for line in lines]
    assert sorted(keys) == ["study: iterations", "study: stop.trials"]


def test_functions_and_commands_take_them(command):
    assert fastgc.codes.frc(n=8.0, d=2).n == 8
    assert fastgc.run(STUDY | {"method": "monte-carlo"}, trials=1e2).rows()[0]["trials"] == 100
    code, out, _ = command("run", "agc/main", "--trials", "1e2", "--set", "stop.events=1e1")
    assert code == 0 and "100 trials" in out
    for wrong, said in (
        ("1.5", "'1.5' is no whole number; write one like 1000000 or 1e6"),
        ("many", "'many' is no whole number"),
        ("1e19", "must be 1 to 1000000000000000000 (got 1e19)"),
    ):
        code, out, err = command("run", "agc/main", "--trials", wrong)
        assert (code, out) == (2, "") and said in err
