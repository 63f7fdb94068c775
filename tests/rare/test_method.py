"""The ladder to rare events: every rung against a probability that is known."""

import itertools
import math

import numpy as np
import pytest

import fastgc
from fastgc import codes
from fastgc.codes.matrix import code_given
from fastgc.decoding.decoder import Decoder
from fastgc.errors import FastgcError
from fastgc.experiments.decoding import rare as rare_method
from fastgc.experiments.decoding.rare import by_products, is_convolved, least_stragglers
from fastgc.experiments.methods import RareRequest
from fastgc.results.rows import ENUMERATION_BOUNDS, EXACT
from fastgc.study.study import Study
from fastgc.theory import binary
from suite.checks import close

FRC = {"family": "frc", "n": 24, "d": 3}


def run(code, stragglers, trials=4000, **more):
    return fastgc.run({"code": code, "stragglers": stragglers} | more, trials=trials)


def iid(p):
    return {"model": "iid", "p": p}


def point(code, stragglers, **more):
    [found] = Study.parse({"code": code, "stragglers": stragglers} | more).points()
    return found


def row_of(result, quantity, statistic, method):
    own = [row for row in result.rows() if row["method"] == method]
    [row] = [row for row in own if (row["quantity"], row["statistic"]) == (quantity, statistic)]
    return row


ALL = [
    ({"family": "sparse-regular", "n": 12, "d": 3, "seed": 2}, 2.0),
    ({"family": "cyclic", "n": 12, "d": 4, "seed": 1}, 0.5),
    ({"family": "graph", "name": "petersen"}, 1.0),
]


@pytest.mark.parametrize("p", [0.01, [0.001 * (j + 1) for j in range(15)]], ids=["alike", "unlike"])
@pytest.mark.parametrize(("code", "threshold"), ALL)
def test_bounds_of_any_code_hold_what_all_patterns_give(code, threshold, p):
    """With all sets of up to three stragglers, and with all sets there are."""
    made = code_given(code)
    p = p if isinstance(p, float) else p[: made.n]
    errors, probabilities = Decoder(made).errors_of_all_patterns(), np.ones(1)
    for q in np.broadcast_to(p, made.n):
        probabilities = np.concatenate([probabilities * q, probabilities * (1 - q)])
    truth = probabilities[errors > threshold + 1e-9].sum()
    asked = {"method": "rare", "thresholds": [threshold], "stop": {"relative_error": 1e-12}}
    whole = row_of(run(code, iid(p), **asked), "error", f"P(>{threshold!r})", ENUMERATION_BOUNDS)
    assert whole["value"] == close(truth, rel=1e-9)
    few = sum(math.comb(made.n, s) for s in range(4))
    method = point(code, iid(p), thresholds=[threshold]).compiled.rare_method
    found = method._enumerated(threshold + 1e-9, 0, few, 0.0)
    low, high = found.interval()
    assert low <= truth <= high and low < high and "all sets of up to 3 stragglers" in found.note


def test_few_stragglers_are_enumerated_with_a_remainder():
    result = run({"family": "binary", "n": 31, "s": 2}, iid(1e-4), method="rare", measure=["exact"])
    row = row_of(result, "exact", "mean", ENUMERATION_BOUNDS)
    truth = 1 - binary.exact_probability(31, 2, p=1e-4)
    assert 1 - row["high"] <= truth <= 1 - row["low"] < 1.04 * (1 - row["high"])
    assert row["standard_error"] is None and row["trials"] is None
    assert "all sets of up to 3 stragglers" in row["note"]


@pytest.mark.parametrize(("code", "limit", "least"), [
    (codes.frc(n=12, d=3), 0.0, 3), (codes.frc(n=12, d=3), 3.0, 6),
    (codes.frc(n=12, d=3), 12.0, 12), (codes.binary(n=13, s=2), 0.0, 3),
    (codes.sparse_regular(n=14, d=3, seed=2), 2.0, 1),
])  # fmt: skip
def test_no_fewer_stragglers_have_the_event(code, limit, least):
    assert least_stragglers(code, limit, 0.0) == least


@pytest.mark.night
def test_auto_takes_them_where_plain_sampling_sees_too_little():
    code = {"family": "sparse-regular", "n": 30, "d": 3, "seed": 1}
    rare = run(code, iid(0.02), measure=["error"], thresholds=[0.01, 3.0])
    events = {row["statistic"] for row in rare.rows() if row["method"] != "monte-carlo"}
    assert {event for event in events if event[0] == "P"} == {"P(>3.0)"}
    assert rare["experiment1"]["error"].above(3.0).value > 0  # before that of plain sampling
    assert rare["experiment1"]["error"].mean.trials == 4000
    # what theory knows needs no method for rare events, and groups are known exactly
    asked = {"measure": ["exact", "error"], "thresholds": [0.0]}
    known = run({"family": "frc", "n": 200, "d": 8}, iid(0.05), **asked)
    [row] = [row for row in known.rows() if row["method"] == "exact"]
    assert row == row_of(known, "error", "P(>0.0)", EXACT)
    assert row["value"] == close(-math.expm1(25 * math.log1p(-(0.05**8))), rel=1e-12)
    # codes that take too long are left alone
    code = {"family": "sparse-regular", "n": 400, "d": 3, "seed": 1}
    more = {"measure": ["error"], "thresholds": [60.0], "variance_reduction": False}
    found = run(code, iid(0.02), trials=64, **more).rows()
    assert {row["method"] for row in found} == {"monte-carlo"}


@pytest.mark.parametrize(("threshold", "value"), [(-1.0, 1.0), (8.0, 0.0)])
def test_what_always_or_never_happens(threshold, value):
    code = {"family": "circulant", "n": 8, "d": 3}
    result = run(code, iid(0.5), method="rare", thresholds=[threshold])
    row = row_of(result, "error", f"P(>{threshold!r})", ENUMERATION_BOUNDS)
    assert (row["value"], row["low"], row["high"]) == (value, value, value)


def test_what_trials_see_often_or_few_sets_do_not_tell_is_left_to_them():
    code = {"family": "sparse-regular", "n": 30, "d": 3, "seed": 1}
    method = point(code, iid(0.02), thresholds=[3.0]).compiled.rare_method
    [event] = method.events
    assert method._bounds(event.limit, RareRequest(1, trials=4000)) is not None
    assert method._bounds(event.limit, RareRequest(1, trials=10**9)) is None
    often = point(code, iid(0.2), thresholds=[3.0]).compiled.rare_method
    assert often._bounds(event.limit, RareRequest(1, trials=4000)) is None
    assert often._bounds(event.limit, RareRequest(1, trials=4000, always=True)) is not None


@pytest.mark.parametrize("changes", [
    {"measure": ["survivors"]}, {"decoder": "one-step"},
    {"code": {"family": "bernoulli", "n": 8, "k": 8, "density": 0.5, "seed": "trial"}},
    {"stragglers": {"model": "adversarial", "stragglers": 2}, "measure": ["error"]},
])  # fmt: skip
def test_where_there_is_no_such_method(changes):
    study = {"code": FRC, "stragglers": iid(0.1), "measure": ["exact"], "method": "rare"}
    with pytest.raises(FastgcError, match='"rare"'):
        fastgc.run(study | changes, trials=10)


def test_groups_of_many_workers_are_known_by_products():
    result = run({"family": "frc", "n": 3000, "d": 4}, iid(0.001), thresholds=[0.0, 4.0])
    groups, lost = 750, 1e-12
    found = row_of(result, "error", "P(>0.0)", EXACT)
    assert found["value"] == close(-math.expm1(groups * math.log1p(-lost)), rel=1e-9)
    found = row_of(result, "error", "P(>4.0)", EXACT)
    assert found["value"] == close(math.comb(groups, 2) * lost**2, rel=1e-6)
    # what trials see is left to them: of this a quantile is only sampled
    asked = {"thresholds": [0.0], "quantiles": [0.5]}
    rows = run({"family": "frc", "n": 3000, "d": 2}, iid(0.02), **asked).rows()
    assert {r["method"] for r in rows if r["statistic"] == "P(>0.0)"} == {"monte-carlo"}


@pytest.mark.parametrize(
    ("code", "p"), [(FRC, [1.0] + [0.1] * 23), (FRC | {"family": "circulant", "n": 6000}, 0.01)]
)
def test_without_a_method_it_is_said_why(code, p):
    with pytest.raises(FastgcError, match="at most 4096 workers"):
        run(code, iid(p), method="rare", thresholds=[3.0])


# ---- groups of more workers than laws of the number of stragglers are made for


N = 6000


def many(p, family="frc", **more):
    keys = {"d": 4} if family == "frc" else {"d": 3}
    return {
        "kind": "decoding",
        "code": {"family": family, "n": N} | keys,
        "stragglers": {"model": "iid", "p": p},
        "measure": ["exact"],
    } | more


def unequal(n=N):
    return [0.01 + 0.04 * (j % 7) / 7 for j in range(n)]


def by_all_sets(structure, straggle, limit):
    lost = [np.prod(straggle[structure.labels == g]) for g in range(len(structure.weights))]
    total = 0.0
    for gone in itertools.product([False, True], repeat=len(lost)):
        if structure.weights[list(gone)].sum() + structure.uncovered > limit:
            total += np.prod([p if g else 1 - p for p, g in zip(lost, gone, strict=True)])
    return total


@pytest.mark.parametrize("limit", [0.0, 1.0, 2.5, 3.0, 4.0, 7.0, 9.0, 12.0, 50.0])
def test_products_are_those_of_all_sets_of_groups(limit, monkeypatch):
    # groups of unlike weight and size, and partitions that nobody holds
    B = np.zeros((13, 8))
    for rows, workers in ((range(1), (0, 1)), (range(1, 4), (2,)), (range(4, 6), (3, 4, 5))):
        B[np.ix_(list(rows), list(workers))] = 1
    B[6:11, 6:8] = 1
    structure = code_given(B).structure
    assert structure.uncovered == 2
    straggle = np.linspace(0.1, 0.9, 8)
    expected = by_all_sets(structure, straggle, limit)
    assert by_products(structure, straggle, limit) == pytest.approx(expected, rel=1e-12, abs=0)
    monkeypatch.setattr(rare_method, "MOST_WORKERS", 7)
    assert by_products(structure, straggle, limit) == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.parametrize("method", ["auto", "rare"])
def test_unequal_probabilities_are_multiplied(method):
    rows = fastgc.run({"experiment": [many(unequal(), thresholds=[0.0], method=method)]}).rows()
    [row] = [row for row in rows if row["method"] == "exact"]
    lost = np.array(unequal()).reshape(-1, 4).prod(axis=1)
    assert 1 - row["value"] == pytest.approx(-np.expm1(np.log1p(-lost).sum()), rel=1e-9, abs=0)
    assert row["trials"] is None and row["standard_error"] == 0


@pytest.mark.night
def test_low_thresholds_alone():
    structure = codes.frc(n=200_000, d=2).structure
    assert is_convolved(structure, 100.0) and not is_convolved(structure, 90_000.0)
    thresholds = {"measure": ["error"], "thresholds": [90_000.0], "method": "rare"}
    study = {"experiment": [many([0.1, 0.2] * 100_000) | thresholds]}
    study["experiment"][0]["code"] = {"family": "frc", "n": 200_000, "d": 2}
    with pytest.raises(FastgcError, match=r"at most 4096 workers .or groups of workers"):
        fastgc.run(study)


@pytest.mark.parametrize("changed", [
    many(unequal(), "circulant"), many(unequal(), shuffle="random"),
    many(0.1) | {"stragglers": {"model": "uniform", "stragglers": 9}},
])  # fmt: skip
def test_what_has_no_products_is_left_to_trials(changed):
    [point] = Study.parse({"experiment": [changed]}).points()
    assert point.compiled.rare_method is None
