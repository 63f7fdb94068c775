"""Problems and optimizers: models against slow twins and mathematics, and what is refused."""

import itertools

import numpy as np
import pytest

from fastgc import registry
from fastgc.errors import FastgcError
from fastgc.registry.complaints import check, lines
from fastgc.training.data import Data, bounds
from fastgc.training.problems import Linear, Logistic, Softmax, shortest
from twins import training as twin

PROBLEMS = [
    Linear(samples=40, features=3),
    Logistic(samples=40, features=3),
    Softmax(samples=40, features=3, classes=4),
]
NAMES = [problem.model for problem in PROBLEMS]


@pytest.mark.parametrize("problem", PROBLEMS, ids=NAMES)
def test_twin_gradients_are_slopes_of_twin_losses(problem):
    data = problem.load()
    theta = 0.3 * np.random.default_rng(1).standard_normal(problem.parameters(data))
    found = twin.gradient(problem.model, data, theta)
    h = 1e-6
    for a in range(theta.size):
        step = np.zeros_like(theta)
        step[a] = h
        up, down = (twin.loss(problem.model, data, theta + s * step) for s in (1, -1))
        assert found[a] == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("largest", [10**9, 0], ids=["compiled", "LAPACK"])
def test_the_shortest_solution_is_the_pseudo_inverse(monkeypatch, largest):
    monkeypatch.setattr("fastgc.training.problems.LARGEST_COMPILED", largest)
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((30, 6)), rng.standard_normal(30)
    X[:, 2], X[:, 4] = X[:, 1], 0.0
    np.testing.assert_allclose(shortest(X, y), np.linalg.pinv(X) @ y, rtol=1e-10, atol=1e-13)
    wide = rng.standard_normal((4, 9))
    np.testing.assert_allclose(shortest(wide, y[:4]), np.linalg.pinv(wide) @ y[:4], rtol=1e-10)
    assert not shortest(np.zeros((3, 2)), np.ones(3)).any()


def test_data_are_never_changed():
    X = np.ones((2, 1))
    data = Data(X, [1.0, 2.0], best=[0.5])
    X[0] = 5.0
    assert data.X[0, 0] == 1.0 and data.best.tolist() == [0.5]
    assert (data.samples, data.features, data.classes) == (2, 1, 0)
    for array in (data.X, data.y, data.best):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0


# --- partitions ----------------------------------------------------------------------------------


def test_partitions_are_runs_whose_sizes_differ_by_one():
    for N, k in [(504, 8), (506, 8), (7, 7), (10, 3), (5, 1)]:
        cuts = bounds(N, k)
        runs = [range(a, b) for a, b in itertools.pairwise(cuts)]
        assert runs == twin.cut(N, k)
        assert cuts[-1] == N and np.ptp(np.diff(cuts)) <= 1


def test_fewer_samples_than_partitions_are_refused():
    with pytest.raises(FastgcError, match=r"8 of them need at least 8 samples \(got 7\)"):
        bounds(7, 8)
    with pytest.raises(FastgcError, match=r"at least 1 \(got 0\)"):
        bounds(7, 0)


# --- optimizers ----------------------------------------------------------------------------------


def test_the_first_steps_of_adam_and_amsgrad():
    g = np.array([3.0, -0.2])
    adam = twin.Updates({"method": "adam", "step": 0.1}, 2)
    np.testing.assert_allclose(adam(np.zeros(2), g), -0.1 * np.sign(g), rtol=1e-6)
    for rule in ("paper", "amsgrad"):
        update = twin.Updates({"method": "amsgrad", "step": 0.1, "v_rule": rule}, 2)
        expected = -0.1 * (0.1 * g) / np.sqrt(1e-8 + 0.001 * g**2)
        np.testing.assert_allclose(update(np.zeros(2), g), expected, rtol=1e-12)


def test_the_rules_of_amsgrad_differ_once_gradients_fall():
    ends = []
    for rule in ("paper", "amsgrad"):
        update = twin.Updates({"method": "amsgrad", "step": 0.1, "v_rule": rule}, 1)
        for g in (0.1, 5.0, 0.1, 3.0):
            update(np.zeros(1), np.array([g]))
        ends.append(update.largest[0])
    first = 0.999 * 0.001 * 0.01 + 0.001 * 25
    low = 0.999 * (0.999 * first + 0.001 * 0.01) + 0.001 * 9
    assert ends == pytest.approx([0.999 * first + 0.001 * 9, max(first, low)])


# --- what is refused -----------------------------------------------------------------------------


class Study(registry.Table):
    problem: registry.union("problem") | None = None
    optimizer: registry.union("optimizer") | None = None


def complaints(**tables):
    _, found = check(Study, tables)
    return lines(found)


SYNTHETIC = {"model": "linear", "samples": 5, "features": 3}
DESCENT = {"method": "gradient-descent", "step": 1.0}


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({"model": "lineal"}, "problem.model: unknown model 'lineal'; did you mean 'linear'?"),
        ({"model": "linear", "features": 3}, "problem.samples: must be given for synthetic data"),
        ({"model": "linear", "samples": 3}, "problem.features: must be given for synthetic data"),
        (SYNTHETIC | {"samples": 0}, "problem.samples: must be at least 1 (got 0)"),
        (SYNTHETIC | {"noise": float("nan")}, "problem.noise: must be finite (got nan)"),
        (SYNTHETIC | {"noise": -1.0}, "problem.noise: must be at least 0 (got -1.0)"),
        (SYNTHETIC | {"standardize": True}, "problem.standardize: goes with real data only (got"),
        (SYNTHETIC | {"samples": 1 << 20, "features": 1 << 20},
         "problem: samples × features must be at most 268435456 (got 1099511627776)"),
        (SYNTHETIC | {"noize": 1.0}, "problem.noize: unknown key; did you mean 'noise'?"),
        (SYNTHETIC | {"model": "softmax", "classes": 1}, "problem.classes: must be at least 2"),
        ({"method": "adam", "step": 0.0}, "optimizer.step: must be more than 0 (got 0.0)"),
        ({"method": "adam"}, "optimizer.step: missing"),
        ({"method": "adam", "step": float("inf")}, "optimizer.step: must be finite (got inf)"),
        (DESCENT | {"decay": -1.0}, "optimizer.decay: must be at least 0 (got -1.0)"),
        ({"method": "amsgrad", "step": 1.0, "beta2": 1.0}, "optimizer.beta2: must be less than 1"),
        ({"method": "amsgrad", "step": 1.0, "v_rule": "amsgard"},
         "optimizer.v_rule: must be 'paper' or 'amsgrad' (got 'amsgard'); did you mean 'amsgrad'?"),
        ({"method": "adam", "step": 1.0, "epsilon": 0.0}, "optimizer.epsilon: must be more"),
        (DESCENT | {"beta1": 0.5}, "optimizer.beta1: unknown key; allowed: decay, method, step"),
    ],
)  # fmt: skip
def test_mistakes_in_a_problem_or_an_optimizer(table, sentence):
    (found,) = complaints(**{"problem" if "model" in table else "optimizer": table})
    assert found.startswith(sentence)
