"""Data that models learn from: made, from scikit-learn, and what is refused."""

import builtins
from importlib import util

import numpy as np
import pytest

from fastgc import registry
from fastgc.draws.streams import normals
from fastgc.errors import FastgcError
from fastgc.registry.complaints import check, lines
from fastgc.registry.given import plain
from fastgc.training import scikit
from fastgc.training.data import scale, targets
from fastgc.training.problems import Linear, Logistic, Softmax
from suite.checks import refusal


def with_sets(test):
    needed = pytest.mark.skipif(util.find_spec("sklearn") is None, reason="needs scikit-learn")
    return pytest.mark.night(needed(test))


class Study(registry.Table):
    problem: registry.union("problem")


def problem(carried=None, **table):
    """A problem as a study reads it, or results that carry what its set was."""
    study, found = check(Study, {"problem": table}, {"files": carried or {}})
    if study is None:
        raise FastgcError("\n".join(lines(found)))
    return study.problem


# --- made ----------------------------------------------------------------------------------------


def test_normal_numbers_are_named_by_seed_and_purpose():
    assert (normals(1, "a", 70_000)[:9] == normals(1, "a", 9)).all()
    assert (normals(1, "a", 9) != normals(1, "b", 9)).any()
    assert (normals(1, "a", 9) != normals(2, "a", 9)).any()
    assert normals(1, "a", 0).size == 0


def test_synthetic_linear_data_are_those_of_codedreduce():
    data = Linear(samples=4000, features=5, noise=0.5).load()
    noise = data.y - data.X @ data.best
    assert noise.std() == pytest.approx(0.5, rel=0.05)
    assert data.X.std() == pytest.approx(1.0, rel=0.02)
    assert data.X.shape == (4000, 5) and data.X.flags.c_contiguous and data.classes == 0


def test_more_samples_begin_with_the_same_ones_everywhere():
    few, many = (Linear(samples=N, features=3).load() for N in (10, 50))
    assert (many.X[:10] == few.X).all() and (many.y[:10] == few.y).all()
    assert (Linear(samples=10, features=3, seed=2).load().X != few.X).any()
    data = Linear(samples=3, features=2).load()
    assert [x.hex() for x in data.X[0]] == ["0x1.61d36e055a735p-3", "0x1.43219c279a1c8p+0"]
    assert data.y[2].hex() == "-0x1.db1c950a344aap-1"


def test_an_intercept_comes_last_and_belongs_to_the_true_model():
    data = Linear(samples=30, features=2, noise=0.0, intercept=True).load()
    assert data.X.shape == (30, 3) and (data.X[:, 2] == 1).all()
    np.testing.assert_allclose(data.y, data.X @ data.best, atol=1e-13)


def test_synthetic_classes():
    signs = Logistic(samples=500, features=3, noise=0.0).load()
    assert set(signs.y.tolist()) == {-1.0, 1.0} and signs.classes == 0
    data = Softmax(samples=500, features=6, classes=5).load()
    assert data.classes == 5 and set(data.y.tolist()) == {0, 1, 2, 3, 4}
    assert Softmax(samples=50, features=6).load().classes == 3


# --- scikit-learn --------------------------------------------------------------------------------


@with_sets
def test_facts_of_the_sets_are_true():
    for name, facts in scikit.SETS.items():
        raw = scikit.read(name)
        assert raw.X.shape == (facts.samples, facts.features), name
        assert not facts.classes or set(raw.y.tolist()) == set(range(facts.classes)), name


@with_sets
def test_diabetes_is_cut_at_its_median_for_logistic_regression():
    raw = scikit.read("diabetes")
    data = Logistic(data="diabetes").load()
    assert ((data.y == 1) == (raw.y > np.median(raw.y))).all()
    assert (Linear(data="diabetes").load().y == raw.y).all()
    assert set(Linear(data="diabetes", binarize=200.0).load().y.tolist()) == {-1.0, 1.0}


@with_sets
def test_real_data_are_standardized_and_get_an_intercept():
    data = Softmax(data="iris").load()
    assert data.X.shape == (150, 5) and data.classes == 3 and data.best is None
    np.testing.assert_allclose(data.X[:, :4].mean(axis=0), 0, atol=1e-13)
    np.testing.assert_allclose(data.X[:, :4].std(axis=0), 1)
    assert (data.X[:, 4] == 1).all()
    plain_data = Softmax(data="iris", standardize=False, intercept=False).load()
    assert (plain_data.X == scikit.read("iris").X).all()


@with_sets
def test_labels_choose_and_number_the_classes():
    raw = scikit.read("iris")
    data = Logistic(data="iris", labels=(2, 0)).load()
    assert data.samples == 100
    assert ((data.y == 1) == (raw.y[raw.y != 1] == 0)).all()
    classes = Softmax(data="digits", labels=(7, 1, 3), samples=300).load()
    assert classes.classes == 3 and classes.samples == 300
    numbers = Linear(data="digits").load()  # distances are measured from the least squares
    least = np.linalg.pinv(numbers.X) @ numbers.y
    np.testing.assert_allclose(numbers.best, least, rtol=1e-8, atol=1e-11)


@with_sets
def test_a_random_order_keeps_samples_with_their_targets():
    given, mixed = (
        Softmax(data="iris", order=order, standardize=False).load() for order in ("given", "random")
    )
    rows = sorted(zip(mixed.X.tolist(), mixed.y.tolist(), strict=True))
    assert rows == sorted(zip(given.X.tolist(), given.y.tolist(), strict=True))
    assert len(set(mixed.y[:50].tolist())) == 3 and not given.y[:50].any()
    other = Softmax(data="iris", order="random", standardize=False, seed=2).load()
    assert (other.X != mixed.X).any()


@with_sets
@pytest.mark.parametrize(("table", "sentence"), [
    ({"model": "logistic", "data": "iris"}, "problem: logistic regression needs two classes"),
    ({"model": "softmax", "data": "diabetes"}, "problem: diabetes has no classes for"),
    ({"model": "softmax", "data": "iris", "labels": [0, 3]}, "problem.labels: iris has the"),
    ({"model": "softmax", "data": "iris", "labels": [0, 0]}, "problem.labels: must name each"),
    ({"model": "linear", "data": "diabetes", "labels": [0, 1]},
     "problem.labels: diabetes has no classes to choose; binarize makes two (got [0, 1])"),
    ({"model": "softmax", "data": "iris", "samples": 151}, "problem.samples: iris has 150"),
    ({"model": "softmax", "data": "iris", "binarize": 0.5},
     "problem.binarize: goes with linear and logistic only, whose targets it makes −1 and +1"),
    ({"model": "softmax", "data": "iris", "classes": 3}, "problem.classes: goes with data ="),
])  # fmt: skip
def test_mistakes_with_the_sets(table, sentence):
    assert refusal(problem, **table).startswith(sentence)


@with_sets
def test_results_are_looked_at_without_the_extra(monkeypatch):
    carried = plain(problem(model="softmax", data="iris").files())[0]
    monkeypatch.setattr(scikit, "installed", lambda: False)
    there = problem(model="softmax", data="iris", samples=77, carried=carried)
    assert not there.available and there.files() == carried


def test_scikit_learn_is_not_imported_before_it_is_needed(monkeypatch):
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        assert not name.startswith("sklearn")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(scikit, "installed", lambda: True)
    monkeypatch.setattr(builtins, "__import__", refuse)
    assert problem(model="softmax", data="iris").available


# --- targets and features ------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "y", "sentence"), [
    ("class", [1, 2], "targets go up to 2 but none is 0; list those that there are as"),
    ("class", [1, 1], "all targets are 1, and two classes are needed; take more samples"),
    ("sign", [1, 2, 3], "logistic regression needs targets of two values (got 3); choose"),
    ("sign", [1], "logistic regression needs targets of two values (got 1); choose"),
])  # fmt: skip
def test_targets_that_do_not_fit_the_model(kind, y, sentence):
    assert refusal(targets, "set", np.array(y, float), kind, None).startswith(f"set: {sentence}")


def test_a_threshold_that_parts_nothing():
    y = np.array([24, 21.6, 34.7, 33.4])
    with pytest.raises(FastgcError) as caught:
        targets("set", y, "number", 99)
    assert (caught.value.key, caught.value.sentence) == (
        "binarize",
        "all targets of set are at or below 99; choose a threshold from 21.6 to below 34.7",
    )
    assert targets("set", y, "sign", "median")[0].tolist() == [-1, -1, 1, 1]


def test_features_have_mean_0_and_variance_1():
    made = scale(np.array([[1.0, 5.0], [2.0, 5.0], [4.0, -3.0], [-8.0, 0.5]]), True)
    assert np.abs(made.mean(axis=0)).max() < 1e-15
    assert np.abs(made.var(axis=0) - 1).max() < 1e-14
    constant = scale(np.array([[0.1, 1.0], [0.1, 2.0], [0.1, 4.0]]), True)
    assert not constant[:, 0].any() and constant[:, 1].std() == pytest.approx(1)
    assert (scale(np.zeros((2, 2)), "range") == 0).all()
