"""Who is assigned which partitions (binary, Sections II and III): Algorithms 1 and 2.

The workers of residue class i mod s+1 share out all partitions; with n = ℓ(s+1) + r the classes
0 … r−1 have ℓ+1 workers each, the others ℓ.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc.theory.binary.paper import paper
from fastgc.theory.cases.finite import finite
from fastgc.theory.common.arguments import check_count, elementwise
from fastgc.theory.papers.claim import REFUTED
from fastgc.theory.papers.paper import Cases

#: The paper's example: n, s.
EXAMPLE = (11, 3)

#: n, s; s+1 divides n in the last but one; n = (s+1)² in none.
POINTS = (EXAMPLE, (10, 4), (12, 3), (13, 5))

#: n, s, k of matrices that are no square, beside those that are.
_SIZES = ((*EXAMPLE, 11), (10, 6, 10), (12, 2, 30), (17, 4, 9))


def blocks_and_remainder(n: int, s: int) -> tuple[int, int]:
    """ℓ and r of n = ℓ(s+1) + r, after refusing what is not 0 ≤ s < n.

    >>> blocks_and_remainder(11, 3)
    (2, 3)
    """
    check_count("n", n, 1)
    check_count("s", s, 0, n - 1)
    return divmod(int(n), int(s) + 1)


@paper.formula
def loads(n: int, s: int) -> NDArray[np.int64]:
    """Loads of the n workers for k = n (binary, Section III, prose).

    Classes 0 … r−1: where ℓ > s−r, s+1 in the first ℓ+r−s blocks of workers and s in the others;
    else, with n = λ(ℓ+1) + r̃, λ+1 in the first r̃ blocks and λ in the others. Classes r … s: with
    r = tℓ + q, s+t+2 in the first q blocks and s+t+1 in the others. It is exact.

    >>> loads(11, 3).tolist()
    [4, 4, 4, 6, 4, 4, 4, 5, 3, 3, 3]
    """
    blocks, r = blocks_and_remainder(n, s)
    if blocks > s - r:
        size, larger = s, blocks + r - s
    else:
        size, larger = divmod(n, blocks + 1)
    t, q = divmod(r, blocks)
    out = np.empty(n, dtype=np.int64)
    for worker in range(n):
        block, residue = divmod(worker, s + 1)
        first = residue < r
        out[worker] = size + (block < larger) if first else s + t + 1 + (block < q)
    return out


@paper.formula
@elementwise
def total_load(n: int, s: int, k: int | None = None) -> float:
    """Sum k(s+1) of all loads, which is exact (binary, after Theorem 1).

    >>> total_load(11, 3)
    44.0
    """
    blocks_and_remainder(n, s)
    return (n if k is None else k) * (s + 1)


@paper.formula
@elementwise
def least_load_printed(n: int, s: int, k: int | None = None) -> float:
    """Lower bound k(s+1)/n of every load (binary, Section II-B). Wrong when r > 0.

    >>> least_load_printed(11, 3)
    4.0
    """
    return float(total_load(n, s, k)) / n


@paper.formula
@elementwise
def least_load(n: int, s: int, k: int | None = None) -> float:
    """Smallest load, k over the workers of the largest class, rounded down. Derived.

    >>> least_load(11, 3)
    3.0
    """
    blocks, r = blocks_and_remainder(n, s)
    return (n if k is None else k) // (blocks + (r > 0))


def _coverage(algorithm: int, version: str, points: tuple[tuple[int, int], ...]) -> Cases:
    """Partitions that a class misses or holds twice, at some points and in all codes up to 29."""
    for n, s in points:
        yield finite("coverage_defects", 0, algorithm=algorithm, version=version, n=n, s=s)
    yield finite("coverage_failures", 0, algorithm=algorithm, version=version, most=29)


# n, s with r > 0 and ℓ + r ≤ s: the branch of Algorithm 1 that uses λ
_SMALL = ((4, 2), (10, 6), (9, 5))
_EVERY = (EXAMPLE, (4, 2), (7, 2), (10, 6), (12, 2), (23, 9))


@paper.claim("algorithm1.printed", "Algorithm 1", REFUTED)
def _() -> Cases:
    """Algorithm 1 with n = lambda(s+1) + r~ as printed assigns every partition exactly
    once in each class 0 ... r-1."""
    return _coverage(1, "printed", _SMALL)


@paper.claim("algorithm1.corrected", "Algorithm 1, corrected by Section III")
def _() -> Cases:
    """Algorithm 1 with n = lambda(l+1) + r~ assigns every partition exactly once in
    each class 0 ... r-1."""
    return _coverage(1, "corrected", _EVERY)


@paper.claim("algorithm2.printed", "Algorithm 2", REFUTED)
def _() -> Cases:
    """Algorithm 2 with i = r to r and blocks that end at j(s+t+1) as printed assigns
    every partition exactly once in each class r ... s."""
    return _coverage(2, "printed", (EXAMPLE, (7, 2), (10, 6)))


@paper.claim("algorithm2.corrected", "Algorithm 2, corrected")
def _() -> Cases:
    """Algorithm 2 with i = r to s and blocks that end at j(s+t+2) assigns every
    partition exactly once in each class r ... s."""
    return _coverage(2, "corrected", _EVERY)


@paper.claim("encoding.corrected", "Algorithms 1 and 2, corrected")
def _() -> Cases:
    """Algorithms 1 and 2 together are one rule: each residue class mod s+1 splits the
    partitions into consecutive blocks, as even as can be, the larger ones first."""
    for least, most in ((11, 11), (2, 24), (25, 40)):
        yield finite("encoding_differences", 0, least=least, most=most)


@paper.claim("loads.printed", "Section III")
def _() -> Cases:
    """Workers of the classes 0 ... r-1 hold s+1 partitions in the first l+r-s blocks and s in the
    others where l > s-r, else lambda+1 in the first r~ blocks and lambda in the others; those of
    the classes r ... s hold s+t+2 in the first q blocks and s+t+1 in the others."""
    for n, s, workers in ((*EXAMPLE, (0, 3, 7, 10)), (10, 6, (0, 3, 9)), (23, 5, (0, 5, 11, 22))):
        for worker in workers:
            yield finite("load", loads(n, s)[worker], n=n, s=s, worker=worker)


@paper.claim("total-load.printed", "after Theorem 1")
def _() -> Cases:
    """The loads add up to k(s+1), for any n > s."""
    for n, s, k in _SIZES:
        yield finite("total_load", total_load(n, s, k), n=n, s=s, k=k)


@paper.claim("replication.printed", "Section II-B")
def _() -> Cases:
    """Every partition is held by exactly s+1 workers."""
    for n, s, k in _SIZES:
        yield finite("unequal_holders", 0, scale=k, n=n, s=s, k=k)


_LEAST = ((*EXAMPLE, 11), (10, 6, 10), (7, 2, 21))


@paper.claim("least-load.printed", "Section II-B", REFUTED, relation=">=")
def _() -> Cases:
    """Each server holds at least k(s+1)/n partitions."""
    for n, s, k in _LEAST:
        yield finite("smallest_load", least_load_printed(n, s, k), n=n, s=s, k=k)


@paper.claim("least-load.corrected", "Section II-B, corrected")
def _() -> Cases:
    """The smallest load is floor(k/(l+1)) where s+1 does not divide n, floor(k/l) where it does."""
    for n, s, k in (*_LEAST, (12, 2, 30)):
        yield finite("smallest_load", least_load(n, s, k), n=n, s=s, k=k)
