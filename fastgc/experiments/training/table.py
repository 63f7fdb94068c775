"""What a training experiment says in a study."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import pydantic
from pydantic import Field

from fastgc import registry
from fastgc.codes.bernoulli import CodeOfTrials
from fastgc.codes.family import Family
from fastgc.decoding.decoder import check_decoder
from fastgc.errors import FastgcError
from fastgc.experiments.completion.scenario import Laws, Port
from fastgc.experiments.table import Decoder, Finite, MeasuredTable, Shuffle, complaints_of_code
from fastgc.experiments.training.experiment import TrainingExperiment
from fastgc.experiments.training.quantities import MEASURES, TO_LOSS
from fastgc.latency import Scaling, listed
from fastgc.latency.law import Positive
from fastgc.stragglers.adversarial import Adversarial
from fastgc.stragglers.deadline import Deadline
from fastgc.stragglers.stragglers import Stragglers
from fastgc.systems.system import System
from fastgc.training.optimizers import Optimizer
from fastgc.training.problems import Problem
from fastgc.training.selections import Selection

#: Numbers that an iteration draws, times iterations: 64 runs of them take a gigabyte.
MOST_DRAWN = 1 << 21


class TrainingTable(MeasuredTable):
    """The keys of a training experiment.

    Gradients are either coded (``code``, ``stragglers``, ``shuffle``, ``decoder``) or those of
    selected workers (``selection``). ``system`` and ``latency`` say how long an iteration takes.

    Parameters
    ----------
    method : {"auto", "monte-carlo"}
        The road: always sampled.
    problem : table
        The model and the data that it learns from.
    code : table, optional
        Who holds which partition; partitions share out the samples.
    stragglers : table, optional
        Who does not answer; with ``code``.
    rho : float, optional
        One-step decoding multiplies every survivor's answer by it; by default k/(r d) with r
        survivors, where d is the sum of a worker's weights in B, on average over workers. Needed
        where that is not positive.
    selection : table, optional
        Whose gradients an iteration asks for, in place of a code.
    optimizer : table
        How a gradient changes the parameters.
    iterations : int
        Iterations of a trial, at most 100 000.
    system : table, optional
        Whose answers an iteration waits for: it lasts as long as the system's completion.
    work : float
        The load of all data together or, with ``selection``, of one worker's gradient; more than 0,
        1 by default.
    latency : Law or tuple of Law, optional
        The law of the seconds that a load of 1 takes: one for all workers, or a list of one each.
    port : Port
        How the system's master, and parents in a tree, receive; by default messages take no time.
    target_loss : float, optional
        The loss whose first iteration the measures "…_to_loss" and "reached" look for.
    """

    ROOMS: ClassVar[tuple[str, ...]] = (
        "problem",
        "code",
        "stragglers",
        "optimizer",
        "selection",
        "system",
    )
    UNITS: ClassVar[Mapping[str, str]] = MEASURES

    kind: Literal["training"] = "training"
    method: Literal["auto", "monte-carlo"] = "auto"
    problem: Problem
    code: Family | None = None
    stragglers: Stragglers | None = None
    shuffle: Shuffle = "none"
    decoder: Decoder = "optimal"
    rho: Finite | None = None
    selection: Selection | None = None
    optimizer: Optimizer
    iterations: Annotated[int, Field(ge=1, le=100_000)]
    system: System | None = None
    work: Positive = 1.0
    latency: Laws | None = None
    scaling: Scaling = "server-dependent"
    port: Port = Port()
    target_loss: Finite | None = None
    measure: tuple[str, ...] = ("loss",)

    @property
    def timed(self) -> bool:
        """Whether an iteration is known to take some time."""
        return self.latency is not None or isinstance(self.stragglers, Deadline)

    @classmethod
    def current(cls) -> type[TrainingTable]:
        """Return the class with the members that are registered now."""
        return _current()

    @cached_property
    def compiled(self) -> TrainingExperiment:
        """What answers every question about the point."""
        return TrainingExperiment(self)

    @classmethod
    def crossing(cls, parts: dict[str, Any]) -> list[tuple[str, str]]:
        """Return (key path, sentence) for stragglers that do not fit the code's workers."""
        return complaints_of_code(parts["code"], parts["stragglers"])

    def misfits(self) -> list[tuple[str, str]]:
        """Return (key path, sentence) for parts that are sound but do not fit together."""
        found = self._misfits_of_targets()
        if self.selection is None:
            found += self._misfits_of_code()
        else:
            found += self._misfits_of_selection()
        return found or self._misfits_of_time() or self._misfits_of_data()

    def _misfits_of_targets(self) -> list[tuple[str, str]]:
        found = []
        wanted = [name for name in self.measure if name.startswith("time")]
        if wanted and not self.timed:
            sentence = f"{wanted[0]} needs latency, or stragglers of model deadline"
            found.append(("measure", sentence))
        if self.system is not None and self.latency is None and self.selection is None:
            found.append(("latency", "missing; a system needs the law of its workers' times"))
        if self.system is None and self.port != Port():
            found.append(("port", "must be left out without a system"))
        asked = [name for name in self.measure if name in (*TO_LOSS, "reached")]
        if asked and self.target_loss is None:
            found.append(("target_loss", f"missing; {asked[0]} needs it"))
        if not set(TO_LOSS) & set(self.measure):
            sentence = f"must be left out without one of the measures {', '.join(TO_LOSS)}"
            found += [(key, sentence) for key in ("quantiles", "thresholds") if getattr(self, key)]
        return found

    def _misfits_of_selection(self) -> list[tuple[str, str]]:
        found = []
        for key in ("code", "stragglers", "system", "shuffle", "decoder", "rho"):
            if getattr(self, key) != type(self).model_fields[key].default:
                found.append((key, "must be left out with a selection, which has workers itself"))
        if {"gradient_error", "distance"} & set(self.measure):
            sentence = "gradient_error and distance are those of coded gradients"
            found.append(("measure", f"{sentence}; leave them out with a selection"))
        if self.latency is None and self.selection is not None and self.selection.needs_times:
            sentence = "missing; which worker of a group is the fastest decides whose batch counts"
            found.append(("latency", sentence))
        return found

    def _misfits_of_time(self) -> list[tuple[str, str]]:
        durations = self.compiled.durations
        found = durations.misfits()
        n = 0 if found else durations.drawn
        if n * self.iterations <= MOST_DRAWN:
            return found
        sentence = f"must be at most {MOST_DRAWN // n} with {n} times drawn in each"
        return [("iterations", f"{sentence} (got {self.iterations})")]

    def _misfits_of_data(self) -> list[tuple[str, str]]:
        if not self.problem.available:
            return []
        try:
            data = self.compiled.data
            if self.selection is not None:
                self.selection.check(data, self.problem.model)
                return []
        except FastgcError as problem:
            for part, member in (("selection", self.selection), ("problem", self.problem)):
                if member is not None and problem.key in type(member).model_fields:
                    return [(f"{part}.{problem.key}", problem.sentence)]
            return [("problem", str(problem))]
        k = self.compiled.fixed_code.k
        if data.samples < k:
            sentence = f"has {k} partitions, which need at least {k} samples (got {data.samples})"
            return [("code", sentence)]
        if "distance" in self.measure and data.best is None:
            return [("measure", "distance needs θ*, which only linear problems have here")]
        return []

    def _misfits_of_code(self) -> list[tuple[str, str]]:
        if self.code is None:
            sentence = 'missing; give a code, like { family = "uncoded", n = 8 }, or a selection'
            return [("code", sentence)]
        if isinstance(self.stragglers, Adversarial):
            return [("stragglers.model", "adversarial stragglers are for decoding experiments")]
        code = self.compiled.code
        if isinstance(code, CodeOfTrials):
            return [("code.seed", 'must be a number (got "trial"); training keeps its matrix')]
        found = []
        try:
            check_decoder(code, self.decoder, self.rho)
        except FastgcError as problem:
            found.append((problem.key or "decoder", problem.sentence))
        if self.stragglers is not None:
            found += [
                (f"stragglers.{field}", sentence)
                for field, sentence in self.stragglers.complaints_with(code, self.shuffle)
            ]
        if isinstance(self.stragglers, Deadline) and self.latency and self.system is None:
            sentence = (
                "must be left out with stragglers of model deadline: the deadline is the time of "
                "an iteration, and stragglers.latency the law of the workers"
            )
            found.append(("latency", sentence))
        if self.system is not None:
            workers = self.system.workers()
            if workers != code.n and min(workers, code.n) > 1:
                sentence = (
                    f"has {workers} workers and the code {code.n}; give both as many, or one of "
                    "them 1"
                )
                found.append(("system", sentence))
        return found


@registry.made_once("problem", "code", "stragglers", "selection", "optimizer", "system", "latency")
def _current() -> type[TrainingTable]:
    measure: Any = Literal[tuple(MEASURES)]
    return pydantic.create_model(
        "TrainingTable",
        __base__=TrainingTable,
        problem=(registry.union("problem"), ...),
        code=(registry.optional("code"), None),
        stragglers=(registry.optional("stragglers"), None),
        selection=(registry.optional("selection"), None),
        optimizer=(registry.union("optimizer"), ...),
        system=(registry.optional("system"), None),
        latency=(operator.or_(listed.laws(), None), None),
        measure=(tuple[measure, ...], ("loss",)),
    )
