"""Algorithms 1 to 3 of paper binary, step by step.

Charalambides, Mahdavifar, Hero: Numerically Stable Binary Gradient Coding. Rows are workers here,
as in the paper; workers count from 0 and partitions, in the paper's slices, from 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError

Assignment = NDArray[np.int64]


_VERSIONS = {1: ("corrected", "lambda"), 2: ("corrected", "loop", "ends")}


def assignment(algorithm: int, version: str, n: int, s: int) -> Assignment:
    """Run Algorithm 1 or 2 (workers × partitions), corrected or with one slip of the print.

    Algorithm 1 has a slip in the division that gives "lambda", Algorithm 2 one in its "loop" over
    the classes and one in the "ends" of its larger blocks.
    """
    if version not in _VERSIONS.get(algorithm, ()):
        raise FastgcError(
            "coverage: algorithm is 1 or 2, version 'corrected' or its slip: 'lambda' of 1, 'loop' "
            f"or 'ends' of 2 (got {algorithm!r}, {version!r})"
        )
    return (_algorithm1 if algorithm == 1 else _algorithm2)(n, s, version)


def encoding(n: int, s: int) -> Assignment:
    """Add up what both algorithms assign, corrected: the paper's encoding matrix."""
    return assignment(1, "corrected", n, s) + assignment(2, "corrected", n, s)


def algorithm3(n: int, s: int, pattern: int, early: bool = False) -> tuple[int | None, int]:
    """Algorithm 3's vector as a word, and the number of workers looked up.

    With ``early`` it goes through the classes 0 … s−1 and else takes class s without a look.
    """
    r, looked = n % (s + 1), 0
    for residue in range(s) if early else [*range(r, s + 1), *range(r)]:
        members = range(residue, n, s + 1)
        for worker in members:
            looked += 1
            if not pattern >> worker & 1:
                break
        else:
            return sum(1 << worker for worker in members), looked
    return sum(1 << worker for worker in range(s, n, s + 1)) if early else None, looked


def _algorithm1(n: int, s: int, version: str) -> Assignment:
    out = np.zeros((n, n), dtype=np.int64)
    blocks, r = divmod(n, s + 1)
    # Printed: n = λ(s+1) + r̃.
    size, larger = divmod(n, s + 1 if version == "lambda" else blocks + 1)
    for i in range(r):
        if blocks + r > s:
            for j in range(1, blocks + r - s + 1):
                _fill(out, (j - 1) * (s + 1) + i, (j - 1) * (s + 1) + 1, j * (s + 1))
            for j in range(blocks + r - s + 1, blocks + 2):
                first = (j - 1) * s + blocks + r - s + 1
                _fill(out, (j - 1) * (s + 1) + i, first, (j - 1) * s + blocks + r)
        else:
            for j in range(1, larger + 1):
                _fill(out, (j - 1) * (s + 1) + i, (j - 1) * (size + 1) + 1, j * (size + 1))
            for j in range(larger + 1, blocks + 2):
                first = (j - 1) * size + larger + 1
                _fill(out, (j - 1) * (s + 1) + i, first, first + size - 1)
    return out


def _algorithm2(n: int, s: int, version: str) -> Assignment:
    out = np.zeros((n, n), dtype=np.int64)
    blocks, r = divmod(n, s + 1)
    t, q = divmod(r, blocks)
    # Printed: i = r to r, and the larger blocks end at j(s+t+1).
    for i in range(r, r + 1 if version == "loop" else s + 1):
        for j in range(1, q + 1):
            last = j * (s + t + 1) if version == "ends" else j * (s + t + 2)
            _fill(out, (j - 1) * (s + 1) + i, (j - 1) * (s + t + 2) + 1, last)
        for j in range(q + 1, blocks + 1):
            last = j * (s + t + 1) + q
            _fill(out, (j - 1) * (s + 1) + i, (j - 1) * (s + t + 1) + q + 1, last)
    return out


def _fill(out: Assignment, worker: int, first: int, last: int) -> None:
    """B[worker, first:last] = 1 with the paper's slices; what lies outside is dropped."""
    if worker < len(out):
        out[worker, first - 1 : max(first - 1, last)] = 1
