"""What the binary code assigns: who holds which partitions, and how many."""

from __future__ import annotations

import numpy as np

from fastgc.errors import FastgcError
from fastgc.validation.enumerations.algorithms import assignment
from fastgc.validation.enumerations.matrices import binary as balanced


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


def encoding_differences(least: int, most: int) -> int:
    """Count entries by which both corrected algorithms differ from balanced residue classes."""
    return sum(
        int(np.sum(assignment(1, "corrected", n, s) + assignment(2, "corrected", n, s) != B.T))
        for n in range(least, most + 1)
        for s in range(n)
        for B in [balanced(n, s)]
    )


def load(n: int, s: int, worker: int, k: int | None = None) -> int:
    """Count the partitions of a worker."""
    return _loads(n, s, k)[worker]


def smallest_load(n: int, s: int, k: int | None = None) -> int:
    """Take the minimum over the workers."""
    return min(_loads(n, s, k))


def total_load(n: int, s: int, k: int | None = None) -> int:
    """Add up the loads."""
    return sum(_loads(n, s, k))


def unequal_holders(n: int, s: int, k: int | None = None) -> int:
    """Count the partitions that are not held by exactly s + 1 workers."""
    return int(np.sum(balanced(n, s, k).sum(axis=1) != s + 1))


def load_difference(n: int, s: int) -> int:
    """Take the largest load less the smallest."""
    return max(_loads(n, s)) - min(_loads(n, s))


def load_difference_within(n: int, s: int) -> int:
    """Take the largest difference of loads inside the classes 0 … r−1, or inside r … s."""
    loads, r = _loads(n, s), n % (s + 1)
    parts = (
        [load for j, load in enumerate(loads) if j % (s + 1) < r],
        [load for j, load in enumerate(loads) if j % (s + 1) >= r],
    )
    return max(max(part) - min(part) for part in parts if part)


def largest_load_difference(most: int) -> int:
    """Take the maximum over s² ≤ n ≤ most with ℓ + r > s."""
    return max(
        load_difference(n, s)
        for n in range(1, most + 1)
        for s in range(n)
        if n >= s * s and n // (s + 1) + n % (s + 1) > s
    )


def unevenness(family: str, n: int, s: int) -> float:
    """Add up the distances of the loads from k(s+1)/n, k = n."""
    if family == "binary":
        loads = _loads(n, s)
    elif family == "circulant":
        loads = [len({(j + i) % n for i in range(s + 1)}) for j in range(n)]
    else:
        raise FastgcError(f"family: got {family!r}, allowed are 'binary', 'circulant'")
    return float(sum(abs(load - (s + 1)) for load in loads))


def lemma4_exceptions(least: int, most: int) -> int:
    """Count the pairs (s, n) that contradict Lemma 4, least ≤ s ≤ most and s² ≤ n ≤ s² + 6s."""
    exceptions = 0
    for s in range(least, most + 1):
        for a in range(6 * s + 1):
            n = s * s + a
            if n <= s:
                continue
            blocks, r = divmod(n, s + 1)
            exceptions += r // blocks != int(a in (s - 2, s - 1, 2 * s))
    return exceptions


def excess_blocks(n: int, s: int) -> int:
    """Count how often the number of whole blocks fits into the number of workers left over."""
    whole = n // (s + 1)
    left = n - whole * (s + 1)
    return next(t for t in range(n) if (t + 1) * whole > left)


def _loads(n: int, s: int, k: int | None = None) -> list[int]:
    return [int(load) for load in balanced(n, s, k).sum(axis=0)]
