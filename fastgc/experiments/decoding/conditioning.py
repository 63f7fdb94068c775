"""Means conditioned on the number of stragglers, with the number of lost partitions as control."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code
from fastgc.draws.patterns import Patterns
from fastgc.experiments.accumulators import Cells, Distribution, EveryValue, Sums
from fastgc.statistics import controls
from fastgc.statistics.estimates import Estimate
from fastgc.stragglers.pattern_law import PatternLaw
from fastgc_kernels.decode.groups import lost_partitions
from fastgc_kernels.tally import sums as kernel

#: Strata at most.
MOST = 32
#: Numbers of survivors that are in a tail of this probability are in one stratum.
TAIL = 1e-5
#: Of more partitions the lost ones are not counted: in blocks of few trials that takes too long.
MOST_PARTITIONS = 1 << 14


@dataclass(frozen=True, eq=False)
class Conditioning:
    """Strata of consecutive numbers of survivors, and the control."""

    place: NDArray[np.int64]  #: (n + 1,): the stratum of every number of survivors, rising.
    weights: tuple[float, ...]  #: Probability of every stratum.
    #: (offsets, workers): who holds each partition that has a holder.
    held: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
    #: How many of those no survivor holds, on average; None where that is not known.
    lost: float | None = None

    def lost_in(self, patterns: Patterns, trials: int) -> NDArray[Any]:
        """How many partitions no survivor holds, (T,); all 0 where their mean is not known."""
        if self.held is None:
            return np.zeros(trials, np.uint8)
        offsets, workers = self.held
        found = np.empty(trials, np.min_scalar_type(offsets.size - 1))
        lost_partitions(patterns.planes, workers, offsets, found)
        return found


def conditioning(
    law: PatternLaw, n: int, code: Code | None, *, shuffled: bool
) -> Conditioning | None:
    """Return what means over patterns of one iteration are conditioned on, of n workers.

    None where neither the law of the number of survivors nor that of lost partitions is known, or
    both are always the same. ``code`` is None where every trial has another one; ``shuffled``:
    columns of B are dealt out anew.
    """
    probabilities = law.survivor_counts(n)
    if probabilities is None:
        return None
    # strata of like widths, and the tails with those beside them
    below = np.cumsum(probabilities)
    first = int(np.searchsorted(below, TAIL))
    last = max(first, int(np.searchsorted(below, 1 - TAIL)))
    width = -(-(last - first + 1) // MOST)
    place = (np.clip(np.arange(probabilities.size), first, last) - first) // width
    weights = tuple(np.bincount(place, probabilities).tolist())
    held, lost = None, None
    if code is not None and code.k <= MOST_PARTITIONS:
        offsets, workers = code.holders
        sizes = np.diff(offsets)
        starts = offsets[:-1][sizes > 0]
        p = law.independent(n)
        if starts.size and p is not None and not shuffled:
            lost = float(np.multiply.reduceat(p[workers], starts).sum())
        elif starts.size and (shuffled or law.is_alike):
            lost, stragglers = 0.0, np.arange(n, -1, -1)
            for size, count in zip(*np.unique(sizes[sizes > 0], return_counts=True), strict=True):
                none = np.ones(n + 1)  # by their number, that all of so many workers straggle
                for i in range(int(size)):
                    none *= np.maximum(stragglers - i, 0) / (n - i)
                lost += float(count) * float((probabilities * none).sum())
        if lost is not None:
            held = np.append(starts, offsets[-1]), workers.astype(np.int64)
    if len(weights) == 1 and lost is None:
        return None
    return Conditioning(place, weights, held, lost)


class StratumSums:
    """In each stratum the trials, Σa and Σc; over all trials Σc² and Σac.

    Of a trial a is the value and c the number of partitions that no survivor holds. ``pilot``
    returns a block of trials that are no part of the sample, and the measure's values of it.
    """

    def __init__(self, by: Conditioning, pilot: Callable[[], tuple[Any, Distribution]]) -> None:
        self._by, self._pilot_trials = by, pilot
        self._known: dict[bytes, controls.ControlPilot] = {}
        self.cells = 3 * len(by.weights) + 2

    def add(self, block: Any, values: Distribution, cells: Cells) -> None:
        """Fill the cells for one block of one-iteration trials."""
        if block.lost is None:
            return
        assert isinstance(values, EveryValue)
        strata, products = cells[:-2].reshape(-1, 3), cells[-2:]
        value, place = values.means, self._by.place
        kernel.by_strata(value, block.lost, block.packed, place, strata, products)

    def mean(self, plain: Estimate, own: Sums, sums: Sums, largest: float, less: float) -> Estimate:
        """Return the estimate of the mean; ``plain`` where nothing was tallied."""
        *each, squares, beside = sums
        weighted = zip(each[::3], each[1::3], each[2::3], self._by.weights, strict=True)
        strata = [controls.Stratum(*each) for each in weighted]
        said = ["conditioned on the number of stragglers"] * (len(strata) > 1)
        said += ["with the lost partitions as control"] * (self._by.lost is not None)
        products, lost = (own[1], beside, squares), self._by.lost or 0.0
        return controls.stratified(
            plain, strata, products, lost, largest, ", ".join(said), self._pilot, less
        )

    def _pilot(self, groups: NDArray[np.int64]) -> controls.ControlPilot:
        """Whether it is worth while with strata joined so: the same for all samples."""
        key = groups.tobytes()
        if key not in self._known:
            block, values = self._pilot_trials()
            assert isinstance(values, EveryValue) and block.lost is not None
            place = groups[self._by.place[block.survivors[0]]]
            self._known[key] = controls.pilot(values.means, block.lost.astype(float), place)
        return self._known[key]
