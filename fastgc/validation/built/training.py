"""Training runs of fastgc on given data, for the statements that brute force is held to."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from fastgc import registry
from fastgc.decoding.decoder import decode
from fastgc.registry.given import made
from fastgc.training.coded import CURVES, Curves, Descent
from fastgc.training.data.data import Data
from fastgc.training.optimizers import GradientDescent
from fastgc.training.problems import Problem
from fastgc.training.problems.problem import shortest
from fastgc.training.selected import Runs as SelectedRuns
from fastgc.training.selected import Selecting
from fastgc.training.selections import All
from fastgc.validation.built.tables import code_of
from fastgc.validation.enumerations.runs import Runs
from fastgc.validation.enumerations.training import Record, gradient, loss, samples


def train(
    data: Mapping[str, Any],
    optimizer: Mapping[str, Any],
    selection: Mapping[str, Any],
    iterations: int,
    model: str = "linear",
) -> Record:
    """Train with selected workers that are all equally fast."""
    problem, given = _task(data, model)
    chosen = _member("selection", selection)
    training = Selecting(problem, given, _member("optimizer", optimizer), chosen, iterations)
    runs = training.run(np.ones((iterations, chosen.workers, 1)))
    counts = (runs.downloads, runs.uploads, runs.gradients)
    return Record(runs.loss[:, 0].tolist(), *(curve[:, 0].astype(int).tolist() for curve in counts))


def coded_loss(**run: Any) -> float:
    """Loss after an iteration for every set of survivors."""
    return float(_descended(**run).loss[-1, 0])


def coded_gradient_error(**run: Any) -> float:
    """Error of the last decoded gradient."""
    error = _descended(**run).gradient_error
    assert error is not None
    return float(error[-1, 0])


def coded_distance(**run: Any) -> float:
    """Distance of the last parameters from the best."""
    distance = _descended(**run).distance
    assert distance is not None
    return float(distance[-1, 0])


def _descended(
    code: Mapping[str, Any],
    survivors: Sequence[Sequence[int]],
    data: Mapping[str, Any],
    optimizer: Mapping[str, Any],
    model: str = "linear",
) -> Curves:
    """Curves of a run that decodes from given survivors."""
    coding = code_of(code)
    weights = [coding.B[:, list(alive)] @ decode(coding, alive).vector for alive in survivors]
    problem, given = _task(data, model)
    descent = Descent(problem, given, coding.k, _member("optimizer", optimizer), len(survivors))
    wanted = CURVES if given.best is not None else ("loss",)
    return descent.run(weights, np.arange(len(survivors))[:, np.newaxis], wanted)


def step_defect(
    model: str,
    data: Mapping[str, Any],
    step: float,
    classes: int,
    hidden: int = 0,
    *,
    coded: bool = False,
) -> float:
    """Loss after one step of descent less that of a step down the loss's own slope, over it."""
    X, y = samples(data)
    keys = {"samples": len(y), "features": X.shape[1], "classes": classes}
    keys |= {"hidden": hidden} if hidden else {}
    problem = _problem(model, **keys)
    given = Data(X, y, classes)
    optimizer, everybody = GradientDescent(step=step), All(workers=2, gradient="mean")
    runs: Curves | SelectedRuns
    if coded:
        runs = Descent(problem, given, 2, optimizer, 1).run(np.ones((1, 2)), np.zeros((1, 1), int))
    else:
        runs = Selecting(problem, given, optimizer, everybody, 1).run(np.ones((1, 2, 1)))
    theta = problem.start(given)
    theta = theta - step * gradient(model, theta, X, y, classes, hidden) / len(y)
    own = float(loss(model, theta, X, y, classes, hidden).real) / len(y)
    defect = (float(runs.loss[1, 0]) - own) / own
    return defect if abs(defect) > 1e-12 else 0.0


def standardized_loss(x: Sequence[float], y: Sequence[float], step: float) -> float:
    """Loss of linear regression on a standardized file of one feature after one step of descent."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        np.savetxt(path, np.column_stack([x, y]), delimiter=",", header="x,y", comments="")
        problem = _problem("linear", data="file", file=str(path), target="y", intercept=False)
        data = problem.load()
    optimizer, everybody = GradientDescent(step=step), All(workers=1, gradient="mean")
    runs = Selecting(problem, data, optimizer, everybody, 1).run(np.ones((1, 1, 1)))
    return float(runs.loss[1, 0])


def _task(data: Mapping[str, Any], model: str) -> tuple[Problem, Data]:
    """A problem of this model, and the data it is given in place of its own."""
    X, y = samples(data)
    classes = 2 if model == "softmax" else 0
    best = partial(shortest, X, y) if model == "linear" else None
    return _problem(model, samples=len(y), features=X.shape[1]), Data(X, y, classes, best)


def _problem(model: str, **keys: Any) -> Problem:
    return cast(Problem, made(registry.members("problem")[model], model, **keys))


def _member(room: str, table: Mapping[str, Any]) -> Any:
    """The member that a study's table describes."""
    given = dict(table)
    tag = given.pop("method")
    return made(registry.members(room)[tag], tag, **given)


#: What is measured on fastgc's own training.
MEASURES = Runs(train).statements
