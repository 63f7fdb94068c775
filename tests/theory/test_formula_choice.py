"""Which closed forms apply: what registers, under which names, and what has none."""

import pytest

import fastgc
from fastgc import theory
from suite.checks import a_third_by_day

LATENCY = [{"distribution": "exponential", "mean": 1.0}]
IID = {"model": "iid", "p": 0.2}
SYSTEMS = (
    {"family": "uncoded", "n": 4},
    {"family": "ignore-stragglers", "n": 4, "stragglers": 1},
    {"family": "k-of-n", "n": 4, "k": 2},
    {"family": "gradient-code", "n": 4, "s": 1},
    {"family": "ring-all-reduce", "n": 4},
    {"family": "coded-reduce", "n": 3, "layers": 2, "s": 1},
    {"family": "coded-reduce", "n": 3, "layers": 2, "s": 1, "load": 0.1},
    {"family": "hierarchical", "n": 4, "k": [3, 2]},
    {"family": "bounded-wait", "n": 4, "k": 3},
    {"family": "spare", "n": 4, "b": 1},
)
CHAIN = {"model": "markov", "p_straggle_after_ok": 0.1, "p_straggle_after_straggle": 0.6}
LATE = {"p_straggle_slow": 0.8, "p_straggle_active": 0.1}
CLASSES = {"model": "two-class", "p_slow": 0.3, **LATE}
DEADLINE = {
    "model": "deadline",
    "deadline": 1.0,
    "work": 3.0,
    "latency": {"distribution": "exponential", "mean": 1.5, "shift": 0.1},
}


def agreed(experiment, rel=1e-9, abs=1e-12):
    """Closed forms of an experiment, each of which is what the exact method finds."""
    exact = {
        (row["quantity"], row["statistic"], row["index"]): row["value"]
        for row in fastgc.run(experiment | {"method": "exact"}).rows()
        if row["method"] == "exact"
    }
    forms = theory.closed_forms(experiment)
    assert len({(form.quantity, form.statistic, form.index) for form in forms}) == len(forms)
    assert {form.claim for form in forms} - {None} <= {claim.id for claim in theory.claims()}
    for form in forms:
        value = exact[form.quantity, form.statistic, form.index]
        assert form.value == pytest.approx(value, rel=rel, abs=abs), form
    return forms


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: "-".join(map(str, system.values())))
def test_closed_forms_of_systems_are_what_the_exact_method_finds(system):
    law = {"distribution": "exponential", "mean": 1.5, "shift": 0.3}
    experiment = {"kind": "completion", "system": system, "latency": law, "work": 2.5}
    is_star = system["family"] not in ("coded-reduce", "hierarchical")
    experiment["measure"] = ["time", "load", "messages"] if is_star else ["time", "load"]
    forms = agreed(experiment, rel=1e-8, abs=0.0)
    assert {form.quantity for form in forms} == set(experiment["measure"])
    if is_star:
        forms = agreed(experiment | {"port": {"receive": 1.0}}, rel=1e-8, abs=0.0)
        assert any(form.quantity == "time" for form in forms) == ("ring" in system["family"])
    late = theory.closed_forms(experiment | {"stragglers": IID})
    assert {form.quantity for form in late} == {"load"}


CODES = (
    {"family": "frc", "n": 4, "d": 2}, {"family": "frc", "n": 6, "d": 3},
    {"family": "frc", "n": 3, "d": 3}, {"family": "uncoded", "n": 4},
    *({"family": "circulant", "n": n, "d": 2} for n in (3, 5, 6)),
)  # fmt: skip
STRAGGLERS = (
    *({"model": "iid", "p": p} for p in (0.3, 0, 1.0)),
    *({"model": "uniform", "stragglers": s} for s in (0, 2, 3)),
    CLASSES, {"model": "two-class", "slow": 2, **LATE}, CHAIN,
)  # fmt: skip
TRIALS = (("none", 1), ("none", 4), ("random", 4), ("cyclic", 4))


@pytest.mark.parametrize("code", a_third_by_day(CODES), ids=str)
@pytest.mark.parametrize("stragglers", STRAGGLERS, ids=str)
def test_closed_forms_of_trials_are_what_the_exact_method_finds(code, stragglers):
    wanted = {"error", "mean_error", "exact", "survivors", "not_accessed"}
    more = ["error_per_partition", "error_by_survivors", "lost", "error_lag"]
    own = {"code": code, "stragglers": stragglers, "measure": [*wanted, *more]}
    for shuffle, iterations in TRIALS:
        forms = agreed(own | {"shuffle": shuffle, "iterations": iterations})
        assert wanted <= {form.quantity for form in forms}
        if stragglers is CLASSES and code["family"] != "circulant":
            lags = [form.index for form in forms if form.quantity == "error_lag"]
            assert lags == list(range(iterations))


@pytest.mark.parametrize("code", [
    {"family": "graph", "name": "petersen"}, {"family": "circulant", "n": 7, "d": 2},
    *({"family": "binary", "n": n, "s": s} for n, s in ((8, 2), (8, 3), (7, 0))),
], ids=str)  # fmt: skip
@pytest.mark.parametrize("stragglers", [
    IID, {"model": "uniform", "stragglers": 2}, {"model": "two-class", "slow": 3, **LATE},
], ids=lambda table: table["model"])  # fmt: skip
@pytest.mark.parametrize("decoder", ["optimal", "class"])
def test_closed_forms_of_codes_are_what_the_exact_method_finds(code, stragglers, decoder):
    experiment = {"code": code, "stragglers": stragglers, "decoder": decoder}
    experiment["measure"] = ["error", "exact"]
    if code["family"] == "binary" or decoder == "optimal":
        assert agreed(experiment) or "slow" in stragglers
    else:
        assert not theory.closed_forms(experiment)


FRC = {"code": {"family": "frc", "n": 8, "d": 2}, "stragglers": IID, "measure": ["error", "exact"]}
BINARY = {"code": {"family": "binary", "n": 8, "s": 2}, "stragglers": IID, "measure": ["exact"]}
TWO_CLASS = {"model": "two-class", "p_straggle_slow": 0.8, "p_straggle_active": 0.01}


@pytest.mark.parametrize("experiment", [
    {}, {"kind": "dreaming"}, {"kind": "completion"},
    {"kind": "completion", "system": {"family": "tower", "n": 3}, "latency": LATENCY},
    {"kind": "training", "selection": {"method": "lottery", "workers": 3}, "iterations": 3},
    *({"code": code, "stragglers": IID} for code in (
        {"family": "cyclic", "n": 6, "d": 2, "seed": 1}, {"family": "matrix"}, {},
    )),
    {"kind": "completion", "system": SYSTEMS[0], "latency": [{"distribution": "weibull"}],
     "measure": ["time"]},
    *(FRC | change for change in (
        {"code": {"family": "binary", "n": 11, "s": 3}, "measure": ["error"]},
        {"code": {"family": "circulant", "n": 8, "d": 3}},
        {"stragglers": {"model": "iid", "p": [0.1] * 8}},
        {"stragglers": TWO_CLASS | {"slow": [0], "p_slow": None}},
        {"stragglers": CHAIN | {"p_straggle_after_ok": 0, "p_straggle_after_straggle": 1}},
        {"stragglers": DEADLINE},
    )),
    *(BINARY | change for change in (
        {"kind": "completion"}, {"decoder": "one-step"},
        {"code": {"family": "frc", "n": 8, "d": 2}, "decoder": "class"},
        {"stragglers": {"model": "iid", "p": [0.1] * 8}}, {"measure": ["amplification"]},
    )),
], ids=str)  # fmt: skip
def test_of_what_nothing_is_known(experiment):
    assert theory.closed_forms(experiment) == []
    assert theory.closed_forms(FRC) and theory.closed_forms(BINARY)


def forms(system, **more):
    law = {"distribution": "exponential", "mean": 2.0, "shift": 1.0}
    table = {"kind": "completion", "system": system, "latency": [law], "work": 15.0, **more}
    found = theory.closed_forms(table)
    assert {form.claim for form in found} - {None} <= {claim.id for claim in theory.claims()}
    assert len({(form.quantity, form.statistic) for form in found}) == len(found)
    return {(form.quantity, form.statistic): form.value for form in found}


def test_where_no_formula_knows_the_time_the_load_is_known():
    tree = {"family": "coded-reduce", "n": 3, "layers": 2, "s": 1}
    layers = {"family": "hierarchical", "n": 4, "k": [3, 2]}
    for system, load in ((tree, 4 / 15), (layers, 0.4)):
        for more in (
            {"stragglers": {"model": "markov"}},
            {"port": {"receive": 0.1, "opens": "start"}},
            {"latency": [{"distribution": "gamma", "shape": 2.0, "scale": 1.0}]},
            {"latency": LATENCY * 2},
            {"scaling": "additive"},
        ):
            assert forms(system, **more) == {("load", "mean"): load}
    assert set(forms(layers | {"draws": "task"})) == {("load", "mean")}
    assert forms(layers | {"load": 0.2})["load", "mean"] == 0.4
    assert forms({"family": "coded-reduce", "parents": [0, 0, 1, 1, 2, 2], "s": 1}) == {}
    assert forms({"family": "hierarchical", "n": 4, "layers": 2, "tasks": 5, "k": None}) == {}


def test_closed_forms_of_a_million_workers_come_at_once() -> None:
    """Only what is measured is made: a value for each partition would be a million forms."""
    forms = theory.closed_forms(FRC | {"code": {"family": "frc", "n": 10**6, "d": 2}})
    found = [(form.quantity, form.statistic) for form in forms]
    assert found == [("error", "mean"), ("error", "variance"), ("exact", "mean")]
    assert forms[0].value == pytest.approx(40000.0, rel=1e-12)
