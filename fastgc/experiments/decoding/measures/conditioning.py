"""Means conditioned on the number of stragglers, with the number of lost partitions as control."""

from __future__ import annotations

from fastgc.experiments.decoding.conditioning import Conditioning
from fastgc.experiments.decoding.measures.base import Block
from fastgc.experiments.pooled import Cells, Distribution, EveryValue, Sums
from fastgc.statistics import controls
from fastgc.statistics.estimates import Estimate
from fastgc_kernels.tally import strata as kernel

STRAGGLERS = "conditioned on the number of stragglers"
LOST = "with the lost partitions as control"


class Conditioned:
    """In each stratum the trials, Σa and Σc; over all trials Σc² and Σac.

    Of a trial a is the value and c the number of partitions that no survivor holds.

    Parameters
    ----------
    by : Conditioning
    """

    def __init__(self, by: Conditioning) -> None:
        self._by = by
        self.cells = 3 * len(by.weights) + 2

    def add(self, block: Block, values: Distribution, cells: Cells) -> None:
        """Fill the cells for one block of one-iteration trials."""
        if block.lost is None:
            return
        assert isinstance(values, EveryValue)
        strata, products = cells[:-2].reshape(-1, 3), cells[-2:]
        value, place = values.means, self._by.place
        kernel.by_survivors(value, block.lost, block.packed, place, strata, products)

    def mean(
        self, plain: Estimate, own: Sums, sums: Sums, largest: float, reference: float
    ) -> Estimate:
        """Return the estimate of the mean; ``plain`` where nothing was tallied."""
        *each, squares, beside = sums
        weighted = zip(each[::3], each[1::3], each[2::3], self._by.weights, strict=True)
        strata = [controls.Stratum(*each) for each in weighted]
        said = [STRAGGLERS] * (len(strata) > 1) + [LOST] * (self._by.lost is not None)
        products, lost = (own[1], beside, squares), self._by.lost or 0.0
        return controls.stratified(
            plain, strata, products, lost, largest, ", ".join(said), reference
        )
