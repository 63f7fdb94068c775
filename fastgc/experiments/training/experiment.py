"""A point of a training experiment: one block of runs, drawn, trained and tallied."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from fastgc.codes.code import Code
from fastgc.codes.per_trial import CodeOfTrials
from fastgc.decoding.decoder import check_decoder
from fastgc.draws.streams import WORD, Batch
from fastgc.errors import FastgcError
from fastgc.experiments.completion.scenario import Port
from fastgc.experiments.experiment import Experiment, Samples, Shared, Values
from fastgc.experiments.measures import Measures
from fastgc.experiments.training import coded, selected
from fastgc.experiments.training.blocks import trials_of_block
from fastgc.experiments.training.coded import Coded
from fastgc.experiments.training.durations import Durations
from fastgc.experiments.training.measures import Block, Curve, Measure, Setting, Share, make
from fastgc.experiments.training.quantities import TO_LOSS
from fastgc.experiments.training.selected import Selected
from fastgc.experiments.training.table import TrainingTable
from fastgc.registry.cached import cached_property
from fastgc.results.stored import Sampled
from fastgc.stragglers.deadline import Deadline
from fastgc.stragglers.fixed_number import Adversarial
from fastgc.training import partitions
from fastgc.training.data.data import Data

Curves = Mapping[str, Values]

#: Numbers that an iteration draws, times iterations: 64 runs of them take a gigabyte.
MOST_DRAWN = 1 << 21


class TrainingExperiment(Experiment[Block]):
    """One point of a training experiment.

    Parameters
    ----------
    table : TrainingTable
        The experiment with its sweep applied.
    """

    SAMPLES: ClassVar[Mapping[str, Sampled]] = {
        "loss": Sampled(
            "loss of a training run after 0, 1, … iterations, (trial, iterations done); not a "
            "number once a run has diverged",
            ("trial", "iterations_done"),
            "1",
        )
    }

    def __init__(self, table: TrainingTable) -> None:
        super().__init__(table.iterations)
        self._table = table
        self._first_runs = threading.Lock()
        self._references: dict[tuple[int, str, bool], Mapping[str, Values]] = {}

    # ---- parts

    @cached_property
    def code(self) -> Code | CodeOfTrials:
        """The code, where gradients are coded."""
        assert self._table.code is not None
        return self._table.code.build()

    @property
    def fixed_code(self) -> Code:
        """The code, which has one matrix for all trials: others are refused."""
        assert isinstance(self.code, Code)
        return self.code

    @cached_property
    def data(self) -> Data:
        """What is trained on."""
        return self._table.problem.load()

    @cached_property
    def durations(self) -> Durations:
        """Seconds that an iteration takes."""
        return Durations(self._table, None if self._table.code is None else self.fixed_code)

    @cached_property
    def training(self) -> Coded | Selected:
        """How runs are trained; results can be looked at without it, and so without data."""
        wanted = _curves_behind(self._table.measure)
        if self._table.selection is not None:
            return Selected(self._table, self._table.selection, wanted, self.data)
        return Coded(self._table, wanted, self.fixed_code, self.data, self.durations)

    @cached_property
    def block(self) -> int:
        """Trials in a block."""
        return trials_of_block(self._table, self.data, self.training.drawn)

    @cached_property
    def _time_moments(self) -> float:
        """Moments of the time below it are finite."""
        if any(name.startswith(("time", "worker_seconds")) for name in self._table.measure):
            return self.durations.finite_moments
        return math.inf

    @cached_property
    def _by_name(self) -> dict[str, Measure]:
        table = self._table
        chosen = table.selection
        certain = (
            coded.certain(table, self.durations) if chosen is None else selected.certain(chosen)
        )
        setting = Setting(
            table.iterations,
            table.quantiles,
            table.thresholds,
            table.target_loss,
            self._time_moments,
            certain,
        )
        return {name: make(name, setting) for name in table.measure}

    @cached_property
    def measures(self) -> Measures[Block]:
        """What a block is tallied as."""
        return Measures(self._by_name)

    @property
    def _first(self) -> Measure:
        return self._by_name[self._table.measure[0]]

    @property
    def leaves_out(self) -> bool:
        """Whether runs may have no value of the first measure."""
        return not isinstance(self._first, Share)

    @property
    def moments(self) -> float:
        """Moments of the first measure below it are finite."""
        timed = self._table.measure[0].startswith(("time", "worker_seconds"))
        return self._time_moments if timed else math.inf

    @property
    def remark(self) -> str | None:
        """What is to be said of ratios of the first measure."""
        return "at the end of the runs" if isinstance(self._first, Curve) else None

    def prepare_parts(self) -> None:
        """Make what draws, trains and tallies."""
        _ = self.training, self.measures

    # ---- what is asked of it

    def misfits(self) -> list[tuple[str, str]]:
        """Return (key path, sentence) for parts that are sound but do not fit together."""
        table = self._table
        found = self._misfits_of_targets()
        if table.selection is None:
            found += self._misfits_of_code()
        else:
            found += self._misfits_of_selection()
        return found or self._misfits_of_time() or self._misfits_of_data()

    def _misfits_of_targets(self) -> list[tuple[str, str]]:
        table = self._table
        found = []
        wanted = [name for name in table.measure if name.startswith(("time", "worker_seconds"))]
        if wanted and not table.timed:
            sentence = f"{wanted[0]} needs latency, or stragglers of model deadline"
            found.append(("measure", sentence))
        elif "worker_seconds" in wanted and isinstance(table.stragglers, Deadline):
            sentence = "worker_seconds needs times; a deadline draws only who is late"
            found.append(("measure", sentence))
        if table.system is not None and table.latency is None and table.selection is None:
            found.append(("latency", "missing; a system needs the law of its workers' times"))
        if table.system is None and table.port != Port():
            found.append(("port", "must be left out without a system"))
        asked = [name for name in table.measure if name in (*TO_LOSS, "reached")]
        if asked and table.target_loss is None:
            found.append(("target_loss", f"missing; {asked[0]} needs it"))
        if not set(TO_LOSS) & set(table.measure):
            sentence = f"must be left out without one of the measures {', '.join(TO_LOSS)}"
            found += [(key, sentence) for key in ("quantiles", "thresholds") if getattr(table, key)]
        return found

    def _misfits_of_selection(self) -> list[tuple[str, str]]:
        table = self._table
        found = []
        for key in ("code", "stragglers", "system", "shuffle", "decoder", "rho"):
            if getattr(table, key) != type(table).model_fields[key].default:
                found.append((key, "must be left out with a selection, which has workers itself"))
        if {"gradient_error", "distance", "messages", "worker_seconds"} & set(table.measure):
            sentence = (
                "gradient_error, distance, messages and worker_seconds are those of coded gradients"
            )
            found.append(("measure", f"{sentence}; leave them out with a selection"))
        if table.latency is None and table.selection is not None and table.selection.needs_times:
            sentence = "missing; which worker of a group is the fastest decides whose batch counts"
            found.append(("latency", sentence))
        return found

    def _misfits_of_time(self) -> list[tuple[str, str]]:
        table = self._table
        durations = self.durations
        found = durations.misfits()
        n = 0 if found else durations.drawn
        if n * table.iterations <= MOST_DRAWN:
            return found
        sentence = f"must be at most {MOST_DRAWN // n} with {n} times drawn in each"
        return [("iterations", f"{sentence} (got {table.iterations})")]

    def _misfits_of_data(self) -> list[tuple[str, str]]:
        table = self._table
        if not table.problem.available:
            return []
        try:
            data = self.data
            if table.selection is not None:
                table.selection.check(data, table.problem.model)
                return []
        except FastgcError as problem:
            for part, member in (
                ("selection", table.selection),
                ("problem", table.problem),
            ):
                if member is not None and problem.key in type(member).model_fields:
                    return [(f"{part}.{problem.key}", problem.sentence)]
            return [("problem", str(problem))]
        k = self.fixed_code.k
        if data.samples < k:
            sentence = f"has {k} partitions, which need at least {k} samples (got {data.samples})"
            return [("code", sentence)]
        if "distance" in table.measure and data.best is None:
            return [("measure", "distance needs θ*, which only linear problems have here")]
        return []

    def _misfits_of_code(self) -> list[tuple[str, str]]:
        table = self._table
        if table.code is None:
            sentence = 'missing; give a code, like { family = "uncoded", n = 8 }, or a selection'
            return [("code", sentence)]
        if isinstance(table.stragglers, Adversarial):
            return [("stragglers.model", "adversarial stragglers are for decoding experiments")]
        code = self.code
        if isinstance(code, CodeOfTrials):
            return [("code.seed", 'must be a number (got "trial"); training keeps its matrix')]
        if code.obstacle is not None:
            sentence = "training takes real matrices, and answers as long as the gradient"
            return [("code", f"{sentence}, and {code.obstacle}")]
        found = []
        try:
            check_decoder(code, table.decoder, table.rho)
        except FastgcError as problem:
            found.append((problem.key or "decoder", problem.sentence))
        if table.stragglers is not None:
            found += [
                (f"stragglers.{field}", sentence)
                for field, sentence in table.stragglers.complaints_with(code, table.shuffle)
            ]
        if isinstance(table.stragglers, Deadline) and table.latency and table.system is None:
            sentence = (
                "must be left out with stragglers of model deadline: the deadline is the time of "
                "an iteration, and stragglers.latency the law of the workers"
            )
            found.append(("latency", sentence))
        if table.system is not None:
            workers = table.system.workers()
            if workers != code.n and min(workers, code.n) > 1:
                sentence = (
                    f"has {workers} workers and the code {code.n}; give both as many, or one of "
                    "them 1"
                )
                found.append(("system", sentence))
        return found

    def describe(self) -> dict[str, Any]:
        """Return what files of results keep of how the point was trained."""
        table = self._table
        found: dict[str, Any] = {
            "samples": self.data.samples,
            "parameters": int(table.problem.parameters(self.data)),
        }
        if table.timed:
            found["iteration_time"] = self.durations.kind
        if table.code is not None:
            sizes = partitions.bounds(self.data.samples, self.code.k)
            found["partition_sizes"] = sorted({int(size) for size in sizes[1:] - sizes[:-1]})
        return found

    def evaluate(self, batch: Batch, trials: int, shared: Shared | None, *, keep: bool) -> Block:
        """Train a batch's runs."""
        curves, reference = self._curves(batch, common=shared is not None)
        return _block(curves, trials, reference)

    def samples(self, block: Block) -> Samples:
        """Every run's loss, (T, L + 1)."""
        return {"loss": np.ascontiguousarray(block.curves["loss"].T)}

    def firsts(self, block: Block) -> Values:
        """Each run's value of the first measure, (T,); NaN where it has none."""
        return self._first.each(block)

    def _curves(self, batch: Batch, *, common: bool) -> tuple[Curves, Mapping[str, Values]]:
        """Curves of a batch's runs, and what their values are tallied less.

        That is made of the stream's first 64 runs, whoever samples which blocks: of their own
        block where it is among them, else they are drawn once more.
        """
        road = self.training
        key = batch.seed, batch.stream, common
        if batch.first == 0:
            with self._first_runs:  # others wait for these runs, rather than draw them again
                curves = road.curves(batch, common=common)
                if key not in self._references:
                    self._references[key] = self._reference(curves)
            return curves, self._references[key]
        curves = road.curves(batch, common=common)
        with self._first_runs:
            if key not in self._references:
                first = Batch(batch.seed, batch.stream, 0, 1, batch.iterations)
                self._references[key] = self._reference(road.curves(first, common=common))
        return curves, self._references[key]

    def _reference(self, curves: Curves) -> dict[str, Values]:
        """What each measure's values are tallied less, from curves of the first runs."""
        block = _block(curves, WORD, {})
        return {name: measure.usual(block) for name, measure in self._by_name.items()}

    def replay(
        self, seed: int, stream: str, trial: int, *, common: bool = False
    ) -> list[dict[str, Any]]:
        """One run: every curve after 0 … L iterations, and who straggles in the next one.

        Where columns of B are dealt out anew, also which of them are left.
        """
        batch = Batch(seed, stream, trial - trial % WORD, 1, self.iterations)
        road = self.training
        curves = road.curves(batch, common=common)
        place = trial % WORD
        found: list[dict[str, Any]] = [
            {
                name: _number(curve[index, place])
                for name, curve in curves.items()
                if index < len(curve)
            }
            for index in range(self.iterations + 1)
        ]
        if isinstance(road, Coded):
            workers, columns = (own[..., place] for own in road.answering(batch))
            for entry, alive, held in zip(found, workers, columns, strict=False):
                entry["stragglers"] = np.flatnonzero(~alive).tolist()
                if self._table.shuffle != "none":
                    entry["columns"] = np.flatnonzero(held).tolist()
        return found


def _block(curves: Curves, trials: int, reference: Mapping[str, Values]) -> Block:
    """The first ``trials`` runs of those that have these curves."""
    own = {name: np.ascontiguousarray(curve[:, :trials]) for name, curve in curves.items()}
    return Block(own, np.isnan(own["loss"][-1]), reference)


def _curves_behind(measures: Sequence[str]) -> set[str]:
    """Curves that measures are read from; the loss always, for it says which runs diverge."""
    behind = {name.removesuffix("_to_loss") if name in TO_LOSS else name for name in measures}
    return (behind | {"loss"}) - {"reached", "diverged"}


def _number(value: float) -> float | None:
    """A value as JSON has it."""
    return float(value) if np.isfinite(value) else None
