"""Closed forms of paper gcada against fractions, digamma values, runs and draws; its claims."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import trapezoid

from fastgc.theory import gcada
from fastgc.theory import known as forms
from fastgc.theory.gcada import paper
from fastgc.theory.gcada.algorithm import ALONE, FADING, PAPERS, RISING, X, Y
from fastgc.theory.gcada.cases import CADA, GCADA_3, GCADA_4, periodic
from fastgc.theory.gcada.selection import bound, bound_printed
from fastgc.theory.gcada.time import always_selected, time_of
from fastgc.training.data import Data
from twins import selection as twin


def harmonic(n):
    return sum((Fraction(1, i) for i in range(1, n + 1)), Fraction(0))


def test_order_statistics_by_fractions():
    for n in range(1, 8):
        for k in range(1, n + 1):
            truth = harmonic(n) - harmonic(n - k)
            assert gcada.order_mean(n, k, 2.0) == pytest.approx(2 * float(truth), rel=1e-14)
            for d in (1, 3):
                assert gcada.group_order_mean(n, k, d) == pytest.approx(float(truth / d), rel=1e-14)
                printed = gcada.group_order_mean_printed(n, k, d)
                assert printed == pytest.approx(float(harmonic(k) / d), rel=1e-14)
    assert gcada.group_order_mean(4, 2, 3) == pytest.approx(0.1944, abs=5e-5)
    assert gcada.group_order_mean_printed(4, 2, 3) == 0.5


def test_integral_14_by_quadrature():
    """The trapezoidal rule on 1 − F_G(x)^a, F_G by its binomial sum."""
    a, d, x = 2, 3, np.linspace(0.0, 25.0, 200_001)
    late = np.exp(-x)
    law = sum(math.comb(d, j) * (1 - late) ** j * late ** (d - j) for j in range(1, d + 1))
    integral = trapezoid(1 - law**a, x)
    assert gcada.group_order_mean_printed(4, a, d) == pytest.approx(integral, abs=1e-8)


def test_harmonic_numbers_between():
    for n in (0, 1, 5, 40, 9_999, 20_000):
        truth = float(sum(1 / i for i in range(1, n + 1)))
        assert gcada.harmonic_at(float(n)) == pytest.approx(truth)
    assert gcada.harmonic_at(0.5) == pytest.approx(2 - 2 * math.log(2), rel=1e-15)
    third = 3 - math.pi / (2 * math.sqrt(3)) - 1.5 * math.log(3)
    assert gcada.harmonic_at(1 / 3) == pytest.approx(third, rel=1e-14)
    for x in (0.1, 2.7, 15.9, 16.1):
        step = gcada.harmonic_at(x + 1) - gcada.harmonic_at(x)
        assert step == pytest.approx(1 / (x + 1), rel=1e-12)


def test_quiet_iterations_by_trying():
    for smoothness in (0.0, 0.3, 0.5, 1.0, math.sqrt(2), 2.0):
        tried = [d for d in range(1, 6) if Fraction(smoothness) ** 2 * d <= 2]
        assert gcada.quiet_iterations(smoothness, 2.0, 5) == max(tried, default=0)


@pytest.mark.parametrize("selection", [PAPERS, FADING, RISING, ALONE], ids=str)
def test_algorithm_1_step_by_step(selection):
    more = {"step": 0.05, "beta2": 0.9}
    optimizer = {"method": "amsgrad"} | more
    times = np.ones((40, selection["workers"]))
    data = Data([[x] for x in X], Y)
    losses, costs = twin.train("linear", data, [0.0], optimizer, selection, times, 40)
    rule = [selection[key] for key in ("smoothness", "c", "window")]
    for k in (1, 2, 17, 40):
        run = X, Y, *rule, k, selection["refresh"]
        assert gcada.algorithm1_loss(*run, **more) == pytest.approx(losses[k], rel=1e-12)
        assert gcada.algorithm1_selections(*run, **more) == costs["uploads"][k]
    parts = len(selection["smoothness"])
    assert parts < costs["uploads"][40] < 39 * parts


def test_the_bound_as_printed_forgets_the_heaviest():
    assert gcada.selected_bound_printed([9.0, 9.0], 2.0, 4) == 0.0
    assert gcada.selected_bound([9.0, 9.0], 2.0, 4) == 2.0
    assert gcada.selected_bound([1e-9], 2.0, 4) == pytest.approx(1 / 5)
    assert gcada.selected_bound([1e-9], 2.0, 4, "at") == pytest.approx(1 / 4)
    # thresholds with one constant loosen the bound
    smoothness = [0.1, 0.5, 0.9, 1.1]
    assert gcada.selected_bound(smoothness, 2.0, 4) < gcada.selected_bound(smoothness, 2.0 / 16, 4)


@pytest.mark.parametrize("run", [CADA, GCADA_3, GCADA_4], ids=["cada", "3 groups", "4 groups"])
def test_classes_of_the_runs_differ(run):
    periods = gcada.selection_period(run.smoothness, run.c, 4, run.refresh)
    assert len(set(periods.tolist())) >= 2
    assert bound_printed(run) <= bound(run) <= run.units


def test_times_of_periodic_runs_iteration_by_iteration():
    run = periodic(1, 2, 4)
    ages, total = [1, 1], 0.0
    for k in range(60):
        due = [k == 0 or age > 4 for age in ages]
        total += float(harmonic(1 + sum(due))) / 4
        ages = [1 if one else age + 1 for one, age in zip(due, ages, strict=True)]
    assert always_selected(run) == 1
    assert time_of(run) == pytest.approx(total / 60)


def test_one_figure_has_one_standard():
    """Batch, D and runs of Figure 2 are not printed: nothing of it is judged on other data."""
    figure = [claim for claim in paper.claims if claim.category == "figure"]
    assert figure and {claim.expected for claim in figure} == {"not reproducible"}
    # its reported numbers imply groups of three
    assert gcada.communication_load(9219 / 3, 3) == 12292
    assert gcada.computation_load(9219 / 3, 3) == 9219


def test_closed_forms_of_what_selects_all():
    experiment = {
        "kind": "training",
        "selection": {"method": "all", "workers": 4, "batch": 5},
        "latency": {"distribution": "exponential", "mean": 2.0},
        "iterations": 3,
        "measure": ["time", "uploads", "downloads", "gradients"],
    }
    found = forms.closed_forms(experiment)
    last = {form.quantity: form.value for form in found if form.index == 3}
    assert last.pop("time") == pytest.approx(3 * 2 * 25 / 12)
    assert last == {"uploads": 12.0, "downloads": 12.0, "gradients": 60.0}
    assert {form.claim for form in found} - {None} < {claim.id for claim in paper.claims}
    chosen = {"method": "cada", "workers": 4, "c": 1.0}
    for other in ({"kind": "completion"}, {"selection": chosen}, {"iterations": 20_000}):
        assert forms.closed_forms(experiment | other) == []
