"""Which survivors the binary code decodes from, with what vector and at what cost."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from fastgc.validation.enumerations.algorithms import algorithm3
from fastgc.validation.enumerations.matrices import binary as balanced


def guaranteed_survivors(n: int, s: int) -> int:
    """Find the smallest f such that every f survivors include a complete residue class."""
    classes = _classes(n, s)
    largest = 0
    for pattern in range(2**n):
        if not any(pattern & members == members for members in classes):
            largest = max(largest, pattern.bit_count())
    return largest + 1


def complete_patterns(n: int, s: int, survivors: int) -> int:
    """Count the patterns with so many survivors for which Algorithm 3 returns a vector."""
    chosen = itertools.combinations(range(n), survivors)
    return sum(algorithm3(n, s, sum(1 << j for j in columns))[0] is not None for columns in chosen)


def wrong_vectors(n: int, s: int) -> int:
    """Count the patterns, out of all 2ⁿ, for which Algorithm 3 returns a vector that is wrong."""
    B = balanced(n, s)
    wrong = 0
    for pattern in range(2**n):
        found = algorithm3(n, s, pattern)[0]
        if found is not None:
            used = [j for j in range(n) if found >> j & 1]
            wrong += bool(np.any(B[:, used].sum(axis=1) != 1.0)) or found & ~pattern != 0
    return wrong


def unused_vectors(n: int, s: int) -> int:
    """Count the sets of s stragglers for which Algorithm 3 returns nothing."""
    chosen = itertools.combinations(range(n), n - s)
    return sum(algorithm3(n, s, sum(1 << j for j in columns))[0] is None for columns in chosen)


def wrong_class_vectors(n: int, s: int, modulus: int) -> int:
    """Count the classes modulo ``modulus`` of which the workers' sum is not the gradient."""
    B = balanced(n, s)
    return sum(
        bool(np.any(B[:, residue::modulus].sum(axis=1) != 1.0)) for residue in range(modulus)
    )


def broken_shifts(n: int, s: int) -> int:
    """Count the i for which a_(i+1) is no cyclic shift of a_i."""
    vectors = [np.array([j % (s + 1) == i for j in range(n)]) for i in range(s + 1)]
    return sum(
        not any(np.array_equal(np.roll(first, turn), second) for turn in range(n))
        for first, second in itertools.pairwise(vectors)
    )


def vector_weight(n: int, s: int, residue: int) -> int:
    """Count the workers of a residue class."""
    return len(range(residue, n, s + 1))


def most_look_ups(n: int, s: int, early: bool = False) -> int:
    """Largest number of workers that Algorithm 3 looks up, over all sets of s stragglers.

    With ``early`` the last class in its order is taken without a look.
    """
    return max(
        algorithm3(n, s, sum(1 << j for j in columns), early)[1]
        for columns in itertools.combinations(range(n), n - s)
    )


def largest_class_amplification(n: int, s: int) -> int:
    """Largest ‖a‖² of Algorithm 3's vector over all sets of s stragglers."""
    found = [
        algorithm3(n, s, sum(1 << j for j in columns))[0]
        for columns in itertools.combinations(range(n), n - s)
    ]
    return max(vector.bit_count() for vector in found if vector is not None)


def operations_saved(n: int, s: int) -> int:
    """Multiplications of solving B_I x = 1 by elimination, less Algorithm 3's most look-ups.

    The fewest multiplications over all sets of s stragglers, zeros in the pivot's row skipped.
    """
    fewest = min(
        _multiplications(balanced(n, s)[:, columns])
        for columns in itertools.combinations(range(n), n - s)
    )
    return fewest - most_look_ups(n, s)


def _classes(n: int, s: int) -> list[int]:
    return [sum(1 << j for j in range(i, n, s + 1)) for i in range(s + 1)]


def _multiplications(A: NDArray[np.float64]) -> int:
    """Multiplications and divisions of Gauss's elimination on A x = 1."""
    rows = np.column_stack([A, np.ones(len(A))])
    done = count = 0
    for column in range(A.shape[1]):
        pivot = done + int(np.argmax(np.abs(rows[done:, column]))) if done < len(rows) else 0
        if done == len(rows) or abs(rows[pivot, column]) < 1e-12:
            continue
        rows[[done, pivot]] = rows[[pivot, done]]
        for other in range(len(rows)):
            if other != done and abs(rows[other, column]) > 1e-12:
                factor = rows[other, column] / rows[done, column]
                count += 1 + int(np.sum(np.abs(rows[done, column + 1 :]) > 1e-12))
                rows[other] -= factor * rows[done]
        done += 1
    return count
