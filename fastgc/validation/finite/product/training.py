"""Training runs of fastgc on given data."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from fastgc import registry
from fastgc.decoding.decode import decode
from fastgc.registry.given import made
from fastgc.training.coded import CURVES, Descent
from fastgc.training.data.data import Data
from fastgc.training.problems import Problem, shortest
from fastgc.training.selected import Selecting
from fastgc.validation.finite.brute_force.training import Descended, Record, samples
from fastgc.validation.finite.product.codes import code_of


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


def descend(
    code: Mapping[str, Any],
    survivors: Sequence[Sequence[int]],
    data: Mapping[str, Any],
    optimizer: Mapping[str, Any],
    model: str = "linear",
) -> Descended:
    """Descend with gradients decoded from given survivors."""
    coding = code_of(code)
    weights = [coding.B[:, list(alive)] @ decode(coding, alive).vector for alive in survivors]
    problem, given = _task(data, model)
    descent = Descent(problem, given, coding.k, _member("optimizer", optimizer), len(survivors))
    wanted = CURVES if given.best is not None else ("loss",)
    curves = descent.run(weights, np.arange(len(survivors))[:, np.newaxis], wanted)
    last = [
        None if curve is None else float(curve[-1, 0])
        for curve in (curves.gradient_error, curves.distance)
    ]
    return Descended(float(curves.loss[-1, 0]), last[0], last[1])


def _task(data: Mapping[str, Any], model: str) -> tuple[Problem, Data]:
    """A problem of this model, and the data it is given in place of its own."""
    X, y = samples(data)
    classes = 2 if model == "softmax" else 0
    best = partial(shortest, X, y) if model == "linear" else None
    member = registry.members("problem")[model]
    problem = cast(Problem, made(member, model, samples=len(y), features=X.shape[1]))
    return problem, Data(X, y, classes, best)


def _member(room: str, table: Mapping[str, Any]) -> Any:
    given = dict(table)
    tag = given.pop("method")
    return made(registry.members(room)[tag], tag, **given)
