"""Training step by step against other code; whatever is broken gives another number."""

import numpy as np
import pytest

from fastgc.training.data.data import Data
from fastgc.validation.finite import measure
from fastgc.validation.finite.brute_force import training
from twins import selection as twin
from twins import training as models

DATA = {"samples": 13, "features": 3, "seed": 4}
GIVEN = {"x": [[1.0, 0.5], [-0.4, 1.5], [0.3, -0.8], [2.0, 0.1]], "y": [1.0, 0.0, 1.0, 0.0]}
SELECTIONS = (
    {"method": "all", "workers": 4},
    {"method": "all", "workers": 4, "gradient": "mean", "batch": 2},
    {"method": "cada", "workers": 4, "c": 0.8, "window": 3, "refresh": "at"},
    {"method": "g-cada", "workers": 6, "groups": 3, "c": [1.5, 0.4], "window": 2, "batch": 3,
     "refresh": "after", "smoothness": [0.9, 1.5, 2.0]},
    {"method": "cada", "workers": 3, "c": 0.5, "window": 3, "refresh": "at", "smoothness": 1.2,
     "trigger": "square-of-sum"},
)  # fmt: skip
OPTIMIZERS = (
    {"method": "gradient-descent", "step": 0.02, "decay": 0.1},
    {"method": "adam", "step": 0.1, "beta1": 0.8},
    {"method": "amsgrad", "step": 0.1},
    {"method": "amsgrad", "step": 0.1, "beta2": 0.7, "v_rule": "amsgrad"},
)
RUN = {
    "data": DATA,
    "optimizer": OPTIMIZERS[2],
    "selection": SELECTIONS[3],
    "iterations": 20,
}


@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=lambda table: table["method"])
@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
def test_runs_are_the_twin_step_by_step(selection, optimizer):
    record = training.train(DATA, optimizer, selection, 25)
    X, y = training.samples(DATA)
    times = np.ones((25, selection["workers"]))
    rest = Data(X, y), np.zeros(3), optimizer, selection, times, 25
    losses, costs = twin.train("linear", *rest)
    assert record.losses == pytest.approx(losses.tolist(), rel=1e-10)
    for name in ("downloads", "uploads", "gradients"):
        assert getattr(record, name) == costs[name].tolist()


@pytest.mark.parametrize(("model", "size"), [("logistic", 2), ("softmax", 4)])
def test_gradients_are_those_of_calculus(model, size):
    X, y = training.samples(GIVEN)
    y = 2 * y - 1 if model == "logistic" else y
    theta = np.random.default_rng(5).standard_normal(size)
    data = Data(X, y, 2)
    losses, gradients = models.samples(model, data, theta)
    assert training.loss(model, theta, X, y) == pytest.approx(losses.sum())
    found = training.gradient(model, theta, X, y)
    assert found == pytest.approx(gradients.sum(axis=0), rel=1e-12)


def test_coded_descent_is_the_twin():
    code = {"family": "frc", "n": 4, "d": 2}
    weights = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]])
    alive = [[0, 1], [1, 2, 3]]
    X, y = training.samples(DATA)
    for optimizer in OPTIMIZERS:
        path, losses, errors = models.descend("linear", Data(X, y), np.zeros(3), optimizer, weights)
        run = {"code": code, "data": DATA, "optimizer": optimizer}
        assert training.coded_loss(survivors=alive, **run) == pytest.approx(losses[-1], rel=1e-12)
        error = training.coded_gradient_error(survivors=alive[:1], **run)
        assert error == pytest.approx(errors[0], rel=1e-12)
        assert training.coded_gradient_error(survivors=[[2]], **run) != error
        best = np.linalg.lstsq(X, y, rcond=None)[0]
        distance = training.coded_distance(survivors=alive, **run)
        off = ((path[-1] - best) ** 2).sum() / (best**2).sum()
        assert distance == pytest.approx(off, rel=1e-10)
        assert training.coded_distance(survivors=alive[:1], **run) != distance
        other = training.coded_loss(survivors=[[0, 1], [2, 3]], **run)
        assert abs(other - losses[-1]) > 1e-6


@pytest.mark.parametrize("broken", [
    {"optimizer": OPTIMIZERS[2] | {"step": 0.101}},
    {"optimizer": OPTIMIZERS[2] | {"beta2": 0.99}},
    {"selection": SELECTIONS[3] | {"c": [0.4, 1.5]}},
    {"selection": SELECTIONS[3] | {"refresh": "at"}},
    {"selection": SELECTIONS[3] | {"gradient": "mean"}},
    {"selection": SELECTIONS[3] | {"c": 0.5, "trigger": "square-of-sum"}},
    {"optimizer": OPTIMIZERS[2] | {"v_rule": "amsgrad", "beta2": 0.9}},
    {"selection": SELECTIONS[3] | {"groups": 2, "smoothness": [0.9, 1.5]}},
], ids=str)  # fmt: skip
def test_another_rule_has_another_loss(broken):
    loss = {"finite": "trained_loss"}
    right, wrong = (measure(loss | RUN | more) for more in ({}, broken))
    assert abs(right - wrong) > 1e-6


def lying(**changes):
    """A training whose record is changed: ``changes`` take the right list each."""

    def train(**run):
        record = training.train(**run)
        for name, change in changes.items():
            setattr(record, name, change(getattr(record, name)))
        return record

    return train


@pytest.mark.parametrize(("name", "changed"), [
    ("trained_loss", "losses"), ("selections", "uploads"), ("communication", "downloads"),
    ("communication", "uploads"), ("computation", "gradients"), ("load_ratio", "uploads"),
    ("gradients_per_download", "downloads"),
    ("copies", "gradients"),
])  # fmt: skip
def test_numbers_of_runs_are_those_of_the_record(name, changed):
    right = measure({"finite": name} | RUN)
    train = lying(**{changed: lambda values: [2 * value for value in values]})
    wrong = getattr(training, name)(**RUN, train=train)
    assert abs(wrong - right) > 0.1 * right


def test_largest_age_is_seen():
    quiet = {"method": "cada", "workers": 2, "c": 1e9, "window": 4, "smoothness": [1e-9, 1e-9]}
    ages = {
        refresh: measure(
            {"finite": "largest_age"} | RUN | {"selection": quiet | {"refresh": refresh}}
        )
        for refresh in ("at", "after")
    }
    assert ages == {"at": 4, "after": 5}


def test_loads_to_a_loss():
    other = RUN | {"selection": {"method": "all", "workers": 6}}
    ratio = {"finite": "ratio_to_loss", "first": RUN, "share": 0.8}
    assert measure(ratio | {"load": "communication", "second": RUN}) == 1.0
    record, all_of_them = training.train(**RUN), training.train(**other)
    least = training.least_loss(DATA)
    target = least + 0.8 * (record.losses[0] - least)
    first, second = (
        next(k for k, loss in enumerate(each.losses) if loss <= target)
        for each in (record, all_of_them)
    )
    expected = record.gradients[first] / all_of_them.gradients[second]
    found = measure(ratio | {"load": "computation", "second": other})
    assert found == pytest.approx(expected) and found != 1.0


def test_excess_losses_are_the_worst_of_all_runs():
    everybody = RUN | {"selection": SELECTIONS[0]}
    excess = [
        measure({"finite": "excess_loss", "runs": runs})
        for runs in ({"a": RUN}, {"b": everybody}, {"a": RUN, "b": everybody})
    ]
    assert excess[2] == max(excess) > min(excess) > 0
    longer = {"finite": "excess_loss", "runs": {"b": everybody | {"iterations": 200}}}
    assert measure(longer) < excess[1]
