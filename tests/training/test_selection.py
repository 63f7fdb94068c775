"""Training with selected workers: distributed SGD and Adam, CADA, G-CADA."""

import itertools

import numpy as np
import pytest

from fastgc.draws.streams import Trials, key
from fastgc.errors import FastgcError
from fastgc.registry.given import made
from fastgc.training import selection_descent as selecting
from fastgc.training.data import Data
from fastgc.training.optimizers import Adam, Amsgrad, GradientDescent
from fastgc.training.problems import Linear, Logistic, Softmax
from fastgc.training.selection_descent import SelectionDescent, smoothness
from fastgc.training.selections import All, Cada, GCada
from fastgc_kernels.train.selection_models import (
    LOGISTIC,
    SAMPLES,
    SOFTMAX,
    costs,
    losses,
    triangle,
)
from suite.checks import a_third_by_day, close
from twins import selection as twin
from twins import training

L = 200

PROBLEMS = {
    "linear": Linear(samples=43, features=5, noise=0.5),
    "logistic": Logistic(samples=43, features=5),
    "softmax": Softmax(samples=43, features=5, classes=3),
}

SELECTIONS = {
    "all": All(workers=4, batch=5),
    "whole": All(workers=4, gradient="mean"),
    "cada": Cada(workers=4, c=0.8, batch=3, window=5, gradient="mean", smoothness=1.5),
    "after": Cada(workers=4, c=5.0, window=3, refresh="after", smoothness=(0.1, 1.0, 2.0, 4.0)),
    "fading": Cada(workers=4, c=(1.5, 0.7, 0.2), window=3, batch=3, smoothness=1.5),
    "g-cada": GCada(workers=6, groups=3, c=0.4, batch=4, smoothness=(1.0, 1.5, 2.0)),
    "g-after": GCada(
        workers=6, groups=2, c=0.6, batch=4, smoothness=1.0, refresh="after", gradient="mean"
    ),
    "square": GCada(
        workers=6, groups=3, c=0.2, batch=4, window=4, trigger="square-of-sum", smoothness=0.9
    ),
    "square-after": Cada(
        workers=4, c=2.0, window=6, trigger="square-of-sum", refresh="after", smoothness=2.0
    ),
}
LINEAR = PROBLEMS["linear"]
OPTIMIZERS = {
    "gradient-descent": GradientDescent(step=0.004, decay=0.01),
    "adam": Adam(step=0.02),
    "amsgrad": Amsgrad(step=0.02),
    "amsgrad-own": Amsgrad(step=0.02, v_rule="amsgrad", beta1=0.8),
}


#: Every selection with every optimizer, and with every model.
CASES = [
    *itertools.product(["linear"], OPTIMIZERS, SELECTIONS),
    *(
        (problem, list(OPTIMIZERS)[(place + turn) % len(OPTIMIZERS)], selection)
        for turn, problem in enumerate(["logistic", "softmax"])
        for place, selection in enumerate(SELECTIONS)
    ),
]


def steps(problem, optimizer, selection, iterations):
    return SelectionDescent(problem, problem.load(), optimizer, selection, iterations)


def drawn(workers, trials=2, iterations=L):
    return np.random.default_rng(7).exponential(size=(iterations, workers, trials)).round(9)


def agree(problem, optimizer, selection, times, trial, **others):
    """One trial against the twin, every number of every iteration."""
    data = problem.load()
    training_runs = SelectionDescent(problem, data, optimizer, selection, len(times))
    batch = others.pop("batch", None)
    runs = training_runs.run(times, batch)
    loss, costs_of = twin.train(
        problem.model,
        data,
        problem.start(data),
        optimizer.model_dump(),
        selection.model_dump(),
        times[:, :, trial],
        len(times),
        **others,
    )
    assert runs["loss"][:, trial] == pytest.approx(loss, rel=1e-9, abs=0)
    assert runs["time"][:, trial] == pytest.approx(costs_of["time"], rel=1e-12, abs=0)
    for name in ("downloads", "uploads", "gradients"):
        assert runs[name][:, trial].tolist() == costs_of[name].tolist(), name
    return runs


@pytest.mark.parametrize(("problem", "optimizer", "selection"), a_third_by_day(CASES))
def test_runs_are_the_twin_step_by_step(problem, optimizer, selection):
    chosen = SELECTIONS[selection]
    runs = agree(PROBLEMS[problem], OPTIMIZERS[optimizer], chosen, drawn(chosen.workers), 1)
    assert runs["loss"][-1, 1] < runs["loss"][0, 1]


@pytest.mark.parametrize("cls", [Linear, Logistic, Softmax])
def test_many_features_and_samples_are_the_twin(cls):
    classes = {"classes": 3} if cls is Softmax else {}
    member = cls(samples=70, features=75, **classes)
    agree(member, OPTIMIZERS["adam"], SELECTIONS["g-cada"], drawn(6, iterations=25), 1)


@pytest.mark.parametrize("problem", ["linear", "logistic", "softmax"])
def test_estimated_smoothness_selects_as_the_twin(problem):
    selection = GCada(workers=6, groups=3, c=0.7, window=6, batch=4, gradient="mean")
    agree(PROBLEMS[problem], OPTIMIZERS["adam"], selection, drawn(6), 0)


def test_random_batches_are_the_twin():
    selection = GCada(
        workers=6, groups=3, c=0.5, batch=5, batch_order="random", smoothness=1.0, gradient="mean"
    )
    trial, iterations = 67, 40
    batch = Trials(3, "stream", 64, 1, iterations)
    own = int(key(3, "stream", "batch"))

    def batches(part, place, iteration):
        group = [0, 15, 29].index(part[0])
        return twin.random_batch(part, 5, group, iteration, trial, own)

    times = drawn(6, 64, iterations)
    optimizer = OPTIMIZERS["amsgrad"]
    runs = agree(PROBLEMS["linear"], optimizer, selection, times, 3, batch=batch, batches=batches)
    untimed = steps(LINEAR, optimizer, selection, iterations).run(batch=batch)
    assert np.array_equal(untimed["loss"], runs["loss"])  # times bear upon costs alone


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_run_depends_on_nothing_beside_it(problem):
    member = PROBLEMS[problem]
    selection = GCada(workers=6, groups=3, c=0.5, batch=4, batch_order="random", smoothness=1.0)
    training_runs = steps(member, OPTIMIZERS["adam"], selection, 12)
    times = drawn(6, 192, 12)
    together = training_runs.run(times, Trials(1, "s", 64, 3, 12))
    alone = training_runs.run(np.ascontiguousarray(times[:, :, 64:128]), Trials(1, "s", 128, 1, 12))
    for name in ("loss", "time", "uploads"):
        assert np.array_equal(together[name][:, 64:128], alone[name]), name
    assert len(set(alone["loss"][-1])) == 64
    ordered = selection.model_copy(update={"batch_order": "cyclic"})
    training_runs = steps(member, OPTIMIZERS["adam"], ordered, 12)
    few = training_runs.run(times[:, :, 40:43])
    assert np.array_equal(training_runs.run(times)["loss"][:, 40:43], few["loss"])


def test_few_runs_side_by_side_are_the_same_runs(monkeypatch):
    member, selection = PROBLEMS["softmax"], SELECTIONS["square"]
    training_runs = steps(member, OPTIMIZERS["adam"], selection, 12)
    times = drawn(6, 20, 12)
    together = training_runs.run(times)
    monkeypatch.setattr(selecting, "ROOM", 1)
    assert np.array_equal(training_runs.run(times)["loss"], together["loss"])
    assert training_runs.run(times[:, :, :0])["loss"].shape == (13, 0)


def test_the_first_of_equally_fast_workers_uploads_and_nobody_waits_for_none():
    selection = GCada(workers=6, groups=3, c=1e6, batch=4, window=3, smoothness=1.0)
    training_runs = steps(LINEAR, OPTIMIZERS["adam"], selection, 9)
    same = np.full((9, 6, 1), 2.0)
    first = same.copy()
    first[:, ::2] = 1.0
    assert np.array_equal(training_runs.run(same)["loss"], training_runs.run(first)["loss"])
    runs = training_runs.run(same)
    assert runs["time"][:, 0].tolist() == [0, 2, 2, 2, 4, 4, 4, 6, 6, 6]
    assert np.diff(runs["uploads"][:, 0]).tolist() == [3, 0, 0] * 3
    lost = same.copy()
    lost[3, 2:4] = np.inf
    assert training_runs.run(lost)["time"][:, 0].tolist() == [0, 2, 2, 2] + [np.inf] * 6


@pytest.mark.parametrize(("refresh", "period"), [("at", 4), ("after", 5)])
def test_gradients_are_refreshed_in_time(refresh, period):
    selection = Cada(workers=4, c=1e9, batch=3, window=4, refresh=refresh, smoothness=1e-3)
    runs = steps(LINEAR, OPTIMIZERS["adam"], selection, 40).run(drawn(4, 1, 40))
    selected = [4 if iteration % period == 0 else 0 for iteration in range(40)]
    assert np.diff(runs["uploads"][:, 0]).tolist() == selected


def test_runs_that_diverge_are_left_from_there_on():
    selection = GCada(workers=6, groups=3, c=0.1, batch=4, smoothness=1.0)
    large = GradientDescent(step=3.0)
    runs = steps(LINEAR, large, selection, 30).run(drawn(6, 2, 30))
    for trial in range(2):
        gone = np.isnan(runs["loss"][:, trial])
        first = int(np.argmax(gone))
        assert 1 < first < 15 and gone[first:].all()
        assert (runs["loss"][:first, trial] <= 1e12 * (runs["loss"][0, trial] + 1)).all()
        for curve in runs.values():
            assert np.array_equal(np.isnan(curve[:, trial]), gone)
    untimed = steps(LINEAR, large, Cada(workers=6, c=0.1, smoothness=1.0), 30)
    assert untimed.alike
    one = untimed.run(batch=Trials(1, "s", 0, 1, 30))
    assert "time" not in one and np.isnan(one["loss"][-1]).all()
    for curve in one.values():
        assert np.array_equal(np.isnan(curve), np.isnan(one["loss"]))
    for name in ("logistic", "softmax"):
        wild = steps(PROBLEMS[name], GradientDescent(step=1e200), selection, 5)
        assert np.isnan(wild.run(drawn(6, 1, 5))["loss"][-1]).all()


def test_smoothness_is_the_largest_eigenvalue():
    data = PROBLEMS["linear"].load()
    parts = training.cut(43, 4)
    for model in ("linear", "logistic", "softmax"):
        expected = [twin.smoothness(model, data.X[list(part)]) for part in parts]
        assert smoothness(model, data, 4) == pytest.approx(expected, rel=1e-9)
    assert smoothness("linear", Data(np.zeros((4, 2)), np.zeros(4)), 2).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("N", "f"), [(200, 7), (64, 1), (130, 70), (9, 20)])
def test_a_triangle_has_all_squares(N, f):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N, f)) * 10.0 ** np.linspace(0, -6, f)
    if f > 5:
        X[:, 3] = 0.0
        X[:, 5] = X[:, 1]
    y = X @ rng.normal(size=f)
    R = np.full((f + 1, f + 1), np.nan)
    triangle(X, y, f, R)
    assert np.array_equal(R, np.triu(R))
    for theta in rng.normal(size=(5, f)):
        expected = ((X @ theta - y) ** 2).sum()
        assert ((R @ [*theta, -1.0]) ** 2).sum() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_losses_near_the_optimum_keep_their_digits(noise):
    member = Linear(samples=300, features=6, noise=noise)
    data = member.load()
    training_runs = steps(member, GradientDescent(step=0.9), All(workers=3, gradient="mean"), L)
    tiles, starts, y, rest, N = training_runs._everything
    assert len(y) == 6  # by the triangle
    best = np.linalg.lstsq(data.X, data.y, rcond=None)[0]
    for far in (1.0, 1e-3, 1e-6):
        theta = best + far
        out = np.empty(1)
        padded = np.append(theta, [0.0, 0.0]).reshape(1, 8)
        losses(0, 1, tiles, starts, y, rest, N, padded, out)
        assert out[0] == close(training.loss("linear", data, theta), rel=1e-9)


@pytest.mark.parametrize(("cls", "keys", "match"), [
    (All, {"workers": 0}, "workers: must be at least 1"),
    (Cada, {"workers": 4, "c": -1.0}, "c: must be at least 0"),
    (Cada, {"workers": 4, "c": [1.0, -1.0]}, r"c\[1\]: must be at least 0"),
    (Cada, {"workers": 4, "c": [1.0, 2.0]}, "as many as window .got 2 for window = 10."),
    (Cada, {"workers": 4, "c": [1.0, 2.0], "window": 2, "trigger": "square-of-sum"},
     "c: must be one number with trigger"),
    (Cada, {"workers": 4, "c": 1.0, "smoothness": 0.0}, "smoothness: must be"),
    (Cada, {"workers": 4, "c": 1.0, "smoothness": "estimate"},
     "a number or a list .got 'estimate'.; did you mean 'estimated'"),
    (GCada, {"workers": 12, "groups": 5, "c": 1.0}, "groups: must divide the 12 workers"),
])  # fmt: skip
def test_bad_selections_say_why(cls, keys, match):
    with pytest.raises(FastgcError, match=match):
        made(cls, "selection", **keys)


@pytest.mark.parametrize(("selection", "match"), [
    (All(workers=44), "workers: 44 of them need at least 44 samples"),
    (GCada(workers=88, groups=44, c=1.0), "groups: 44 of them need"),
    (All(workers=4, batch=11), "batch: must be at most 10"),
    (Cada(workers=4, c=1.0, smoothness=(1.0, 2.0)), "each of 4 workers"),
    (GCada(workers=4, groups=2, c=1.0, smoothness=(1.0,)), "each of 2 groups"),
])  # fmt: skip
def test_data_that_do_not_fit_a_selection_are_refused(selection, match):
    with pytest.raises(FastgcError, match=match):
        steps(LINEAR, OPTIMIZERS["adam"], selection, 3)


def test_no_softmax_hessian_exceeds_the_estimated_smoothness():
    data = PROBLEMS["softmax"].load()
    [bound] = smoothness("softmax", data, 1)
    rng = np.random.default_rng(5)
    largest = 0.0
    for scale in (0.0, 0.5, 2.0, 8.0):
        scores = data.X @ (scale * rng.normal(size=(data.X.shape[1], 3)))
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        blocks = [np.diag(own) - np.outer(own, own) for own in p]
        pieces = [np.kron(b, np.outer(x, x)) for b, x in zip(blocks, data.X, strict=True)]
        hessian = sum(pieces) / len(pieces)
        largest = max(largest, np.linalg.eigvalsh(hessian)[-1])
    assert 0.3 * bound < largest <= bound


def test_runs_that_no_memory_holds_are_refused(monkeypatch):
    monkeypatch.setattr(selecting, "LARGEST", 100)
    few = steps(LINEAR, OPTIMIZERS["adam"], All(workers=4), 2)
    assert few.run(drawn(4, 1, 2))["loss"].shape == (3, 1)
    said = "groups: 3 of them make a run keep 14 vectors of 8 parameters, more than 100 numbers"
    with pytest.raises(FastgcError, match=said):
        steps(LINEAR, OPTIMIZERS["adam"], SELECTIONS["square"], 2)


def test_small_and_large_losses_keep_their_digits():
    margins = np.array([-800.0, -3.0, -1e-9, 0.0, 1e-9, 2.0, 40.0, 600.0])
    out, work = np.empty(margins.size), np.empty((2, margins.size))
    costs(LOGISTIC, margins.reshape(1, -1).copy(), np.ones(margins.size), out, work)
    assert out == pytest.approx(np.logaddexp(0.0, -margins), rel=1e-14, abs=0)
    scores = np.array([np.zeros(margins.size), -margins])
    costs(SOFTMAX, scores.copy(), np.zeros(margins.size), out, work)
    assert out == pytest.approx(np.logaddexp(0.0, -margins), rel=1e-14, abs=0)
    assert SAMPLES % 4 == 0
