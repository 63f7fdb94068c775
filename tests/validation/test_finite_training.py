"""Training by brute force against other code and by hand; what is broken gives another number."""

import numpy as np
import pytest

from fastgc.training.data import Data
from fastgc.validation.finite import measure
from fastgc.validation.finite.brute_force import descent, training
from twins import selection as twin

DATA = {"samples": 13, "features": 3, "seed": 4}
SELECTIONS = (
    {"method": "all", "workers": 4},
    {"method": "all", "workers": 4, "batch": 2},
    {"method": "cada", "workers": 4, "c": 0.8, "window": 3, "refresh": "at"},
    {"method": "g-cada", "workers": 6, "groups": 3, "c": [1.5, 0.4], "window": 2, "batch": 3,
     "refresh": "after", "smoothness": [0.9, 1.5, 2.0]},
    {"method": "cada", "workers": 3, "c": 0.5, "window": 3, "refresh": "at", "smoothness": 1.2},
)  # fmt: skip
AMSGRAD = {"method": "amsgrad", "step": 0.1}
RUN = {"data": DATA, "optimizer": AMSGRAD, "selection": SELECTIONS[3], "iterations": 20}
FRC, CRC = {"family": "frc", "n": 4, "d": 2}, {"family": "circulant", "n": 4, "d": 2}
LAW = (0.4, 0.8, 0.1)
#: The repetition code with one partition that its second worker has lost.
BROKEN = {"family": "matrix", "rows": [[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]}


@pytest.mark.parametrize(
    "optimizer", [AMSGRAD, AMSGRAD | {"beta1": 0.8, "beta2": 0.7, "epsilon": 1e-3}], ids=str
)
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


@pytest.mark.parametrize("broken", [
    {"optimizer": AMSGRAD | {"step": 0.101}},
    {"optimizer": AMSGRAD | {"beta2": 0.99}},
    {"selection": SELECTIONS[3] | {"c": [0.4, 1.5]}},
    {"selection": SELECTIONS[3] | {"refresh": "at"}},
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
])  # fmt: skip
def test_numbers_of_runs_are_those_of_the_record(name, changed):
    right = measure({"finite": name} | RUN)
    train = lying(**{changed: lambda values: [2 * value for value in values]})
    wrong = getattr(training, name)(**RUN, train=train)
    assert abs(wrong - right) > 0.1 * right


def test_largest_age_is_seen():
    quiet = {"method": "cada", "workers": 2, "c": 1e9, "window": 4, "smoothness": [1e-9, 1e-9]}
    for refresh, age in (("at", 4), ("after", 5)):
        run = RUN | {"selection": quiet | {"refresh": refresh}}
        assert measure({"finite": "largest_age"} | run) == age


def test_excess_losses_are_the_worst_of_all_runs():
    def excess(**runs):
        return measure({"finite": "excess_loss", "runs": runs})

    everybody = RUN | {"selection": SELECTIONS[0]}
    each = excess(a=RUN), excess(b=everybody)
    assert excess(a=RUN, b=everybody) == max(each) > min(each) > 0
    assert excess(b=everybody | {"iterations": 200}) < each[1]


@pytest.mark.night
def test_runs_violate_the_wrong_bound_and_not_the_right_one():
    for heaviest, violations in (("infinity", 0), ("zero", 10)):
        found = training.selection_bound_violations(heaviest, "after", runs=10, seed=5)
        assert found == violations


def test_a_code_differs_from_another_only():
    def difference(first, second, shuffle="none"):
        ways = (shuffle, shuffle)
        return descent.mean_loss_difference((first, second), ways, 0.7, 5, LAW, 1.0, 1)

    assert difference(FRC, FRC, "random") == 0.0
    other = difference(CRC, FRC)
    assert other == pytest.approx(-difference(FRC, CRC)) and other != 0.0
    assert abs(difference(BROKEN, FRC)) > 1e-3
