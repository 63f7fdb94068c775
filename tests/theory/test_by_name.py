"""Closed forms by name, and what they refuse, each with one sentence."""

import inspect
import math

import pytest

from fastgc import theory
from fastgc.errors import FastgcError
from fastgc.theory import agc, binary, by_name, codedreduce, gcada, hierarchical, literature
from suite.checks import refusal

NAMES = list(by_name.formulas())


def test_a_claim_names_the_closed_forms_that_it_states_or_calls():
    assert by_name.of_claim("agc.theorem1.printed") == ["agc.theorem1", "agc.survivors_given_slow"]
    assert by_name.of_claim("agc.tolerance.printed") == by_name.of_claim("my.own") == []


# NumPy 1 takes an array of one number for that number, and warns
@pytest.mark.filterwarnings("ignore:Conversion of an array with ndim > 0:DeprecationWarning")
@pytest.mark.parametrize("name", NAMES)
def test_every_name_can_be_called(name):
    """By keywords; nonsense is one sentence, whatever it is."""
    paper, own = name.split(".")
    parameters = inspect.signature(getattr(getattr(theory, paper), own)).parameters
    assert parameters
    for text in ("word", "-1", "1.5", "null", "[1]", "[]", "{}", "true", "1e999"):
        try:
            by_name.evaluate(name, [f"{key}={text}" for key in parameters])
        except FastgcError as problem:
            assert "\n" not in str(problem)
    said = refusal(by_name.evaluate, name, ["nothing_like_it=1"])
    assert said.startswith(f"{name}: ") and "it takes" in said


@pytest.mark.parametrize(("name", "arguments", "value"), [
    ("agc.frc_mean_error", ["n=8", "d=2", "survivors=5"], 6 / 7),
    ("agc.frc_mean_error", ["n=8", "d=2", "p=0.1"], 0.08),
    ("agc.frc_mean_error", ["n=8", "d=2", "survivors=[0, 5, 8]"], [8, 6 / 7, 0]),
    ("literature.circulant_mean_error", ["n=4", "d=2", "survivors=3"], 0.0),
])  # fmt: skip
def test_values(name, arguments, value):
    found = by_name.evaluate(name, arguments)
    assert isinstance(found, list if isinstance(value, list) else float)
    assert found == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(("name", "arguments", "says"), [
    ("agc.frc_mean_eror", [], "unknown closed form 'agc.frc_mean_eror'; did you mean"),
    ("frc_mean_error", [], "unknown closed form 'frc_mean_error'"),
    ("binary.proposition3", [], "binary.proposition3 is a claim and no closed form: see `fastgc"),
    ("agc.frc_mean_error", ["8"], "theory: parameters must be key=value (got '8')"),
    ("agc.frc_mean_error", ["n=8"], "agc.frc_mean_error: missing a required argument: 'd'"),
    ("agc.frc_mean_error", ["n=8", "d=3", "p=0.1"], "frc: d = 3 does not divide n = 8"),
    ("agc.frc_mean_error", ["n=x", "d=2", "p=0.1"], "agc.frc_mean_error: cannot be evaluated"),
])  # fmt: skip
def test_mistakes(name, arguments, says):
    assert refusal(by_name.evaluate, name, arguments).startswith(says)


def test_the_command(command):
    def shown(*arguments):
        code, out, _ = command("help", "theory", *arguments)
        assert not code
        return out

    lines = shown().splitlines()
    assert [line.split()[0] for line in lines if line[0] != " "] == NAMES
    assert "agc.frc_mean_error n d [survivors] [p]" in lines
    listed = " ".join(shown("agc").split())  # whole statements, however their sources break them
    assert "order e is the coefficient of x^r in (1/e) sum_{c|e} mu(e/c) (1+x^(n/c))^c." in listed
    listed = {line.split(".")[0] for line in shown("binary").splitlines() if line[0] != " "}
    assert listed == {"binary"}
    one = shown("agc.frc_mean_error")
    assert one.startswith("agc.frc_mean_error n d [survivors] [p]\n\nMean error")
    assert math.isclose(float(shown("agc.frc_mean_error", "n=8", "d=2", "survivors=5")), 6 / 7)
    code, _, err = command("help", "theory", "agc.frc_mean_eror")
    assert code == 2 and "did you mean 'agc.frc_mean_error'" in err and len(err) < 250
    code, out, err = command("help", "theory", "agc.frc_mean_error", "n=8")
    assert (code, out, len(err.splitlines())) == (2, "", 1)


@pytest.mark.parametrize(("call", "said"), [
    (lambda: agc.frc_mean_error(8, 3, survivors=5), "does not divide"),
    (lambda: agc.frc_mean_error(8, 2), "exactly one"),
    (lambda: agc.frc_mean_error(8, 2, survivors=9), "0 … 8"),
    (lambda: agc.frc_mean_error(8, 2, survivors=2.5), "whole number"),
    (lambda: agc.frc_mean_error(8, 2, p=1.5), "probability"),
    (lambda: agc.frc_mean_error([8, 6], 2, survivors=[1, 2, 3]), "broadcast"),
    (lambda: agc.frc_mean_error_variance(8, 2, 3, 0.3, 0.8, 0.01, "sorted"), "'sorted'"),
    (lambda: agc.circulant_mean_error(24, 3, p=0.1), "n ≤ 20"),
    (lambda: agc.theorem2(8, 3, [0.0] * 9), "n + d must be even"),
    (lambda: agc.cyclic_mean_error([1, -2, 2], 0.1), "add up to 0"),
    (lambda: binary.heterogeneous_loads([2], [1, 2], 1, 4), "one of each"),
    (lambda: codedreduce.decodable_probability(50, 2, 1, 3), "n, layers: got a tree of 2550"),
    (lambda: codedreduce.tree_mean_with_port(3, 1, 1, 0.1, opens="late"), "opens: got 'late'"),
    (lambda: codedreduce.tree_mean_with_port(60, 30, 30, 0.1), "n, layers, s: got 60, 30"),
    (lambda: gcada.selected_bound([], 2.0, 3), "smoothness: empty"),
    (lambda: hierarchical.finishing_mean(3, [4]), "k_1: got 4"),
    (lambda: hierarchical.finishing_mean(3, [1], 1.0, -1.0), "shift: got -1.0"),
    (lambda: literature.graph_errors(literature.edges_of("complete", 7), 7), 'at most 16'),
    (lambda: literature.markov_stationary(0.0, 0.0), "never changes"),
])  # fmt: skip
def test_mistakes_are_named_in_one_sentence(call, said):
    assert said in refusal(call)
