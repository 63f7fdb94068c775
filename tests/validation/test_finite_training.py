"""Training by brute force against other code and by hand; what is broken gives another number."""

import math

import numpy as np
import pytest

from fastgc.theory import codedreduce
from fastgc.training.data import Data
from fastgc.validation.finite import measure
from fastgc.validation.finite.brute_force import descent, training
from fastgc.validation.finite.brute_force.codes import matrix
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


def test_a_unit_is_quiet_below_the_threshold_alone():
    # of 3 steps the last 2 count on the left: 1, 1, 0 is their worst
    assert training.quiet_threshold(2.0, 3, 2) == 1.0
    assert training.quiet_threshold(2.0, 3, 3) == pytest.approx(2 / 3)
    # estimates of a gradient count every sample that is drawn
    data = {"x": [[1.0], [2.0], [1.0], [3.0]], "y": [0.0, 0.0, 0.0, 0.0]}
    assert training.estimate_scale(data, 2, 1) == pytest.approx(2.0)
    assert training.estimate_scale(data, 2, 2) == pytest.approx(4.0)


def test_bounds_class_by_class():
    """Of c = 2 and D = 3 the classes end at 2, 1 and 2/3."""

    def bound(smoothness, heaviest, c=2.0):
        return training.selection_bound(smoothness, c, 3, heaviest)

    for smoothness, share in ((9.0, 1.0), (1.2, 1 / 2), (0.9, 1 / 3), (0.1, 1 / 4)):
        assert bound([smoothness], "infinity") == pytest.approx(share)
        printed = 0.0 if smoothness == 9.0 else share
        assert bound([smoothness], "zero") == pytest.approx(printed)
    assert bound([9.0, 0.1, 0.1], "infinity") == pytest.approx(1.5)
    assert bound([9.0, 0.1, 0.1], "infinity", c=0.01) != pytest.approx(1.5)


@pytest.mark.night
def test_runs_violate_the_wrong_bound_and_not_the_right_one():
    for heaviest, violations in (("infinity", 0), ("zero", 10)):
        found = training.selection_bound_violations(heaviest, "after", runs=10, seed=5)
        assert found == violations


def drawn_loss(code, shuffle, step, iterations, trials, seed=1):
    """Mean loss over the first one of runs drawn one by one, on the enumeration's data."""
    draw = np.random.default_rng(seed)
    x = draw.standard_normal((4, 2))
    y = x + draw.standard_normal((4, 2))
    size = math.sqrt((x**2).mean())
    x, y = x / size, y / size
    B, n = matrix(code), 4
    draw = np.random.default_rng(9)
    ends = []
    for _ in range(trials):
        p = np.where(draw.random(n) < LAW[0], LAW[1], LAW[2])
        theta = 0.0
        for iteration in range(iterations):
            alive = np.flatnonzero(draw.random(n) >= p)
            turned = np.arange(n) + (iteration if shuffle == "cyclic" else 0)
            columns = draw.permutation(n) if shuffle == "random" else turned % n
            A = B[:, columns[alive]]
            weights = A @ np.linalg.lstsq(A, np.ones(4), rcond=None)[0]
            theta -= step * float(weights @ (x * (x * theta - y)).sum(axis=1)) / x.size
        ends.append(((x * theta - y) ** 2).mean() / 2)
    first = (y**2).mean() / 2
    return np.mean(ends) / first, np.std(ends) / first / math.sqrt(trials)


@pytest.mark.night
@pytest.mark.parametrize(("code", "shuffle"), [(FRC, "random"), (CRC, "cyclic")], ids=str)
def test_mean_losses_by_drawing(code, shuffle):
    found = descent.mean_loss_difference((code, code), (shuffle, "none"), 0.7, 6, LAW, 1.0, 1)
    with_it, error = drawn_loss(code, shuffle, 0.7, 6, 1500)
    without, other = drawn_loss(code, "none", 0.7, 6, 1500)
    assert abs(with_it - without - found) < 4 * math.hypot(error, other)


def test_a_code_differs_from_another_only():
    def difference(first, second, shuffle="none"):
        ways = (shuffle, shuffle)
        return descent.mean_loss_difference((first, second), ways, 0.7, 5, LAW, 1.0, 1)

    assert difference(FRC, FRC, "random") == 0.0
    other = difference(CRC, FRC)
    assert other == pytest.approx(-difference(FRC, CRC)) and other != 0.0
    assert abs(difference(BROKEN, FRC)) > 1e-3


def test_descent_halves_and_depends_on_where_it_starts():
    assert descent.descent_iterations([1.0], 0.5, 1e-3, [1.0]) == 5
    assert codedreduce.descent_iterations(1e-3, 0.5) == 5.0
    none = descent.descent_iterations([1.0], 0.5, 2.0, [3.0])
    assert codedreduce.descent_iterations(2.0, 0.5) == none == 0
    assert descent.descent_iterations([1.0], 0.4, 1e-3, [1.0]) > 5, "another step"
    first, second, both = (
        descent.descent_iterations([1.0, 0.1], 1.0, 1e-6, start)
        for start in ([1, 0], [0, 1], [1, 1])
    )
    assert [first, second] == [1, codedreduce.descent_iterations(1e-6, 0.9)]
    assert first < both <= second


SIX = [-1.0] * 3 + [1.0] * 3


@pytest.mark.parametrize("stragglers", [1, 3])
def test_iterations_without_stragglers_waited_for(stragglers):
    found = descent.ignoring_iterations(SIX, stragglers, 0.0031)
    assert found == codedreduce.decaying_iterations(0.0031, 6, stragglers)
    assert found < descent.ignoring_iterations(SIX, stragglers + 1, 0.0031)


@pytest.mark.parametrize("epsilon", [0.11, 0.03, 0.0007])
def test_gradients_in_all(epsilon):
    """Of 6 workers on the (2,2)-tree with s = 1, whose iteration takes 3 d gradients."""
    right, deeper, fewer = (
        descent.ignoring_over_tree_gradients(SIX, stragglers, (2, 2, 1), step, epsilon)
        for stragglers, step in ((3, 0.5), (3, 0.4), (2, 0.5))
    )
    ignoring = codedreduce.decaying_iterations(epsilon, 6, 3)
    coded = 3 * codedreduce.descent_iterations(epsilon, 0.5)
    assert right == pytest.approx(ignoring / coded)
    assert epsilon > 0.01 or len({right, deeper, fewer}) == 3
