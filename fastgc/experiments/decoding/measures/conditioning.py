"""Means conditioned on the number of stragglers, whose law is known."""

from __future__ import annotations

from fastgc.experiments.decoding.measures.base import Block, Levels
from fastgc.experiments.decoding.strata import Strata
from fastgc.experiments.pooled import Cells, Distribution, EveryValue, Sums
from fastgc.statistics import controls
from fastgc.statistics.estimates import Estimate
from fastgc_kernels.tally import strata as kernel

HOW = "conditioned on the number of stragglers"


class ByStragglers:
    """In each stratum the number of trials and Σa of their values a.

    Parameters
    ----------
    strata : Strata
    """

    def __init__(self, strata: Strata) -> None:
        self._strata = strata
        self.cells = 2 * len(strata.weights)

    def add(self, block: Block, values: Distribution, cells: Cells) -> None:
        """Fill the cells for one block of one-iteration trials."""
        if not block.is_conditioned:
            return
        out = cells.reshape(-1, 2)
        if isinstance(values, Levels):
            assert values.strata is not None
            out[:] = values.strata
        else:
            assert isinstance(values, EveryValue)
            kernel.by_survivors(values.averages[0], block.packed, self._strata.place, out)

    def mean(
        self, plain: Estimate, own: Sums, sums: Sums, largest: float, reference: float
    ) -> Estimate:
        """Return the estimate of the mean; ``plain`` where nothing was tallied."""
        strata = list(zip(sums[::2], sums[1::2], strict=True))
        squares = own[0], own[1]
        weights = self._strata.weights
        return controls.stratified(plain, squares, strata, weights, largest, HOW, reference)
