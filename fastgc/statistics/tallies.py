"""Exact sums and histograms that give the same bits in whatever order they are merged."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values

LIMB_BITS = 32
LIMBS = 69  # 2⁻¹⁰⁷⁴ up to 2¹⁰²⁴, and room for 2⁶³ addends
MASK = (1 << LIMB_BITS) - 1
UNIT = 1074  # the last binary place of a float
ADDENDS_BETWEEN_CARRIES = 1 << 28
CELLS_AT_ONCE = 1 << 12  # their limbs stay in the cache


class ExactSums:
    """Sums of floats without rounding: one wide integer a cell, in units of 2⁻¹⁰⁷⁴.

    ``cells``: number of independent sums.

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

    def add(self, values: Values) -> None:
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

    def merge(self, other: "ExactSums") -> None:
        """Add the sums of ``other`` to these."""
        other._carry()
        if self._addends >= ADDENDS_BETWEEN_CARRIES:
            self._carry()
        self._addends += 1
        used = other._used()
        self._limbs[:, used] += other._limbs[:, used]

    def _used(self) -> slice:
        # limbs that are not 0 in every sum: a few of many
        used = np.flatnonzero(self._limbs.any(axis=0)).tolist()
        return slice(used[0], used[-1] + 1) if used else slice(0, 0)

    def __getstate__(self) -> dict[str, object]:
        """All sums, without the limbs that are 0 in every one."""
        used = self._used()
        return {
            "cells": len(self),
            "first": used.start,
            "limbs": self._limbs[:, used],
            "addends": self._addends,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        limbs, first = state["limbs"], state["first"]
        self._limbs = np.zeros((state["cells"], LIMBS), np.int64)
        self._limbs[:, first : first + limbs.shape[1]] = limbs
        self._addends = state["addends"]

    def _carry(self) -> None:
        # every limb but the last into 0 … 2³² − 1, so that equal sums have equal limbs
        if self._addends == 0:
            return
        for start in range(0, len(self._limbs), CELLS_AT_ONCE):
            own = self._limbs[start : start + CELLS_AT_ONCE]
            used = np.flatnonzero(own.any(axis=0)).tolist()
            for limb in range(used[0], LIMBS - 1) if used else ():
                carry = own[:, limb] >> LIMB_BITS
                if limb > used[-1] and not carry.any():
                    break
                own[:, limb] &= MASK
                own[:, limb + 1] += carry
        self._addends = 0

    def value(self, cell: int) -> Fraction:
        """Return the sum of one cell."""
        own = self._limbs[cell]
        total = sum(int(own[limb]) << LIMB_BITS * limb for limb in np.flatnonzero(own).tolist())
        return Fraction(total, 1 << UNIT)

    def values(self, first: int, last: int) -> list[Fraction]:
        """Return the sums of cells ``first`` … ``last − 1``, faster than one by one."""
        self._carry()
        own = self._limbs[first:last]
        # empty limbs below all sums would only make the numbers long
        low = min(int(np.argmax(own.any(axis=0))) if len(own) else 0, UNIT // LIMB_BITS)
        digits = own[:, low:-1].astype("<u4").tobytes()
        width, top, unit = 4 * (LIMBS - 1 - low), LIMB_BITS * (LIMBS - 1 - low), UNIT - 32 * low
        found = []
        for place, highest in enumerate(own[:, -1].tolist()):
            total = int.from_bytes(digits[place * width : (place + 1) * width], "little")
            total += highest << top
            zeros = min((total & -total).bit_length() - 1, unit) if total else unit
            found.append(Fraction(total >> zeros, 1 << (unit - zeros)))
        return found

    def limbs(self) -> NDArray[np.int64]:
        """Return the sums as files store them: equal sums have equal limbs."""
        self._carry()
        return self._limbs.copy()

    @classmethod
    def from_limbs(cls, limbs: NDArray[np.int64]) -> "ExactSums":
        """Return the sums that `limbs` gave; the array is theirs from now on."""
        sums = cls(0)
        sums._limbs = limbs
        sums._addends = 1
        return sums


class CellRange(Sequence[Fraction]):
    """Some consecutive cells of exact sums, as a sequence of fractions made when indexed.

    >>> sums = ExactSums(3)
    >>> sums.add(np.array([[1.0, 2.0, 4.0]]))
    >>> CellRange(sums, 1, 3)[:]
    [Fraction(2, 1), Fraction(4, 1)]
    """

    def __init__(self, sums: ExactSums, first: int, last: int) -> None:
        self._sums = sums
        self._cells = range(first, last)

    def __len__(self) -> int:
        return len(self._cells)

    @overload
    def __getitem__(self, place: int) -> Fraction: ...
    @overload
    def __getitem__(self, place: slice) -> list[Fraction]: ...
    def __getitem__(self, place: int | slice) -> Fraction | list[Fraction]:
        if not isinstance(place, slice):
            return self._sums.value(self._cells[place])
        start, stop, step = place.indices(len(self._cells))
        first = self._cells.start
        return self._sums.values(first + start, first + max(start, stop))[::step]


@dataclass
class Histogram:
    """Counts of non-negative values by their leading bits, with the extremes.

    ``counts`` maps a bin's number to its count; bin b holds the floats whose bits, shifted right
    by 45, are b: at most 2⁻⁷ = 0.8 % wide. ``not_finite`` counts trials with a value that is not
    finite, which are in no bin and in no sum; ``too_large`` those with a value too large for sums
    of powers, which are in bins alone.
    """

    counts: dict[int, int] = field(default_factory=dict)
    low: float = np.inf
    high: float = -np.inf
    not_finite: int = 0
    too_large: int = 0

    def merge(self, other: "Histogram") -> None:
        """Add the counts of ``other`` to these."""
        for number, count in other.counts.items():
            self.counts[number] = self.counts.get(number, 0) + count
        self.low = min(self.low, other.low)
        self.high = max(self.high, other.high)
        self.not_finite += other.not_finite
        self.too_large += other.too_large


def bin_edges(number: int) -> tuple[float, float]:
    """Return the smallest float of a bin and that of the next bin; both are 0 for bin 0."""
    if number == 0:
        return 0.0, 0.0
    edges = np.array([number, number + 1], np.uint64) << np.uint64(45)
    low, high = edges.view(np.float64)
    return float(low), float(high)


@dataclass
class Tally:
    """The sums and histograms of some trials.

    ``trials``: trials tallied; ``sums``: one exact sum for each cell; the experiment says what the
    cells mean; ``histograms``: one for each measure that has quantiles.
    """

    trials: int
    sums: ExactSums
    histograms: list[Histogram]

    @classmethod
    def empty(cls, cells: int, histograms: int) -> "Tally":
        """Return a tally without trials."""
        return cls(0, ExactSums(cells), [Histogram() for _ in range(histograms)])

    @property
    def shape(self) -> tuple[int, int]:
        """Cells and histograms, as `empty` takes them."""
        return len(self.sums), len(self.histograms)

    def merge(self, other: "Tally") -> None:
        """Add the trials of ``other``, a tally of the same shape."""
        self.trials += other.trials
        self.sums.merge(other.sums)
        for mine, theirs in zip(self.histograms, other.histograms, strict=True):
            mine.merge(theirs)


def dot(a: Values, b: Values) -> Values:
    """Return the sum of a·b over the last axis, in one order.

    The order of a BLAS, and so the last bit, is the processor's.

    ``a``, ``b``: float arrays that broadcast. Returns float array of the other axes; a number of
    NumPy's where there are none.

    >>> float(dot(np.array([1.0, 2.0]), np.array([3.0, 4.0])))
    11.0
    """
    return np.asarray(np.add.reduce(a * b, axis=-1))
