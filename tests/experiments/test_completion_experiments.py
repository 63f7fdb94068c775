"""Completion experiments end to end: methods against each other, measures, common draws."""

import math
from itertools import product

import numpy as np
import pytest

import fastgc
from fastgc.draws.streams import Trials
from fastgc.errors import FastgcError
from fastgc.experiments.completion.exact_times import CompletionLaws
from fastgc.study.study import Study
from suite.raw_samples import raw_samples

EXPONENTIAL = {"distribution": "exponential", "mean": 1.0}
SYSTEMS = {
    "uncoded": {"family": "uncoded", "n": 6},
    "ignore": {"family": "ignore-stragglers", "n": 6, "stragglers": 2},
    "k-of-n": {"family": "k-of-n", "n": 6, "k": 4},
    "gc": {"family": "gradient-code", "n": 6, "s": 2},
    "replication": {"family": "replication", "n": 6, "d": 2},
    "ring": {"family": "ring-all-reduce", "n": 6},
    "layers": {"family": "hierarchical", "n": 6, "k": [5, 3, 0, 1]},
    "fresh": {"family": "hierarchical", "n": 4, "k": [3, 2], "draws": "task"},
    "tree": {"family": "coded-reduce", "n": 3, "layers": 2, "s": 1},
    "parents": {"family": "coded-reduce", "parents": [0, 0, 0, 1, 1, 2, 2, 2], "s": 1},
}
HEAVY = {"distribution": "pareto", "shape": 0.8, "scale": 1.0}
LAWS = {
    "exponential": {"distribution": "exponential", "mean": 1.0, "shift": 0.5},
    "weibull": {"distribution": "weibull", "shape": 0.7, "scale": 1.0},
    "uniform": {"distribution": "uniform", "low": 1.0, "high": 3.0},
    "gamma": {"distribution": "gamma", "shape": 2.5, "scale": 0.5},
    "bimodal": {
        "distribution": "bimodal",
        "p_slow": 0.2,
        "fast": {"distribution": "exponential", "mean": 1.0},
        "slow": {"distribution": "deterministic", "value": 4.0},
    },
}


def run(experiment, **changes):
    given = {"kind": "completion", "latency": EXPONENTIAL} | experiment
    return fastgc.run({"stop": {"trials": 100_000}, "experiment": [given]}, **changes)


def rows(result):
    return {(r["quantity"], r["statistic"], r["method"]): r for r in result.rows()}


def agree(found, quantity, statistic, sigmas=4.5):
    """4.5 standard errors: 7e-6 false alarms a comparison; some 300 here."""
    exact = found[quantity, statistic, "exact"]["value"]
    measured = found[quantity, statistic, "monte-carlo"]
    error = measured["standard_error"] or 0.0
    if statistic.startswith("P("):  # a rare event that was not seen has no error of its own
        error = math.sqrt(exact * (1 - exact) / measured["trials"]) + 1 / measured["trials"]
    slack = sigmas * error + 1e-9 * abs(exact)
    assert abs(measured["value"] - exact) <= slack, (quantity, statistic, exact, measured)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("law", LAWS)
def test_methods_agree_without_a_port(system, law):
    if system == "fresh" and law not in ("exponential", "gamma"):
        with pytest.raises(FastgcError, match="no exact law"):
            run({"system": SYSTEMS[system], "latency": LAWS[law], "method": "exact"})
        return
    table = {"system": SYSTEMS[system], "latency": LAWS[law], "method": "both"}
    found = rows(run(table | {"work": 3.0, "thresholds": [2.0]}, trials=20_000))
    for statistic in ("mean", "variance", "P(>2.0)"):
        agree(found, "time", statistic)


@pytest.mark.parametrize("system", ["uncoded", "gc", "ring", "tree", "parents"])
@pytest.mark.parametrize("law", ["exponential", "gamma"])
def test_methods_agree_with_a_port(system, law):
    table = {"system": SYSTEMS[system], "latency": LAWS[law], "method": "both"}
    table |= {"port": {"receive": 0.3}, "measure": ["time", "waiting"]}
    found = rows(run(table, trials=20_000))
    for quantity, statistic in product(("time", "waiting"), ("mean", "variance")):
        agree(found, quantity, statistic)


def test_stragglers_make_time_conditional():
    table = {"system": SYSTEMS["gc"], "stragglers": {"model": "iid", "p": 0.3}, "method": "both"}
    table |= {"measure": ["time", "decodable"], "thresholds": [0.5], "quantiles": [0.5]}
    found = rows(run(table))
    alive = [math.comb(6, k) * 0.7**k * 0.3 ** (6 - k) for k in range(7)]
    assert found["decodable", "mean", "exact"]["value"] == pytest.approx(sum(alive[4:]))
    agree(found, "decodable", "mean")
    for statistic in ("mean", "variance", "P(>0.5)"):
        agree(found, "time", statistic)
    median = found["time", "quantile(0.5)", "monte-carlo"]
    assert median["low"] <= found["time", "quantile(0.5)", "exact"]["value"] <= median["high"]


def test_no_mean_is_said_and_quantiles_are_still_given():
    table = {"system": {"family": "uncoded", "n": 4}, "latency": HEAVY, "method": "both"}
    found = rows(run(table | {"quantiles": [0.5]}))
    for method in ("exact", "monte-carlo"):
        for statistic in ("mean", "variance"):
            row = found["time", statistic, method]
            assert row["value"] is None
            assert row["note"] == "infinite"
    median = found["time", "quantile(0.5)", "monte-carlo"]
    assert median["low"] <= found["time", "quantile(0.5)", "exact"]["value"] <= median["high"]


def test_redundancy_makes_a_mean_finite_but_not_its_variance():
    system = {"family": "k-of-n", "n": 4, "k": 3}
    found = rows(run({"system": system, "latency": HEAVY, "method": "both"}))
    exact, measured = (found["time", "mean", m] for m in ("exact", "monte-carlo"))
    assert exact["value"] is not None
    assert measured["standard_error"] is None
    assert "variance is infinite" in measured["note"]
    assert found["time", "variance", "exact"]["note"] == "infinite"


def ratio(one, other, latency, trials):
    table = {"kind": "completion", "latency": latency}
    tables = [table | {"name": name, "system": own} for name, own in (("a", one), ("b", other))]
    study = {"common_random_numbers": True, "ratio": [["a", "b"]], "experiment": tables}
    [row] = [r for r in fastgc.run(study, trials=trials).rows() if r["experiment"] == "a/b"]
    return row


def test_common_random_numbers_give_ratios():
    tree = {"family": "coded-reduce", "n": 3, "layers": 2, "s": 1}
    star = {"family": "gradient-code", "n": 12, "s": 4}
    row = ratio(star, tree, EXPONENTIAL, 50_000)
    exact = [rows(run({"system": system, "method": "exact"})) for system in (star, tree)]
    one, other = (found["time", "mean", "exact"]["value"] for found in exact)
    assert abs(row["value"] - one / other) <= 4.5 * row["standard_error"]
    assert (row["quantity"], row["trials"]) == ("time", 50_000)


def test_a_ratio_of_an_infinite_mean_says_so():
    row = ratio({"family": "uncoded", "n": 4}, {"family": "k-of-n", "n": 4, "k": 3}, HEAVY, 1000)
    assert (row["value"], row["note"]) == (None, "infinite")


@pytest.mark.parametrize("system", [
    {"family": "k-of-n", "n": 3, "k": 2, "load": 1.0},
    {"family": "clones", "n": 1, "r": 3, "after": 0.5},
    {"family": "local-sgd", "n": 3, "period": 2},
    {"family": "drop-late", "n": 3, "deadline": 0.7},
], ids=lambda system: system["family"])  # fmt: skip
def test_seconds_of_work_of_recorded_rounds(system):
    """Exact for rows, sampled as the same mean; of a law they are sampled alone."""
    files = {"times.csv": "a,b,c\n1.0,2.0,4.0\n3.0,1.5,0.9\n2.5,1.0,1.2\n"}
    latency = {"distribution": "empirical", "file": "times.csv", "order": "replay"}
    table = {"kind": "completion", "system": system, "latency": latency, "iterations": 3}
    table |= {"measure": ["worker_seconds"], "method": "both", "thresholds": [2.0]}
    study = {"experiment": [table], "files": files, "stop": {"trials": 30_000}}
    found = rows(fastgc.run(study))
    scenario = Study.parse(study).points()[0].table.compiled.scenario
    times = scenario.times_of_rows()
    worked = scenario.structure.worked(times, scenario.evaluator.done(times))
    exact = found["worker_seconds", "mean", "exact"]["value"]
    assert exact == pytest.approx(worked.mean())
    agree(found, "worker_seconds", "mean")
    agree(found, "worker_seconds", "P(>2.0)")
    with pytest.raises(FastgcError, match="not known for worker_seconds"):
        run({"system": system, "latency": EXPONENTIAL, "method": "exact",
             "measure": ["worker_seconds"]})  # fmt: skip


def test_systems_on_common_draws_see_the_same_workers():
    """Waiting for fewer of the same workers never takes longer, trial by trial."""
    times = []
    for k in (2, 3, 4):
        system = {"family": "k-of-n", "n": 4, "k": k, "load": 1.0}
        study = Study.parse({"kind": "completion", "system": system, "latency": EXPONENTIAL})
        sampler = study.points()[0].table.compiled
        batch = Trials(1, "common", 0, 16, 1)
        times.append(sampler.firsts(sampler.evaluate(batch, 1000, {}, keep=False)))
    assert (times[0] < times[1]).all() and (times[1] < times[2]).all()


def test_replay_draws_the_trial_that_was_sampled():
    study = {"kind": "completion", "system": SYSTEMS["tree"], "latency": LAWS["gamma"]}
    study["method"] = "monte-carlo"
    kept = raw_samples(study, 200)["time"]
    assert kept.shape == (200, 1)
    for trial in (0, 63, 64, 199):
        found = fastgc.runs.replay(study, trial=trial)
        assert found["iterations"][0]["time"] == kept[trial, 0]
        assert len(found["iterations"][0]["workers"]) == 12


def test_rows_of_a_trace_keep_what_workers_do_together(tmp_path):
    trace = tmp_path / "trace.csv"
    trace.write_text("a,b,c\n1,1,1\n2,2,2\n9,9,9\n")
    law = {"distribution": "empirical", "file": str(trace), "order": "rows"}
    table = {"system": {"family": "uncoded", "n": 3, "load": 1.0}, "latency": law}
    found = rows(run(table | {"method": "both"}))
    assert found["time", "mean", "exact"]["value"] == 4.0
    agree(found, "time", "mean")
    replayed = law | {"order": "replay"}
    sampled = run(table | {"latency": replayed, "iterations": 3}, method="monte-carlo", trials=64)
    # three rows in order, from any start, are all three: every trial has the same mean
    assert sampled["experiment1"]["time"].mean.standard_error == 0.0


@pytest.mark.parametrize(("change", "said"), [
    ({"system": {"family": "k-of-n", "n": 4, "k": 5}}, "k"),
    ({"latency": [EXPONENTIAL] * 3}, "one per worker"),
    ({"stragglers": {"model": "iid", "p": [0.1, 0.2]}}, "one per worker"),
    ({"stragglers": {"model": "adversarial", "stragglers": 1}}, "never answers"),
    ({"measure": ["time", "time"]}, "each measure once"),
    ({"scaling": "additive", "work": 0.5}, "integer"),
    ({"send": EXPONENTIAL}, "send: unknown key"),
    ({"system": {"family": "gradient-code", "n": 4, "s": 1, "m": 2}}, "system.m: unknown key"),
])  # fmt: skip
def test_mistakes_are_said_in_a_sentence(change, said):
    table = {"system": {"family": "uncoded", "n": 4}} | change
    with pytest.raises(FastgcError, match=said):
        run(table)


def test_a_measure_that_no_method_knows_is_not_taken_for_the_time():
    given = {"kind": "completion", "system": SYSTEMS["k-of-n"], "latency": EXPONENTIAL}
    compiled = Study.parse(given).points()[0].compiled
    laws = CompletionLaws(compiled.scenario, compiled.table)
    assert laws._law_of("time")
    with pytest.raises(FastgcError, match="of more no law is known"):
        laws._law_of("more")


@pytest.mark.parametrize("order", ["rows", "replay"])
@pytest.mark.parametrize("more", [{}, {"iterations": 3, "between_rounds": "finish"}])
def test_the_mean_of_recorded_rounds_is_no_less_than_the_fastest(tmp_path, order, more):
    rows = 55.0 + np.random.default_rng(2).gamma(1.0, 5.0, (120, 8))
    rows[:3] += 4000.0  # few large values: their interval alone would begin near 0
    trace = tmp_path / "trace.csv"
    np.savetxt(trace, rows, delimiter=",", header=",".join("abcdefgh"), comments="")
    study = {
        "system": {"family": "gradient-code", "n": 8, "s": 1, "load": 1.0},
        "latency": {"distribution": "empirical", "file": str(trace), "order": order},
        "method": "monte-carlo",
    }
    for trials in (10, 30, 60):
        mean = fastgc.run(study | more, trials=trials)["experiment1"]["time"].mean
        assert mean.interval(0.9999)[0] >= rows.min() >= 55.0
        assert mean.low <= mean.value <= mean.high


def test_a_rare_atom_does_not_turn_a_mean_negative():
    law = {"distribution": "bimodal", "p_slow": 1e-6}
    law |= {"fast": {"distribution": "deterministic", "value": 1.0}}
    law |= {"slow": {"distribution": "deterministic", "value": 1e6}}
    table = {"system": {"family": "uncoded", "n": 30, "load": 1.0}, "latency": law}
    found = rows(run(table | {"port": {"receive": 0.001}, "method": "exact"}))
    late = -math.expm1(30 * math.log1p(-1e-6))
    least = 1.03 * (1 - late) + 1e6 * late
    assert least <= found["time", "mean", "exact"]["value"] <= least + 0.03
