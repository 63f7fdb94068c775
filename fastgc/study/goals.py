"""Goals of a table ``[design]``: what they name, and what those of training need and refuse."""

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fastgc.errors import FastgcError
from fastgc.experiments.training.cross_field import MOST_DRAWN
from fastgc.registry.complaints import show
from fastgc.systems.relaxed import LocalSgd
from fastgc.systems.sequential import SequentialSystem
from fastgc.systems.spare import Spare
from fastgc.systems.system import System
from fastgc.training.optimizers import GradientDescent

if TYPE_CHECKING:
    from fastgc.study.design import DesignTable

_GOAL = re.compile(r"(quantile|time_to_loss|loss_at)\(\s*([0-9.eE+-]+)\s*\)")
#: Goals to choose from.
GOALS = ("mean", "quantile(0.99)", "time_to_loss(0.05)", "loss_at(60)")
#: Keys that goals of training need.
_NEEDED = ("problem", "optimizer", "iterations")
LINEAR = "codes linear computations alone"


def parsed(goal: str) -> tuple[str, float]:
    """Return the name of a goal with a number, and that; an empty name where it has none."""
    match = _GOAL.fullmatch(goal)
    try:
        return (match[1], float(match[2])) if match else ("", math.nan)
    except ValueError:
        return "", math.nan


def number_of(goal: str, name: str) -> float | None:
    """Return the number of a goal of this name; None where it is another."""
    found, number = parsed(goal)
    return number if found == name else None


def cannot_train(table: "DesignTable", family: type[System]) -> str | None:
    """Return why training with a family cannot be simulated; None where it can."""
    if family.LINEAR:
        return f"it {LINEAR}"
    if issubclass(family, SequentialSystem):
        return "a job may be decoded rounds after it began, so that several models are trained"
    if issubclass(family, Spare):
        return "its workers draw mini-batches of their own, and here data are fixed"
    if issubclass(family, LocalSgd):
        fits = isinstance(table.optimizer, GradientDescent | None)
        return None if fits else "its local steps are those of gradient-descent"
    return "it is not known how stale its gradients are" if family.GRADIENT == "stale" else None


def errors(table: "DesignTable") -> Iterator[tuple[str, str]]:
    """Yield what does not fit of the keys of training, and of its data where they are here."""
    for key in _NEEDED:
        if table.trains and getattr(table, key) is None:
            yield key, f"missing; goal {show(table.goal)} needs it"
        elif getattr(table, key) is not None and not table.trains and key != "iterations":
            yield key, 'belongs to goal "time_to_loss(x)" or "loss_at(seconds)"; drop it'
    if table.trains and (table.iterations or 0) * table.workers > MOST_DRAWN:
        most = MOST_DRAWN // table.workers
        sentence = f"must be at most {most} with {table.workers} workers"
        yield "iterations", f"{sentence} (got {table.iterations})"
    if table.problem is None or not table.problem.available:
        return
    try:
        samples = table.problem.load().samples
    except FastgcError as problem:
        named = problem.key in type(table.problem).model_fields
        at = f"problem.{problem.key}" if named else "problem"
        yield at, problem.sentence if named else str(problem)
        return
    if samples < table.workers:
        yield "problem", f"{table.workers} workers need as many samples (got {samples})"
