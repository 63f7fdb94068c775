"""Closed forms of training against training step by step, and against each other."""

import numpy as np
import pytest

from fastgc.theory import literature
from fastgc.training.data.data import Data
from twins import training as twin

SIZES, TARGETS = [2.0, 1.0, 0.5], [1.0, -2.0, 0.7]
DATA = Data(np.diag(SIZES), TARGETS)


def descended(data, optimizer, iterations, model="linear", weights=None, width=3):
    all_of_them = np.ones((iterations, 1)) if weights is None else weights
    return twin.descend(model, data, np.zeros(width), optimizer, all_of_them)[1][-1]


@pytest.mark.parametrize("decay", [0.0, 0.3])
@pytest.mark.parametrize("iterations", [0, 1, 6])
def test_descent_on_orthogonal_samples(iterations, decay):
    optimizer = {"method": "gradient-descent", "step": 0.7, "decay": decay}
    found = literature.orthogonal_loss(SIZES, TARGETS, 0.7, iterations, decay)
    assert found == pytest.approx(descended(DATA, optimizer, iterations), rel=1e-12)


@pytest.mark.parametrize("more", [{}, {"beta1": 0.3, "beta2": 0.6, "epsilon": 0.01}])
def test_adam_on_orthogonal_samples(more):
    optimizer = {"method": "adam", "step": 0.2} | more
    for iterations in (1, 2, 15):
        found = literature.adam_orthogonal_loss(SIZES, TARGETS, 0.2, iterations, **more)
        assert found == pytest.approx(descended(DATA, optimizer, iterations), rel=1e-10)


def test_groups_that_survive():
    weights = np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]])
    data = Data([[1.0]] * 6, [2.0] * 6)
    optimizer = {"method": "gradient-descent", "step": 0.4}
    found = literature.repeated_loss(3, [2, 1, 3], 2.0, 0.4)
    expected = descended(data, optimizer, 3, weights=weights, width=1)
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("iterations", [0, 1, 8])
def test_logistic_and_softmax_regression(iterations):
    x, y = [1.0, -0.5, 2.0], [1.0, -1.0, -1.0]
    margins = [a * b for a, b in zip(x, y, strict=True)]
    found = literature.logistic_loss(margins, 1.3, iterations)
    features = [[a] for a in x]
    optimizer = {"method": "gradient-descent", "step": 1.3}
    logistic = descended(Data(features, y), optimizer, iterations, "logistic", width=1)
    assert found == pytest.approx(logistic, rel=1e-12)
    classes = Data(features, [(1 + b) / 2 for b in y], 2)
    half = optimizer | {"step": 0.65}
    assert found == pytest.approx(descended(classes, half, iterations, "softmax", width=2))
