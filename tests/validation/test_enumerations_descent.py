"""Exact training of small codes against runs that are drawn, and by hand."""

import math

import numpy as np
import pytest

from fastgc.errors import FastgcError
from fastgc.theory import agc, codedreduce
from fastgc.validation.finite.brute_force import descent
from fastgc.validation.finite.brute_force.codes import matrix

FRC, CRC = {"family": "frc", "n": 4, "d": 2}, {"family": "circulant", "n": 4, "d": 2}
LAW = (0.4, 0.8, 0.1)


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


@pytest.mark.parametrize(("code", "shuffle"), [(FRC, "random"), (CRC, "cyclic")], ids=str)
def test_mean_losses_by_drawing(code, shuffle):
    found = descent.mean_loss_difference((code, code), (shuffle, "none"), 0.7, 6, LAW, 1.0, 1)
    with_it, error = drawn_loss(code, shuffle, 0.7, 6, 1500)
    without, other = drawn_loss(code, "none", 0.7, 6, 1500)
    assert abs(with_it - without - found) < 4 * math.hypot(error, other)


def test_a_code_differs_from_another_only():
    same = descent.mean_loss_difference((FRC, FRC), ("random", "random"), 0.7, 5, LAW, 1.0, 1)
    assert same == 0.0
    other = descent.mean_loss_difference((CRC, FRC), ("none", "none"), 0.7, 5, LAW, 1.0, 1)
    turned = descent.mean_loss_difference((FRC, CRC), ("none", "none"), 0.7, 5, LAW, 1.0, 1)
    assert other == pytest.approx(-turned) and other != 0.0


def test_mean_weights_of_repetition():
    args = (0.8, 0.1, 0)
    assert descent.mean_weight(FRC, [0, 2], *args) == pytest.approx(1 - 0.8 * 0.1)
    assert descent.mean_weight(FRC, [0, 1], *args) == pytest.approx(1 - 0.8**2)
    h = agc.not_accessed_probability_given_slow(4, 2, 2, 0.8, 0.1)
    assert descent.mean_weight(FRC, 2, *args) == pytest.approx(1 - h)


def test_mean_gradients_are_a_share():
    share = 1 - 0.3**2
    assert descent.mean_gradient_difference(FRC, 0.3, share, 1) == 0.0
    assert descent.mean_gradient_difference(FRC, 0.3, share - 0.1, 1) == pytest.approx(0.1)


def test_descent_halves():
    assert descent.descent_iterations([1.0], 0.5, 1e-3, [1.0]) == 5
    assert codedreduce.descent_iterations(1e-3, 0.5) == 5.0
    none = descent.descent_iterations([1.0], 0.5, 2.0, [3.0])
    assert codedreduce.descent_iterations(2.0, 0.5) == none == 0


def test_descent_depends_on_where_it_starts():
    curvatures, epsilon = [1.0, 0.1], 1e-6
    along = [
        descent.descent_iterations(curvatures, 1.0, epsilon, axis) for axis in ([1, 0], [0, 1])
    ]
    assert along == [1, codedreduce.descent_iterations(epsilon, 0.9)]
    assert along[0] < descent.descent_iterations(curvatures, 1.0, epsilon, [1, 1]) <= along[1]


@pytest.mark.parametrize("stragglers", [1, 3])
def test_iterations_without_stragglers_waited_for(stragglers):
    six = [-1.0] * 3 + [1.0] * 3
    found = descent.ignoring_iterations(six, stragglers, 0.0031)
    assert found == codedreduce.decaying_iterations(0.0031, 6, stragglers)
    assert found < descent.ignoring_iterations(six, stragglers + 1, 0.0031)


@pytest.mark.parametrize("iterations", [1, 2, 4])
def test_ignoring_stragglers_by_variances(iterations):
    optima = [0.0, 1.0, 5.0, 2.0]
    variance = float(np.var(optima))
    decaying = codedreduce.decaying_error(4, 1, iterations, variance)
    assert descent.ignoring_error(optima, 1, iterations, None) == pytest.approx(decaying)
    constant = codedreduce.constant_error(4, 1, 0.3, iterations, variance)
    assert descent.ignoring_error(optima, 1, iterations, 0.3) == pytest.approx(constant)


@pytest.mark.parametrize("epsilon", [0.11, 0.03, 0.0007])
def test_gradients_in_all(epsilon):
    """Of 6 workers on the (2,2)-tree with s = 1, whose iteration takes 3 d gradients."""
    six = [-1.0] * 3 + [1.0] * 3
    ratio = descent.ignoring_over_tree_gradients(six, 3, (2, 2, 1), 0.5, epsilon)
    ignoring = codedreduce.decaying_iterations(epsilon, 6, 3)
    coded = 3 * codedreduce.descent_iterations(epsilon, 0.5)
    assert ratio == pytest.approx(ignoring / coded)


#: The repetition code with one partition that its second worker has lost.
BROKEN = {
    "family": "matrix",
    "rows": [[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]],
}


def test_a_broken_code_has_other_weights_gradients_and_losses():
    share = 1 - 0.3**2
    assert descent.mean_gradient_difference(BROKEN, 0.3, share, 1) > 0.01
    for slow in ([0, 2], 2):
        right, wrong = (descent.mean_weight(c, slow, 0.8, 0.1, 1) for c in (FRC, BROKEN))
        assert abs(right - wrong) > 0.01
    codes, ways = (BROKEN, FRC), ("none", "none")
    assert abs(descent.mean_loss_difference(codes, ways, 0.7, 5, LAW, 1.0, 1)) > 1e-3


def test_other_steps_and_rules_take_otherwise_long():
    slower, faster = (
        descent.descent_iterations([1.0], step, 1e-3, start=[1.0]) for step in (0.4, 0.5)
    )
    assert slower > faster
    assert descent.descent_iterations([1.0, 0.1], 0.5, 1e-3, start=[0.0, 1.0]) > 5
    optima = [0.0, 1.0, 5.0, 2.0]
    errors = {descent.ignoring_error(optima, 1, 3, step) for step in (None, 0.3, 0.5)}
    assert len(errors) == 3 and min(errors) > 0.0
    assert descent.ignoring_error([2.0] * 4, 1, 3, None) == 0.0
    six = [-1.0] * 3 + [1.0] * 3
    right, deeper, fewer = (
        descent.ignoring_over_tree_gradients(six, stragglers, (2, 2, 1), step, 0.01)
        for stragglers, step in ((3, 0.5), (3, 0.4), (2, 0.5))
    )
    assert len({right, deeper, fewer}) == 3


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: codedreduce.descent_iterations(0.0, 0.5), "epsilon: got 0.0"),
        (lambda: codedreduce.descent_iterations(0.1, 1.0), "contraction: got 1.0"),
        (lambda: codedreduce.constant_error(4, 1, 2.0, 3), "step: got 2.0"),
        (lambda: codedreduce.decaying_error(4, 4, 3), "stragglers: got 4"),
        (lambda: codedreduce.decaying_error(4, 1, 0), "iterations: got 0"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_mistakes(call, says):
    with pytest.raises(FastgcError, match=says):
        call()
