"""Sampled means with less variance: right, as sure as they say, the same however they are run."""

import numpy as np
import pytest

import fastgc
from fastgc.draws.streams import Trials
from fastgc.experiments.decoding.conditioning import conditioning
from fastgc.latency import Exponential, Weibull
from fastgc.stragglers import Iid, TwoClass, Uniform
from fastgc.systems import coded_reduce, gradient_code, hierarchical
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.order_draws import fused

SPARSE = {"family": "sparse-regular", "n": 12, "d": 3, "seed": 1}
IID = {"model": "iid", "p": 0.3}
UNLIKE = {"model": "iid", "p": [0.05 + 0.03 * j for j in range(12)]}
SLOW = {"model": "two-class", "slow": 4, "p_straggle_slow": 0.7, "p_straggle_active": 0.1}
FIXED = {"model": "uniform", "stragglers": 4}
LAW = {"distribution": "exponential", "mean": 1.0, "shift": 0.1}
GAMMA = {"distribution": "gamma", "shape": 2.0, "scale": 0.5}


def coded(code=SPARSE, stragglers=IID, **more):
    return {"code": code, "stragglers": stragglers, "method": "both"} | more


def timed(receive=0.0, latency=LAW, method="both", **system):
    table = {"kind": "completion", "system": system, "latency": latency, "method": method}
    return table | {"port": {"receive": receive}}


TREE = {"family": "coded-reduce", "n": 4, "layers": 2, "s": 1, "load": 1.0}
STAR = {"family": "gradient-code", "n": 6, "s": 2, "load": 1.0}
SAMPLED = {
    "sparse, iid": coded(),
    "circulant, iid": coded({"family": "circulant", "n": 12, "d": 2}),
    "cyclic, unlike": coded({"family": "cyclic", "n": 12, "d": 4, "seed": 1}, UNLIKE),
    "sparse, slow": coded(SPARSE, SLOW),
    "sparse, slow, shuffled": coded(SPARSE, SLOW, shuffle="random"),
    "sparse, so many": coded(SPARSE, FIXED),
    "sparse, one-step": coded(decoder="one-step"),
    "tree": timed(0.05, **TREE),
    "tree, Weibull": timed(0.05, {"distribution": "weibull", "shape": 2.0, "scale": 1.0}, **TREE),
    "star": timed(0.05, **STAR),
    "star, unlike": timed(0.05, [LAW] * 3 + [GAMMA] * 3, **STAR),
    "layers": timed(family="hierarchical", n=20, k=[18, 15, 11]),
}


def mean(result, quantity, method="monte-carlo"):
    return result["experiment1"][quantity].statistic("mean", method)


@pytest.mark.parametrize("table", SAMPLED.values(), ids=SAMPLED)
def test_less_variance_the_same_mean_and_nothing_else_is_changed(table):
    quantity = "time" if "system" in table else "error"
    asked = table | {"quantiles": [0.5], "thresholds": [1.0]}
    result, plain = (
        fastgc.run(asked | more, trials=20_000) for more in ({}, {"variance_reduction": False})
    )
    found, exact = mean(result, quantity), mean(result, quantity, "exact").value
    assert abs(found.value - exact) < 4.5 * found.standard_error
    assert found.variance_reduction > 1.3
    assert "× less variance" in found.note
    both = zip(result.rows(), plain.rows(), strict=True)
    [(one, other)] = [rows for rows in both if rows[0] != rows[1]]
    assert (one["quantity"], one["statistic"], one["method"]) == (quantity, "mean", "monte-carlo")
    ratio = (other["standard_error"] / one["standard_error"]) ** 2
    assert one["variance_reduction"] == pytest.approx(ratio, rel=1e-9)
    assert not other["variance_reduction"]


@pytest.mark.parametrize("table", [
    coded(iterations=2),
    coded({"family": "frc", "n": 12, "d": 3}),
    coded(stragglers={"model": "markov", "p_straggle_after_ok": 0.1,
                      "p_straggle_after_straggle": 0.5}, iterations=3),
    timed(**STAR),
    timed(family="replication", n=6, d=2),
    timed(0.05, {"distribution": "pareto", "shape": 3.5, "scale": 1.0}, **STAR | {"s": 0}),
    timed(0.05, **STAR) | {"stragglers": {"model": "iid", "p": 0.1}},
])  # fmt: skip
def test_where_nothing_is_known_beside_the_mean_it_is_plain(table):
    table = table | {"method": "monte-carlo"}
    result = fastgc.run(table, trials=5000)
    assert result.rows() == fastgc.run(table | {"variance_reduction": False}, trials=5000).rows()


def test_common_draws_are_compared_as_they_are():
    tables = [coded(name=name, method="monte-carlo") for name in ("a", "b")]
    tables[1]["code"] = {"family": "circulant", "n": 12, "d": 2}
    study = {"common_random_numbers": True, "ratio": [["a", "b"]], "experiment": tables}
    rows = fastgc.run(study, trials=5000).rows()
    assert not any(row["variance_reduction"] for row in rows)
    sampled = [row for row in rows if row["method"] == "monte-carlo"]
    value = {(row["experiment"], row["statistic"]): row["value"] for row in sampled}
    assert value["a/b", "ratio"] == pytest.approx(value["a", "mean"] / value["b", "mean"])


def test_stop_rules_look_at_the_smaller_error():
    table = coded(method="monte-carlo", stop={"trials": 1_000_000, "relative_error": 0.005})
    early, late = fastgc.run(table), fastgc.run(table | {"variance_reduction": False})
    assert early.stopped_by == late.stopped_by == "relative_error"
    assert mean(early, "error").trials < mean(late, "error").trials


def test_points_with_and_without_are_kept_apart():
    table = coded(method="monte-carlo") | {"sweep": {"variance_reduction": [True, False]}}
    rows = fastgc.run(table, trials=2000).rows()
    one, other = (row for row in rows if row["statistic"] == "mean")
    assert one["variance_reduction"] and not other["variance_reduction"]


# ---- what means are conditioned on


@pytest.mark.parametrize(("law", "shuffled"), [
    (Iid(p=(0.1, 0.5, 0.2, 0.9, 0.3, 0.4)), False),
    (Iid(p=(0.1, 0.5, 0.2, 0.9, 0.3, 0.4)), True),
    (Uniform(stragglers=3), False),
    (TwoClass(slow=2, p_straggle_slow=0.8, p_straggle_active=0.3), False),
    (TwoClass(slow=(2, 3), p_straggle_slow=0.8, p_straggle_active=0.3), True),
])  # fmt: skip
def test_mean_of_lost_partitions(law, shuffled):
    n, code = 6, fastgc.codes.heterogeneous_binary(workers=[3, 3], times=[1.0, 2.0], s=1, k=9)
    found = conditioning(law, n, code, shuffled=shuffled)
    offsets, workers = code.holders
    holders = [own.tolist() for own in np.split(workers, offsets[1:-1])]
    alive = [[bool(k >> j & 1) for j in range(n)] for k in range(1 << n)]
    probabilities = law.distribution(n)
    if shuffled:  # all sets of one size alike
        sizes = np.array([sum(own) for own in alive])
        probabilities = (np.bincount(sizes, probabilities) / np.bincount(sizes))[sizes]
    lost = np.array([sum(not any(own[j] for j in held) for held in holders) for own in alive])
    assert found.lost == pytest.approx(float((probabilities * lost).sum()), rel=1e-12)


def test_very_many_partitions_are_not_counted():
    law = Iid(p=0.3)
    few, many = (1 << 14, (1 << 14) + 1)
    codes = [fastgc.codes.circulant(n=n, d=2) for n in (few, many)]
    found = [conditioning(law, code.n, code, shuffled=False) for code in codes]
    assert found[0].lost == pytest.approx(0.09 * few) and found[1].lost is None
    assert not found[1].lost_in(law.draw(many, Trials(1, "s", 0, 1, 1)), 64).any()


# ---- controls beside completion times

BATCH = Trials(1, "controls", 0, 32, 2)


@pytest.mark.parametrize("law", [Exponential(mean=1.0, shift=0.1), Weibull(shape=0.7, scale=1.0)])
@pytest.mark.parametrize(("system", "opens"), [
    (gradient_code(n=7, s=2), "start"),
    (coded_reduce(n=5, layers=2, s=1), "start"),
    (coded_reduce(n=4, layers=3, s=1), "start"),
    (coded_reduce(n=3, layers=4, s=1), "after-own"),
])  # fmt: skip
def test_without_its_port_a_system_is_done_as_with_a_fast_one(law, system, opens):
    structure, compiled = system.structure(), law.time().compiled()
    draw = fused(structure, compiled, 1e-14, opens)
    done, [without] = draw.beside(BATCH)
    assert (done == draw(BATCH)).all()
    # after-own opens the port late, and a port that takes no time makes no worker wait
    np.testing.assert_allclose(without, done, rtol=1e-10)
    slow, [same] = fused(structure, compiled, 0.1, opens).beside(BATCH)
    assert (same == without).all() and (slow > without).all()
    [(factor, control)] = draw.controls
    expected = factor * distribution(control, [law.time()]).mean()
    assert abs(without.mean() - expected) < 4.5 * without.std() / np.sqrt(without.size)
    again, weighted = draw.weighted(BATCH, np.array([0.7]))
    assert (again == done).all() and (weighted == 0.7 * without).all()


@pytest.mark.parametrize("law", [Exponential(mean=1.0, shift=0.1), Weibull(shape=0.7, scale=1.0)])
def test_layers_are_done_with_the_last_of_their_order_statistics(law):
    draw = fused(hierarchical(n=20, k=[18, 15, 15, 7]).structure(), law.time().compiled())
    assert [(factor, each.need) for factor, each in draw.controls] == [(4, 7), (3, 15), (1, 18)]
    done, each = draw.beside(BATCH)
    np.testing.assert_allclose(each.max(axis=0), done, rtol=1e-14)
    np.testing.assert_allclose(draw(BATCH), done, rtol=1e-14)
    weights = np.array([0.5, -2.0, 1.5])
    again, total = draw.weighted(BATCH, weights)
    assert (again == draw(BATCH)).all()
    np.testing.assert_allclose(total, np.tensordot(weights, each, 1), rtol=1e-12, atol=1e-12)
    for (factor, control), own in zip(draw.controls, each, strict=True):
        expected = factor * distribution(control, [law.time()]).mean()
        assert abs(own.mean() - expected) < 4.5 * own.std() / np.sqrt(own.size)
