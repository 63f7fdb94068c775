"""`design` with gradients that differ: what systems that lose a share do to the gradient."""

import itertools

import numpy as np
import pytest

import fastgc
from fastgc.errors import FastgcError
from fastgc.training.problems import Linear
from suite.checks import every
from suite.recordings import written

LAW = {"distribution": "exponential", "mean": 1.0}
NORMS = [3.0, 1.0, 2.0, 1.0, 0.5]


def share(alive, G):
    """‖ĝ − g‖²/‖g‖² of those who answered, scaled up."""
    weights = np.array(alive, float)
    residual = weights * len(G) / max(1.0, weights.sum()) - 1
    return residual @ G @ residual / G.sum()


@pytest.mark.parametrize("given", [NORMS, {"correlation": 0.4}, "problem"])
def test_of_the_first_answers_any_are_as_likely(given):
    G = np.diag(np.square(NORMS))
    if isinstance(given, dict):
        G = np.where(np.eye(5) > 0, 1.0, 0.4)
    if given == "problem":
        problem = {"model": "linear", "samples": 20, "features": 2}
        given, parts = {"problem": problem}, Linear(samples=20, features=2).partial_gradients(5)
        G = parts @ parts.T
    table = {"workers": 5, "schemes": ["uncoded", "bounded-wait"], "latency": LAW, "gram": given}
    found = fastgc.design(table)
    lost = [c for c in found if c.system["family"] == "bounded-wait"]
    assert lost
    for choice in lost:
        k = choice.system["k"]
        sets = [np.isin(np.arange(5), own) for own in itertools.combinations(range(5), k)]
        shares = [share(own, G) for own in sets]
        error = np.std(shares) / np.sqrt(16_384)
        assert abs(choice.gradient_error - np.mean(shares)) < 5 * error + 1e-12
        assert choice.row(front=False)["gradient_error"] == choice.gradient_error
        assert any(f"{choice.gradient_error:.3g} by {choice.name}" in note for note in found.notes)
    exact = next(c for c in found if c.system["family"] == "uncoded")
    assert exact.gradient_error is None and "gradient_error" not in exact.row(front=False)
    without = fastgc.design({key: own for key, own in table.items() if key != "gram"})
    assert every(c.gradient_error is None for c in without)


def test_of_a_recording_each_row_counts(tmp_path):
    times = np.random.default_rng(4).exponential(size=(80, 5)).round(3)
    law = {"distribution": "empirical", "file": str(written(times, tmp_path / "t.csv"))}
    table = {"workers": 5, "schemes": ["uncoded", "drop-late"], "deadline": 0.9, "work": 5}
    table |= {"latency": law | {"order": "rows"}, "gram": NORMS}
    found = fastgc.design(table)
    choice = next(c for c in found if c.system["family"] == "drop-late")
    G = np.diag(np.square(NORMS))
    wanted = np.mean([share(row <= 0.9, G) for row in times])
    assert choice.gradient_error == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"gram": [1.0, 2.0]}, r"gram\.norms: must have 5 lengths \(got 2\)"),
        ({"schemes": ["uncoded"]}, "gram: is for systems that lose a share"),
        ({"gram": {"correlation": 3.0}}, r"gram\.correlation"),
    ],
)
def test_mistakes_are_said(keys, said):
    table = {"workers": 5, "schemes": ["uncoded", "bounded-wait"], "latency": LAW, "gram": NORMS}
    with pytest.raises(FastgcError, match=said):
        fastgc.design(table | keys)
