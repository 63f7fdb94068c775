"""Sums of what points have in common trials, from which ratios and differences are made."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np

from fastgc.arrays import Values
from fastgc.experiments.accumulators import Layout, Sums
from fastgc_kernels.tally import sums as kernel

PairSums = tuple[Fraction, Fraction, Fraction, Fraction, Fraction]


def pairs(members: int) -> list[tuple[int, int]]:
    """Return each two of the members, each with itself first."""
    return list(combinations_with_replacement(range(members), 2))


class Products(ABC):
    """Sums over trials of members' values and of products of each two."""

    def __init__(self, sizes: Mapping[Hashable, int]) -> None:
        self._layout = Layout(sizes)
        self.cells = self._layout.size

    @abstractmethod
    def add(self, values: Sequence[Values | None], cells: Values) -> None:
        """Fill the cells for one block, from each member's values; None where it has none."""

    @abstractmethod
    def of_pair(self, trials: int, sums: Sums, a: int, b: int) -> tuple[int, PairSums]:
        """Trials that have values of both members, and Σa, Σa², Σb, Σb² and Σab over them."""


class OfAllTrials(Products):
    """Every trial has a value of every member, (T,): Σa of each, then Σab of each two."""

    def __init__(self, members: int) -> None:
        self._pairs = pairs(members)
        super().__init__(dict.fromkeys([*range(members), *self._pairs], 1))

    def add(self, values: Sequence[Values | None], cells: Values) -> None:
        for member, value in enumerate(values):
            if value is not None:
                kernel.powers(value, cells[self._layout[member]])
        for i, j in self._pairs:
            a, b = values[i], values[j]
            if a is not None and b is not None:
                cells[self._layout[i, j]] = kernel.product(a, b)

    def of_pair(self, trials: int, sums: Sums, a: int, b: int) -> tuple[int, PairSums]:
        """All trials, and Σa, Σa², Σb, Σb² and Σab over them."""

        def total(name: Hashable) -> Fraction:
            (found,) = sums[self._layout[name]]
            return found

        both = min(a, b), max(a, b)
        return trials, (total(a), total((a, a)), total(b), total((b, b)), total(both))


class OfSomeTrials(Products):
    """Trials may have no value of a member; sums are over those that have one of both.

    A member's values are (T,), NaN where a trial has none; or (2, T), sums and how many values each
    is of. For each two members, with values a of number c and b of number d, the cells are Σcd,
    Σad, Σ(ad)², Σbc, Σ(bc)² and Σab; of a member with itself Σc, Σa and Σa² come first.
    """

    def __init__(self, members: int) -> None:
        self._pairs = pairs(members)
        super().__init__(dict.fromkeys(self._pairs, 6))

    def add(self, values: Sequence[Values | None], cells: Values) -> None:
        for i, j in self._pairs:
            one, other = values[i], values[j]
            if one is None or other is None:
                continue
            (a, c), (b, d) = _weighed(one), _weighed(other)
            if i == j:
                d = np.ones_like(d)
            out = cells[self._layout[i, j]]
            out[0] = kernel.product(c, d)
            for weighed, powers in zip((a * d, b * c), out[1:5].reshape(2, 2), strict=True):
                kernel.powers(weighed, powers)
            out[5] = kernel.product(a, b)

    def of_pair(self, trials: int, sums: Sums, a: int, b: int) -> tuple[int, PairSums]:
        """Σcd, which is how many trials have both; and Σad, Σ(ad)², Σbc, Σ(bc)² and Σab."""
        count, i, ii, j, jj, ij = sums[self._layout[min(a, b), max(a, b)]]
        return int(count), (i, ii, j, jj, ij) if a <= b else (j, jj, i, ii, ij)


def _weighed(values: Values) -> tuple[Values, Values]:
    """Each trial's sum of values, and their number."""
    if values.ndim == 2:
        return values[0], values[1]
    there = ~np.isnan(values)
    return np.where(there, values, 0.0), there.astype(float)
