"""Training by brute force against other code and by hand; what is broken gives another number."""

import numpy as np
import pytest

from fastgc.training.data import Data
from fastgc.validation.finite import measure
from fastgc.validation.finite.brute_force import training
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
