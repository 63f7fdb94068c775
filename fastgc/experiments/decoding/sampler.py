"""Monte Carlo road of a decoding experiment: one block of trials, drawn, decoded and tallied."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.bernoulli import CodeOfTrials
from fastgc.codes.code import Code
from fastgc.codes.structure import Groups
from fastgc.decoding import tiers
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.trial_decoder import TrialDecoder, decoder_of
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import WORD, Batch, block_trials
from fastgc.experiments.decoding.measures import (
    MEASURES,
    Block,
    Levels,
    Scale,
    Setting,
    in_range,
)
from fastgc.experiments.decoding.table import DecodingTable
from fastgc.experiments.measures import Measures
from fastgc.experiments.pooled import Bins, Cells
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram
from fastgc.stragglers.drawing import drawing
from fastgc_kernels.decode import groups as groups_kernel

#: Raw samples of a block by name: ``error`` (T, L) and ``patterns`` (T, L, words) of survivors.
Samples = dict[str, NDArray[Any]]
#: What they are, for files.
SAMPLES = {
    "error": "decoding error in partitions, (trial, iteration)",
    "patterns": "(trial, iteration, word): bit j % 64 of word j // 64 says that worker j survived; "
    "which column of B it played under random shuffling is told by fastgc replay",
}


class _LostGroups:
    """Counts the lost groups of a code whose groups weigh the same, without expanding patterns."""

    def __init__(self, structure: Groups) -> None:
        labels = structure.labels
        held = np.argsort(labels, kind="stable")
        self._order = held[np.count_nonzero(labels < 0) :].astype(np.int64)
        sizes = np.bincount(labels[labels >= 0], minlength=len(structure.weights))
        self._offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        weight = float(structure.weights[0])
        values = structure.uncovered + weight * np.arange(len(structure.weights) + 1.0)
        self._scale = Scale(values)

    @staticmethod
    def fits(code: Code) -> bool:
        """Whether the errors of a code are multiples of one group's weight."""
        structure = code.structure
        return (
            isinstance(structure, Groups)
            and len(structure.weights) > 0
            and len(set(structure.weights.tolist())) == 1
        )

    def levels(self, patterns: Patterns, trials: int) -> Levels:
        """How often each error came in the first trials."""
        counts = np.zeros(self._scale.values.size, np.int64)
        groups_kernel.lost_groups(patterns.planes, self._order, self._offsets, trials, counts)
        return Levels(self._scale, counts)


class Sampler:
    """One point of a study, ready to sample.

    Parameters
    ----------
    table : DecodingTable
        The experiment with its sweep applied.

    Attributes
    ----------
    block : int
        Trials in a block.
    cells, histograms : int
        Size of the tally that a block fills.
    """

    def __init__(self, table: DecodingTable) -> None:
        code = table.code.build()
        self._table = table
        self._code = code
        self._n = code.n
        self.block = block_trials(code.n, table.iterations)
        self._stragglers = drawing(table.stragglers, code, code.n, table.iterations, self.block)
        self._decoder = decoder_of(code, table.decoder, table.rho)
        setting = Setting(
            code=code,
            iterations=table.iterations,
            quantiles=table.quantiles,
            thresholds=table.thresholds,
            exact_threshold=self._decoder.exact_threshold,
            most=float(code.k) if table.decoder == "optimal" else math.inf,  # that of x = 0
        )
        measures = {name: MEASURES[name](setting) for name in table.measure}
        self._measures = Measures(measures)
        self._lost_groups = None
        if (
            table.iterations == 1
            and table.decoder == "optimal"
            and not isinstance(code, CodeOfTrials)
            and _LostGroups.fits(code)
            and all(measure.levels for measure in measures.values())
        ):
            self._lost_groups = _LostGroups(code.structure)
        self.cells, self.histograms = self._measures.cells, self._measures.histograms

    def sample(
        self,
        seed: int,
        stream: str,
        first: int,
        trials: int,
        tally: tuple[Cells, Sequence[Bins], Sequence[Cells]],
        shared: dict[Any, Patterns] | None = None,
        samples: list[Samples] | None = None,
    ) -> NDArray[np.float64] | None:
        """Draw, decode and tally trials ``first`` … ``first + trials − 1``.

        ``tally`` is this point's cells (filled), histogram bins and extremes (added to). Given
        ``shared``, patterns are kept there for other points on the same draws, and each trial's
        value of the first measure is returned, (trials,), where it has one. Given ``samples``,
        every error and every pattern is appended.
        """
        batch = Batch(seed, stream, first, -(-trials // WORD), self._table.iterations)
        workers, patterns = self._patterns(batch, shared)

        def decode() -> NDArray[np.float64]:
            errors = self._errors(patterns).reshape(batch.iterations, batch.trials)
            return np.ascontiguousarray(errors[:, :trials])

        block = Block(first, trials, patterns, self._decoder, decode)
        if self._lost_groups is not None and shared is None and samples is None:
            block.counted = self._lost_groups.levels(patterns, trials)
        if samples is not None:
            packed = workers.packed.reshape(batch.iterations, batch.trials, -1)[:, :trials]
            samples.append(
                {
                    "error": np.ascontiguousarray(block.errors.T),
                    "patterns": np.ascontiguousarray(packed.transpose(1, 0, 2)),
                }
            )
        self._measures.add(block, tally)
        return None if shared is None else self._primary(block)

    def replay(
        self, seed: int, stream: str, trial: int, *, common: bool = False
    ) -> list[dict[str, Any]]:
        """What happened in each iteration of one trial, on common random numbers or not."""
        batch = Batch(seed, stream, trial - trial % WORD, 1, self._table.iterations)
        workers = self._stragglers.draw(self._n, batch)
        columns = workers.shuffled(self._table.shuffle)
        rows = np.arange(self._table.iterations) * WORD + trial % WORD
        errors = self._errors(columns)[rows]
        held = None if isinstance(self._code, CodeOfTrials) else self._code.B != 0
        found = []
        for row, error in zip(rows, errors, strict=True):
            alive = _bits(columns.packed[row], self._n)
            found.append(
                {
                    "stragglers": np.flatnonzero(~_bits(workers.packed[row], self._n)).tolist(),
                    "columns": np.flatnonzero(alive).tolist(),
                    "error": float(error),
                    "exact": bool(error <= self._decoder.exact_threshold),
                    "not_accessed": None
                    if held is None
                    else np.flatnonzero(~held[:, alive].any(axis=1)).tolist(),
                }
            )
        return found

    def _errors(self, patterns: Patterns) -> NDArray[np.float64]:
        """Errors of all patterns of a batch, iteration-major."""
        if isinstance(self._decoder, TrialDecoder):
            errors = self._decoder.errors_of(patterns)
        else:
            errors = self._decoder.errors(patterns.packed)
        return in_range(errors, self._table.name)

    def _patterns(
        self, batch: Batch, shared: dict[Any, Patterns] | None
    ) -> tuple[Patterns, Patterns]:
        """The batch's patterns, of workers and on B's columns; common ones are drawn once."""
        table = self._table
        if shared is None:
            workers = self._stragglers.draw(self._n, batch)
            return workers, workers.shuffled(table.shuffle)
        drawn = (self._stragglers, self._n, table.iterations)
        if drawn not in shared:
            shared[drawn] = self._stragglers.draw(self._n, batch)
        turned = (*drawn, table.shuffle)
        if turned not in shared:
            shared[turned] = shared[drawn].shuffled(table.shuffle)
        return shared[drawn], shared[turned]

    def _primary(self, block: Block) -> NDArray[np.float64] | None:
        """Each trial's value of the first measure, for ratios and differences."""
        first = self._table.measure[0]
        if first in ("error", "mean_error"):
            return block.averages
        if first == "exact":
            exact = block.errors <= self._decoder.exact_threshold
            return np.asarray(exact.mean(axis=0))
        return None

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[tuple[str, str, int | str | None, Estimate]]:
        """(quantity, statistic, index, estimate) of everything measured.

        The first says how much of the decoding was slow, where some of it was.
        """
        for place, row in enumerate(self._measures.rows(trials, sums, histograms)):
            if place == 0 and self._pivoted_share > 0:
                quantity, statistic, index, estimate = row
                row = quantity, statistic, index, estimate.noting(tiers.said(self._pivoted_share))
            yield row

    @cached_property
    def _pivoted_share(self) -> float:
        """Share of patterns that the slow tier decodes."""
        if not isinstance(self._decoder, Decoder):
            return 0.0
        table = self._table
        return tiers.pivoted_share(
            self._decoder, self._stragglers.draw, self._n, table.iterations, table.shuffle
        )


def _bits(packed: NDArray[np.uint64], n: int) -> NDArray[np.bool_]:
    """One packed pattern as booleans, (n,)."""
    return np.unpackbits(packed.view(np.uint8), bitorder="little")[:n].astype(bool)
