"""Measures of the errors of a trial beside each other: how many are zero, their correlation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fastgc.experiments.accumulators import Lag, Share
from fastgc.experiments.decoding.exact import Trial, chance, known
from fastgc.experiments.decoding.measures.base import Block, ExactForm, LeftOut, Scope, Setting
from fastgc.experiments.measures import Indexed
from fastgc.experiments.pooled import Cells, Row
from fastgc_kernels.tally import sums as kernel


class Exact(ExactForm, Indexed[Block]):
    """Whether the gradient is recovered exactly; inexact iterations are counted."""

    unit = "1"
    levels = True
    ONLY_SAMPLED = None

    def __init__(self, setting: Setting) -> None:
        super().__init__(Share(otherwise=True))
        self._threshold = setting.exact_threshold

    def _fill(self, block: Block, each: Cells, shared: Cells) -> None:
        block.error.above(self._threshold, each[0])

    def exactly(self, trial: Trial) -> Iterator[Row]:
        """The probability."""
        inexact = (trial.errors > self._threshold).astype(float)
        yield "mean", None, known(chance(trial.mean(1.0 - inexact), trial.mean(inexact)))


class ErrorLag(ExactForm, Indexed[Block]):
    """Autocovariance of the error, h iterations apart; at lag 0 the variance."""

    unit = "partitions^2"
    levels = False
    ONLY_SAMPLED = None

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

    @classmethod
    def passes(cls, scope: Scope) -> float:
        """The pairs of iterations at every distance."""
        return 3.0 + scope.turns * scope.iterations

    def exactly(self, trial: Trial) -> Iterator[Row]:
        """At lag 0; at others where pairs of iterations are known."""
        mean = trial.mean(trial.errors)
        for lag in range(trial.iterations if trial.has_pairs else 1):
            yield "mean", lag, known(trial.product(trial.errors, lag) - mean**2)

    @classmethod
    def left_out(cls, scope: Scope) -> LeftOut:
        """Every lag but 0, where pairs of iterations are not known."""
        if scope.unpaired is not None:
            for lag in range(1, scope.iterations):
                yield "mean", lag, scope.unpaired
