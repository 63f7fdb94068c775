"""Measures of the errors of a trial beside each other: how many are zero, their correlation."""

from __future__ import annotations

import numpy as np

from fastgc.experiments.accumulators import Lag, Share
from fastgc.experiments.decoding.measures.base import Block, Setting
from fastgc.experiments.measures import Indexed
from fastgc.experiments.pooled import Cells
from fastgc_kernels.tally import sums as kernel


class Exact(Indexed[Block]):
    """Whether the gradient is recovered exactly; inexact iterations are counted."""

    unit = "1"
    levels = True

    def __init__(self, setting: Setting) -> None:
        super().__init__(Share(otherwise=True))
        self._threshold = setting.exact_threshold

    def _fill(self, block: Block, each: Cells, shared: Cells) -> None:
        block.error.above(self._threshold, each[0])


class ErrorLag(Indexed[Block]):
    """Autocovariance of the error, h iterations apart; at lag 0 the variance."""

    unit = "partitions^2"
    levels = False

    def __init__(self, setting: Setting) -> None:
        self._lag = Lag(setting.most)
        super().__init__(self._lag, range(setting.iterations), Lag.shared)

    def _fill(self, block: Block, each: Cells, shared: Cells) -> None:
        """Beside a trial's mean error, its average of e_l e_(l+h) over l."""
        kernel.powers(block.averages, shared)
        products = np.empty(block.trials)
        for lag, own in enumerate(each):
            kernel.lag_products(block.errors, lag, products)
            self._lag.add(products, block.averages, own)
