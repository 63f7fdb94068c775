"""Inner products of the gradients of a training problem: against sums over samples, in NumPy."""

import itertools

import numpy as np
import pytest

import fastgc
from fastgc import codes
from fastgc.decoding.gram import Gram
from fastgc.errors import FastgcError
from fastgc.training import problems
from fastgc.training.data.data import bounds
from fastgc.training.gradients import sums
from fastgc.training.optimizers import GradientDescent

pytestmark = pytest.mark.night

STEP = {"method": "gradient-descent", "step": 0.3, "decay": 0.1}
PROBLEMS = {
    "linear": problems.Linear(samples=26, features=3),
    "wide": problems.Linear(samples=9, features=14),
    "logistic": problems.Logistic(samples=23, features=4),
    "softmax": problems.Softmax(samples=30, features=3),
    "network": problems.Network(samples=24, features=3, hidden=2),
}


def slowly(problem, k, after):
    """Partial gradients of the mean loss (k, p), by NumPy, after some steps of descent."""
    data, theta = problem.load(), np.array(problem.start(problem.load()))
    cuts, hidden = bounds(data.samples, k), problem.hidden_units()
    for place in range(after + 1):
        parts = [
            sums(problem.model, data.X[a:b], data.y[a:b], theta, data.classes, hidden)[1]
            for a, b in itertools.pairwise(cuts)
        ]
        parts = np.array(parts) / data.samples
        if place < after:
            theta = theta - 0.3 / (1 + 0.1 * place) * parts.sum(axis=0)
    return parts


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("after", [0, 5])
def test_they_are_those_of_the_partitions(name, after):
    problem = PROBLEMS[name]
    moving = {"optimizer": GradientDescent(step=0.3, decay=0.1), "after": after} if after else {}
    found = Gram(problem=problem, **moving)
    for k in (1, 4, 7):
        parts = slowly(problem, k, after)
        assert found.matrix(k) == pytest.approx(parts @ parts.T, rel=1e-9, abs=1e-12)
    assert np.array_equal(found.matrix(4), Gram(problem=problem, **moving).matrix(4))


def test_a_study_has_the_error_of_the_real_gradient():
    """As the first iteration of training has it, for every pattern."""
    problem = {"model": "linear", "samples": 24, "features": 3}
    code = {"family": "circulant", "n": 6, "d": 2}
    study = {"code": code, "stragglers": {"model": "iid", "p": 0.4}}
    gram = {"problem": problem}
    exact = fastgc.run(study | {"gram": gram, "measure": ["gradient_error"]}, method="exact")
    training = study | {"kind": "training", "problem": problem, "iterations": 1}
    training |= {"optimizer": STEP, "measure": ["gradient_error"]}
    sampled = fastgc.run(training, trials=20_000)["experiment1"]["gradient_error"][0].mean
    value = exact["experiment1"]["gradient_error"].mean.value
    assert abs(sampled.value - value) < 5 * sampled.standard_error
    own = fastgc.decode(codes.circulant(n=6, d=2), [0, 3], gram={"problem": {**problem}}).error
    x = np.linalg.lstsq(codes.circulant(n=6, d=2).B[:, [0, 3]], np.ones(6))[0]
    g = slowly(problems.Linear(samples=24, features=3), 6, 0)
    assert own == pytest.approx(np.sum(((codes.circulant(6, 2).B[:, [0, 3]] @ x - 1) @ g) ** 2))


@pytest.mark.parametrize(
    ("gram", "said"),
    [
        ({"norms": [1.0] * 4}, "file, rows and problem, or norms.*got problem and norms"),
        ({"after": 3}, "optimizer and after go together"),
        ({"optimizer": STEP}, "optimizer and after go together"),
        ({"problem": {"model": "linear", "samples": 3, "features": 2}}, r"gram\.problem: .*4 of"),
        ({"optimizer": STEP | {"step": 1e3}, "after": 99}, "diverges within 99 steps"),
        ({"problem": {"model": "lineal"}}, "lineal"),
    ],
)
def test_mistakes_are_said(gram, said):
    problem = {"model": "linear", "samples": 20, "features": 3}
    with pytest.raises(FastgcError, match=said):
        fastgc.error(codes.frc(n=4, d=2), p=0.2, gram={"problem": problem} | gram)
