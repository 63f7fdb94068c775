"""Exact, mergeable sums: the same bits in any order of merging, for any threads and shards."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

LIMB_BITS = 32
LIMBS = 69  # 2⁻¹⁰⁷⁴ up to 2¹⁰²⁴, and room for 2⁶³ addends
MASK = (1 << LIMB_BITS) - 1
UNIT = 1074  # the last binary place of a float
ADDENDS_BETWEEN_CARRIES = 1 << 28


class ExactSums:
    """Sums of floats without rounding: one wide integer a cell, in units of 2⁻¹⁰⁷⁴.

    Parameters
    ----------
    cells : int
        Number of independent sums.

    Examples
    --------
    >>> sums = ExactSums(1)
    >>> sums.add(np.array([[1e300], [1.0], [-1e300]]))
    >>> sums.value(0)
    Fraction(1, 1)
    """

    def __init__(self, cells: int) -> None:
        self._limbs = np.zeros((cells, LIMBS), np.int64)
        self._addends = 0

    def __len__(self) -> int:
        return len(self._limbs)

    def add(self, values: NDArray[np.float64]) -> None:
        """Add finite ``values`` (rows, cells), row by row."""
        rows, cells = values.shape
        if self._addends + rows > ADDENDS_BETWEEN_CARRIES:
            self._carry()
        self._addends += rows
        mantissa, exponent = np.frexp(values)
        whole = np.ldexp(mantissa, 53).astype(np.int64)
        place = exponent.astype(np.int64) - 53 + UNIT
        below = np.maximum(-place, 0)  # subnormal numbers end in that many zeros
        magnitude = np.abs(whole) >> below
        place += below
        limb, shift = place >> 5, place & 31
        low, high = (magnitude & MASK) << shift, (magnitude >> LIMB_BITS) << shift
        sign = np.sign(whole)
        index = np.arange(cells) * LIMBS + limb
        flat = self._limbs.reshape(-1)
        np.add.at(flat, index, sign * (low & MASK))
        np.add.at(flat, index + 1, sign * ((low >> LIMB_BITS) + (high & MASK)))
        np.add.at(flat, index + 2, sign * (high >> LIMB_BITS))

    def merge(self, other: ExactSums) -> None:
        """Add another's sums."""
        self._carry()
        other._carry()
        self._limbs += other._limbs
        self._addends += other._addends
        self._carry()

    def _carry(self) -> None:
        """Bring every limb but the last into 0 … 2³² − 1: one form for every sum."""
        for limb in range(LIMBS - 1):
            carry = self._limbs[:, limb] >> LIMB_BITS
            self._limbs[:, limb] &= MASK
            self._limbs[:, limb + 1] += carry
        self._addends = 1

    def value(self, cell: int) -> Fraction:
        """One sum, exactly."""
        own = self._limbs[cell]
        total = sum(int(own[limb]) << LIMB_BITS * limb for limb in np.flatnonzero(own).tolist())
        return Fraction(total, 1 << UNIT)

    def limbs(self) -> NDArray[np.int64]:
        """The sums as they are stored: equal sums have equal limbs."""
        self._carry()
        return self._limbs.copy()

    @classmethod
    def from_limbs(cls, limbs: NDArray[np.int64]) -> ExactSums:
        """Sums from their stored form."""
        sums = cls(len(limbs))
        sums._limbs[:] = limbs
        return sums


@dataclass
class Histogram:
    """Counts of non-negative values by their leading bits, with the extremes.

    ``counts`` maps a bin's number to its count; bin b holds the floats whose bits, shifted right
    by 45, are b: at most 2⁻⁷ = 0.8 % wide.
    """

    counts: dict[int, int] = field(default_factory=dict)
    low: float = np.inf
    high: float = -np.inf

    def merge(self, other: Histogram) -> None:
        """Add another's counts."""
        for number, count in other.counts.items():
            self.counts[number] = self.counts.get(number, 0) + count
        self.low = min(self.low, other.low)
        self.high = max(self.high, other.high)

    def copy(self) -> Histogram:
        """An independent copy."""
        return Histogram(dict(self.counts), self.low, self.high)


def bin_edges(number: int) -> tuple[float, float]:
    """Smallest float of a bin, and smallest of the next; the first bin is for 0."""
    if number == 0:
        return 0.0, 0.0
    edges = np.array([number, number + 1], np.uint64) << np.uint64(45)
    low, high = edges.view(np.float64)
    return float(low), float(high)


@dataclass
class Tally:
    """Everything that is kept of a run of trials.

    Attributes
    ----------
    trials : int
        Trials tallied.
    sums : ExactSums
        One exact sum a cell; what the cells mean is the experiment's business.
    histograms : list of Histogram
        One for each measure that has quantiles.
    not_finite : int
        Values that were not numbers; they are in no sum.
    """

    trials: int
    sums: ExactSums
    histograms: list[Histogram]
    not_finite: int = 0

    @classmethod
    def empty(cls, cells: int, histograms: int) -> Tally:
        """No trials yet."""
        return cls(0, ExactSums(cells), [Histogram() for _ in range(histograms)])

    def merge(self, other: Tally) -> None:
        """Add another's trials."""
        self.trials += other.trials
        self.sums.merge(other.sums)
        for mine, theirs in zip(self.histograms, other.histograms, strict=True):
            mine.merge(theirs)
        self.not_finite += other.not_finite

    def copy(self) -> Tally:
        """An independent copy."""
        sums = ExactSums.from_limbs(self.sums.limbs())
        return Tally(self.trials, sums, [h.copy() for h in self.histograms], self.not_finite)
