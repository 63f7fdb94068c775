"""Monte Carlo road of a training experiment: one block of runs, drawn, trained and tallied."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.draws.streams import WORD, Batch
from fastgc.experiments.measures import Measures
from fastgc.experiments.pooled import Bins, Cells
from fastgc.experiments.training import coded, selected
from fastgc.experiments.training.blocks import trials_of_block
from fastgc.experiments.training.coded import Coded
from fastgc.experiments.training.durations import finite_moments
from fastgc.experiments.training.measures import Block, Curve, Setting, Share, make
from fastgc.experiments.training.selected import Selected
from fastgc.experiments.training.table import TO_LOSS, TrainingTable
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram

Values = NDArray[np.float64]
Curves = Mapping[str, Values]
Samples = dict[str, NDArray[Any]]
#: What raw samples are, for files.
SAMPLES = {
    "loss": "loss of a training run after 0, 1, … iterations, (trial, iterations done); not a "
    "number once a run has diverged",
}


class Sampler:
    """One point of a study, ready to sample.

    Parameters
    ----------
    table : TrainingTable
        The experiment with its sweep applied.

    Attributes
    ----------
    cells, histograms : int
        Size of the tally that a block fills.
    leaves_out : bool
        Whether runs may have no value of the first measure.
    moments : float
        Of the first measure those below it are finite.
    remark : str or None
        What is to be said of its ratios.
    """

    def __init__(self, table: TrainingTable) -> None:
        self._table = table
        moments = math.inf
        if any(name.startswith("time") for name in table.measure):
            moments = finite_moments(table)
        certain = coded.certain if table.selection is None else selected.certain
        setting = Setting(
            table.iterations,
            table.quantiles,
            table.thresholds,
            table.target_loss,
            moments,
            certain(table),
        )
        self._by_name = {name: make(name, setting) for name in table.measure}
        self._measures = Measures(self._by_name)
        self._first = self._by_name[table.measure[0]]
        self.moments = moments if table.measure[0].startswith("time") else math.inf
        self.remark = "at the end of the runs" if isinstance(self._first, Curve) else None
        self.leaves_out = not isinstance(self._first, Share)
        self._lock, self._first_runs = threading.Lock(), threading.Lock()
        self._road: Coded | Selected | None = None
        self._references: dict[tuple[int, str, bool], Mapping[str, Values]] = {}
        self.cells, self.histograms = self._measures.cells, self._measures.histograms

    @property
    def _training(self) -> Coded | Selected:
        """How runs are trained; made when first needed: results can be looked at without data."""
        with self._lock:
            if self._road is None:
                road = Coded if self._table.selection is None else Selected
                self._road = road(self._table, _curves_behind(self._table.measure))
            return self._road

    @cached_property
    def block(self) -> int:
        """Trials in a block."""
        return trials_of_block(self._table, self._table.problem.load(), self._training.drawn)

    def sample(
        self,
        seed: int,
        stream: str,
        first: int,
        trials: int,
        tally: tuple[Cells, Sequence[Bins], Sequence[Cells]],
        shared: dict[Any, Any] | None = None,
        samples: list[Samples] | None = None,
    ) -> Values | None:
        """Draw, train and tally trials ``first`` … ``first + trials − 1``.

        ``tally`` is this point's cells (filled), histogram bins and extremes (added to). Given
        ``shared``, all points on the same draws, each trial's value of the first measure is
        returned, (trials,). Given ``samples``, every run's loss is appended.
        """
        batch = Batch(seed, stream, first, -(-trials // WORD), self._table.iterations)
        curves, reference = self._curves(batch, common=shared is not None)
        block = _block(curves, trials, reference)
        if samples is not None:
            samples.append({"loss": np.ascontiguousarray(block.curves["loss"].T)})
        self._measures.add(block, tally)
        return None if shared is None else self._first.each(block)

    def _curves(self, batch: Batch, *, common: bool) -> tuple[Curves, Mapping[str, Values]]:
        """Curves of a batch's runs, and what their values are tallied less.

        That is made of the stream's first 64 runs, whoever samples which blocks: of their own
        block where it is among them, else they are drawn once more.
        """
        road = self._training
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
        """One run: every curve after 0 … L iterations, and who straggles in the next one."""
        batch = Batch(seed, stream, trial - trial % WORD, 1, self._table.iterations)
        road = self._training
        curves = road.curves(batch, common=common)
        place = trial % WORD
        found: list[dict[str, Any]] = [
            {
                name: _number(curve[index, place])
                for name, curve in curves.items()
                if index < len(curve)
            }
            for index in range(self._table.iterations + 1)
        ]
        if isinstance(road, Coded):
            for entry, lost in zip(found, road.stragglers(batch), strict=False):
                entry["stragglers"] = [int(worker) for worker in np.flatnonzero(lost[:, place])]
        return found

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[tuple[str, str, int | str | None, Estimate]]:
        """(quantity, statistic, index, estimate) of everything measured."""
        return self._measures.rows(trials, sums, histograms)


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
