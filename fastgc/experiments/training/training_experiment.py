"""A point of a training experiment: one block of runs, drawn, trained and tallied."""

import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.codes.per_trial import CodeOfTrials
from fastgc.decoding.decoder import Decoder
from fastgc.draws.streams import WORD, Trials
from fastgc.experiments.accumulators import Sums
from fastgc.experiments.experiment import Experiment, Replayed, Samples, Shared
from fastgc.experiments.methods import Statistic
from fastgc.experiments.table import rho_of
from fastgc.experiments.training import cross_field, training_measures
from fastgc.experiments.training.gradients import CodedRuns, Durations, SelectedRuns
from fastgc.experiments.training.training_table import TrainingTable, trials_of_block
from fastgc.registry.cached import cached_property
from fastgc.statistics.tallies import Histogram
from fastgc.training.data import Data, bounds

Curves = Mapping[str, Values]

#: What decoding does not change.
_WITHOUT_DECODING = ("time", "downloads", "uploads", "gradients")


class TrainingExperiment(Experiment[training_measures.RunBlock]):
    """One point of a training experiment."""

    PARTS = ("training", "measures")

    table: TrainingTable

    def __init__(self, table: TrainingTable) -> None:
        super().__init__(table)
        self._first_runs = threading.Lock()
        self._references: dict[tuple[int, str, bool], Curves] = {}

    # ---- parts

    @cached_property
    def code(self) -> Code | CodeOfTrials:
        """The code, where gradients are coded."""
        assert self.table.code is not None
        return self.table.code.build()

    @property
    def _fixed(self) -> Code:
        """The code, which has one matrix for all trials: others are refused."""
        return cast(Code, self.code)

    @cached_property
    def data(self) -> Data:
        """What is trained on."""
        return self.table.problem.load()

    @cached_property
    def durations(self) -> Durations:
        """Seconds that an iteration takes."""
        return Durations(self.table, None if self.table.code is None else self._fixed)

    @cached_property
    def training(self) -> CodedRuns | SelectedRuns:
        """How runs are trained; results can be looked at without it, and so without data."""
        # the loss always, for it says which runs diverge
        behind = {name.removesuffix("_to_loss") for name in self.table.measure}
        wanted = (behind | {"loss"}) - {"reached", "diverged"}
        if self.table.selection is not None:
            return SelectedRuns(self.table, self.table.selection, wanted, self.data)
        return CodedRuns(self.table, wanted, self._fixed, self.data, self.durations)

    @cached_property
    def block(self) -> int:
        return trials_of_block(self.table, self.data, self.training.drawn)

    @cached_property
    def by_name(self) -> dict[str, training_measures.RunMeasure]:
        return {name: training_measures.make(name, self) for name in self.table.measure}

    @property
    def leaves_out(self) -> bool:
        return not isinstance(self.first, training_measures.RunShare)

    @cached_property
    def moments(self) -> float:
        timed = self.table.measure[0].startswith("time")
        return self.durations.finite_moments if timed else math.inf

    @cached_property
    def remark(self) -> str | None:
        return "at the end of the runs" if isinstance(self.first, training_measures.Curve) else None

    @cached_property
    def _doubt(self) -> str | None:
        table = self.table
        if table.code is None:
            return None
        code = self._fixed
        return Decoder(code, decoder=table.decoder, rho=rho_of(table, code)).doubt

    def rows(self, trials: int, sums: Sums, histograms: Sequence[Histogram]) -> Iterator[Statistic]:
        for quantity, statistic, index, estimate in super().rows(trials, sums, histograms):
            if quantity not in _WITHOUT_DECODING and self._doubt is not None:
                estimate = estimate.without_interval(self._doubt)
            yield quantity, statistic, index, estimate

    # ---- what is asked of it

    def cross_field_errors(self) -> list[tuple[str, str]]:
        table = self.table
        return (
            list(cross_field.key_errors(table, lambda: self.code))
            or cross_field.time_errors(table, self.durations)
            or list(cross_field.data_errors(table, lambda: self.data, lambda: self._fixed))
        )

    def describe(self) -> dict[str, Any]:
        table = self.table
        found: dict[str, Any] = {
            "samples": self.data.samples,
            "parameters": int(table.problem.parameters(self.data)),
        }
        if table.timed:
            found["iteration_time"] = self.durations.kind
        if table.code is not None:
            sizes = bounds(self.data.samples, self.code.k)
            found["partition_sizes"] = sorted({int(size) for size in sizes[1:] - sizes[:-1]})
        return found

    def evaluate(
        self, batch: Trials, trials: int, shared: Shared | None, *, keep: bool
    ) -> training_measures.RunBlock:
        return _block(*self._curves(batch, common=shared is not None), trials)

    def samples(self, block: training_measures.RunBlock) -> Samples:
        """Every run's loss, (T, L + 1)."""
        return {"loss": np.ascontiguousarray(block.curves["loss"].T)}

    def _curves(self, batch: Trials, *, common: bool) -> tuple[Curves, Curves]:
        """Curves of a batch's runs, and what their values are tallied less.

        That is made of the stream's first 64 runs, whichever blocks are sampled: of their own
        block where it is among them, else they are drawn once more.
        """
        key = batch.seed, batch.stream, common
        curves = None
        with self._first_runs:  # others wait for these runs, rather than draw them again
            if key not in self._references:
                first = Trials(batch.seed, batch.stream, 0, 1, batch.iterations)
                own = self.training.curves(batch if batch.first == 0 else first, common=common)
                block = _block(own, {}, WORD)
                usual = {name: measure.usual(block) for name, measure in self.by_name.items()}
                self._references[key] = usual
                curves = own if batch.first == 0 else None
        if curves is None:
            curves = self.training.curves(batch, common=common)
        return curves, self._references[key]

    def replay_one(self, batch: Trials, place: int, *, common: bool) -> Replayed:
        training = self.training
        curves = training.curves(batch, common=common)
        found: list[dict[str, Any]] = [{} for _ in range(self.iterations + 1)]
        for name, curve in curves.items():
            for entry, value in zip(found, curve[:, place].tolist(), strict=False):
                entry[name] = value if math.isfinite(value) else None
        if isinstance(training, CodedRuns):
            workers, columns = (own[..., place] for own in training.answering(batch))
            for entry, alive, held in zip(found, workers, columns, strict=False):
                entry["stragglers"] = np.flatnonzero(~alive).tolist()
                if self.table.shuffle != "none":
                    entry["columns"] = np.flatnonzero(held).tolist()
        return found

    @staticmethod
    def columns(iterations: Sequence[Mapping[str, Any]]) -> dict[str, Sequence[Any]]:
        found = Experiment.columns(iterations)
        last = {f"next {name}": found.pop(name, None) for name in ("stragglers", "columns")}
        curves = {"iterations": found.pop("iteration")} | found
        return curves | {name: own for name, own in last.items() if own is not None}


def _block(curves: Curves, reference: Curves, trials: int) -> training_measures.RunBlock:
    own = {name: np.ascontiguousarray(curve[:, :trials]) for name, curve in curves.items()}
    return training_measures.RunBlock(own, np.isnan(own["loss"][-1]), reference)
