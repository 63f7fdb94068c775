"""Rows in a file: their units, statistic by statistic, and their order, that of the study."""

import h5py
import pytest

import fastgc
from fastgc.results import store
from fastgc.results.frames import identifier
from fastgc.results.rows import with_all_keys
from suite.studies import descent, race, ring

DECODING = ring(
    method="both",
    iterations=3,
    measure=["error", "error_by_survivors", "error_lag", "exact", "not_accessed"],
    quantiles=[0.5],
    thresholds=[1.0],
)
CLOCKED = {
    "latency": {"distribution": "exponential", "mean": 1.0}, "quantiles": [0.5], "thresholds": [1.0]
}  # fmt: skip
COMPLETION = race(name="done", method="both", measure=["time", "load", "waiting"]) | CLOCKED
TRAINING = descent(4, 20, 2, 3) | CLOCKED
TRAINING |= {"measure": ["time", "loss", "time_to_loss"], "target_loss": 0.5}
#: Units of statistics of experiments.
UNITS = {
    "ring/error mean exact": "partitions",
    "ring/error quantile(0.5) monte-carlo": "partitions",
    "ring/error variance monte-carlo low": "partitions^2",
    "ring/error_lag mean monte-carlo": "partitions^2",
    "ring/error P(>1.0) monte-carlo": "1",
    "ring/exact mean exact": "1",
    "ring/not_accessed variance monte-carlo": "iterations^2",
    "done/time mean closed-form": "seconds",
    "done/time maximum monte-carlo": "seconds",
    "done/time variance monte-carlo standard_error": "seconds^2",
    "done/time P(>1.0) exact": "1",
    "done/waiting variance exact": "seconds^2",
    "descent/loss variance monte-carlo": "1",
    "descent/time mean monte-carlo": "seconds",
    "descent/time_to_loss quantile(0.5) monte-carlo": "seconds",
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    path = tmp_path_factory.mktemp("kept") / "a.h5"
    result = fastgc.run(
        {"experiment": [DECODING, COMPLETION, TRAINING]}, out=path, trials=300, threads=1
    )
    return path, result


def stored(name):
    experiment, words = name.split("/")
    return f"{experiment}/{identifier(words)}"


def test_every_statistic_has_the_unit_of_what_it_is(kept):
    path, result = kept
    with h5py.File(path) as file:
        found = {name: file[f"results/{stored(name)}"].attrs["units"] for name in UNITS}
    assert found == {name: unit.replace("seconds", "s") for name, unit in UNITS.items()}
    for row in result.rows():
        name = f"{row['experiment']}/{row['quantity']} {row['statistic']} {row['method']}"
        assert row["unit"] == UNITS.get(name, row["unit"])


def test_a_ratio_has_no_unit():
    other = COMPLETION | {"name": "other", "system": {"family": "uncoded", "n": 4}}
    study = {"experiment": [COMPLETION, other], "ratio": [["done", "other"]]}
    rows = fastgc.run(study | {"common_random_numbers": True}, trials=100).rows()
    ratios = [row for row in rows if row["experiment"] == "done/other"]
    assert {row["method"] for row in ratios} == {"exact", "monte-carlo"}
    assert {(row["statistic"], row["unit"]) for row in ratios} == {("ratio", "1")}


@pytest.mark.night
@pytest.mark.parametrize("common", [False, True])
def test_rows_stand_in_the_order_of_the_study(tmp_path, common):
    sampled = DECODING | {"name": "z", "method": "monte-carlo", "measure": ["error"]}
    sampled["sweep"] = {"stragglers.p": [0.3, 0.1, 0.2]}
    both = sampled | {"name": "m", "method": "both"}
    exact = sampled | {"name": "a", "method": "exact", "sweep": {"stragglers.p": [0.2, 0.1]}}
    closed = sampled | {"name": "b", "code": {"family": "frc", "n": 4, "d": 2}}
    study = {
        "experiment": [sampled, both, exact, closed],
        "ratio": [["m", "z"], ["b", "z"]],
        "common_random_numbers": common,
    }
    if not common:
        del study["ratio"]
    path = tmp_path / "a.h5"
    result = fastgc.run(study, out=path, trials=200, threads=1)
    seen = [(row["experiment"], row["point"]["stragglers.p"]) for row in result.rows()]
    order = [(name, p) for name in "zm" for p in (0.3, 0.1, 0.2)] + [("a", 0.2), ("a", 0.1)]
    ratios = ["m/z", "b/z"] * common
    order += [(name, p) for name in ["b", *ratios] for p in (0.3, 0.1, 0.2)]
    assert seen == sorted(seen, key=order.index), "a point's rows stand together"
    assert list(dict.fromkeys(seen)) == order
    methods = [row["method"] for row in result.rows() if row["experiment"] == "b"]
    assert {"monte-carlo", "closed-form"} <= set(methods)
    with h5py.File(path) as file:
        grid = file["results/z/stragglers_p"][()].tolist()
    assert grid == [0.3, 0.1, 0.2]
    kept = list(map(with_all_keys, store.load(path).rows))
    assert fastgc.open(path).rows() == kept == result.rows()
