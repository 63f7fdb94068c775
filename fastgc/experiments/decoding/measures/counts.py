"""Measures that count: survivors, errors by survivors, partitions not accessed."""

from __future__ import annotations

import numpy as np

from fastgc.codes.code import Code
from fastgc.experiments.accumulators import MeanOfSome, PowerSums, Share
from fastgc.experiments.decoding.measures.base import Block, Setting
from fastgc.experiments.measures import Indexed
from fastgc.experiments.pooled import Cells
from fastgc_kernels.tally import sums as kernel


class Survivors(Indexed[Block]):
    """Distribution of the number of survivors: the probability of every number."""

    unit = "1"
    levels = False

    def __init__(self, setting: Setting) -> None:
        super().__init__(Share(setting.iterations), range(setting.code.n + 1))

    def _fill(self, block: Block, each: Cells, shared: Cells) -> None:
        kernel.survivor_counts(block.survivors, each)


class ErrorBySurvivors(Indexed[Block]):
    """Mean error given the number of survivors."""

    unit = "partitions"
    levels = False

    def __init__(self, setting: Setting) -> None:
        super().__init__(MeanOfSome(setting.most), range(setting.code.n + 1))
        self._workers = setting.code.n

    def _fill(self, block: Block, each: Cells, shared: Cells) -> None:
        kernel.by_survivors(block.errors, block.survivors, self._workers, each)


class NotAccessed(Indexed[Block]):
    """Iterations in which no survivor holds partition i: mean and variance of their number."""

    unit = "iterations"
    levels = False

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
