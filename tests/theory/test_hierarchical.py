"""Closed forms of paper hierarchical against fractions, draws and exhaustion; its claims."""

import math

import numpy as np
import pytest

from fastgc.theory import hierarchical, known

LONG = [9, 8, 7, 6, 5, 4, 3, 3, 3, 2]


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


def test_the_factor():
    k = int(hierarchical.best_single_rate(10, 50, 1.0, 0.1))
    best = min(50 / k * (0.1 + sum(1 / i for i in range(11 - k, 11))) for k in range(1, 11))
    assert hierarchical.single_rate_mean(10, 50, k, 1.0, 0.1) == pytest.approx(best)
    found = best / hierarchical.finishing_mean(10, LONG, 1.0, 0.1)
    assert found == pytest.approx(1.512, abs=5e-4)


SYSTEM = {"family": "hierarchical", "n": 4, "k": [3, 2]}


def forms(system=SYSTEM, **more):
    latency = [{"distribution": "exponential", "mean": 2.0, "shift": 1.0}]
    table = {"kind": "completion", "system": system, "latency": latency, **more}
    return {(f.quantity, f.statistic): f.value for f in known.closed_forms(table)}


def test_closed_forms():
    assert set(forms(SYSTEM | {"draws": "task"})) == {("load", "mean")}
    assert forms(SYSTEM | {"load": 0.2})["load", "mean"] == 0.4
    assert forms({"family": "hierarchical", "n": 4, "layers": 2, "tasks": 5, "k": None}) == {}
    assert set(forms(port={"receive": 0.1})) == {("load", "mean")}
