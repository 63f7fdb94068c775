"""Monte Carlo road of a completion experiment: one block of trials, drawn, evaluated, tallied."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.draws.streams import WORD, Batch, block_trials
from fastgc.experiments.completion.measures import Block, Setting, SpreadOfDone, make
from fastgc.experiments.completion.scenario import Scenario
from fastgc.experiments.completion.table import CompletionTable
from fastgc.experiments.measures import Measures
from fastgc.experiments.pooled import Bins, Cells
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram
from fastgc.stragglers.drawing import drawing

Samples = dict[str, NDArray[Any]]
#: What raw samples are, for files.
SAMPLES = {
    "time": "completion time in seconds, (trial, iteration); infinite where it never completes",
}


class Sampler:
    """One point of a study, ready to sample.

    Where all workers have one law and only the time is asked for, order statistics are drawn
    themselves; on common random numbers, and in all other cases, every worker's time is drawn.

    Parameters
    ----------
    table : CompletionTable
        The experiment with its sweep applied.

    Attributes
    ----------
    block : int
        Trials in a block.
    cells, histograms : int
        Size of the tally that a block fills.
    moments : float
        Of the first measure those below it are finite.
    leaves_out, conditional : bool
        Whether the first measure's mean is over the rounds that are ever done.
    """

    def __init__(self, table: CompletionTable) -> None:
        scenario = Scenario(table)
        self._table = table
        self._scenario = scenario
        self._evaluator = scenario.evaluator
        self.block = block_trials(scenario.n * scenario.tasks, table.iterations)
        self._stragglers = None
        if table.stragglers is not None:
            self._stragglers = drawing(
                table.stragglers, None, scenario.n, table.iterations, self.block
            )
        setting = Setting(
            iterations=table.iterations,
            quantiles=table.quantiles,
            thresholds=table.thresholds,
            finite_moments=scenario.finite_moments,
            may_fail=scenario.may_fail,
            load=scenario.system.burden(),
            messages=scenario.messages,
            least=scenario.least,
            busy=scenario.busy,
        )
        measures = {name: make(name, setting) for name in table.measure}
        self._measures = Measures(measures)
        self._first = measures[table.measure[0]]
        self.leaves_out = self.conditional = isinstance(self._first, SpreadOfDone)
        first = table.measure[0]
        self.moments = scenario.finite_moments if first in ("time", "waiting") else math.inf
        self._counted = self._must_count(table)
        drawn = self._stragglers is not None or self._counted  # every worker's time is needed
        self._fused = None if drawn else scenario.fused
        self.cells, self.histograms = self._measures.cells, self._measures.histograms

    def _must_count(self, table: CompletionTable) -> bool:
        """Whether what the ports received differs from round to round, and is asked for."""
        scenario = self._scenario
        return ("messages" in table.measure and scenario.messages is None) or (
            "waiting" in table.measure and scenario.busy is None
        )

    def sample(
        self,
        seed: int,
        stream: str,
        first: int,
        trials: int,
        tally: tuple[Cells, Sequence[Bins], Sequence[Cells]],
        shared: dict[Any, Any] | None = None,
        samples: list[Samples] | None = None,
    ) -> NDArray[np.float64] | None:
        """Draw, evaluate and tally trials ``first`` … ``first + trials − 1``.

        ``tally`` is this point's cells (filled), histogram bins and extremes (added to). Given
        ``shared``, every worker's time is drawn, the same for all points that have the worker, and
        each trial's value of the first measure is returned, (trials,) or, where it leaves rounds
        out, (2, trials). Given ``samples``, every completion time is appended.
        """
        batch = Batch(seed, stream, first, -(-trials // WORD), self._table.iterations)
        block = self._block(batch, trials, common=shared is not None)
        if samples is not None:
            samples.append({"time": np.ascontiguousarray(block.done.T)})
        self._measures.add(block, tally)
        return None if shared is None else self._first.each(block)

    def _block(self, batch: Batch, trials: int, *, common: bool) -> Block:
        """The rounds of a block."""
        if self._fused is not None and not common:
            return self._finish(Block(np.ascontiguousarray(self._fused(batch)[:, :trials])))
        times = self._times(batch)
        shape = (batch.iterations, trials)
        if not self._counted:
            done = np.empty(shape)
            for iteration in range(batch.iterations):
                done[iteration] = self._evaluator.done(times[iteration])[:trials]
            return self._finish(Block(done))
        done, messages, received = np.empty(shape), np.empty(shape), np.empty(shape)
        for iteration in range(batch.iterations):
            found = self._evaluator.counted(times[iteration])
            for out, values in zip((done, messages, received), found, strict=True):
                out[iteration] = values[:trials]
        block = Block(done, messages=messages)
        block.waiting = done - received * self._table.port.receive
        return block

    def _finish(self, block: Block) -> Block:
        """Fill in what was received where that is always the same."""
        scenario = self._scenario
        if scenario.messages is not None:
            block.messages = np.full(block.done.shape, float(scenario.messages))
        if scenario.busy is not None:
            block.waiting = block.done - scenario.busy
        return block

    def _times(self, batch: Batch) -> NDArray[np.float64]:
        """Every worker's times, infinite where it never answers: (L, n, …, T)."""
        times = self._scenario.draws.times(batch)
        if self._stragglers is None:
            return times
        n = self._scenario.n
        planes = self._stragglers.draw(n, batch).planes.reshape(n, batch.iterations, batch.groups)
        alive = np.unpackbits(planes.view(np.uint8), bitorder="little", axis=-1).astype(bool)
        lost = ~alive.transpose(1, 0, 2)
        if times.ndim == 4:
            lost = lost[:, :, np.newaxis]
        np.copyto(times, np.inf, where=lost)
        return times

    def replay(
        self, seed: int, stream: str, trial: int, *, common: bool = False
    ) -> list[dict[str, Any]]:
        """What happened in each round of one trial.

        Workers' times are None where order statistics were drawn instead of them.
        """
        batch = Batch(seed, stream, trial - trial % WORD, 1, self._table.iterations)
        block = self._block(batch, batch.trials, common=common)
        drawn = self._fused is None or common
        times = self._times(batch) if drawn else None
        found = []
        for iteration in range(batch.iterations):
            done = float(block.done[iteration, trial % WORD])
            own = None if times is None else times[iteration, ..., trial % WORD]
            found.append(
                {
                    "time": done if np.isfinite(done) else None,
                    "workers": None if own is None else _numbers(own),
                    "stragglers": [] if own is None else _never(own),
                }
            )
        return found

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[tuple[str, str, int | str | None, Estimate]]:
        """(quantity, statistic, index, estimate) of everything measured."""
        return self._measures.rows(trials, sums, histograms)


def _numbers(times: NDArray[np.float64]) -> list[Any]:
    """Times as JSON has them: None where a worker never answers."""
    return [
        _numbers(row) if np.ndim(row) else (float(row) if np.isfinite(row) else None)
        for row in times
    ]


def _never(times: NDArray[np.float64]) -> list[int]:
    """Workers that never answer."""
    lost = ~np.isfinite(times.reshape(len(times), -1)).all(axis=1)
    return [int(worker) for worker in np.flatnonzero(lost)]
