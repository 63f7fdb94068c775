"""Training runs of fastgc on given data."""

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

import numpy as np

from fastgc import registry
from fastgc.registry.given import made
from fastgc.training.data import Data
from fastgc.training.problems import Problem, shortest
from fastgc.training.selected import Selecting
from fastgc.validation.finite.brute_force.training import Record, samples


def train(
    data: Mapping[str, Any],
    optimizer: Mapping[str, Any],
    selection: Mapping[str, Any],
    iterations: int,
) -> Record:
    """Train with selected workers that are all equally fast."""
    problem, given = _task(data)
    chosen = _member("selection", selection)
    training = Selecting(problem, given, _member("optimizer", optimizer), chosen, iterations)
    runs = training.run(np.ones((iterations, chosen.workers, 1)))
    counts = (runs.downloads, runs.uploads, runs.gradients)
    return Record(runs.loss[:, 0].tolist(), *(curve[:, 0].astype(int).tolist() for curve in counts))


def _task(data: Mapping[str, Any]) -> tuple[Problem, Data]:
    """Linear regression, and the data it is given in place of its own."""
    X, y = samples(data)
    member = registry.members("problem")["linear"]
    problem = cast(Problem, made(member, "linear", samples=len(y), features=X.shape[1]))
    return problem, Data(X, y, 0, partial(shortest, X, y))


def _member(room: str, table: Mapping[str, Any]) -> Any:
    given = dict(table)
    tag = given.pop("method")
    return made(registry.members(room)[tag], tag, **given)
