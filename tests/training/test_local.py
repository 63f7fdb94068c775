"""Local SGD, held against plain NumPy that makes each worker's steps one by one."""

import numpy as np
import pytest

from fastgc.training.coded import Descent
from fastgc.training.data import Data
from fastgc.training.local import local_losses
from fastgc.training.optimizers import Adam, GradientDescent
from fastgc.training.problems import Linear, Logistic, Softmax
from suite.checks import refusal

OPTIMIZER = GradientDescent(step=0.2, decay=0.1)
KEYS = {"data": "synthetic", "samples": 53, "features": 4, "noise": 1.0}


def linear(X, y, theta):
    gap = X @ theta - y
    return gap @ gap / (2 * len(y)), X.T @ gap / len(y)


def logistic(X, y, theta):
    margins = y * (X @ theta)
    return np.logaddexp(0, -margins).mean(), -X.T @ (y / (1 + np.exp(margins))) / len(y)


def twin(model, data, n, period, iterations):
    parts = np.array_split(np.arange(data.samples), n)
    theta = np.zeros(data.features)
    losses = [model(data.X, data.y, theta)[0]]
    for first in range(0, iterations - period + 1, period):
        ends = np.zeros_like(theta)
        for own in parts:
            local = theta.copy()
            for i in range(first, first + period):
                slope = model(data.X[own], data.y[own], local)[1]
                local -= 0.2 / (1 + 0.1 * i) * slope
            ends += local * len(own) / data.samples
        theta = ends
        losses.append(model(data.X, data.y, theta)[0])
    return losses


@pytest.mark.parametrize(("n", "period"), [(1, 1), (5, 1), (5, 3), (7, 10), (3, 31)])
@pytest.mark.parametrize(("kind", "model"), [(Linear, linear), (Logistic, logistic)])
def test_losses_are_those_of_single_steps(kind, model, n, period):
    problem = kind(**KEYS) if kind is Linear else kind(**{k: KEYS[k] for k in list(KEYS)[:3]})
    data = problem.load()
    found = local_losses(problem, data, n, OPTIMIZER, period, 30)
    np.testing.assert_allclose(found, twin(model, data, n, period, 30), rtol=1e-9)


def test_a_period_of_one_is_descent_with_full_gradients():
    problem = Softmax(data="synthetic", samples=40, features=3)
    data = problem.load()
    whole = Descent(problem, data, 1, OPTIMIZER, 12).run([[1.0]], np.zeros((12, 1), int)).loss[:, 0]
    found = local_losses(problem, data, 8, OPTIMIZER, 1, 12)
    np.testing.assert_allclose(found, whole, rtol=1e-9)


def test_runs_that_diverge_have_no_numbers_from_there_on():
    problem = Linear(**KEYS)
    found = local_losses(problem, problem.load(), 4, GradientDescent(step=1e3), 5, 100)
    assert np.isfinite(found[0]) and np.isnan(found[-1]) and found.size == 21


def test_what_is_refused():
    problem = Linear(**KEYS)
    said = refusal(local_losses, problem, problem.load(), 4, Adam(step=0.1), 2, 10)
    assert "local steps are those of gradient descent" in said
    said = refusal(local_losses, problem, Data([[1.0]], [1.0]), 60, OPTIMIZER, 2, 10)
    assert "need at least 60 samples" in said
