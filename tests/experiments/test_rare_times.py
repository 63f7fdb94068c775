"""Thresholds of completion times that trials never exceed: through studies, files and shards."""

import numpy as np
import pytest

import fastgc
from fastgc.errors import FastgcError
from fastgc.latency import Exponential
from fastgc.systems.timing.laws import tail
from fastgc.systems.timing.stars import Flat

# rounded: the last bit of an exponential is the processor's, and would make another study of it
MEANS = np.exp(np.random.default_rng(2).normal(0.0, 0.5, 30)).round(6).tolist()
EXPONENTIAL = {"distribution": "exponential", "mean": 1.0}
UNLIKE = [{"distribution": "exponential", "mean": mean} for mean in MEANS]
STAR = {
    "kind": "completion",
    "system": {"family": "k-of-n", "n": 30, "k": 24, "load": 1.0},
    "latency": UNLIKE,
    "port": {"receive": 0.01},
    "thresholds": [1.0, 5.0, 9.0],
}


def rows(result, method):
    return {row["statistic"]: row for row in result.rows() if row["method"] == method}


def study(**more):
    return {"seed": 7, "stop": {"trials": 4096}, "experiment": [STAR | more]}


@pytest.mark.night
def test_the_sharpest_method_is_taken_for_each_threshold():
    result = fastgc.run(study())
    union, plain = rows(result, "union-sampling"), rows(result, "monte-carlo")
    # what is exceeded in most trials is left to them
    assert list(union) == ["P(>5.0)", "P(>9.0)"]
    assert {"mean", "variance", "P(>1.0)", "P(>5.0)"} <= set(plain)
    for statistic, row in union.items():
        assert 0 < row["low"] <= row["value"] <= row["high"] < 1
        assert row["high"] - row["low"] < 0.05 * row["value"]
        assert plain[statistic]["low"] <= row["high"] and row["low"] <= plain[statistic]["high"]
    assert union["P(>9.0)"]["value"] < 1e-6
    # where a number has several rows, the sharpest is taken
    assert result["experiment1"]["time"].above(9.0).value == union["P(>9.0)"]["value"]


@pytest.mark.night
def test_few_unlike_workers_are_counted_and_means_go_on_by_trials():
    few = {"system": STAR["system"] | {"n": 20, "k": 15}, "latency": UNLIKE[:20]}
    result = fastgc.run(study(**few))
    exact, plain = rows(result, "exact"), rows(result, "monte-carlo")
    assert list(exact) == ["P(>1.0)", "P(>5.0)", "P(>9.0)"]
    assert {"mean", "variance", "P(>1.0)"} <= set(plain)
    times = [Exponential(mean=mean).time() for mean in MEANS[:20]]
    known = tail(Flat(20, 15), times, 0.01)
    for threshold in STAR["thresholds"]:
        assert exact[f"P(>{threshold})"]["value"] == float(known.survival(threshold))


def test_another_seed_or_another_system_draws_anew():
    first = rows(fastgc.run(study(method="rare")), "union-sampling")
    again = rows(fastgc.run(study(method="rare") | {"seed": 8}), "union-sampling")
    for name in ("P(>5.0)", "P(>9.0)"):
        assert first[name]["value"] != again[name]["value"]


def test_stragglers_and_waiting_have_tails_too():
    more = {
        "stragglers": {"model": "iid", "p": 0.05},
        "measure": ["time", "waiting"],
        "thresholds": [5.0, 12.0],
        "method": "rare",
    }
    result = fastgc.run(study(**more))
    time, waiting = result["experiment1"]["time"], result["experiment1"]["waiting"]
    for threshold in (5.0, 12.0):
        # the port is busy for 24 · 0.01 s
        low, high = waiting.above(threshold).interval()
        assert low <= time.above(threshold).interval()[1]
        assert high < time.above(threshold).value * 1.01
    plain = fastgc.run(study(**more | {"method": "monte-carlo"}))["experiment1"]["time"]
    low, high = plain.above(5.0).interval()
    assert low <= time.above(5.0).value <= high


def test_what_has_no_method_for_rare_times_says_so():
    groups = {"system": {"family": "replication", "n": 30, "d": 3}, "method": "rare"}
    for more in (groups, {"thresholds": [], "method": "rare"}):
        with pytest.raises(FastgcError, match='"rare" is for thresholds of time or waiting'):
            fastgc.run(study(**more))
    assert not rows(fastgc.run(study(**groups | {"method": "auto"})), "union-sampling")
