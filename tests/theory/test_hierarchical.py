"""Closed forms of paper hierarchical against fractions, draws and exhaustion; its claims."""

import math
from fractions import Fraction

import numpy as np
import pytest

import fastgc
from fastgc.theory import hierarchical, known
from fastgc.theory.hierarchical import paper
from fastgc.theory.hierarchical.time import unfinished_probability
from fastgc.validation.finite import measure
from fastgc.validation.finite.brute_force.layers import finishing_mean
from suite.checks import close
from twins import fractions

LONG = [9, 8, 7, 6, 5, 4, 3, 3, 3, 2]


def test_known_answers():
    assert fractions.finishing_mean(4, [3, 2]) == Fraction(41, 30)
    assert hierarchical.finishing_mean(10, [9, 8, 6, 5], 1.0, 0.5) == pytest.approx(
        4.8221169, abs=5e-8
    )
    assert hierarchical.finishing_probability(10, [9, 8, 6, 5], 5.0, 1.0, 0.5) == pytest.approx(
        0.6137999, abs=5e-8
    )
    assert hierarchical.finishing_probability(10, LONG, 4.0, 1.0, 0.1) == pytest.approx(
        0.35968, abs=5e-6
    )
    assert hierarchical.independent_probability(10, LONG, 4.0, 1.0, 0.1) == pytest.approx(
        0.0371, abs=5e-5
    )
    assert hierarchical.weakest_probability(10, LONG, 4.0, 1.0, 0.1) == pytest.approx(
        0.594, abs=5e-4
    )
    rule, best = (
        hierarchical.finishing_mean(10, k, 1.0, 1.0) for k in ([9, 6, 4, 1], [9, 7, 4, 0])
    )
    assert (round(rule, 4), round(best, 4)) == (4.7133, 4.6517)


@pytest.mark.parametrize(
    ("n", "k"), [(1, [1]), (4, [3, 2]), (4, [2, 3]), (5, [4, 0, 1]), (6, [5, 3, 2, 1]), (9, [7, 4])]
)
def test_means_by_fractions_quadrature_and_simpson(n, k):
    fraction = float(fractions.finishing_mean(n, k))
    assert hierarchical.finishing_mean(n, k) == pytest.approx(fraction, rel=1e-11)
    assert finishing_mean(n, k, 1.0, 0.0) == pytest.approx(fraction, rel=1e-9)
    assert hierarchical.finishing_mean(n, k, 3.0) == pytest.approx(3 * fraction, rel=1e-11)


@pytest.mark.parametrize(("n", "k", "shift"), [(4, [3, 2], 0.0), (10, LONG, 0.1), (6, [1, 4], 1.0)])
def test_distributions_by_draws(n, k, shift):
    speeds = np.sort(shift + np.random.default_rng(11).exponential(size=(30_000, n)), axis=1)
    done = np.max([j * speeds[:, need - 1] for j, need in enumerate(k, 1) if need], axis=0)
    mean = hierarchical.finishing_mean(n, k, 1.0, shift)
    # false alarms once in 10^6
    assert abs(done.mean() - mean) < 4.9 * done.std() / math.sqrt(len(done))
    variance = hierarchical.finishing_variance(n, k, 1.0, shift)
    assert done.var() == pytest.approx(variance, rel=0.1)
    for t in np.quantile(done, [0.1, 0.5, 0.9]).tolist():
        p = hierarchical.finishing_probability(n, k, t, 1.0, shift)
        assert abs((done <= t).mean() - p) < 5.5 * math.sqrt(p * (1 - p) / len(done))
        assert hierarchical.independent_probability(n, k, t, 1.0, shift) <= p + 1e-12
        assert p <= hierarchical.weakest_probability(n, k, t, 1.0, shift) + 1e-12


def test_one_layer_is_an_order_statistic():
    assert hierarchical.finishing_mean(5, [3], 2.0, 1.0) == pytest.approx(
        1 + 2 * (1 / 5 + 1 / 4 + 1 / 3)
    )
    assert hierarchical.finishing_variance(5, [3], 2.0, 1.0) == pytest.approx(
        4 * (1 / 25 + 1 / 16 + 1 / 9)
    )
    assert hierarchical.finishing_probability(5, [3], 0.5, 2.0, 1.0) == 0.0


def test_tails_keep_their_digits():
    """P(τ > t) → Σ_j C(n, k_j − 1) e^(−(n − k_j + 1) t/j) as t grows; one less P(τ ≤ t) is 0."""
    n, k = 12, [11, 9, 8]
    for t in (30.0, 300.0):
        terms = [
            math.comb(n, need - 1) * math.exp(-(n - need + 1) * t / j)
            for j, need in enumerate(k, 1)
        ]
        # what is left out is some e^(−t/3) of it
        assert unfinished_probability(n, k, t) == close(
            sum(terms), rel=20 * math.exp(-t / 3) + 1e-12
        )
    for t in (1.0, 3.0, 6.0):
        assert unfinished_probability(10, LONG, t, 2.0, 0.1) == pytest.approx(
            1 - hierarchical.finishing_probability(10, LONG, t, 2.0, 0.1), rel=1e-12
        )


def test_a_closed_form_says_what_the_exact_method_says():
    layers = {"family": "hierarchical", "n": 12, "k": [11, 9, 8]}
    latency = {"distribution": "exponential", "mean": 1.0}
    study = {"kind": "completion", "system": layers, "latency": latency, "thresholds": [3.0, 30.0]}
    rows = fastgc.run({"experiment": [study | {"method": "exact"}]}).rows()
    for t in ("3.0", "30.0"):
        values = {row["method"]: row["value"] for row in rows if row["statistic"] == f"P(>{t})"}
        assert values["closed-form"] == close(values["exact"], rel=1e-11)


def test_equal_exponents():
    k = hierarchical.equal_exponent(10, 4, 20)
    exponents = [hierarchical.failure_exponent(10, 9, j) * (11 - x) / 2 for j, x in enumerate(k, 1)]
    assert exponents == pytest.approx([hierarchical.common_exponent(10, 4, 20)] * 4)
    for n, layers, tasks in ((10, 10, 50), (10, 4, 39), (10, 4, 1), (3, 2, 6)):
        k = hierarchical.equal_exponent(n, layers, tasks)
        assert sum(k) == pytest.approx(tasks) and min(k) >= 0 and max(k) <= n


def test_quantile_rule():
    for n, layers, tasks in ((10, 10, 50), (10, 4, 39), (3, 2, 6)):
        k = hierarchical.quantile_answers(n, layers, tasks, 1.0, 0.1)
        assert sum(k) == pytest.approx(tasks) and k == sorted(k, reverse=True)


@pytest.mark.night
def test_the_optimum_by_exhaustion():
    assert hierarchical.optimal_answers(10, 4, 20, 1.0, 1.0) == [9, 7, 4, 0]
    finite = {"finite": "least_finishing_mean", "n": 6, "layers": 3, "tasks": 9}
    least = measure(finite | {"mean": 1.0, "shift": 0.2})
    best = hierarchical.optimal_answers(6, 3, 9, 1.0, 0.2)
    assert hierarchical.finishing_mean(6, best, 1.0, 0.2) == pytest.approx(least, rel=1e-9)


def test_the_factor():
    k = int(hierarchical.best_single_rate(10, 50, 1.0, 0.1))
    best = min(50 / k * (0.1 + sum(1 / i for i in range(11 - k, 11))) for k in range(1, 11))
    assert hierarchical.single_rate_mean(10, 50, k, 1.0, 0.1) == pytest.approx(best)
    factor = best / hierarchical.finishing_mean(10, LONG, 1.0, 0.1)
    assert factor == pytest.approx(1.512, abs=5e-4)


def forms(system=None, **more):
    system = {"family": "hierarchical", "n": 4, "k": [3, 2]} if system is None else system
    latency = [{"distribution": "exponential", "mean": 2.0, "shift": 1.0}]
    table = {"kind": "completion", "system": system, "latency": latency, **more}
    return {(f.quantity, f.statistic): f.value for f in known.closed_forms(table)}


def test_closed_forms():
    found = forms(thresholds=[5.0])
    assert found["time", "mean"] == hierarchical.finishing_mean(4, [3, 2], 2.0, 1.0)
    assert found["time", "variance"] == hierarchical.finishing_variance(4, [3, 2], 2.0, 1.0)
    p = hierarchical.finishing_probability(4, [3, 2], 5.0, 2.0, 1.0)
    assert found["time", "P(>5.0)"] == pytest.approx(1 - p)
    assert found["load", "mean"] == 2 / 5
    system = {"family": "hierarchical", "n": 4, "k": [3, 2]}
    assert set(forms(system | {"draws": "task"})) == {("load", "mean")}
    assert forms(system | {"load": 0.2})["load", "mean"] == 0.4
    assert forms({"family": "hierarchical", "n": 4, "layers": 2, "tasks": 5, "k": None}) == {}
    assert set(forms(port={"receive": 0.1})) == {("load", "mean")}
    found = forms(stragglers={"model": "iid", "p": 0.5})
    assert found["decodable", "mean"] == pytest.approx(5 / 16)
    assert known.closed_forms({"code": {}}) == []


def test_the_jobs_exponent_is_approached_as_it_should():
    (claim,) = [claim for claim in paper.claims if claim.holds == "as n grows"]
    away = [(case.theory - measure(case.experiment)) / case.rate for case in claim.cases]
    assert claim.cases[-1].size >= 100 * claim.cases[0].size
    assert away[-1] == pytest.approx(away[-2], rel=0.01)


def test_the_factor_is_met_at_parameters_that_are_not_the_papers():
    (claim,) = [claim for claim in paper.claims if claim.id == "hierarchical.factor.printed"]
    assert claim.expected == "not reproducible" and "not printed" in claim.missing
    best = int(hierarchical.best_single_rate(10, 50, 1.0, 0.1))
    single = hierarchical.single_rate_mean(10, 50, best, 1.0, 0.1)
    assert abs(single / hierarchical.finishing_mean(10, LONG, 1.0, 0.1) - 1.5) <= 0.05


def test_finished_at():
    assert hierarchical.finished_at([2, 3], [3.0, 1.0, 2.0]) == 6.0
    assert hierarchical.finished_at([0, 1], [3.0, 1.0]) == 2.0


@pytest.mark.night
def test_the_most_probable_answers_depend_on_the_time():
    found = {t: hierarchical.most_probable_answers(10, 4, 20, t, shift=1.0) for t in (4, 4.65, 6)}
    assert found == {4: [10, 7, 3, 0], 4.65: [9, 7, 3, 1], 6: [9, 6, 4, 1]}
    least = hierarchical.optimal_answers(10, 4, 20, shift=1.0)
    assert least == [9, 7, 4, 0] and least not in found.values()


def test_times_of_layers_by_draws():
    k, shift = (10, 7, 3, 0), 1.0
    draws = shift + np.random.default_rng(1).exponential(size=(40_000, 10))
    draws.sort(axis=1)
    sampled = [j * draws[:, need - 1].mean() for j, need in enumerate(k, 1) if need]
    assert hierarchical.layer_times(10, k, shift=shift) == pytest.approx(sampled, rel=0.01)
    apart = measure({"finite": "layers_apart", "n": 10, "k": k, "shift": shift})
    assert apart == pytest.approx(max(sampled) / min(sampled), rel=0.01)
