"""What a study says of running it for real: its table ``[measure]``, and what is wrong with it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import pydantic
from pydantic import Field

from fastgc import registry
from fastgc.codes.family import Family
from fastgc.errors import FastgcError
from fastgc.experiments.completion.completion_table import CompletionTable
from fastgc.experiments.table import Point
from fastgc.experiments.training.training_table import TrainingTable
from fastgc.latency.law import Positive
from fastgc.registry.complaints import Complaint, check
from fastgc.registry.given import plain
from fastgc.study.source import refusal
from fastgc.study.study import Study
from fastgc.training.optimizers import GradientDescent, Optimizer
from fastgc.training.problems import Linear, Problem

#: Samples a worker, and features, of the problem that stands in where a study has none.
SAMPLES, FEATURES = 64, 16


class MeasureTable(registry.Table):
    """The keys of ``[measure]``.

    * ``rounds`` (int): How many; 100 by default.
    * ``inject`` ({"sleep", "spin", "none"}): Whether a worker's part takes at least as long as a
      time that is drawn from the law of the study, asleep ("sleep", the default) or busy ("spin");
      or as long as it takes.
    * ``between_rounds`` ({"drain", "cancel", "finish"}): What becomes of late workers: the next
      round waits until all have answered ("drain", the default, which times all workers in all
      rounds); they are asked to leave off; or they finish and are late for the next round.
    * ``exact`` (bool): Whether the first round that is not decoded exactly ends it; not by default.
    * ``give_up`` (float): Seconds after which a round ends without those that are missing; 60 by
      default.
    * ``problem`` (table, optional): What gradients are of in a completion experiment; by default a
      small linear regression.
    * ``optimizer`` (table, optional): How it is learnt; gradient descent with a small step by
      default.
    * ``code`` (table, optional): How the gradients of a completion experiment are coded; by default
      a code with the system's load.
    """

    rounds: Annotated[int, Field(ge=1, le=1_000_000)] = 100
    inject: Literal["sleep", "spin", "none"] = "sleep"
    between_rounds: Literal["drain", "cancel", "finish"] = "drain"
    exact: bool = False
    give_up: Positive = 60.0
    problem: Problem | None = None
    optimizer: Optimizer | None = None
    code: Family | None = None


def table() -> type[MeasureTable]:
    """The table with the members that are registered now."""
    return pydantic.create_model(
        "MeasureTable",
        __base__=MeasureTable,
        problem=(registry.union("problem", optional=True), None),
        optimizer=(registry.union("optimizer", optional=True), None),
        code=(registry.union("code", optional=True), None),
    )


class RealRun:
    """A point of a study, with its ``table``, that is to be run for real, and how."""

    def __init__(self, study: Study, point: Point, measure: MeasureTable) -> None:
        self.study, self.point, self.measure = study, point, measure
        self.table = cast(CompletionTable | TrainingTable, point.table)

    @property
    def problem(self) -> Problem:
        """What gradients are of."""
        if isinstance(self.table, TrainingTable):
            return self.table.problem
        n = self.table.system.workers()
        small = {"samples": SAMPLES * n, "features": FEATURES}
        return self.measure.problem or Linear.model_validate(small)

    @property
    def optimizer(self) -> Optimizer:
        """How it is learnt."""
        if isinstance(self.table, TrainingTable):
            return self.table.optimizer
        return self.measure.optimizer or GradientDescent(step=0.1)

    @property
    def code(self) -> Family | None:
        """How gradients are coded, where the study says it."""
        return self.table.code if isinstance(self.table, TrainingTable) else self.measure.code


def parse(
    source: Study | Mapping[str, Any] | str | Path,
    place: int = 1,
    seed: int | None = None,
    **changes: Any,
) -> RealRun:
    """Read a study that is to be run for real, or say everything that is wrong with it.

    What is run is the point at a place, from 1, of all points of its experiments. ``changes`` are
    keys of ``[measure]`` that replace those of the study where they are not None, as ``seed`` does.

    Raises StudyError with one line for every mistake: file, key, what was found, what is allowed.
    """
    study = Study.parse(source, seed=seed)
    data = study.measure | {key: value for key, value in changes.items() if value is not None}
    points = study.points()
    if not 1 <= place <= len(points):
        raise FastgcError(f"place: the study has {len(points)} points (got {place})")
    point = points[place - 1]
    context = {"folder": study.folder, "files": study.files}
    found, complaints = check(table(), plain(data)[0], context)
    complaints = [Complaint(("measure", *at), sentence) for at, sentence in complaints]
    if found is not None:
        complaints += _cross_field_errors(point, found)
    if found is None or complaints:
        raise refusal(study.where, complaints)
    return RealRun(study, point, found)


def _cross_field_errors(point: Point, measure: MeasureTable) -> list[Complaint]:
    own = point.table

    def wrong(key: str, sentence: str) -> Complaint:
        return Complaint(("experiment", point.experiment, key), sentence)

    if not isinstance(own, CompletionTable | TrainingTable):
        kind = own.settings()["kind"]
        sentence = f'must be "completion" or "training" to be measured (got {kind!r})'
        return [wrong("kind", sentence)]
    found = []
    if own.stragglers is not None:
        sentence = "must be left out to be measured; who is late is seen, and --kill makes workers"
        found.append(wrong("stragglers", f"{sentence} that never answer"))
    if isinstance(own, TrainingTable):
        if own.selection is not None or own.system is None:
            found.append(wrong("system", "missing; it says whose answers a round waits for"))
        if own.shuffle != "none":
            found.append(wrong("shuffle", 'must be "none" to be measured: data do not move'))
        found += [
            Complaint(("measure", key), "must be left out: a training experiment has its own")
            for key in ("problem", "optimizer", "code")
            if getattr(measure, key) is not None
        ]
    if own.latency is None and measure.inject != "none":
        found.append(wrong("latency", 'missing; or say inject = "none", and the work is timed'))
    return found
