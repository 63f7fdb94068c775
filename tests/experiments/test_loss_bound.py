"""The bound of the loss by convergence theory: its definition, runs, and what is refused."""

import numpy as np
import pytest

import fastgc
from fastgc.errors import FastgcError
from fastgc.training.convergence import LossBound
from fastgc.training.data import Data
from fastgc.training.optimizers import GradientDescent
from fastgc.training.problems import Linear

LINEAR = {"model": "linear", "samples": 40, "features": 3, "noise": 1.0}
FRC = {"family": "frc", "n": 8, "d": 2}


def curvatures(X):
    values = np.linalg.eigvalsh(X.T @ X / len(X))
    return values[values > 1e-10 * values[-1]]


def study(step, **changes):
    optimizer = {"method": "gradient-descent", "step": step, "decay": 0.2}
    table = {"kind": "training", "problem": LINEAR, "code": FRC, "stragglers": 0.6}
    table |= {"optimizer": optimizer, "iterations": 12, "measure": ["loss", "loss_bound"]}
    return table | changes


@pytest.mark.parametrize("decoder", ["optimal", "one-step"])
def test_each_run_stays_below_its_bound(decoder):
    data = Linear(samples=40, features=3, noise=1.0).load()
    mu, *_, top = curvatures(data.X)
    best = np.linalg.lstsq(data.X, data.y, rcond=None)[0]
    least = 0.5 * np.mean((data.X @ best - data.y) ** 2)
    table = study(0.9 / top, decoder=decoder)
    shown = table | {"measure": ["loss", "gradient_error", "loss_bound"]}
    worse = 0
    for trial in range(40):
        run = fastgc.replay(shown, trial=trial)["iterations"]
        expected = run[0]["loss"] - least
        for place, each in enumerate(run):
            assert each["loss_bound"] == pytest.approx(least + expected, rel=1e-10)
            assert each["loss"] <= each["loss_bound"] * (1 + 1e-12)
            share = each.get("gradient_error", 0.0)
            worse += share > 1
            eta = 0.9 / top / (1 + 0.2 * place)
            curvature = mu if share < 1 else top
            expected *= 1 - eta * curvature * (1 - share)
    assert worse  # of gradients that are worse than none, too
    found = fastgc.run(table, trials=256)["experiment1"]
    means = [found[name][12].mean.value for name in ("loss", "loss_bound")]
    each = [fastgc.replay(shown, trial=trial)["iterations"][-1] for trial in range(256)]
    assert means == pytest.approx(
        [np.mean([run[name] for run in each]) for name in ("loss", "loss_bound")], rel=1e-10
    )


@pytest.mark.night
def test_it_is_attained_where_all_curvatures_are_equal():
    """Orthogonal features, half of them lost in proportion: the loss is the bound, to the digit."""
    X = np.array([[1.0, 0.0], [0.0, 1.0]] * 6)
    y = X @ np.array([1.5, -2.0])
    bound = LossBound.of(Data(X, y), GradientDescent(step=2.0))
    assert (bound.mu, bound.L) == pytest.approx((0.5, 0.5))
    first = np.array([0.5 * np.mean(y**2)])
    shares = np.array([[1 / 9], [0.0], [4 / 9]])
    assert bound.curve(first, shares)[:, 0] / first == pytest.approx([1, 1 / 9, 0, 0], abs=1e-15)


@pytest.mark.night
def test_directions_without_data_do_not_count():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 2))
    X = np.column_stack([X, X.sum(axis=1)])  # of rank 2
    y = X @ np.ones(3) + rng.normal(size=30)
    bound = LossBound.of(Data(X, y), GradientDescent(step=0.01))
    assert [bound.mu, bound.L] == pytest.approx(curvatures(X)[[0, -1]], rel=1e-10)
    assert bound.least == pytest.approx(0.5 * np.mean((X @ np.linalg.pinv(X) @ y - y) ** 2))


@pytest.mark.night
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"optimizer": {"method": "gradient-descent", "step": 5.0}}, r"at most 1/L = 0\.\d"),
        ({"optimizer": {"method": "adam", "step": 0.1}}, "loss_bound is one of gradient-descent"),
        ({"problem": {"model": "logistic", "samples": 40, "features": 3}},
         "loss_bound is known of linear problems"),
        ({"selection": {"method": "all", "workers": 4}, "code": None, "stragglers": None},
         "loss_bound, messages and worker_seconds are those of c"),
    ],
)  # fmt: skip
def test_mistakes_are_said(changes, said):
    table = {key: value for key, value in study(0.1, **changes).items() if value is not None}
    with pytest.raises(FastgcError, match=said):
        fastgc.run(table, trials=64)
