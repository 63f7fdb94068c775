"""Descent with decoded gradients against its slow twin, and what must hold exactly."""

import mpmath
import numpy as np
import pytest

from fastgc.training.coded_training import CodedDescent
from fastgc.training.data import Data
from fastgc.training.optimizers import Adam, Amsgrad, GradientDescent
from fastgc.training.problems import Linear, Logistic, Softmax
from fastgc_kernels._jit import jit
from fastgc_kernels.train import lanes, optimizing
from fastgc_kernels.train.descent_general import logistic_loss
from suite.checks import close
from twins import training as twin

ITERATIONS = 200
OPTIMIZERS = {
    "constant": GradientDescent(step=0.05),
    "decaying": GradientDescent(step=0.2, decay=0.1),
    "adam": Adam(step=0.02),
    "paper": Amsgrad(step=0.02),
    "amsgrad": Amsgrad(step=0.02, v_rule="amsgrad"),
}
PROBLEMS = {
    "linear": Linear(samples=1, features=1),
    "wide": Linear(samples=1, features=1),
    "logistic": Logistic(samples=1, features=1),
    "softmax": Softmax(samples=1, features=1),
}


def made(name, samples=23, seed=1):
    """Random data; 'wide' has more features than Gram matrices are used for."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(samples, 12 if name == "wide" else 3))
    if name in ("linear", "wide"):
        best = draw.normal(size=X.shape[1])
        return Data(X, X @ best + draw.normal(size=samples), best=best)
    scores = X[:, :1] @ np.ones((1, 3)) * [1, 0, -1] + draw.normal(size=(samples, 3))
    if name == "logistic":
        return Data(X, np.where(scores[:, 0] > 0, 1.0, -1.0))
    return Data(X, scores.argmax(axis=1), classes=3)


def decoded(k, iterations=ITERATIONS, trials=1, seed=2):
    """A table of weights, the first row all ones, and random rows of it."""
    draw = np.random.default_rng(seed)
    weights = np.where(draw.random((8, k)) < 0.3, 0.0, draw.choice([1.0, 0.7, 1.4], (8, k)))
    weights[0] = 1.0
    return weights, draw.integers(0, 8, (iterations, trials))


def relative(found, expected):
    return np.max(np.abs(found - expected) / np.abs(expected))


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_trial_alone_takes_the_steps_of_one_beside_others(optimizer):
    settings, size, steps = OPTIMIZERS[optimizer].vector(), 7, 25
    plan = np.empty((steps, 3))
    optimizing.schedule(settings, plan)
    draw = np.random.default_rng(3)
    beside, alone = np.ones((size, lanes.LANES)), np.ones(size)
    moments, own = np.zeros((3, size, lanes.LANES)), np.zeros((3, size))
    for now in plan:
        gradient = draw.normal(size=beside.shape)
        optimizing.advance(settings, now, gradient, beside, moments)
        optimizing.advance_one(settings, now, gradient[:, 5].copy(), alone, own)
        if optimizer == "adam":  # multiplies by what the other one divides by
            assert alone == pytest.approx(beside[:, 5], rel=1e-13)
        else:
            assert np.array_equal(alone, beside[:, 5])


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_every_step_is_that_of_the_twin(name, optimizer):
    problem, data, k = PROBLEMS[name], made(name), 5
    weights, index = decoded(k)
    run = CodedDescent(problem, data, k, OPTIMIZERS[optimizer], ITERATIONS)
    wanted = {"loss", "gradient_error"} | ({"distance"} if data.best is not None else set())
    curves = run.run(weights, index, wanted)
    table, start = OPTIMIZERS[optimizer].model_dump(), problem.start(data)
    path, losses, errors = twin.descend(problem.model, data, start, table, weights[index[:, 0]])
    assert relative(curves["loss"][:, 0], losses) < 1e-9
    assert np.max(np.abs(curves["gradient_error"][:, 0] - errors) / (errors + 1e-9)) < 1e-9
    if data.best is None:
        assert "distance" not in curves
    else:
        away = ((path - data.best) ** 2).sum(axis=1) / (data.best @ data.best)
        assert relative(curves["distance"][:, 0], away) < 1e-9


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_run_is_the_same_whatever_runs_beside_it(name):
    weights, index = decoded(3, iterations=12, trials=2 * lanes.LANES + 5)
    run = CodedDescent(PROBLEMS[name], made(name), 3, OPTIMIZERS["adam"], 12)
    together = run.run(weights, index, {"gradient_error"})
    for chosen in ([40], [40, 3], [40] * 5, list(range(30, 69))):
        alone = run.run(weights, index[:, chosen], {"gradient_error"})
        assert np.array_equal(alone["loss"], together["loss"][:, chosen])
        assert np.array_equal(alone["gradient_error"], together["gradient_error"][:, chosen])


@pytest.mark.parametrize("name", PROBLEMS)
def test_where_nobody_survives_nothing_moves(name):
    data, k = made(name), 4
    run = CodedDescent(PROBLEMS[name], data, k, OPTIMIZERS["constant"], 3)
    curves = run.run(np.zeros((1, k)), np.zeros((3, 1), int), {"gradient_error"})
    assert np.all(curves["loss"] == curves["loss"][0])
    assert np.all(curves["gradient_error"] == 1.0)


def test_losses_near_the_optimum_keep_their_digits():
    draw = np.random.default_rng(3)
    X = np.column_stack([draw.normal(size=(60, 4)) + 30.0, np.ones(60)])
    truth = draw.normal(size=5)
    optimizer = GradientDescent(step=2e-4)
    for noise in (0.0, 1e-6):
        data = Data(X, X @ truth + noise * draw.normal(size=60), best=truth)
        run = CodedDescent(PROBLEMS["linear"], data, 5, optimizer, 30_000)
        loss = run.run(np.ones((1, 5)), np.zeros((30_000, 1), int))["loss"][:, 0]
        theta = np.linalg.lstsq(X, data.y, rcond=None)[0]
        least = 0.5 * np.mean((X @ theta - data.y) ** 2)
        assert np.all(np.diff(loss) <= 1e-12 * loss[:-1])
        assert loss[-1] >= least * (1.0 - 1e-6) if noise else loss[-1] >= 0.0
        # One direction is slow to learn; its share of the loss is known in closed form.
        values, vectors = np.linalg.eigh(X.T @ X / 60)
        left = (1.0 - 2e-4 * values) ** 30_000 * (vectors.T @ theta)
        assert loss[-1] == close(least + 0.5 * values @ left**2, rel=1e-6)


def test_dependent_features_are_learnt_like_any_others():
    draw = np.random.default_rng(4)
    X = draw.normal(size=(30, 2))
    twice = Data(np.column_stack([X, X[:, 0], np.zeros(30)]), X @ [1.0, 2.0] + 0.1)
    weights, index = decoded(3)
    curves = CodedDescent(PROBLEMS["linear"], twice, 3, OPTIMIZERS["constant"], ITERATIONS).run(
        weights, index
    )
    table = OPTIMIZERS["constant"].model_dump()
    _, losses, _ = twin.descend("linear", twice, np.zeros(4), table, weights[index[:, 0]])
    assert relative(curves["loss"][:, 0], losses) < 1e-9


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_diverged_run_is_not_a_number_from_there_on(name):
    data = made(name)
    weights, index = decoded(3, iterations=40, trials=5)
    weights[1] = 1e7  # what decoding with an ill-conditioned code may do
    index[index == 1] = 0
    beside = CodedDescent(PROBLEMS[name], data, 3, OPTIMIZERS["constant"], 40)
    expected = beside.run(weights, index, {"gradient_error"})
    index[10:, 2] = 1
    curves = beside.run(weights, index, {"gradient_error"})
    others = [0, 1, 3, 4]
    assert np.array_equal(curves["loss"][:, others], expected["loss"][:, others])
    if data.best is not None:
        assert np.isfinite(curves["loss"][:11, 2]).all()
        first = int(np.argmax(np.isnan(curves["loss"][:, 2])))
        assert 10 < first < 20
        assert np.isnan(curves["loss"][first:, 2]).all()
        assert np.isnan(curves["gradient_error"][first:, 2]).all()
        assert np.isfinite(curves["gradient_error"][:first, 2]).all()
        known = curves["loss"][:first, 2]
        assert known.max() <= 1e12 * (known[0] + 1.0)


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("step", [1e200, 1e308])
def test_overflow_is_divergence(name, step):
    data = made(name)
    wanted = {"gradient_error"} | ({"distance"} if data.best is not None else set())
    run = CodedDescent(PROBLEMS[name], data, 3, GradientDescent(step=step), 6)
    curves = run.run(np.ones((1, 3)), np.zeros((6, 2), int), wanted)
    assert np.isfinite(curves["loss"][0]).all()
    assert np.isnan(curves["loss"][1:]).all()
    assert np.isnan(curves["gradient_error"][1:]).all()
    if data.best is not None:
        assert np.isnan(curves["distance"][1:]).all()


@pytest.mark.parametrize("size", [1, 3, 8, 515, 1030])
@pytest.mark.parametrize("rows", [1, 2, 4, 7, 16])
def test_products_are_those_of_numpy(size, rows):
    draw = np.random.default_rng(size * rows)
    x, theta = draw.normal(size=(rows, size)), draw.normal(size=(size, lanes.LANES))
    weights, start = draw.normal(size=(16, lanes.LANES)), draw.normal(size=(size, lanes.LANES))
    found, added = np.full((16, lanes.LANES), 7.0), start.copy()
    lanes.products(x, theta, found)
    lanes.add_products(x, weights, added)
    assert np.allclose(found[:rows], x @ theta, rtol=0, atol=1e-12)
    assert np.all(found[rows:] == 7.0)
    assert np.allclose(added, start + x.T @ weights[:rows], rtol=0, atol=1e-12)


@jit
def _logistic_losses(margins, losses, falls):
    for i in range(margins.size):
        losses[i], falls[i] = logistic_loss(margins[i])


def test_logistic_losses_have_all_digits():
    sizes = np.concatenate([[0.0], np.geomspace(1e-20, 700.0, 300)])
    margins = np.concatenate([-sizes, sizes, [-1e300, 1e300]])
    losses, falls = np.empty_like(margins), np.empty_like(margins)
    _logistic_losses(margins, losses, falls)
    for margin, loss, fall in zip(margins[:-2].tolist(), losses, falls, strict=False):
        m = mpmath.mpf(margin)
        assert loss == pytest.approx(float(mpmath.log1p(mpmath.exp(-m))), rel=5e-16, abs=1e-320)
        assert fall == pytest.approx(float(1 / (1 + mpmath.exp(m))), rel=1e-15, abs=1e-320)
    assert losses[-2:].tolist() == [1e300, 0.0]
    assert falls[-2:].tolist() == [1.0, 0.0]
