"""What the binary code assigns: who holds which partitions, and how many.

What takes a ``code`` measures any matrix; what goes through many codes is told how to ``build``
one, by default by the paper's algorithms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.validation.enumerations.algorithms import assignment, encoding
from fastgc.validation.enumerations.matrices import balanced, binary, matrix

Code = Mapping[str, Any]
#: n, s → encoding matrix, partitions × workers.
Build = Callable[[int, int], NDArray[np.float64]]

#: First and last partition of each worker in the matrix that the paper prints, n = 11 and s = 3.
_EXAMPLE = (
    (1, 4), (1, 4), (1, 4), (1, 6), (5, 8), (5, 8), (5, 8), (7, 11), (9, 11), (9, 11), (9, 11),
)  # fmt: skip
_PARTS = {"B": (0, 1, 2, 3), "B_C1": (0, 1, 2), "B_C2": (3,)}


def coverage_defects(algorithm: int, version: str, n: int, s: int) -> int:
    """Count (class, partition) pairs that an algorithm does not assign exactly once.

    Algorithm 1 is for the classes 0 … r−1, Algorithm 2 for r … s.
    """
    assigned = assignment(algorithm, version, n, s)
    classes = range(n % (s + 1)) if algorithm == 1 else range(n % (s + 1), s + 1)
    return sum(int(np.sum(assigned[i :: s + 1].sum(axis=0) != 1)) for i in classes)


def coverage_failures(algorithm: int, version: str, most: int) -> int:
    """Count the parameters n ≤ most, s < n for which an algorithm leaves a defect."""
    return sum(
        coverage_defects(algorithm, version, n, s) > 0 for n in range(1, most + 1) for s in range(n)
    )


def example_differences(code: Code, part: str) -> int:
    """Count the entries by which a code differs from a matrix that the paper prints.

    ``part`` is "B", or "B_C1" or "B_C2": the workers of the classes 0 … r−1 or of the others.
    """
    if part not in _PARTS:
        raise FastgcError(f"part: got {part!r}, allowed are {', '.join(map(repr, _PARTS))}")
    printed = np.array([[first <= i <= last for i in range(1, 12)] for first, last in _EXAMPLE])
    workers = [j for j in range(11) if j % 4 in _PARTS[part]]
    return int(np.sum(matrix(code).T[workers] != printed[workers]))


def encoding_differences(least: int, most: int, build: Build = balanced) -> int:
    """Count entries by which the corrected algorithms differ from codes built in another way.

    By default from codes whose classes share out the partitions as evenly as can be.
    """
    return sum(
        int(np.sum(build(n, s) != encoding(n, s).T))
        for n in range(least, most + 1)
        for s in range(n)
    )


def load(code: Code, worker: int) -> int:
    """Count the partitions of a worker."""
    return _loads(matrix(code))[worker]


def smallest_load(code: Code) -> int:
    """Take the minimum over the workers."""
    return min(_loads(matrix(code)))


def total_load(code: Code) -> int:
    """Add up the loads."""
    return sum(_loads(matrix(code)))


def unequal_holders(code: Code, s: int) -> int:
    """Count the partitions that are not held by exactly s + 1 workers."""
    return int(np.sum((matrix(code) != 0).sum(axis=1) != s + 1))


def load_difference(code: Code) -> int:
    """Take the largest load less the smallest."""
    return _spread(_loads(matrix(code)))


def load_difference_within(code: Code, s: int) -> int:
    """Take the largest difference of loads inside the classes 0 … r−1, or inside r … s."""
    loads = _loads(matrix(code))
    r = len(loads) % (s + 1)
    parts = (
        [load for j, load in enumerate(loads) if j % (s + 1) < r],
        [load for j, load in enumerate(loads) if j % (s + 1) >= r],
    )
    return max(_spread(part) for part in parts if part)


def largest_load_difference(most: int, build: Build = binary) -> int:
    """Take the maximum over s² ≤ n ≤ most with ℓ + r > s."""
    return max(
        _spread(_loads(build(n, s)))
        for n in range(1, most + 1)
        for s in range(n)
        if n >= s * s and n // (s + 1) + n % (s + 1) > s
    )


def unevenness(code: Code, s: int) -> float:
    """Add up the distances of the loads from k(s+1)/n."""
    B = matrix(code)
    even = len(B) * (s + 1) / B.shape[1]
    return float(sum(abs(load - even) for load in _loads(B)))


def even_share(n: int, least: int, most: int, of: int, build: Build = binary) -> float:
    """Count the s from least to most whose code gives all workers equal loads, out of so many."""
    return sum(_spread(_loads(build(n, s))) == 0 for s in range(least, most + 1)) / of


def excess_blocks(code: Code, s: int) -> int:
    """Read t off the load s + t + 1 of the last worker of class s."""
    loads = _loads(matrix(code))
    return loads[s :: s + 1][-1] - (s + 1)


def _loads(B: NDArray[np.float64]) -> list[int]:
    return [int(load) for load in (B != 0).sum(axis=0)]


def _spread(loads: list[int]) -> int:
    return max(loads) - min(loads)
