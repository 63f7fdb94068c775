"""``fastgc.run``: threads, shards, interruptions and extensions through its own door."""

import pytest

import fastgc
from fastgc.errors import FastgcError
from fastgc.results import store
from fastgc.runs import plan
from suite.checks import every
from suite.files import state
from suite.studies import groups, ring

ASKED = {"measure": ["error", "exact"], "sweep": {"stragglers.p": [0.1, 0.2]}}
STUDY = {
    "title": "rings and groups",
    "seed": 3,
    "stop": {"trials": 3000},
    "experiment": [ring(6, **ASKED), groups(**ASKED)],
}


pytestmark = pytest.mark.usefixtures("small_blocks")


def tallies(path):
    return {unit.key: state(unit) for unit in store.load(path).units}


RING = {key: value for key, value in STUDY["experiment"][0].items() if key != "sweep"}


def test_points_are_independent_of_each_other_and_of_what_is_measured():
    # dropping an experiment, or a point of a sweep, leaves the others' numbers
    whole = fastgc.run(STUDY).rows()
    less = {**STUDY, "experiment": [STUDY["experiment"][1] | {"sweep": {"stragglers.p": [0.2]}}]}
    assert every(row in whole for row in fastgc.run(less).rows())
    few = fastgc.run({"seed": 3, "experiment": [RING]}, trials=500).rows()
    more = RING | {"measure": ["survivors", "error", "exact", "not_accessed"], "thresholds": [1.0]}
    for row in fastgc.run({"seed": 3, "experiment": [more]}, trials=500).rows():
        if row["method"] == "monte-carlo" and row["quantity"] in ("error", "exact"):
            assert row in few or row["statistic"] == "P(>1.0)"


def test_a_file_of_few_trials_extended_beyond_all_patterns_keeps_its_trials(tmp_path, monkeypatch):
    # auto: 50 trials are fewer than the 2⁶ patterns, 1000 are more
    monkeypatch.setattr(plan, "CHEAP_SECONDS", 0.0)
    study = {"experiment": [RING | {"method": "auto", "measure": ["error"]}]}
    assert fastgc.run(study, out=tmp_path / "a.h5", trials=50).stopped_by == "trials"
    result = fastgc.run(study, out=tmp_path / "a.h5", trials=1000)
    assert result["ring"]["error"].statistic("mean", "exact").standard_error == 0
    assert result["ring"]["error"].statistic("mean", "monte-carlo").trials == 1000
    assert fastgc.open(tmp_path / "a.h5").rows() == result.rows()


@pytest.mark.parametrize(("arguments", "said"), [
    ({"threads": 0}, "threads: must be at least 1"),
    ({"trials": 0}, "stop.trials: must be at least 1"),
    ({"seed": -1}, "seed: must be at least 0"),
    ({"method": "guess"}, "method"),
    ({"overrides": ["experiment.rnig.code.n=3"]}, "did you mean 'ring'"),
])  # fmt: skip
def test_mistakes(arguments, said, tmp_path):
    with pytest.raises(FastgcError, match=said):
        fastgc.run(STUDY, out=tmp_path / "a.h5", **arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("shard", [(2, 2), (-1, 2)])
def test_what_is_no_shard(shard):
    with pytest.raises(FastgcError, match="shard: must be i/N"):
        fastgc.runs.Batch(shard=shard)


@pytest.mark.night
def test_points_that_differ_in_their_thresholds_alone_keep_tallies_of_their_own(tmp_path):
    path = tmp_path / "a.h5"
    experiment = STUDY["experiment"][1] | {"sweep": {"thresholds": [[0.5], [0.9, 2.0]]}}
    study = STUDY | {"experiment": [experiment]}
    fastgc.run(study, out=path, trials=1000)
    assert len(tallies(path)) == 2
    extended = fastgc.run(study, out=path)
    assert extended.rows() == fastgc.run(study).rows() == fastgc.open(path).rows()


def test_ratios_of_what_is_known_exactly():
    study = STUDY | {"common_random_numbers": True, "ratio": [["groups", "ring"]]}
    result = fastgc.run(study, method="exact")
    found = [row for row in result.rows() if row["experiment"] == "groups/ring"]
    assert [row["point"]["stragglers.p"] for row in found] == [0.1, 0.2]
    for row in found:
        a, b = (result[name, row["point"]]["error"].mean.value for name in ("groups", "ring"))
        assert row["value"] == a / b
        assert (row["statistic"], row["method"], row["trials"]) == ("ratio", "exact", None)
    # without stragglers there is nothing to be compared
    result = fastgc.run(study | {"experiment": [ring(6, 0.0), groups(6, 0.0)]}, method="exact")
    [row] = [row for row in result.rows() if row["experiment"] == "groups/ring"]
    assert (row["value"], row["note"]) == (None, "the second mean is 0")
