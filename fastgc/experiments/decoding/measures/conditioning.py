"""Means conditioned on the number of stragglers, with the number of lost partitions as control."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fastgc.experiments.accumulators import Cells, Distribution, EveryValue, Sums
from fastgc.experiments.decoding.conditioning import Conditioning
from fastgc.experiments.decoding.measures.base import Block
from fastgc.registry.cached import cached_property
from fastgc.statistics import controls
from fastgc.statistics.estimates import Estimate
from fastgc_kernels.tally import strata as kernel

STRAGGLERS = "conditioned on the number of stragglers"
LOST = "with the lost partitions as control"


class Conditioned:
    """In each stratum the trials, Σa and Σc; over all trials Σc² and Σac.

    Of a trial a is the value and c the number of partitions that no survivor holds. ``pilot``
    returns a block of trials that are no part of the sample, and the measure's values of it.
    """

    def __init__(self, by: Conditioning, pilot: Callable[[], tuple[Block, Distribution]]) -> None:
        self._by, self._pilot_trials = by, pilot
        self._known: dict[bytes, controls.Pilot] = {}
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
            plain, strata, products, lost, largest, ", ".join(said), self._pilot, reference
        )

    def _pilot(self, groups: NDArray[np.int64]) -> controls.Pilot:
        """Whether it is worth while with strata joined so: the same for all samples."""
        values, lost, place = self._of_pilot
        key = groups.tobytes()
        if key not in self._known:
            self._known[key] = controls.pilot(values, lost, groups[place])
        return self._known[key]

    @cached_property
    def _of_pilot(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """Values, controls and strata of the pilot's trials, (T,)."""
        block, values = self._pilot_trials()
        assert isinstance(values, EveryValue) and block.lost is not None
        return values.means, block.lost.astype(float), self._by.place[block.survivors[0]]
