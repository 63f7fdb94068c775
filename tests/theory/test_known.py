"""Which closed forms apply: what registers, under which names, and what nobody knows."""

import pytest

from fastgc import theory
from fastgc.registry import members
from fastgc.theory.known import registered

LATENCY = [{"distribution": "exponential", "mean": 1.0}]
IID = {"model": "iid", "p": 0.2}
CODES = (
    ({"family": "uncoded", "n": 4}, "optimal"),
    ({"family": "frc", "n": 4, "d": 2}, "optimal"),
    ({"family": "circulant", "n": 4, "d": 2}, "optimal"),
    ({"family": "binary", "n": 5, "s": 2}, "optimal"),
    ({"family": "binary", "n": 5, "s": 2}, "class"),
    ({"family": "bibd", "name": "fano"}, "optimal"),
    ({"family": "graph", "name": "petersen"}, "optimal"),
    ({"family": "sparse-regular", "n": 6, "d": 2, "seed": 1}, "one-step"),
    ({"family": "bernoulli", "n": 5, "density": 0.5, "seed": "trial"}, "one-step"),
)
SYSTEMS = (
    {"family": "uncoded", "n": 4},
    {"family": "ignore-stragglers", "n": 4, "stragglers": 1},
    {"family": "k-of-n", "n": 4, "k": 2},
    {"family": "gradient-code", "n": 4, "s": 1},
    {"family": "ring-all-reduce", "n": 4},
    {"family": "coded-reduce", "n": 3, "layers": 2, "s": 1},
    {"family": "hierarchical", "n": 4, "k": [3, 2]},
    {"family": "replication", "n": 4, "d": 2},
)


@pytest.mark.parametrize(("code", "decoder"), CODES, ids=str)
def test_codes_of_which_something_is_known(code, decoder):
    experiment = {"code": code, "stragglers": IID, "decoder": decoder}
    forms = theory.closed_forms(experiment | ({"rho": 0.5} if "density" in code else {}))
    assert {"error", "exact"} & {form.quantity for form in forms}


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system["family"])
def test_systems_of_which_something_is_known(system):
    forms = theory.closed_forms({"kind": "completion", "system": system, "latency": LATENCY})
    assert {"load", "time"} <= {form.quantity for form in forms}


@pytest.mark.parametrize(("experiment", "values"), [
    ({"code": {"family": "bibd", "name": "fano"}, "measure": ["error"],
      "stragglers": {"model": "uniform", "stragglers": 3}}, [1.0, 0.0]),
    ({"code": {"family": "binary", "n": 11, "s": 3}, "stragglers": IID, "measure": ["exact"]},
     [0.991429]),
    ({"kind": "completion", "system": {"family": "k-of-n", "n": 20, "k": 16}, "work": 16.0,
      "latency": LATENCY, "measure": ["time"]}, [1.514406]),
    ({"kind": "completion", "system": {"family": "coded-reduce", "n": 12, "layers": 2, "s": 5},
      "work": 6.0, "latency": LATENCY, "measure": ["time"]}, [1.117551, 0.046388]),
    ({"kind": "completion", "system": {"family": "hierarchical", "n": 4, "k": [3, 2]},
      "latency": LATENCY, "measure": ["time"]}, [1.366666667]),
    ({"kind": "training", "selection": {"method": "all", "workers": 12, "batch": 1},
      "latency": [{"distribution": "exponential", "mean": 1e-4}], "iterations": 2,
      "measure": ["time", "uploads"]}, [0, 12, 24, 0, 3.1032e-4, 6.2064e-4]),
], ids=str)  # fmt: skip
def test_known_answers(experiment, values):
    found = [form.value for form in theory.closed_forms(experiment)]
    assert found[: len(values)] == pytest.approx(values, rel=1e-5)


def test_families_are_named_as_in_studies():
    theory.closed_forms({})
    for kind, room in (("decoding", "code"), ("completion", "system")):
        named = {name for known, name, _ in registered._rules if known == kind}
        assert named and named <= set(members(room))


def test_a_family_has_one_rule():
    theory.closed_forms({})
    with pytest.raises(ValueError, match="two rules for completion of replication"):
        registered.system("replication")(lambda experiment, n: None)


def test_nothing_is_known_of_other_kinds_and_families():
    for experiment in (
        {},
        {"kind": "dreaming"},
        {"kind": "completion"},
        {"kind": "completion", "system": {"family": "tower", "n": 3}, "latency": LATENCY},
        {"kind": "training", "selection": {"method": "lottery", "workers": 3}, "iterations": 3},
        {"kind": "training", "selection": None},
    ):
        assert theory.closed_forms(experiment) == []


def test_what_is_infinite_is_left_out():
    pareto = {"distribution": "pareto", "shape": 1.5, "scale": 1.0}
    star = {"kind": "completion", "system": {"family": "uncoded", "n": 3}, "latency": pareto}
    forms = theory.closed_forms(star | {"measure": ["time"]})
    assert [form.statistic for form in forms] == ["mean"]
