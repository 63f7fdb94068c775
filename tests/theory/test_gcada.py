"""Closed forms of paper gcada, and its claims."""

import math

import pytest

from fastgc.theory import formula_choice as forms
from fastgc.theory import gcada
from fastgc.theory.gcada import paper


def test_harmonic_numbers_between():
    for n in (0, 1, 5, 9_999, 20_000):
        truth = float(sum(1 / i for i in range(1, n + 1)))
        assert gcada.harmonic_at(float(n)) == pytest.approx(truth)
    assert gcada.harmonic_at(0.5) == pytest.approx(2 - 2 * math.log(2), rel=1e-15)


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
