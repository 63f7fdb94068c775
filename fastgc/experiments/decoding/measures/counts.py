"""Measures that count: survivors, errors by survivors, partitions not accessed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fastgc.codes.code import Code
from fastgc.draws.all_patterns import subset_sizes
from fastgc.experiments.accumulators import MeanOfSome, PowerSums, Share
from fastgc.experiments.decoding.exact import Trial, known
from fastgc.experiments.decoding.measures.base import Block, ExactForm, LeftOut, Scope, Setting
from fastgc.experiments.measures import Indexed
from fastgc.experiments.pooled import Cells, Row
from fastgc.statistics.estimates import Estimate
from fastgc_kernels.tally import sums as kernel


class Survivors(ExactForm, Indexed[Block]):
    """Distribution of the number of survivors: the probability of every number."""

    unit = "1"
    levels = False
    ONLY_SAMPLED = None

    def __init__(self, setting: Setting) -> None:
        super().__init__(Share(setting.iterations), range(setting.code.n + 1))

    def _fill(self, block: Block, each: Cells, shared: Cells) -> None:
        kernel.survivor_counts(block.survivors, each)

    def exactly(self, trial: Trial) -> Iterator[Row]:
        """The probability of every number."""
        n = trial.code.n
        for r, chance in enumerate(np.bincount(subset_sizes(n), trial.pooled, n + 1)):
            yield "mean", r, known(chance)


class ErrorBySurvivors(ExactForm, Indexed[Block]):
    """Mean error given the number of survivors."""

    unit = "partitions"
    levels = False
    ONLY_SAMPLED = None

    def __init__(self, setting: Setting) -> None:
        super().__init__(MeanOfSome(setting.most), range(setting.code.n + 1))
        self._workers = setting.code.n

    def _fill(self, block: Block, each: Cells, shared: Cells) -> None:
        kernel.by_survivors(block.errors, block.survivors, self._workers, each)

    def exactly(self, trial: Trial) -> Iterator[Row]:
        """The mean at every number that can be."""
        sizes = subset_sizes(self._workers)
        chances = np.bincount(sizes, trial.pooled, self._workers + 1)
        sums = np.bincount(sizes, trial.pooled * trial.errors, self._workers + 1)
        for r, (chance, total) in enumerate(zip(chances, sums, strict=True)):
            if chance > 0:
                yield "mean", r, known(total / chance)
            else:
                yield "mean", r, Estimate(None, None, note="never happens")


class NotAccessed(ExactForm, Indexed[Block]):
    """Iterations in which no survivor holds partition i: mean and variance of their number."""

    unit = "iterations"
    levels = False
    ONLY_SAMPLED = None

    def __init__(self, setting: Setting) -> None:
        super().__init__(PowerSums(setting.iterations), range(setting.code.k))
        self._iterations = setting.iterations
        assert isinstance(setting.code, Code)
        self._offsets, holders = setting.code.holders
        self._holders = holders.astype(np.int64)

    def _fill(self, block: Block, each: Cells, shared: Cells) -> None:
        planes = block.patterns.planes
        kernel.not_accessed(
            planes, self._holders, self._offsets, self._iterations, block.trials, each
        )

    @classmethod
    def passes(cls, scope: Scope) -> float:
        """An average over the iterations for each partition."""
        return 3.0 + scope.k * scope.pairs

    def exactly(self, trial: Trial) -> Iterator[Row]:
        """Mean and, where pairs of iterations are known, variance."""
        patterns = np.arange(trial.errors.size)
        length = self._iterations
        for i, holders in enumerate(np.split(self._holders, self._offsets[1:-1])):
            mask = sum(1 << int(j) for j in holders)
            lost = ((patterns & mask) == 0).astype(float)
            yield "mean", i, known(length * trial.mean(lost))
            if trial.has_pairs:
                yield "variance", i, known(length**2 * trial.variance_of_average(lost))

    @classmethod
    def left_out(cls, scope: Scope) -> LeftOut:
        """The variance, where pairs of iterations are not known."""
        if scope.unpaired is not None:
            for i in range(scope.k):
                yield "variance", i, scope.unpaired
