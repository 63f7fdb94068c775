"""Common random numbers between points that differ in who straggles, not only in what decodes."""

import pytest

import fastgc
from suite.studies import descent, groups, race

#: Models of who answers: two of each kind with other probabilities, so that none can pass for
#: another.
CLASSES = {"model": "two-class", "p_straggle_slow": 0.8, "p_straggle_active": 0.05}
MEMORY = {"model": "markov", "p_straggle_after_ok": 0.1}
MODELS = {
    "iid, seldom": {"model": "iid", "p": 0.1},
    "iid, often": {"model": "iid", "p": 0.4},
    "one each": {"model": "iid", "p": [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]},
    "uniform, few": {"model": "uniform", "stragglers": 1},
    "uniform, many": {"model": "uniform", "stragglers": 5},
    "slow, few": CLASSES | {"p_slow": 0.2},
    "slow, many": CLASSES | {"p_slow": 0.7},
    "memory, short": MEMORY | {"p_straggle_after_straggle": 0.2},
    "memory, long": MEMORY | {"p_straggle_after_straggle": 0.9},
}
TRIALS = 20_000


def decoding(name, stragglers):
    more = {"iterations": 2, "shuffle": "random", "measure": ["error", "exact", "survivors"]}
    return groups(8, name=name, stragglers=stragglers, **more)


def sampled(*tables, **more):
    study = {"common_random_numbers": True, "experiment": list(tables)} | more
    return fastgc.run(study, trials=TRIALS, threads=1)


def of(result, name):
    return {
        (row["quantity"], row["statistic"], row["index"]): row
        for row in result.rows()
        if row["experiment"] == name and row["method"] == "monte-carlo"
    }


@pytest.fixture(scope="module")
def together():
    return sampled(*(decoding(name, model) for name, model in MODELS.items()))


@pytest.mark.parametrize("name", MODELS)
def test_each_point_is_what_it_is_alone(together, name):
    alone = sampled(decoding(name, MODELS[name]))
    assert of(alone, name) == of(together, name) != {}


def completion(name, law):
    return race(name=name, latency=law)


def training(name, stragglers):
    return descent(4, 12, 2, 3) | {"name": name, "stragglers": stragglers}


@pytest.mark.parametrize(("make", "one", "other"), [
    (completion, {"distribution": "exponential", "mean": 1.0},
     {"distribution": "weibull", "shape": 0.5, "scale": 1.0}),
    (training, MODELS["iid, seldom"], MODELS["iid, often"]),
], ids=["completion", "training"])  # fmt: skip
def test_other_kinds_share_no_more_than_the_numbers(make, one, other):
    result = sampled(make("a", one), make("b", other))
    rows = [of(result, name) for name in ("a", "b")]
    assert rows[0] and rows[0].keys() == rows[1].keys()
    assert rows[0] != rows[1]
    for name, given, own in (("a", one, rows[0]), ("b", other, rows[1])):
        assert of(sampled(make(name, given)), name) == own


@pytest.mark.parametrize("measure", ["error", "norm", "exact", "amplification", "lost"])
def test_a_ratio_is_that_of_the_means(measure):
    a, b = (decoding(name, MODELS["iid, often"]) | {"measure": [measure]} for name in "ab")
    b["code"] = {"family": "circulant", "n": 8, "d": 3}
    result = sampled(a, b, ratio=[["a", "b"]])
    one, two, ratio = (result[name][measure] for name in ("a", "b", "a/b"))
    quotient = one.mean.value / two.mean.value
    assert ratio.statistic("ratio").value == pytest.approx(quotient, rel=1e-12) != 1


def test_no_ratio_is_taken_of_a_measure_with_many_numbers():
    a, b = (decoding(name, MODELS["iid, often"]) | {"measure": ["survivors"]} for name in "ab")
    found = sampled(a, b, ratio=[["a", "b"]])["a/b"]["survivors"].statistic("ratio")
    assert (found.value, found.note) == (None, "survivors has no number that one trial alone gives")
