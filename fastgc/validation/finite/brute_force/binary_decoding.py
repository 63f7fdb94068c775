"""Which survivors the binary code decodes from, with what vector and at what cost."""

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from fastgc.validation.finite.brute_force.codes import algorithm3, matrix

Code = Mapping[str, Any]


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
    return sum(algorithm3(n, s, pattern)[0] is not None for pattern in _patterns(n, survivors))


def wrong_vectors(code: Code, s: int) -> int:
    """Count the patterns, out of all 2ⁿ, for which Algorithm 3 returns a vector that is wrong."""
    B = matrix(code)
    n = B.shape[1]
    wrong = 0
    for pattern in range(2**n):
        found = algorithm3(n, s, pattern)[0]
        if found is not None:
            used = [j for j in range(n) if found >> j & 1]
            wrong += bool(np.any(B[:, used].sum(axis=1) != 1.0)) or found & ~pattern != 0
    return wrong


def unused_vectors(n: int, s: int) -> int:
    """Count the sets of s stragglers for which Algorithm 3 returns nothing."""
    return math.comb(n, s) - complete_patterns(n, s, n - s)


def wrong_class_vectors(code: Code, modulus: int) -> int:
    """Count the classes modulo ``modulus`` of which the workers' sum is not the gradient."""
    B = matrix(code)
    return sum(
        bool(np.any(B[:, residue::modulus].sum(axis=1) != 1.0)) for residue in range(modulus)
    )


def class_vectors(n: int, s: int) -> list[list[float]]:
    """Return what Algorithm 3 answers when the workers of one class alone are there, each class."""
    found = [algorithm3(n, s, members)[0] or 0 for members in _classes(n, s)]
    return [[float(vector >> j & 1) for j in range(n)] for vector in found]


def broken_shifts(n: int, s: int, within: bool) -> int:
    """Count the i for which a_(i+1) is no cyclic shift of a_i.

    With ``within`` only where both belong to the first r classes, or both to the others.
    """
    return count_broken_shifts(class_vectors(n, s), n % (s + 1) if within else 0)


def count_broken_shifts(vectors: list[list[float]], left_out: int) -> int:
    """Count the steps that are no cyclic shift, but for the step to vector ``left_out`` > 0."""
    return sum(
        not any(first[turn:] + first[:turn] == second for turn in range(len(first)))
        for i, (first, second) in enumerate(itertools.pairwise(vectors), 1)
        if left_out == 0 or i != left_out
    )


def vector_weight(code: Code, s: int, residue: int) -> int:
    """Count the answers that are added up when only the workers of one class are there."""
    A = matrix(code)[:, residue :: s + 1]
    x = np.linalg.lstsq(A, np.ones(len(A)), rcond=None)[0]
    return int(np.sum(np.abs(x) > 1e-9)) if np.allclose(A @ x, 1.0) else 0


def most_look_ups(n: int, s: int, early: bool = False) -> int:
    """Largest number of workers that Algorithm 3 looks up, over all sets of s stragglers."""
    return max(algorithm3(n, s, pattern, early)[1] for pattern in _patterns(n, n - s))


def early_failures(n: int, s: int) -> int:
    """Count the sets of s stragglers for which the class taken without a look lacks a worker."""
    return sum(
        (algorithm3(n, s, pattern, early=True)[0] or 0) & ~pattern != 0
        for pattern in _patterns(n, n - s)
    )


def worst_look_ups(n: int, s: int, early: bool = False) -> int:
    """Count the workers that Algorithm 3 looks up where the last worker of s classes straggles.

    These are the first s classes that it looks through; no other set costs more.
    """
    r = 0 if early else n % (s + 1)
    order = [*range(r, s + 1), *range(r)]
    lost = [range(residue, n, s + 1)[-1] for residue in order[:s]]
    return algorithm3(n, s, 2**n - 1 - sum(1 << j for j in lost), early)[1]


def table_rows(n: int, s: int) -> int:
    """Count the sets of s stragglers, worker by worker: each needs a row of a table."""
    rows = [1] + [0] * s
    for _ in range(n):
        rows = [1, *(rows[i] + rows[i - 1] for i in range(1, s + 1))]
    return rows[s]


def look_ups_saved(n: int, s: int) -> float:
    """Mean number of look-ups that beginning with class r saves, over all sets of s stragglers."""
    saved = [
        algorithm3(n, s, pattern, first=0)[1] - algorithm3(n, s, pattern)[1]
        for pattern in _patterns(n, n - s)
    ]
    return sum(saved) / len(saved)


def exact_covers(code: Code) -> int:
    """Count the sets of workers that together hold every partition exactly once."""
    held = matrix(code) != 0
    chosen = np.arange(2 ** held.shape[1])[:, np.newaxis] >> np.arange(held.shape[1]) & 1
    return int(np.sum(np.all(chosen @ held.T == 1, axis=1)))


def fewest_disjoint(code: Code, survivors: int) -> int:
    """Fewest workers without common partitions to be found among so many survivors."""
    held = matrix(code) != 0
    n = held.shape[1]
    most = [0] * 2**n
    for pattern in range(1, 2**n):
        workers = [j for j in range(n) if pattern >> j & 1]
        if held[:, workers].sum(axis=1).max() <= 1:
            most[pattern] = len(workers)
        else:
            most[pattern] = max(most[pattern ^ 1 << j] for j in workers)
    return min(most[pattern] for pattern in _patterns(n, survivors))


def look_ups_per_row(n: int, s: int) -> float:
    """Divide the workers that Algorithm 3 looks up at worst by the rows of the table."""
    return worst_look_ups(n, s) / table_rows(n, s)


def _patterns(n: int, survivors: int) -> Iterator[int]:
    for columns in itertools.combinations(range(n), survivors):
        yield sum(1 << j for j in columns)


def _classes(n: int, s: int) -> list[int]:
    return [sum(1 << j for j in range(i, n, s + 1)) for i in range(s + 1)]
