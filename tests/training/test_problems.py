"""Problems and optimizers: models against slow twins and mathematics, and what is refused."""

import itertools

import numpy as np
import pytest

from fastgc import registry
from fastgc.errors import FastgcError
from fastgc.registry.complaints import check, lines
from fastgc.training.data import Data, bounds
from fastgc.training.problems import shortest
from twins import training as twin


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


# --- what is refused -----------------------------------------------------------------------------


class Study(registry.Table):
    problem: registry.union("problem") | None = None
    optimizer: registry.union("optimizer") | None = None


def complaints(**tables):
    _, found = check(Study, tables)
    return lines(found)


SYNTHETIC = {"model": "linear", "samples": 5, "features": 3}
DESCENT = {"method": "gradient-descent", "step": 1.0}


@pytest.mark.parametrize(("table", "sentence"), [
    ({"model": "linear", "features": 3}, "problem.samples: must be given for synthetic data"),
    ({"model": "linear", "samples": 3}, "problem.features: must be given for synthetic data"),
    (SYNTHETIC | {"noise": -1.0}, "problem.noise: must be at least 0 (got -1.0)"),
    (SYNTHETIC | {"standardize": True}, "problem.standardize: goes with real data only (got"),
    (SYNTHETIC | {"samples": 1 << 20, "features": 1 << 20},
     "problem: samples × features must be at most 268435456 (got 1099511627776)"),
    (SYNTHETIC | {"model": "softmax", "classes": 1}, "problem.classes: must be at least 2"),
    ({"method": "adam", "step": 0.0}, "optimizer.step: must be more than 0 (got 0.0)"),
    (DESCENT | {"decay": -1.0}, "optimizer.decay: must be at least 0 (got -1.0)"),
    ({"method": "amsgrad", "step": 1.0, "beta2": 1.0}, "optimizer.beta2: must be less than 1"),
    ({"method": "adam", "step": 1.0, "epsilon": 0.0}, "optimizer.epsilon: must be more"),
])  # fmt: skip
def test_mistakes_in_a_problem_or_an_optimizer(table, sentence):
    (found,) = complaints(**{"problem" if "model" in table else "optimizer": table})
    assert found.startswith(sentence)
