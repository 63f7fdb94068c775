"""Kernels that compute the errors of many patterns, each with what it needs of its code."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.structure import Components, CycleGaps, Groups, Intervals
from fastgc.factorization import Decomposition, dependent_blocks
from fastgc_kernels import (
    complete_classes,
    components,
    cycle_gaps,
    groups,
    intervals,
    jacobi,
    least_squares,
    lookup,
    one_step,
    orthogonal,
)

Errors = NDArray[np.float64]
Packed = NDArray[np.uint64]


class ErrorKernel(Protocol):
    """Errors of up to 65536 patterns into ``out``."""

    kind: str

    def errors(self, packed: Packed, out: Errors) -> None:
        """Fill ``out``."""


class GroupsKernel:
    """Errors of codes whose workers fall into groups."""

    kind = "groups"

    def __init__(self, structure: Groups) -> None:
        self._structure = structure

    def errors(self, packed: Packed, out: Errors) -> None:
        """Fill ``out``."""
        own = self._structure
        groups.errors(packed, own.labels, own.weights, own.uncovered, out)


class CycleGapsKernel:
    """Errors of the circulant with two partitions a worker."""

    kind = "cycle-gaps"

    def __init__(self, structure: CycleGaps) -> None:
        self._n = structure.n

    def errors(self, packed: Packed, out: Errors) -> None:
        """Fill ``out``."""
        cycle_gaps.errors(packed, self._n, out)


class IntervalsKernel:
    """Errors of codes whose workers hold consecutive partitions."""

    kind = "intervals"

    def __init__(self, structure: Intervals) -> None:
        ends = np.array([0, structure.k], dtype=np.int64)
        points = np.unique(np.concatenate([structure.start, structure.stop, ends]))
        self._start = np.searchsorted(points, structure.start).astype(np.int64)
        self._stop = np.searchsorted(points, structure.stop).astype(np.int64)
        self._lengths = np.diff(points)

    def errors(self, packed: Packed, out: Errors) -> None:
        """Fill ``out``."""
        intervals.errors(packed, self._start, self._stop, self._lengths, out)


class LookupKernel:
    """Errors from a table of all patterns."""

    kind = "lookup"

    def __init__(self, table: Errors) -> None:
        self._errors = table

    def errors(self, packed: Packed, out: Errors) -> None:
        """Fill ``out``."""
        lookup.errors(packed, self._errors, out)


class OrthogonalKernel:
    """Errors by pivoted QR of each pattern's columns."""

    kind = "orthogonal"

    def __init__(self, scaled: NDArray[np.float64]) -> None:
        self._columns = np.ascontiguousarray(scaled.T)

    def errors(self, packed: Packed, out: Errors) -> None:
        """Fill ``out``."""
        orthogonal.errors(packed, self._columns, out)


class LeastSquaresKernel:
    """The kernel on stragglers; patterns that it cannot decide go to the orthogonal one."""

    kind = "least-squares"

    def __init__(self, scaled: NDArray[np.float64], parts: Decomposition) -> None:
        rank = parts.rank
        self._k = float(scaled.shape[0])
        inverse = parts.V[:rank] / parts.S[:rank, np.newaxis]
        self._H = jacobi.gram(inverse)
        self._x = jacobi.combine(parts.coefficients[:rank], inverse)
        self._e0 = parts.remainder
        null = np.ascontiguousarray(parts.V[rank:])
        self._null_rows = np.ascontiguousarray(null.T)
        self._P = jacobi.gram(null)
        self._component, self._ranks = dependent_blocks(self._P, len(null))
        if self._ranks.size == 0:
            least_squares.normalise(self._H, self._x)
        self._fallback = OrthogonalKernel(scaled)

    def errors(self, packed: Packed, out: Errors) -> None:
        """Fill ``out``."""
        doubtful = np.empty(len(packed), np.uint8)
        least_squares.errors(
            packed,
            self._H,
            self._P,
            self._component,
            self._ranks,
            self._x,
            self._e0,
            self._k,
            out,
            doubtful,
        )
        if doubtful.any():
            least_squares.confirm(packed, self._null_rows, doubtful)
            left = np.flatnonzero(doubtful)
            errors = np.empty(left.size)
            self._fallback.errors(packed[left], errors)
            out[left] = errors


class ComponentsKernel:
    """Errors of a graph code by its connected components."""

    kind = "components"

    def __init__(self, structure: Components) -> None:
        self._structure = structure

    def errors(self, packed: Packed, out: Errors) -> None:
        """Fill ``out``."""
        components.errors(packed, self._structure.edges, self._structure.k, out)


def mean_column_sum(B: NDArray[np.float64]) -> float:
    """Sum of a worker's weights, on average over workers: d where each holds d with weight 1."""
    return math.fsum(B[B != 0].tolist()) / int(B.shape[1])


class OneStepKernel:
    """Errors of one-step decoding."""

    kind = "one-step"

    def __init__(self, B: NDArray[np.float64], rho: float | None) -> None:
        held = B.T != 0
        self._k = B.shape[0]
        self._partitions = np.nonzero(held)[1].astype(np.int64)
        self._weights = B.T[held]
        self._offsets = np.concatenate([[0], np.cumsum(held.sum(axis=1))]).astype(np.int64)
        self._load = mean_column_sum(B)
        self._rho = np.nan if rho is None else rho

    def errors(self, packed: Packed, out: Errors) -> None:
        """Fill ``out``."""
        one_step.errors(
            packed,
            self._partitions,
            self._weights,
            self._offsets,
            self._k,
            self._load,
            self._rho,
            out,
        )

    def weights(self, survivors: NDArray[np.int64]) -> NDArray[np.float64]:
        """The weight ρ of every survivor, by the number of survivors; 0 without survivors."""
        with np.errstate(divide="ignore", invalid="ignore"):
            rho = self._k / (survivors * self._load) if np.isnan(self._rho) else self._rho
        return np.where((survivors > 0) & np.isfinite(rho), rho, 0.0)


class ClassesKernel:
    """Errors of Algorithm 3 of paper ``binary``: 0 with a complete class, else k."""

    kind = "class"

    def __init__(self, classes: tuple[tuple[int, ...], ...], n: int, k: int) -> None:
        self._k = k
        self.members = np.zeros((len(classes) + 1, n))
        self._masks = np.zeros((len(classes), -(-n // 64)), np.uint64)
        for number, workers in enumerate(classes):
            for worker in workers:
                self.members[number, worker] = 1.0
                self._masks[number, worker // 64] |= np.uint64(1) << np.uint64(worker % 64)

    def find(self, packed: Packed) -> NDArray[np.int64]:
        """The first complete class of each pattern, −1 if there is none."""
        found = np.empty(len(packed), np.int64)
        complete_classes.find(packed, self._masks, found)
        return found

    def errors(self, packed: Packed, out: Errors) -> None:
        """Fill ``out``."""
        out[:] = np.where(self.find(packed) >= 0, 0.0, float(self._k))
