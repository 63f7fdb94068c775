"""Straggler sets that lose one straggler at a time and keep an event: one class for each code.

The event is an error above a limit. All classes do the same; `ByDecoder` is the plain one, which
knows nothing of the code but how to decode it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code
from fastgc.codes.structure import General, Groups, Intervals
from fastgc.decoding.decoder import Decoder
from fastgc_kernels.decode import chain_any, chain_groups, chain_intervals, chain_sets, jacobi

Members = NDArray[np.int32]
Indices = NDArray[np.int64]

#: Beyond it rank-one updates lose too many digits: at the end of a chain they were 2e-9 off at it
#: (n = 30 and 100), 6e-8 at 1e6, and events have a margin of 1e-9·k.
_LARGEST_CONDITION = 1e5


def pack(members: Members, s: int) -> NDArray[np.uint64]:
    """Survivors of sets of s stragglers as packed patterns."""
    packed = np.empty((len(members), -(-members.shape[1] // 64)), np.uint64)
    chain_sets.pack(members, s, packed)
    return packed


class Sets(ABC):
    """Sets of s stragglers with the event, int32 (sets, n): the first s workers of each row.

    ``odds`` (n,) are those of each worker to straggle.
    """

    def __init__(self, members: Members, s: int, odds: Values) -> None:
        self.members = members
        self.s = s
        self.odds = odds

    def steps(self, numbers: Values) -> NDArray[np.uint8]:
        """Swap by the uniform ``numbers`` (sets, 3 · swaps); return who may be lost, (sets, n)."""
        removable = np.zeros(self.members.shape, np.uint8)
        self._steps(numbers, removable)
        return removable

    @abstractmethod
    def _steps(self, numbers: Values, removable: NDArray[np.uint8]) -> None:
        """Fill ``removable``."""

    def drop(self, parents: Indices, places: Indices) -> None:
        """Go on with the picked sets, (islands, sets) as `chain_sets.pick` gives them."""
        islands, sets = parents.shape
        before = self.members.reshape(islands, sets, -1)
        after = np.empty_like(before)
        chain_sets.drop(before, self.s, parents, places, after)
        self.members = after.reshape(self.members.shape)
        self.s -= 1


class OfGroups(Sets):
    """Of codes whose workers fall into groups."""

    def __init__(
        self, members: Members, s: int, odds: Values, structure: Groups, limit: float
    ) -> None:
        super().__init__(members, s, odds)
        sizes = np.bincount(structure.labels[structure.labels >= 0])
        own = structure.labels, structure.weights.astype(float), sizes.astype(np.int64)
        self._own = *own, float(structure.uncovered), limit

    def _steps(self, numbers: Values, removable: NDArray[np.uint8]) -> None:
        chain_groups.steps(self.members, self.s, self.odds, numbers, *self._own, removable)


class OfIntervals(Sets):
    """Of codes of intervals, where any error is the event."""

    def __init__(self, members: Members, s: int, odds: Values, structure: Intervals) -> None:
        super().__init__(members, s, odds)
        ends = np.array([0, structure.k])
        points = np.unique(np.concatenate([structure.start, structure.stop, ends]))
        start = np.searchsorted(points, structure.start).astype(np.int64)
        stop = np.searchsorted(points, structure.stop).astype(np.int64)
        near = [np.flatnonzero((start == point) | (stop == point)) for point in range(points.size)]
        offsets = np.concatenate([[0], np.cumsum([each.size for each in near])])
        lists = np.concatenate(near).astype(np.int64), offsets.astype(np.int64)
        self._graph = chain_intervals.Graph(start, stop, *lists)

    def _steps(self, numbers: Values, removable: NDArray[np.uint8]) -> None:
        chain_intervals.steps(self.members, self.s, self.odds, numbers, self._graph, removable)


class OfIndependentColumns(Sets):
    """Of codes with independent columns: H = (BᵀB)⁻¹ and x = B⁺1, the columns scaled."""

    def __init__(
        self, members: Members, s: int, odds: Values, H: Values, x: Values, limit: float
    ) -> None:
        super().__init__(members, s, odds)
        self._H, self._x, self._limit = H, x, limit
        self._state = self._room(s)
        chain_any.start(members, s, H, x, *self._state)
        self._other = self._room(s)

    @property
    def costs(self) -> Values:
        """What each set adds to the error, (sets,)."""
        return self._state[2]

    def _room(self, s: int) -> tuple[Values, Values, Values]:
        sets = len(self.members)
        return np.zeros((sets, s, s)), np.zeros((sets, s)), np.zeros(sets)

    def _steps(self, numbers: Values, removable: NDArray[np.uint8]) -> None:
        own = self._H, self._x, self._limit, *self._state
        chain_any.steps(self.members, self.s, self.odds, numbers, *own, removable)

    def drop(self, parents: Indices, places: Indices) -> None:
        islands, sets = parents.shape
        first = sets * np.arange(islands)[:, np.newaxis]
        flat = (parents + first).reshape(-1)
        chain_any.drop(self.s, flat, places.reshape(-1), *self._state, *self._other)
        self._state, self._other = self._other, self._state
        super().drop(parents, places)


class ByDecoder(Sets):
    """Of any code: whatever is tried is decoded."""

    def __init__(
        self, members: Members, s: int, odds: Values, decoder: Decoder, limit: float
    ) -> None:
        super().__init__(members, s, odds)
        self._decoder, self._limit = decoder, limit

    def _has_event(self, members: Members, s: int) -> Mask:
        return self._decoder.errors(pack(members, s)) > self._limit

    def _steps(self, numbers: Values, removable: NDArray[np.uint8]) -> None:
        own, s, n = self.members, self.s, self.members.shape[1]
        rows = np.arange(len(own))
        for step in range(numbers.shape[1] // 3 if s < n else 0):
            u, v, w = numbers[:, 3 * step : 3 * step + 3].T
            a, b = (u * s).astype(np.int64), s + (v * (n - s)).astype(np.int64)
            old, new = own[rows, a], own[rows, b]
            tried = own.copy()
            tried[rows, a], tried[rows, b] = new, old
            taken = (w * self.odds[old] < self.odds[new]) & self._has_event(tried, s)
            own[taken] = tried[taken]
        for a in range(s):
            less = own.copy()
            less[:, [a, s - 1]] = less[:, [s - 1, a]]
            removable[:, a] = self._has_event(less, s - 1)


#: Makes sets with the event from members, s and odds.
Making = Callable[[Members, int, Values], Sets]


def sets_of(code: Code, decoder: Decoder, limit: float) -> Making:
    """What makes the sets of a code whose error exceeds a limit under the optimal ``decoder``."""
    structure = code.structure
    if isinstance(structure, Groups):
        return partial(OfGroups, structure=structure, limit=limit)
    if tries_all(code, decoder, limit):
        return partial(ByDecoder, decoder=decoder, limit=limit)
    if isinstance(structure, Intervals):
        return partial(OfIntervals, structure=structure)
    parts = decoder.decomposition
    inverse = parts.V / parts.S[:, np.newaxis]
    H = jacobi.gram(inverse)
    x = jacobi.combine(parts.coefficients[: code.n], inverse)
    return partial(OfIndependentColumns, H=H, x=x, limit=limit - parts.remainder)


def tries_all(code: Code, decoder: Decoder, limit: float) -> bool:
    """Whether `sets_of` has nothing better for a code than to decode whatever is tried."""
    structure = code.structure
    if isinstance(structure, Groups) or (isinstance(structure, Intervals) and limit == 0.0):
        return False
    if code.obstacle is not None or not isinstance(structure, General):
        return True
    parts = decoder.decomposition
    return parts.rank < code.n or parts.condition > _LARGEST_CONDITION
